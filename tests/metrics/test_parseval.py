import pytest
from hypothesis import given

from rhetree.domain.document import Document
from rhetree.domain.relations import GUM, RST_DT
from rhetree.domain.tree import Tree
from rhetree.errors import MismatchError
from rhetree.metrics.counts import Counts
from rhetree.metrics.parseval import Parseval, regions
from rhetree.metrics.report import score_document
from support.scored_pairs import document, levels, tree
from support.strategies import pairs

PARTS = ("span", "nuclearity", "relation", "full")


def counts_of(parseval):
    return tuple(getattr(parseval, part) for part in PARTS)


def test_two_segmentations_that_differ_worked_by_hand():
    # Ten tokens, one sentence. Gold has EDUs A=0..3 B=3..5 C=5..8 D=8..10 and
    #   (A B) elaboration-NS, ((A B) C) causal-SN, (((A B) C) D) joint-NN.
    # The system misses the boundary at 5, so it has A=0..3 X=3..8 D=8..10 and
    #   (A X) causal-NS, ((A X) D) joint-NN.
    gold = document(
        [3, 2, 3, 2],
        sentences=[10],
        tree=tree((0, 3, 4, "NN", "joint"), (0, 2, 3, "SN", "causal"), (0, 1, 2, "NS", "elaboration")),
    )
    predicted = document(
        [3, 5, 2], sentences=[10], tree=tree((0, 2, 3, "NN", "joint"), (0, 1, 2, "NS", "causal"))
    )
    scores = score_document(gold, predicted)
    # RST-Parseval. Children in gold, 2(4-1) = 6:
    #   0..8 N joint | 8..10 N joint | 0..5 S causal | 5..8 N span | 0..3 N span | 3..5 S elaboration
    # predicted, 2(3-1) = 4:
    #   0..8 N joint | 8..10 N joint | 0..3 N span | 3..8 S causal
    # The first three are in both, with the same nuclearity and relation.
    three = Counts(3, 4, 6)
    assert counts_of(scores.rst) == (three, three, three, three)
    assert scores.rst.span.f1 == 2 * 3 / (4 + 6) == 0.6
    assert scores.rst.by_relation == {
        "causal": Counts(0, 1, 1),
        "elaboration": Counts(0, 0, 1),
        "joint": Counts(2, 2, 2),
        "span": Counts(1, 1, 2),
    }
    # Original Parseval. Nodes in gold: 0..10 NN joint | 0..8 SN causal | 0..5 NS elaboration;
    # predicted: 0..10 NN joint | 0..8 NS causal. Both spans are gold's; of 0..8 the relation is
    # right and the nuclearity is not.
    assert counts_of(scores.original) == (Counts(2, 2, 3), Counts(1, 2, 3), Counts(2, 2, 3), Counts(1, 2, 3))
    assert scores.original.span.f1 == 0.8
    assert scores.segmentation.inner == Counts(2, 2, 3)
    assert scores.confusion.pairs == {("causal", "causal"): 1, ("joint", "joint"): 1}


def test_relation_is_judged_without_nuclearity():
    # Gold: 0..1 N span | 1..2 S causal. Predicted: 0..1 S causal | 1..2 N span: all wrong but the spans.
    gold = document([1, 1], sentences=[2], tree=tree((0, 1, 2, "NS", "causal")))
    swapped = document([1, 1], sentences=[2], tree=tree((0, 1, 2, "SN", "causal")))
    none, both = Counts(0, 2, 2), Counts(2, 2, 2)
    assert counts_of(score_document(gold, swapped).rst) == (both, none, none, none)
    # Against N causal | N causal: 0..1 has the nuclearity only, 1..2 the relation only.
    multinuclear = document([1, 1], sentences=[2], tree=tree((0, 1, 2, "NN", "causal")))
    one = Counts(1, 2, 2)
    assert counts_of(score_document(gold, multinuclear).rst) == (both, one, one, none)
    # The node's relation is right whatever its nuclearity.
    assert counts_of(score_document(gold, swapped).original) == (
        Counts(1, 1, 1),
        Counts(0, 1, 1),
        Counts(1, 1, 1),
        Counts(0, 1, 1),
    )


def test_one_predicted_edu_where_gold_has_several_predicts_nothing():
    gold = document([1, 1, 1], sentences=[3], tree=tree((0, 1, 3, "NS", "a"), (1, 2, 3, "NS", "a")))
    lump = document([3], sentences=[3], tree=Tree())
    assert score_document(gold, lump).rst.span == Counts(0, 0, 4)
    assert score_document(gold, lump).original.span == Counts(0, 0, 2)


