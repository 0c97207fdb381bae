from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.brackets import FORMAT, format_tree, parse
from support.golden_storm import GOLDEN, storm
from support.round_trip import read_all, written
from support.strategies import trees

PAPER = (
    "(1:Satellite=Contrast:4,5:Nucleus=span:6) (1:Nucleus=Same-Unit:3,4:Nucleus=Same-Unit:4) "
    "(1:Nucleus=span:1,2:Satellite=Elaboration:3) (2:Nucleus=Joint:2,3:Nucleus=Joint:3) "
    "(5:Satellite=Attribution:5,6:Nucleus=span:6)"
)
from support.depth import DEEP


def of_tree(tree, name="doc"):
    return replace(Document.from_edus([f"e{i + 1}" for i in range(tree.n_edus)], name=name), tree=tree)


@given(trees())
def test_a_line_is_parsed_to_the_tree_that_made_it(tree):
    assert parse(format_tree(tree)) == tree


@given(st.lists(trees(), min_size=1, max_size=4))
def test_what_is_written_is_read_back_the_same(several):
    names = ["doc"] if len(several) == 1 else [f"doc-{number}" for number in range(1, len(several) + 1)]
    expected = [of_tree(tree, name) for tree, name in zip(several, names, strict=True)]
    assert read_all(FORMAT, written(FORMAT, *map(of_tree, several))) == expected


def test_the_papers_form():
    assert parse(PAPER) == Tree(
        (
            Split(0, 4, 6, "SN", "Contrast"),
            Split(0, 3, 4, "NN", "Same-Unit"),
            Split(0, 1, 3, "NS", "Elaboration"),
            Split(1, 2, 3, "NN", "Joint"),
            Split(4, 5, 6, "SN", "Attribution"),
        )
    )
    assert format_tree(parse(PAPER)) == PAPER
    assert parse(" NONE\n") == Tree()
    assert format_tree(Tree()) == "NONE"


@pytest.mark.parametrize("line", ["", "(1:Nucleus=span", "(1:Nucleus=Cause:1,2:Nucleus=Joint:2)"])
def test_a_line_that_says_no_tree_is_a_value_error(line):
    with pytest.raises(ValueError, match="expected"):
        parse(line)


def test_the_golden_file_is_read_and_written():
    text = (GOLDEN / "storm.brackets").read_text(encoding="utf-8")
    assert read_all(FORMAT, text, name="storm") == [of_tree(storm().tree, "storm")]
    assert written(FORMAT, storm()) == text


def test_a_document_with_sentence_trees_is_a_line_for_each():
    document = replace(
        Document.from_edus(["a b", "c", "d"], name="a"),
        sentences=spans_of_lengths([3, 1]),
        sentence_trees=(Tree((Split(0, 1, 2, "NS", "Cause"),)), Tree()),
    )
    assert written(FORMAT, document) == "(1:Nucleus=span:1,2:Satellite=Cause:2)\nNONE\n"
    with pytest.raises(UnwritableError, match="^a cannot be written as brackets: sentence 2 has no tree$"):
        written(FORMAT, replace(document, sentence_trees=(document.sentence_trees[0], None)))


def test_a_tree_deeper_than_pythons_stack():
    deep = Tree(tuple(Split(i, i + 1, DEEP, "NS", "elaboration") for i in range(DEEP - 1)))
    assert read_all(FORMAT, written(FORMAT, of_tree(deep))) == [of_tree(deep)]


PAIR = "(1:Nucleus=span:1,2:Satellite=Cause:2)"

