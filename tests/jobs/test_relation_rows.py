"""Documents as rows, one for each relation."""

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.jobs.relation_rows import relation_rows
from support.strategies import documents, read_documents


@pytest.fixture
def document():
    bare = Document.from_sentences([["It", "rained", "."], ["We", "left", ",", "late", "."]], "a")
    return replace(
        bare,
        edus=(Span(0, 3), Span(3, 6), Span(6, 8)),
        sentence_trees=(Tree(), Tree((Split(0, 1, 2, "NS", "manner"),))),
    )


def test_each_relation_has_its_edus_and_heads(document):
    (row,) = relation_rows(document)
    assert astuple(row) == ("a", 2, "manner", "NS", 2, 3, 3, 12, 28, 2, 3, 0)
    assert list(relation_rows(document.without_trees())) == []


def test_a_relation_between_sentences_belongs_to_none(document):
    tree = Tree((Split(0, 1, 3, "SN", "causal"), Split(1, 2, 3, "NN", "joint")))
    whole = replace(document, sentence_trees=(), tree=tree)
    assert [(row.sentence, row.depth) for row in relation_rows(whole)] == [(None, 0), (2, 1)]
    assert [(row.left_head, row.right_head) for row in relation_rows(whole)] == [(1, 2), (2, 3)]


@given(st.data())
def test_every_split_has_a_row(data):
    document = data.draw(documents())
    if document.sentences:
        document = data.draw(read_documents(document))
    trees = [document.tree] if document.tree else [tree for tree in document.sentence_trees if tree]
    rows = list(relation_rows(document))
    assert [row.relation for row in rows] == [split.relation for tree in trees for split in tree.splits]
    for row in rows:
        assert row.first_edu <= row.left_head < row.right_edu <= row.right_head <= row.last_edu
        edus = document.edus[row.first_edu - 1 : row.last_edu]
        assert document.text[row.start : row.end] == document.text_of(Span(edus[0].start, edus[-1].end))