def test_a_one_edu_gold_sentence_counts_and_guesses_in_it_cost_precision():
    gold = document([2, 1, 1], sentences=[2, 2], sentence_trees=(Tree(), tree((0, 1, 2, "NN", "joint"))))
    predicted = document(
        [1, 1, 1, 1],
        sentences=[2, 2],
        sentence_trees=(tree((0, 1, 2, "NS", "causal")), tree((0, 1, 2, "NN", "joint"))),
    )
    scores = score_document(gold, predicted)
    assert scores.n_trees == 2
    assert scores.rst.span == Counts(2, 4, 2)
    assert scores.original.full == Counts(1, 2, 1)


def test_a_sentence_without_a_gold_tree_counts_for_segmentation_only():
    # The document's tree joins EDU 2 of the first sentence with the second sentence.
    crossing = tree((0, 1, 3, "NS", "causal"), (1, 2, 3, "NN", "joint"))
    gold = document([1, 1, 2], sentences=[2, 2], tree=crossing)
    predicted = document(
        [1, 1, 2], sentences=[2, 2], sentence_trees=(tree((0, 1, 2, "NS", "causal")), Tree())
    )
    scores = score_document(gold, predicted)
    assert scores.n_sentences == 2
    assert scores.n_trees == 1
    assert scores.rst == Parseval()
    assert scores.segmentation.inner == Counts(1, 1, 1)


def test_a_gold_sentence_tree_that_is_none_does_not_count_even_for_one_edu():
    gold = document([2, 2], sentences=[2, 2], sentence_trees=(None, Tree()))
    guess = document([1, 1, 2], sentences=[2, 2], sentence_trees=(tree((0, 1, 2, "NN", "joint")), Tree()))
    scores = score_document(gold, guess)
    assert scores.n_trees == 1
    assert scores.rst.span == Counts()


def test_where_the_prediction_has_no_tree_it_predicts_nothing():
    gold = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(tree((0, 1, 2, "NN", "joint")),) * 2)
    half = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(tree((0, 1, 2, "NN", "joint")), None))
    assert score_document(gold, half).rst.span == Counts(2, 2, 4)
    assert score_document(gold, gold.without_trees()).rst.span == Counts(0, 0, 4)
    assert score_document(gold, gold.without_edus()).rst.span == Counts(0, 0, 4)


def test_predicted_sentences_may_differ_from_golds():
    gold = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(tree((0, 1, 2, "NN", "joint")),) * 2)
    whole = tree((0, 2, 4, "NS", "causal"), (0, 1, 2, "NN", "joint"), (2, 3, 4, "NN", "joint"))
    one_sentence = document([1, 1, 1, 1], sentences=[4], sentence_trees=(whole,))
    unknown_sentences = document([1, 1, 1, 1], tree=whole)
    for predicted in (one_sentence, unknown_sentences):
        assert score_document(gold, predicted).rst.full == Counts(4, 4, 4)


def test_levels():
    whole = tree((0, 2, 4, "NS", "causal"), (0, 1, 2, "NN", "joint"), (2, 3, 4, "NN", "joint"))
    gold = document([1, 1, 1, 1], sentences=[2, 2], tree=whole)
    by_document = score_document(gold, gold, level="document")
    assert (by_document.n_trees, by_document.rst.span, by_document.original.span) == (
        1,
        Counts(6, 6, 6),
        Counts(3, 3, 3),
    )
    by_sentence = score_document(gold, gold)
    assert (by_sentence.n_trees, by_sentence.rst.span, by_sentence.original.span) == (
        2,
        Counts(4, 4, 4),
        Counts(2, 2, 2),
    )
    with pytest.raises(ValueError, match="a level is one of sentence, document, got 'paragraph'"):
        score_document(gold, gold, level="paragraph")  # type: ignore[arg-type]  # not a level


def test_sentence_trees_make_no_tree_of_the_document():
    joint = tree((0, 1, 2, "NN", "joint"))
    gold = document([1, 1, 1, 1], sentences=[2, 2], sentence_trees=(joint, joint))
    scores = score_document(gold, gold, level="document")
    assert scores.n_trees == 0
    assert scores.to_dict()["parseval"] is None
    assert scores.f1("parseval.rst.span") is None


