from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.annotation import Syntax
from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import MismatchError, ModelError
from rhetree.runtime.pipeline import Pipeline
from rhetree.runtime.search import Search
from support.fake_network import LABELS, FakeNetwork
from support.strategies import parsed_documents


def predict(documents, *, edus="auto", network=None, **settings):
    network = network or FakeNetwork()
    return list(Pipeline(network, LABELS, **settings).predict(documents, edus=edus))


@given(st.lists(parsed_documents(), max_size=4), st.sampled_from(["auto", "gold"]))
def test_documents_come_back_in_order_with_edus_and_a_tree_for_each_sentence(documents, edus):
    found = predict(documents, edus=edus)
    assert [document.tokens for document in found] == [document.tokens for document in documents]
    for before, after in zip(documents, found, strict=True):
        assert after.sentences == before.sentences
        assert None not in after.sentence_edus()
        assert [tree.n_edus for tree in after.sentence_trees] == [len(span) for span in after.sentence_edus()]
        assert after.tree is None
        if edus == "gold":
            assert after.edus == before.edus


@pytest.mark.parametrize(
    ("part", "edus", "trees"),
    [
        ("segment_step", "auto", False),
        ("segment_step", "auto", True),
        ("parse_step", "gold", True),
        ("label", "gold", True),
    ],
)
@pytest.mark.parametrize("width", [1, 3])
def test_probabilities_that_are_no_numbers_are_an_error_that_says_so(monkeypatch, part, edus, trees, width):
    network = FakeNetwork()
    before = getattr(network, part)

    def spoil(*args):
        found = before(*args)
        return found * np.nan if part == "label" else replace(found, log_probs=found.log_probs * np.nan)

    monkeypatch.setattr(network, part, spoil)
    document = replace(Document.from_sentences(["abcab"]), edus=spans_of_lengths([1, 1, 1, 2]))
    with pytest.raises(ModelError, match="its probabilities are not finite numbers"):
        search = Search(width)
        list(Pipeline(network, LABELS, search=search).predict([document], edus=edus, trees=trees))


@given(st.lists(parsed_documents(), max_size=4))
def test_batches_and_windows_change_nothing(documents):
    expected = predict(documents)
    assert predict(documents, batch_cost=1) == expected
    assert predict(documents, batch_cost=13, window=1) == expected
    assert predict(documents, batch_cost=13, window=3) == expected


@given(st.lists(parsed_documents(), max_size=4), st.sampled_from(["auto", "gold"]))
def test_the_first_reading_of_a_beam_is_what_the_document_says(documents, edus):
    for found in predict(documents, edus=edus, beam=3):  # Document itself checks this
        assert len(found.readings) == len(found.sentences)
        assert all(1 <= len(readings) <= 3 for readings in found.readings)
    for found in predict(documents, edus=edus):
        assert all(len(readings) == 1 for readings in found.readings)


@given(parsed_documents())
def test_what_was_gold_has_no_influence(document):
    assert predict([document]) == predict([document.without_edus()])
    assert predict([document], edus="gold") == predict([document.without_trees()], edus="gold")


def test_documents_stream():
    read = []

    def documents():
        for number in range(5):
            read.append(number)
            yield Document.from_sentences([["a", "b"], ["c"]], name=str(number))

    found = Pipeline(FakeNetwork(), LABELS, window=4).predict(documents())
    assert next(found).name == "0"
    assert read == [0, 1]


def test_a_large_document_is_worked_through_in_pieces():
    document = Document.from_sentences([["a"] * (1 + number % 7) for number in range(50)])
    network = FakeNetwork()
    (found,) = predict([document], network=network, window=8)
    assert [size for _, size in network.named("encode")] == [8] * 6 + [2]
    assert [found] == predict([document])


def test_long_sentences_fill_a_window_sooner():
    read = []

    def documents():
        for number in range(20):
            read.append(number)
            yield Document.from_sentences([["a"] * 320], name=str(number))

    pipeline = Pipeline(FakeNetwork(), LABELS, window=30)
    assert next(pipeline.predict(documents())).name == "0"
    assert len(read) == 3
    network = FakeNetwork()
    predict([Document.from_sentences([["a"] * 320] * 4)], network=network, window=20)
    assert [size for _, size in network.named("encode")] == [2, 2]


def test_a_sentence_of_thousands_of_tokens_goes_alone():
    network = FakeNetwork()
    pipeline = Pipeline(network, LABELS)
    short, long = pipeline.analyse([["a"] * 3, ["b"] * 5000])
    assert [size for _, size in network.named("encode")] == [1, 1]
    assert short[0].n_tokens == 3
    assert long[0].n_tokens == 5000
    assert max(map(len, long[0].edus)) <= pipeline.reach


