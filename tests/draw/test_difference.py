from dataclasses import replace

import pytest
from hypothesis import given

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.draw.difference import Mark, Tally, compare, tally
from rhetree.errors import MismatchError
from support.drawn_documents import three_sentences, treasury, treasury_as_parsed
from support.strategies import analyses


def test_units_are_compared_by_their_tokens_where_edus_differ():
    (pair,) = compare(treasury(), treasury_as_parsed())
    assert pair.left_marks == {
        Span(0, 24): Mark(nuclearity=True, relation=True),
        Span(0, 10): Mark(only_here=True),
        Span(10, 18): Mark(only_here=True),
        Span(18, 24): Mark(only_here=True),
    }
    assert pair.right_marks == {
        Span(0, 24): Mark(nuclearity=True, relation=True),
        Span(4, 24): Mark(only_here=True),
    }
    assert tally([pair]) == Tally(same=3, only_left=3, only_right=1, nuclearity=1, relation=1)


def test_nuclearity_and_relation_are_told_apart():
    def one(nuclearity, relation):
        tree = Tree((Split(0, 1, 2, nuclearity, relation),))
        return replace(Document.from_edus(["a", "b"]), tree=tree)

    for other, sign in [(one("SN", "cause"), "≠N"), (one("NS", "purpose"), "≠R"), (one("NN", "x"), "≠NR")]:
        (pair,) = compare(one("NS", "cause"), other)
        assert pair.left_marks[Span(0, 2)].sign == pair.right_marks[Span(0, 2)].sign == sign


def test_lists_of_other_lengths_have_the_same_nuclearity():
    def listing(*splits):
        return replace(
            Document.from_edus(["a", "b", "c", "d"]),
            tree=Tree(tuple(Split(start, middle, end, "NN", "list") for start, middle, end in splits)),
        )

    four = listing((0, 1, 4), (1, 2, 4), (2, 3, 4))
    nested = listing((0, 2, 4), (0, 1, 2), (2, 3, 4))
    (pair,) = compare(four, nested, "nary")
    assert Span(0, 4) not in pair.left_marks
    assert pair.left_marks == {}
    assert pair.right_marks == {Span(0, 2): Mark(only_here=True)}


@given(analyses())
def test_marks_mirror_each_other_and_nothing_differs_from_itself(sides):
    left, right = sides
    assert not any(pair.left_marks or pair.right_marks for pair in compare(left, left))
    ours, theirs = compare(left, right)[0], compare(right, left)[0]
    assert (ours.left_marks, ours.right_marks) == (theirs.right_marks, theirs.left_marks)
    counts = tally([ours])
    n_units = 2 * len(left.edus) - 1
    differing = sum(1 for mark in ours.left_marks.values() if not mark.only_here)
    assert counts.same + counts.only_left + differing == n_units


def test_a_tree_of_the_document_is_compared_by_sentence_with_trees_of_sentences():
    sentences = three_sentences()
    gold = replace(
        sentences,
        sentence_trees=(),
        tree=Tree(
            (
                Split(0, 4, 6, "NN", "sequence"),
                Split(0, 1, 4, "NN", "joint"),
                Split(1, 2, 4, "SN", "attribution"),
                Split(2, 3, 4, "NN", "joint"),
                Split(4, 5, 6, "NN", "same-unit"),
            )
        ),
    )
    pairs = compare(gold, sentences)
    assert [pair.left[0].sentence for pair in pairs] == [0, 1, 2]
    assert [dict(pair.left_marks) for pair in pairs] == [{}, {}, {Span(10, 13): Mark(only_here=True)}]


def test_sentences_that_differ_are_put_together_until_both_sides_end():
    other = replace(
        three_sentences(),
        sentences=(Span(0, 10), Span(10, 13)),
        sentence_trees=(None, None),
    )
    pairs = compare(three_sentences(), other)
    assert [(len(pair.left), len(pair.right)) for pair in pairs] == [(2, 1), (1, 1)]


def test_other_tokens_are_a_mismatch_that_names_the_first():
    with pytest.raises(MismatchError, match=r"treasury and other .* token 1 is 'The' and 'A'"):
        compare(treasury(), Document.from_edus(["A Treasury"], name="other"))
    with pytest.raises(MismatchError, match="24 and 2 tokens"):
        compare(treasury(), Document.from_edus(["The Treasury"]))