def test_the_empty_document_has_no_tree():
    assert regions(Document(), "document") == []
    assert score_document(Document(), Document()).n_trees == 0


def test_relations_are_compared_by_their_class():
    gold = document([1, 1], sentences=[2], tree=tree((0, 1, 2, "NS", "causal-cause")))
    predicted = document([1, 1], sentences=[2], tree=tree((0, 1, 2, "NS", "causal-result")))
    assert score_document(gold, predicted).rst.relation == Counts(1, 2, 2)
    assert score_document(gold, predicted, inventory=GUM).rst.by_relation == {
        "causal": Counts(1, 1, 1),
        "span": Counts(1, 1, 1),
    }
    with pytest.raises(MismatchError, match="doc: rst-dt has no relation 'causal-cause'"):
        score_document(gold, predicted, inventory=RST_DT)


@given(pairs())
def test_a_tree_against_itself_is_perfect(pair):
    for level in ("sentence", "document"):
        scores = score_document(pair[0], pair[0], level=level)
        for parseval in (scores.rst, scores.original):
            assert all(counts.f1 == 1 and counts.matched == counts.gold for counts in counts_of(parseval))


@given(pairs(same_edus=True))
def test_with_gold_edus_one_parseval_gives_the_other(pair):
    gold, predicted = pair
    missing = any(
        wanted is not None and found is None
        for wanted, found in zip(gold.trees_by_sentence(), predicted.trees_by_sentence(), strict=True)
    )
    scores = score_document(gold, predicted)
    if not missing and scores.original.span.gold:
        assert scores.original.span.f1 == pytest.approx(2 * scores.rst.span.f1 - 1)


@given(pairs())
def test_relations_apart_add_up_to_all_of_them(pair):
    for parseval in (score_document(*pair).rst, score_document(*pair).original):
        assert Counts.total(parseval.by_relation.values()) == parseval.relation
        assert parseval.full.matched <= min(parseval.nuclearity.matched, parseval.relation.matched)
        assert max(parseval.nuclearity.matched, parseval.relation.matched) <= parseval.span.matched


@given(pairs())
def test_brute_force_agrees(pair):
    gold, predicted = pair
    for level in levels(gold, predicted):
        scores = score_document(gold, predicted, level=level)
        assert counts_of(scores.rst) == brute_force(gold, predicted, level, rst_constituents)
        assert counts_of(scores.original) == brute_force(gold, predicted, level, original_constituents)


def brute_force(gold, predicted, level, constituents):
    """Every constituent as its set of tokens, each compared with each."""
    totals = [Counts()] * 4
    for wanted, found in zip(placed_trees(gold, level), placed_trees(predicted, level), strict=True):
        if wanted is None:
            continue
        golds = constituents(*wanted)
        guesses = [] if found is None else constituents(*found)
        for number, same in enumerate(
            (
                lambda one, other: one[0] == other[0],
                lambda one, other: one[:2] == other[:2],
                lambda one, other: (one[0], one[2]) == (other[0], other[2]),
                lambda one, other: one == other,
            )
        ):
            matched = sum(any(same(guess, one) for one in golds) for guess in guesses)
            totals[number] += Counts(matched, len(guesses), len(golds))
    return tuple(totals)


def placed_trees(document, level):
    """For each sentence, or for the document, its tree and the tokens of each of its EDUs."""
    if level == "document":
        found = document.tree
        if len(document.sentences) == 1 and document.sentence_trees:
            found = document.sentence_trees[0]
        return [None if found is None else (found, document.edus)]
    return [
        None if found is None else (found, document.edus[edus.start : edus.end])
        for found, edus in zip(document.trees_by_sentence(), document.sentence_edus(), strict=True)
    ]


def tokens_of(edus):
    return frozenset(token for edu in edus for token in edu.indices())


def rst_constituents(tree, edus):
    found = []
    for split in tree.splits:
        for number, part in enumerate((split.left, split.right)):
            role = split.nuclearity[number]
            nucleus_of_satellite = role == "N" and "S" in split.nuclearity
            relation = "span" if nucleus_of_satellite else split.relation
            found.append((tokens_of(edus[part.start : part.end]), role, relation))
    return found


def original_constituents(tree, edus):
    return [
        (tokens_of(edus[split.start : split.end]), split.nuclearity, split.relation) for split in tree.splits
    ]
