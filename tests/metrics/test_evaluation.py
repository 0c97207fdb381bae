import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.relations import GUM
from rhetree.errors import MismatchError
from rhetree.metrics.counts import Counts
from rhetree.metrics.report import METRICS, Evaluation, Scores, evaluate, pair_by_name, score_document
from support.scored_pairs import document, levels, tree
from support.strategies import pairs

JOINT = tree((0, 1, 2, "NN", "joint"))
CAUSAL = tree((0, 1, 2, "NS", "causal"))


def evaluation():
    gold = [
        document([1, 1], JOINT, [2], name="a", metadata={"genre": "news"}),
        document([1, 1], CAUSAL, [2], name="b", metadata={"genre": "news"}),
        document([1, 1], CAUSAL, [2], name="c"),
    ]
    predicted = [
        document([1, 1], JOINT, [2], name="a"),
        document([1, 1], JOINT, [2], name="b"),
        document([1, 1], CAUSAL, [2], name="c"),
    ]
    return evaluate(gold, predicted)


def test_the_total_is_the_sum_of_the_documents():
    some = evaluation()
    assert some.total.n_documents == some.total.n_trees == some.total.n_sentences == 3
    assert some.total.rst.relation == Counts(4, 6, 6)
    assert some.total == some.documents[0].scores + some.documents[1].scores + some.documents[2].scores


def test_genres_are_golds_and_a_document_without_one_is_unknown():
    genres = evaluation().by_genre()
    assert {genre: scores.rst.relation for genre, scores in genres.items()} == {
        "news": Counts(2, 4, 4),
        "unknown": Counts(2, 2, 2),
    }


def test_evaluations_add_up():
    some = evaluation()
    assert (some + some).total == some.total + some.total
    assert [scored.name for scored in (some + some).documents] == ["a", "b", "c"] * 2
    with pytest.raises(ValueError, match="do not add up"):
        some + evaluate([], [], level="document")
    with pytest.raises(ValueError, match="do not add up"):
        some + evaluate([], [], inventory=GUM)


def test_nothing_evaluated_is_measured_as_nothing():
    empty = evaluate([], [])
    assert empty.total == Scores()
    assert empty.total.f1("segmentation.inner") == 1.0
    assert empty.total.f1("parseval.rst.full") is None


def test_every_metric_has_its_name_and_its_place_in_the_record():
    total = evaluation().total
    for metric in METRICS:
        place = total.to_dict()
        for step in metric.split("."):
            place = place[step]
        assert Counts.from_dict(place) == total.counts(metric)
        assert place["f1"] == total.f1(metric)
    with pytest.raises(ValueError, match="got 'rst'"):
        total.counts("rst")


def test_the_records_keys_are_golden():
    record = evaluation().to_dict(per_document=True, per_genre=True, per_relation=True, confusion=True)
    counts = ["precision", "recall", "f1", "matched", "predicted", "gold"]
    scores = ["documents", "sentences", "trees", "segmentation", "parseval"]
    assert list(record) == [
        "level",
        "relations",
        *scores,
        "per_document",
        "per_genre",
        "per_relation",
        "confusion",
    ]
    assert list(record["segmentation"]) == ["inner", "starts"]
    assert list(record["segmentation"]["inner"]) == counts
    assert list(record["parseval"]) == ["rst", "original"]
    assert list(record["parseval"]["rst"]) == ["span", "nuclearity", "relation", "full"]
    assert list(record["parseval"]["original"]["full"]) == counts
    assert [list(document) for document in record["per_document"]] == [["name", "genre", *scores]] * 3
    assert {genre: list(part) for genre, part in record["per_genre"].items()} == {
        "news": scores,
        "unknown": scores,
    }
    assert {kind: list(part) for kind, part in record["per_relation"].items()} == {
        "rst": ["causal", "joint", "span"],
        "original": ["causal", "joint"],
    }
    assert list(record["per_relation"]["rst"]["joint"]) == counts
    assert record["confusion"] == {
        "relations": ["causal", "joint"],
        "matrix": [[1, 1], [0, 1]],
        "nodes": 3,
    }
    assert list(evaluation().to_dict()) == ["level", "relations", *scores]


@given(st.lists(pairs(), max_size=4), st.sampled_from(["sentence", "document"]))
def test_counts_come_back_from_json(some, level):
    some = [pair for pair in some if level in levels(*pair)]
    before = evaluate([gold for gold, _ in some], [predicted for _, predicted in some], level=level)
    after = Evaluation.from_dict(json.loads(json.dumps(before.to_dict(per_document=True))))
    assert after.to_dict(per_document=True) == before.to_dict(per_document=True)


@given(st.lists(pairs(), min_size=1, max_size=4))
def test_scores_lie_between_0_and_1(some):
    total = evaluate([gold for gold, _ in some], [predicted for _, predicted in some]).total
    assert all(score is None or 0 <= score <= 1 for score in map(total.f1, METRICS))


def test_documents_are_paired_by_name_in_golds_order():
    gold = [document([1], name=name) for name in "abc"]
    assert pair_by_name(gold, [gold[2], gold[0], gold[1]]) == (gold, gold)


def test_documents_without_a_partner_are_listed():
    gold = [document([1], name=name) for name in "abc"]
    predicted = [document([1], name=name) for name in "bde"]
    with pytest.raises(MismatchError, match="not predicted: a, c; not in gold: d, e$"):
        pair_by_name(gold, predicted)


def test_two_documents_of_one_name_cannot_be_paired():
    with pytest.raises(MismatchError, match="two predicted documents are called 'doc'"):
        pair_by_name([document([1])], [document([1]), document([2])])


def test_documents_out_of_order_are_refused():
    a, b = document([1], name="a"), document([1], name="b")
    with pytest.raises(MismatchError, match="document 1 is 'b', expected 'a'"):
        evaluate([a, b], [b, a])
    with pytest.raises(MismatchError, match="only gold has a document 2"):
        evaluate([a, b], [a], level="document")
    with pytest.raises(MismatchError, match="only predicted has a document 1"):
        evaluate([], [a])


def test_a_document_without_a_name_pairs_with_any():
    gold = document([1], sentences=[1])
    assert evaluate([gold], [replace(gold, name="")]).total.n_documents == 1


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        (["He", "left", "."], "doc: token 2 is 'left' in the prediction, expected 'came' as in gold"),
        (["He", "came"], r"doc: the prediction ends after token 2, expected token 3, '\.', as in gold"),
        (
            ["He", "came", ".", "Oh"],
            "doc: gold ends after token 3, expected token 4, 'Oh', as in the prediction",
        ),
    ],
)
def test_tokens_that_differ_are_named(forms, message):
    with pytest.raises(MismatchError, match=message):
        score_document(Document.from_edus(["He came ."], "doc"), Document.from_edus([" ".join(forms)], "doc"))


def test_gold_needs_edus_and_for_sentence_trees_sentences():
    plain = document([1, 1])
    with pytest.raises(MismatchError, match="doc: it has no EDUs in gold"):
        score_document(plain.without_edus(), plain)
    with pytest.raises(
        MismatchError, match="doc: it has no sentences in gold; compare trees of whole documents"
    ):
        score_document(plain, plain)
    assert score_document(plain, plain, level="document").segmentation.starts == Counts(2, 2, 2)


def test_an_unknown_level_is_refused_even_without_documents():
    with pytest.raises(ValueError, match="got 'paragraph'"):
        evaluate([], [], level="paragraph")  # type: ignore[arg-type]  # not a level
