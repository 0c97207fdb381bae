"""Trees of sentences in an .rs3 file: one root for each."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.treebanks import rs3, rs4
from strategies import trees


def text_of(document, format=rs3):
    sink = io.StringIO()
    format.write(document, sink)
    return sink.getvalue()


@st.composite
def documents_of_sentences(draw):
    """Two sentences or more, each EDU a word."""
    found = draw(st.lists(trees(max_edus=5), min_size=2, max_size=4))
    lengths = [tree.n_edus for tree in found]
    document = Document.from_sentences([["word"] * n for n in lengths], name="doc")
    return replace(document, edus=spans_of_lengths([1] * sum(lengths)), sentence_trees=found)


@given(documents_of_sentences())
@settings(max_examples=30)
def test_each_sentence_is_a_root_that_a_lenient_reader_joins(document):
    text = text_of(document)
    assert "virtual-root" not in text
    n_roots = sum("parent=" not in line for line in text.splitlines() if "id=" in line)
    assert n_roots == len(document.sentences)
    with pytest.raises(TreebankError, match=f"{n_roots} roots"):
        list(rs3.read(io.StringIO(text), Path("doc.rs3")))
    (joined,) = rs3.read(io.StringIO(text), Path("doc.rs3"), lenient=True)
    assert replace(joined, sentences=document.sentences).trees_by_sentence() == list(document.sentence_trees)


def test_one_sentence_is_a_whole_tree():
    tree = Tree().join(Tree(), "NS", "elaboration")
    document = Document.from_sentences([["He", "left"]], name="doc")
    document = replace(document, edus=(Span(0, 1), Span(1, 2)), sentence_trees=(tree,))
    assert next(rs3.read(io.StringIO(text_of(document)), Path("doc.rs3"))).tree == tree
    assert "<signals>" not in text_of(document, rs4)


def test_numbers_have_no_gap_and_edus_without_a_tree_stand_alone():
    document = Document.from_sentences([["a", "b"], ["c", "d"]], name="doc")
    tree = Tree().join(Tree(), "NN", "joint")
    document = replace(
        document, edus=(Span(0, 1), Span(1, 2), Span(2, 3), Span(3, 4)), sentence_trees=(tree, None)
    )
    body = [line.strip() for line in text_of(document).splitlines() if "id=" in line]
    assert body == [
        '<segment id="1" parent="5" relname="joint">a</segment>',
        '<segment id="2" parent="5" relname="joint">b</segment>',
        '<segment id="3">c</segment>',
        '<segment id="4">d</segment>',
        '<group id="5" type="multinuc"/>',
    ]


def test_an_edu_across_sentences_is_refused():
    document = Document.from_sentences([["a", "b"], ["c"], ["d"]], name="doc")
    document = replace(
        document, edus=(Span(0, 1), Span(1, 3), Span(3, 4)), sentence_trees=(None, None, Tree())
    )
    with pytest.raises(UnwritableError, match="an EDU crosses the edge of sentence 1"):
        text_of(document)


def test_a_tree_that_was_joined_in_reading_keeps_its_root():
    (joined,) = rs3.read(
        io.StringIO("<rst><body><segment id='1'>a</segment><segment id='2'>b</segment></body></rst>"),
        Path("doc.rs3"),
        lenient=True,
    )
    assert "virtual-root" in text_of(joined)
