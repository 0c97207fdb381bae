import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.annotation import SecondaryEdge, Signal, Syntax
from rhetree.domain.document import Document, Token
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.formats.format import Layer
from support.strategies import annotated_documents, documents, nary_trees, read_documents

PAIR = Tree((Split(0, 1, 2, "NS", "elaboration"),))


def three_edus():
    """Two sentences, the first with two EDUs."""
    document = Document.from_sentences([["He", "left", ",", "sighing", "."], ["It", "rained", "."]], name="a")
    return replace(document, edus=spans_of_lengths([3, 2, 3]))


def test_offsets_point_into_the_text():
    document = three_edus()
    assert document.text == "He left , sighing . It rained ."
    assert document.edu_texts() == ["He left ,", "sighing .", "It rained ."]
    assert document.forms_of(document.edus[1]) == ["sighing", "."]
    assert document.sentence_edus() == [Span(0, 2), Span(2, 3)]


def test_a_document_is_short_to_look_at():
    document = three_edus()
    assert repr(document) == "<Document 'a': 8 tokens, 2 sentences, 3 EDUs>"
    with_tree = replace(document, tree=PAIR.join(Tree(), "NN", "joint"))
    assert repr(with_tree) == "<Document 'a': 8 tokens, 2 sentences, 3 EDUs, a tree>"
    assert repr(with_tree.split_by_sentence()).endswith("3 EDUs, 2 sentence trees>")
    assert repr(Document(text="He left.")) == "<Document '': 8 characters>"


def test_from_edus_splits_at_white_space():
    document = Document.from_edus(["He  left ,", " sighing ."])
    assert document.edu_texts() == ["He left ,", "sighing ."]
    with pytest.raises(ValueError, match="EDU 2 has no text"):
        Document.from_edus(["He left", "  "])


def test_sentence_trees_are_the_nodes_that_span_exactly_a_sentence():
    left = replace(three_edus(), tree=PAIR.join(Tree(), "NN", "joint"))
    assert left.trees_by_sentence() == [PAIR, Tree()]
    across = replace(three_edus(), tree=Tree().join(PAIR, "NN", "joint"))
    assert across.trees_by_sentence() == [None, Tree()]
    assert across.split_by_sentence().sentence_trees == (None, Tree())
    assert across.split_by_sentence().trees_by_sentence() == [None, Tree()]


def test_a_sentence_inside_an_edu_has_no_tree():
    crossing = replace(three_edus(), edus=spans_of_lengths([3, 5]), tree=PAIR)
    assert crossing.sentence_edus() == [None, None]
    assert crossing.trees_by_sentence() == [None, None]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": (Token("x", 0, 99),)}, "should lie within"),
        ({"sentences": spans_of_lengths([5])}, "sentences end at 5, not at 8"),
        ({"edus": (Span(0, 3), Span(4, 8))}, "EDU 4..8 should start at 3"),
        ({"tree": PAIR}, "the tree of document has 2 EDUs, but there are 3"),
        ({"sentence_trees": (PAIR,)}, "1 sentence tree for 2 sentences"),
        ({"sentence_trees": (PAIR, PAIR)}, "the tree of sentence 1 has 2 EDUs, but there are 1"),
        ({"tree": PAIR.join(Tree(), "NN", "x"), "sentence_trees": (PAIR, None)}, "not both"),
        ({"syntax": Syntax(columns=())}, "syntax for 0 tokens"),
        ({"signals": (Signal(Span(0, 1), "dm", "dm"),)}, "need a tree"),
        ({"metadata": {"year": 1999}}, "strings to strings, got 'year': 1999"),
    ],
)
def test_a_document_that_contradicts_itself_cannot_be_built(change, message):
    with pytest.raises(ValueError, match=message):
        replace(three_edus(), **change)


def test_secondary_edges_and_signals_name_units_of_the_tree():
    document = replace(three_edus(), tree=PAIR.join(Tree(), "NN", "joint"))
    edge = SecondaryEdge(Span(0, 1), Span(0, 2), "cause")
    kept = replace(document, secondary_edges=[edge], signals=[Signal(edge, "dm", "dm", (0,))])
    assert kept.signals[0].source == edge
    with pytest.raises(ValueError, match=r"1\.\.3 is not a unit"):
        replace(document, secondary_edges=[SecondaryEdge(Span(0, 1), Span(1, 3), "cause")])
    with pytest.raises(ValueError, match="not a unit or edge"):
        replace(document, signals=[Signal(edge, "dm", "dm")])
    with pytest.raises(ValueError, match="token 8 is not one of 8 tokens"):
        replace(document, signals=[Signal(Span(0, 1), "dm", "dm", (8,))])
    assert kept.map_relations(str.upper).signals[0].source.relation == "CAUSE"
    assert not kept.split_by_sentence().signals
    assert not kept.without_edus().edus


