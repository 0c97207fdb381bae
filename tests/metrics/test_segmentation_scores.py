from dataclasses import replace

from hypothesis import given

from rhetree.metrics.counts import Counts
from rhetree.metrics.segmentation import Segmentation, score_segmentation
from support.scored_pairs import document
from support.strategies import pairs


def test_a_worked_example():
    # tokens      0 1 2 3 4 5 | 6 7 8 9     two sentences
    # gold        [   [       | [   [       starts 0 2 6 8
    # predicted   [       [   | [           starts 0 4 6
    gold = document([2, 4, 2, 2], sentences=[6, 4])
    predicted = document([4, 2, 4], sentences=[6, 4])
    # Inner: gold 2 8, predicted 4. Starts: both 0 and 6.
    assert score_segmentation(gold, predicted) == Segmentation(Counts(0, 1, 2), Counts(2, 3, 4))


def test_an_edu_over_the_end_of_a_sentence_loses_a_start_but_no_inner_boundary():
    gold = document([2, 1, 3], sentences=[3, 3])
    predicted = document([2, 4], sentences=[3, 3])
    assert score_segmentation(gold, predicted) == Segmentation(Counts(1, 1, 1), Counts(2, 2, 3))


def test_only_golds_sentences_matter():
    gold = document([2, 4], sentences=[6])
    predicted = document([2, 1, 3], sentences=[3, 3])
    assert score_segmentation(gold, predicted).inner == Counts(1, 2, 1)
    assert score_segmentation(gold, replace(predicted, sentences=())).inner == Counts(1, 2, 1)


def test_without_golds_sentences_inner_boundaries_are_not_known():
    plain = document([2, 4])
    assert score_segmentation(plain, plain) == Segmentation(None, Counts(2, 2, 2))
    known = document([2, 4], sentences=[6])
    total = score_segmentation(plain, plain) + score_segmentation(known, known)
    assert total == Segmentation(None, Counts(4, 4, 4))


def test_a_document_without_edus_predicts_nothing():
    gold = document([2, 4], sentences=[6])
    assert score_segmentation(gold, gold.without_edus()) == Segmentation(Counts(0, 0, 1), Counts(0, 0, 2))


def test_an_empty_document_has_nothing_to_find():
    empty = replace(document([1]), text="", tokens=(), edus=())
    assert score_segmentation(empty, empty) == Segmentation(Counts(), Counts())


def test_a_sentence_of_one_edu_has_no_inner_boundary():
    gold = document([3, 3], sentences=[3, 3])
    assert score_segmentation(gold, gold).inner == Counts()
    assert score_segmentation(gold, gold).inner.f1 == 1.0


@given(pairs())
def test_brute_force_agrees(pair):
    gold, predicted = pair
    inner, starts = [0, 0, 0], [0, 0, 0]
    for token in range(len(gold.tokens)):
        first = any(edu.start == token for edu in gold.edus)
        second = any(edu.start == token for edu in predicted.edus)
        found = (first and second, second, first)
        starts = [count + hit for count, hit in zip(starts, found, strict=True)]
        if all(sentence.start != token for sentence in gold.sentences):
            inner = [count + hit for count, hit in zip(inner, found, strict=True)]
    assert score_segmentation(gold, predicted) == Segmentation(Counts(*inner), Counts(*starts))
