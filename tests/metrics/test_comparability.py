"""Trees of sentences and trees of documents: they are compared over the same sentences, or not at all."""

from dataclasses import replace

import pytest

from rhetree.domain.annotation import Syntax
from rhetree.domain.document import Document
from rhetree.errors import MismatchError
from rhetree.metrics.agreement import agreement
from rhetree.metrics.comparability import adopt_sentences, default_level
from rhetree.metrics.counts import Counts
from rhetree.metrics.report import evaluate, score_document
from rhetree.metrics.significance import compare
from support.scored_pairs import document, tree

JOINT, CAUSAL = tree((0, 1, 2, "NN", "joint")), tree((0, 1, 2, "NS", "causal"))
WHOLE = JOINT.join(JOINT, "NS", "causal")

BY_SENTENCE = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(JOINT, CAUSAL))
WITHOUT_SENTENCES = document([1, 1, 1, 1], WHOLE)
BY_DOCUMENT = document([1, 1, 1, 1], WHOLE, [2, 2])


def test_gold_without_sentences_is_scored_by_those_of_the_prediction():
    scores = score_document(WITHOUT_SENTENCES, BY_SENTENCE)
    assert scores == score_document(BY_DOCUMENT, BY_SENTENCE)
    assert (scores.n_sentences, scores.n_trees) == (2, 2)
    assert (scores.rst.span, scores.rst.full) == (Counts(4, 4, 4), Counts(2, 4, 4))
    assert scores.segmentation.inner == Counts(2, 2, 2)


def test_a_prediction_without_sentences_is_scored_by_those_of_gold():
    assert score_document(BY_SENTENCE, WITHOUT_SENTENCES) == score_document(BY_SENTENCE, BY_DOCUMENT)


def test_golds_own_sentences_come_first():
    gold = replace(BY_DOCUMENT, sentences=document([4], sentences=[4]).sentences)
    assert adopt_sentences(gold, [BY_SENTENCE]) is gold
    assert score_document(gold, BY_SENTENCE).n_trees == 1


def test_comments_of_other_sentences_are_left_behind():
    gold = replace(WITHOUT_SENTENCES, syntax=Syntax(columns=(("_",) * 8,) * 4, comments=(("# one",),)))
    assert adopt_sentences(gold, [BY_SENTENCE]).sentences == BY_SENTENCE.sentences


def test_predictions_that_differ_about_sentences_are_not_scored_by_either():
    other = document([1, 1, 1, 1], sentences=[1, 3], sentence_trees=(tree(), None))
    with pytest.raises(MismatchError, match="doc: gold has no sentences, and the predictions differ about"):
        adopt_sentences(WITHOUT_SENTENCES, [BY_SENTENCE, other])
    # Each run alone has a score, but over other sentences: the scores do not compare.
    a, b = ([evaluate([WITHOUT_SENTENCES], [predicted])] for predicted in (BY_SENTENCE, other))
    with pytest.raises(
        MismatchError, match="doc: the runs were not scored against the same gold, which has 0 or"
    ):
        compare(a, b, "parseval.rst.full")


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (
            WITHOUT_SENTENCES,
            BY_SENTENCE,
            "gold has one tree for the whole document, the prediction has a tree",
        ),
        (BY_SENTENCE, BY_DOCUMENT, "the prediction has one tree for the whole document, gold has a tree for"),
    ],
)
def test_a_tree_of_the_document_does_not_meet_trees_of_sentences(gold, predicted, message):
    with pytest.raises(MismatchError, match=f"doc: {message}.*compare the trees of sentences"):
        evaluate([gold], [predicted], level="document")
    with pytest.raises(MismatchError, match=r"compare the trees of sentences \(level 'sentence'\)"):
        agreement([gold], [predicted], level="document")


def test_texts_without_tokens_are_compared_as_texts():
    gold, same, other = (Document(text=text) for text in ("He left.", "He\nleft. ", "She stayed."))
    assert score_document(gold, same).n_trees == 0
    for level in ("sentence", "document"):
        with pytest.raises(
            MismatchError, match="the text in the prediction is 'She stayed.', expected 'He le"
        ):
            evaluate([gold], [other], level=level)
    with pytest.raises(MismatchError, match="the text in B is ''"):
        agreement([gold], [Document(text="")], level="document")


def test_the_tree_of_an_only_sentence_is_that_of_the_document():
    gold, predicted = document([1, 1], JOINT), document([1, 1], sentences=[2], sentence_trees=(JOINT,))
    assert score_document(gold, predicted, level="document").rst.full == Counts(2, 2, 2)


def test_a_prediction_without_trees_meets_anything():
    for gold in (WITHOUT_SENTENCES, BY_SENTENCE):
        scores = score_document(gold, BY_SENTENCE.without_trees(), level="document")
        assert scores.rst.span.predicted == 0


@pytest.mark.parametrize(
    ("gold", "predicted", "level"),
    [
        (BY_DOCUMENT, BY_DOCUMENT, "sentence"),
        (BY_SENTENCE, WITHOUT_SENTENCES, "sentence"),
        (WITHOUT_SENTENCES, BY_SENTENCE, "sentence"),
        (WITHOUT_SENTENCES, BY_DOCUMENT, "document"),
        (WITHOUT_SENTENCES, WITHOUT_SENTENCES, "document"),
        (WITHOUT_SENTENCES.without_trees(), BY_SENTENCE, "document"),
    ],
)
def test_the_default_level_is_the_finest_at_which_both_have_trees(gold, predicted, level):
    assert default_level([gold], [predicted]) == level