@given(st.data())
def test_the_nary_shape_is_kept_only_where_it_is_not_binary(data):
    nary = data.draw(nary_trees(n_edus=3))
    document = three_edus().with_nary(nary)
    assert (document.nary is None) == nary.is_binary()
    assert document.as_drawn() == nary
    with pytest.raises(ValueError, match="not the binary form"):
        replace(document, tree=document.tree.map_relations(str.upper), nary=nary)


@given(documents().flatmap(annotated_documents))
def test_documents_compare_hash_and_cross_processes(document):
    copy = pickle.loads(pickle.dumps(document))
    assert copy == document
    assert hash(copy) == hash(document)


def reading(lengths, tree=None, log_prob=-1.0):
    n_splits = 0 if tree is None else len(tree.splits)
    edus = spans_of_lengths(lengths)
    labels = (("elaboration-NS", 0.75), ("joint-NN", 0.25))
    return Reading(edus, tree, log_prob, (0.5,) * len(edus), (1.0,) * n_splits, (labels,) * n_splits)


def predicted():
    return replace(
        three_edus(),
        sentence_trees=(PAIR, Tree()),
        readings=[[reading([3, 2], PAIR), reading([5], Tree(), -2.0)], [reading([3], Tree(), 0.0)]],
    )


def test_the_first_reading_is_what_the_document_says():
    document = predicted()
    assert [len(readings) for readings in document.readings] == [2, 1]
    assert replace(document, readings=((), document.readings[1])).readings[0] == ()
    assert replace(document, readings=((), ())).readings == ()
    only_edus = replace(three_edus(), readings=([reading([3, 2])], [reading([3])]))
    assert only_edus.sentence_trees == ()


@pytest.mark.parametrize(
    ("readings", "message"),
    [
        ([[reading([3, 2], PAIR)]], "readings of 1 sentence for 2"),
        ([[reading([2, 3], PAIR)], []], "the EDUs of sentence 0 are not those of its first reading"),
        ([[reading([3], Tree())], []], "the EDUs of sentence 0"),
        ([[reading([3, 2])], []], "the tree of sentence 0 is not that of its first reading"),
        ([[reading([3, 2], PAIR.map_relations(str.upper))], []], "the tree of sentence 0"),
        ([[reading([3, 2], PAIR), reading([4], Tree())], []], "a reading of sentence 0 does not cover"),
        (
            [[reading([3, 2], PAIR), reading([5], Tree(), -3.0), reading([5], Tree(), -0.5)], []],
            "alternatives of sentence 0 do not come likeliest first",
        ),
    ],
)
def test_readings_fit_their_sentence(readings, message):
    with pytest.raises(ValueError, match=message):
        replace(three_edus(), sentence_trees=(PAIR, Tree()), readings=readings)


def test_readings_need_edus_within_the_sentence():
    crossing = replace(three_edus(), edus=spans_of_lengths([3, 4, 1]))
    with pytest.raises(ValueError, match="one crosses the edge of sentence 0"):
        replace(crossing, readings=[[], [reading([2, 1])]])


def test_readings_go_with_the_trees_that_they_are_about():
    document = predicted()
    assert not document.without_trees().readings
    assert not document.without_edus().readings
    assert document.split_by_sentence() == document
    only_edus = replace(three_edus(), readings=([reading([3, 2])], [reading([3])]))
    with_tree = replace(only_edus, tree=PAIR.join(Tree(), "NN", "joint"))
    assert with_tree.readings
    assert not with_tree.split_by_sentence().readings
    assert not only_edus.with_nary(with_tree.as_drawn()).readings


WHOLE = PAIR.join(Tree(), "NN", "joint")
ACROSS = Tree().join(PAIR, "NN", "joint")
"""Its first sentence, EDUs 0 and 1, is no node."""


def predicted_whole(tree=WHOLE):
    """The same readings below a tree of the whole document."""
    labels = (("joint-NN", 0.5), ("causal-NS", 0.25), ("causal-NN", 0.25))
    probs = [SplitProbs(Span(0, 3), 0.75, labels)]
    return replace(predicted(), sentence_trees=(), tree=tree, split_probs=probs)


def test_a_document_has_one_tree_and_readings_that_agree_with_it():
    document = predicted_whole()
    assert document.trees_by_sentence() == [PAIR, Tree()]
    assert document.readings == predicted().readings
    assert document.split_probs[0].labels[0] == ("joint-NN", 0.5)
    with pytest.raises(ValueError, match="the tree of sentence 0 is not that of its first reading"):
        predicted_whole(PAIR.map_relations(str.upper).join(Tree(), "NN", "joint"))
    with pytest.raises(ValueError, match="the EDUs of sentence 0 are not those of its first reading"):
        replace(document, edus=spans_of_lengths([2, 3, 3]))


def test_a_sentence_that_is_no_node_of_the_tree_may_be_read_with_any_tree():
    document = predicted_whole(ACROSS)
    assert document.readings[0][0].tree == PAIR
    with pytest.raises(ValueError, match="the EDUs of sentence 0"):
        replace(document, edus=spans_of_lengths([2, 3, 3]))