BROKEN = {
    "empty": ("", "doc.brackets: no tree in it; expected one a line, or NONE"),
    "no pair": (
        "He left",
        "doc.brackets:1: expected (1:Nucleus=span:2,3:Satellite=NAME:4) or NONE, found 'He left'",
    ),
    "half a pair": (
        f"{PAIR}\n(1:Nucleus=span:1,2:Satell",
        "doc.brackets:2: expected (1:Nucleus=span:2,3:Satellite=NAME:4) or NONE, found '(1:Nucleus=span:1,2:Satell'",
    ),
    "something between": (
        f"{PAIR} and {PAIR}",
        "doc.brackets:1: expected (1:Nucleus=span:2,3:Satellite=NAME:4) or NONE, found 'and (1:Nucleus=span:1,2:Satellite=Cause'",
    ),
    "a gap": (
        "(1:Nucleus=span:1,3:Satellite=Cause:3)",
        "doc.brackets:1: expected two spans side by side, found 1 to 1 and 3 to 3",
    ),
    "counted from 0": (
        "(0:Nucleus=span:0,1:Satellite=Cause:1)",
        "doc.brackets:1: expected two spans side by side, found 0 to 0 and 1 to 1",
    ),
    "two satellites": (
        PAIR.replace("Nucleus=span", "Satellite=Cause"),
        "doc.brackets:1: expected a nucleus in (1:Satellite=Cause:1,2:Satellite=Cause:2), found two satellites",
    ),
    "no relation": (
        PAIR.replace("Cause", "span"),
        "doc.brackets:1: expected a relation in (1:Nucleus=span:1,2:Satellite=span:2), found span",
    ),
    "a split missing": (
        "(1:Nucleus=span:1,2:Satellite=Cause:3)",
        "doc.brackets:1: the pairs make no tree; with EDUs counted from 0, "
        "in pre-order the next split is that of 0..2, got 0..3",
    ),
    "a split twice": (
        f"{PAIR} {PAIR}",
        "doc.brackets:1: the pairs make no tree; with EDUs counted from 0, "
        "in pre-order the next split is that of 0..3, got 0..2",
    ),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_says_where_and_how(text, message):
    with pytest.raises(TreebankError) as caught:
        read_all(FORMAT, text)
    assert str(caught.value) == message


FORGIVEN = {
    "nuclei that differ": (
        "(1:Nucleus=Cause:1,2:Nucleus=Joint:2)",
        "doc.brackets:1: expected one relation of two nuclei, found Cause and Joint",
        ["Cause-NN"],
    ),
    "a nucleus with a relation": (
        "(1:Nucleus=Joint:1,2:Satellite=Cause:2)",
        "doc.brackets:1: expected span of a nucleus beside a satellite, found Joint",
        ["Cause-NS"],
    ),
    "another order": (
        f"{PAIR} (1:Satellite=Contrast:2,3:Nucleus=span:3)",
        "doc.brackets:1: expected the larger pair first and the left one before the right, found another order",
        ["Contrast-SN", "Cause-NS"],
    ),
    "empty lines": (
        f"\n \n{PAIR}\n",
        "doc.brackets:1: expected a tree or NONE, found an empty line",
        ["Cause-NS"],
    ),
}


@pytest.mark.parametrize(("text", "message", "labels"), FORGIVEN.values(), ids=FORGIVEN)
def test_leniency_forgives_and_says_so(text, message, labels, caplog):
    with pytest.raises(TreebankError) as caught:
        read_all(FORMAT, text)
    assert str(caught.value) == message
    (document,) = read_all(FORMAT, text, lenient=True)
    assert [split.label for split in document.tree.splits] == labels
    assert [record.getMessage() for record in caplog.records] == [message]


@pytest.mark.parametrize("relation", ["span", "a b", "a:b", "a,b", "(a"])
def test_a_relation_that_has_no_place_in_a_line_is_refused(relation):
    tree = Tree((Split(0, 1, 2, "NN", relation),))
    with pytest.raises(ValueError, match="it has a relation called"):
        format_tree(tree)
    with pytest.raises(UnwritableError, match="cannot be written as brackets: it has a relation called"):
        written(FORMAT, of_tree(tree))


def test_a_document_without_trees_is_refused():
    with pytest.raises(UnwritableError, match="it has no tree, nor have its sentences"):
        written(FORMAT, Document.from_edus(["a"]))