def test_a_document_without_tokens_passes():
    assert predict([Document()]) == [Document()]


def test_documents_without_tokens_do_not_pile_up():
    read = []

    def documents():
        for number in range(100):
            read.append(number)
            yield Document(name=str(number))

    found = Pipeline(FakeNetwork(), LABELS, window=10).predict(documents())
    assert next(found).name == "0"
    assert len(read) == 10


@pytest.mark.parametrize("edus", ["auto", "gold"])
def test_trees_are_left_out_where_they_are_not_wanted(edus):
    document = replace(Document.from_sentences([["a"] * 9, ["b"] * 7]), edus=spans_of_lengths([4, 5, 7]))
    (whole,) = predict([document], edus=edus)
    network = FakeNetwork()
    (found,) = Pipeline(network, LABELS).predict([document], edus=edus, trees=False)
    assert found.edus == whole.edus
    assert found.sentence_trees == ()
    assert not network.named("parse")
    assert not network.named("label")
    segmenter, parser = FakeNetwork(seed=5, parses=False), FakeNetwork()
    (found,) = Pipeline(parser, LABELS, segmenter=segmenter).predict([document], trees=False)
    assert not parser.calls


def test_a_beam_makes_batches_smaller():
    network = FakeNetwork()
    Pipeline(network, LABELS, batch_cost=12, beam=3).analyse([["a"]] * 10)
    assert [size for _, size in network.named("encode")] == [4, 4, 2]
    # One sentence a batch is the least.
    Pipeline(network, LABELS, batch_cost=2, beam=3).analyse([["a"]])


def test_one_network_can_parse_what_another_segments():
    document = Document.from_sentences([["a"] * 9, ["b"] * 7])
    segmenter, parser = FakeNetwork(seed=5, parses=False), FakeNetwork(seed=6, segments=False)
    (found,) = predict([document], network=parser, segmenter=segmenter)
    (segmented,) = predict([document], network=FakeNetwork(seed=5, parses=False))
    assert segmented.sentence_trees == ()
    assert found.edus == segmented.edus
    assert found.sentence_trees == predict([segmented], network=parser, edus="gold")[0].sentence_trees


@pytest.mark.parametrize(
    ("document", "edus", "message"),
    [
        (Document.from_edus(["a b", "c"], name="d"), "auto", "d has no sentences"),
        (Document.from_sentences([["a", "b"]], name="d"), "gold", "d has no EDUs to parse"),
        (
            replace(Document.from_sentences([["a", "b"], ["c"]], name="d"), edus=(Span(0, 1), Span(1, 3))),
            "gold",
            "d: an EDU crosses the edge of sentence 1, tokens 0..2",
        ),
    ],
)
def test_a_document_that_lacks_what_is_needed_is_refused_by_name(document, edus, message):
    with pytest.raises(MismatchError, match=message):
        predict([document], edus=edus)


def test_a_network_that_only_segments_takes_no_edus():
    document = replace(Document.from_sentences([["a", "b"]]), edus=(Span(0, 2),))
    with pytest.raises(ValueError, match="only segments"):
        predict([document], edus="gold", network=FakeNetwork(parses=False))


def test_limits_must_leave_room_for_something():
    for name in ("batch_cost", "window", "beam", "reach", "top_labels"):
        limit: dict[str, Any] = {name: 0}
        with pytest.raises(ValueError, match=f"{name} is at least 1, got 0"):
            Pipeline(FakeNetwork(), LABELS, **limit)


def test_gold_trees_do_not_come_through():
    tree = Tree((Split(0, 1, 2, "NN", "never-predicted"),))
    document = replace(
        Document.from_sentences([["a", "b"]]), edus=(Span(0, 1), Span(1, 2)), sentence_trees=(tree,)
    )
    (found,) = predict([document], edus="gold")
    assert found.sentence_trees[0].splits[0].label in LABELS


def test_gold_relations_of_conllu_do_not_come_through():
    rows = [
        ("_",) * 7 + (misc,) for misc in ("Discourse=joint-list_m:1->0:0|Entity=1", "Discourse=ROOT:2->0:0")
    ]
    document = replace(Document.from_sentences([["a", "b"]]), syntax=Syntax(columns=tuple(rows)))
    (found,) = predict([document])
    assert [row[-1] for row in found.syntax.columns] == ["Entity=1", "_"]