def test_trees_of_sentences_keep_the_readings_that_agree_with_them():
    assert predicted_whole().split_by_sentence() == predicted()
    apart = predicted_whole(ACROSS).split_by_sentence()
    assert apart.sentence_trees == (None, Tree())
    assert apart.readings == ((), predicted().readings[1])


def test_another_tree_takes_readings_and_probabilities_away():
    document = predicted_whole()
    for changed in (document.with_nary(document.as_drawn()), document.without_trees()):
        assert not changed.readings
        assert not changed.split_probs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tree": None}, r"the split of EDUs 0\.\.3, which the tree lacks"),
        ({"split_probs": [SplitProbs(Span(1, 3), 1, ())]}, r"the split of EDUs 1\.\.3, which the tree lacks"),
        ({"split_probs": [SplitProbs(Span(0, 1), 1, ())]}, r"the split of EDUs 0\.\.1, which the tree lacks"),
        (
            {"split_probs": [SplitProbs(Span(0, 2), 1, ()), SplitProbs(Span(0, 3), 1, ())]},
            r"come in pre-order; 0\.\.3 is out of place",
        ),
        ({"split_probs": [SplitProbs(Span(0, 3), 1, ())] * 2}, r"0\.\.3 is out of place"),
    ],
)
def test_probabilities_of_splits_name_splits_of_the_tree(change, message):
    with pytest.raises(ValueError, match=message):
        replace(predicted_whole(), **change)


@pytest.mark.parametrize(
    ("prob", "labels", "message"),
    [
        (1.5, (), "between 0 and 1, got 1.5"),
        (float("nan"), (), "between 0 and 1, got nan"),
        (1, (("a-NS", 0.1), ("b-NS", 0.2)), "highest first"),
        (1, (("a", 0.1),), "got 'a'"),
    ],
)
def test_probabilities_of_a_split_that_cannot_be(prob, labels, message):
    with pytest.raises(ValueError, match=message):
        SplitProbs(Span(0, 2), prob, labels)


@given(documents({Layer.SENTENCES}).flatmap(read_documents))
def test_what_a_model_left_stays_whole_when_relations_are_renamed_and_sentences_taken_apart(document):
    assert document.map_relations(lambda name: name) == document.map_relations(str.upper).map_relations(
        str.lower
    )
    apart = document.split_by_sentence()
    assert apart.trees_by_sentence() == document.trees_by_sentence()
    for kept, own, tree in zip(apart.readings, document.readings, apart.sentence_trees, strict=False):
        assert kept == (own if own and own[0].tree == tree else ())
    assert not apart.split_probs


def test_labels_of_splits_are_renamed_with_the_tree_and_add_up():
    renamed = predicted_whole().map_relations(lambda name: "same")
    assert renamed.tree.splits[0].label == "same-NN"
    assert renamed.split_probs[0].labels == (("same-NN", 0.75), ("same-NS", 0.25))


def test_labels_of_readings_are_renamed_with_the_trees_and_add_up():
    renamed = predicted().map_relations(lambda name: "same")
    assert renamed.sentence_trees[0].splits[0].label == "same-NS"
    assert renamed.readings[0][0].label_probs == ((("same-NS", 0.75), ("same-NN", 0.25)),)
    three = replace(reading([3, 2], PAIR), label_probs=((("a-NS", 0.4), ("b-NS", 0.35), ("c-NS", 0.25)),))
    merged = three.map_relations(lambda name: "b" if name == "c" else name)
    assert merged.label_probs == ((("b-NS", 0.6), ("a-NS", 0.4)),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edus": (Span(0, 1), Span(2, 3))}, "EDU 2..3 should start at 1"),
        ({"edus": ()}, "the tree has 2 EDUs, but the reading has 0"),
        ({"tree": Tree()}, "the tree has 1 EDU, but the reading has 2"),
        ({"tree": None}, "each of 0 splits, got 1 and 1"),
        ({"log_prob": 0.1}, "at most 0, got 0.1"),
        ({"log_prob": float("nan")}, "at most 0, got nan"),
        ({"log_prob": -float("inf")}, "at most 0, got -inf"),
        ({"edu_probs": (0.5,)}, "a probability for each of 2 EDUs, got 1"),
        ({"edu_probs": (0.5, 1.5)}, "between 0 and 1, got 1.5"),
        ({"split_probs": (float("nan"),)}, "between 0 and 1, got nan"),
        ({"label_probs": ()}, "each of 1 split, got 1 and 0"),
        ({"label_probs": ((("a-NS", 0.1), ("b-NS", 0.2)),)}, "highest first"),
        ({"label_probs": ((("a", 0.1),),)}, "a label is a relation, a hyphen and NS, SN or NN, got 'a'"),
    ],
)
def test_a_reading_that_contradicts_itself_cannot_be_built(change, message):
    with pytest.raises(ValueError, match=message):
        replace(reading([3, 2], PAIR), **change)
