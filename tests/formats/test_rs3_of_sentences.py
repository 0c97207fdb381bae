"""Trees of sentences in an .rs3 file: one root for each."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats import rs3, rs4
from support.strategies import parsed_documents


def text_of(document, format=rs3):
    sink = io.StringIO()
    format.write(document, sink)
    return sink.getvalue()


def read_one(text, **options):
    (document,) = rs3.read(io.StringIO(text), Path("doc.rs3"), **options)
    return document


@given(parsed_documents(min_sentences=2, whole=False))
def test_each_sentence_is_a_root_and_is_read_back_as_its_own_tree(document):
    text = text_of(document)
    assert "virtual-root" not in text
    n_roots = sum("parent=" not in line for line in text.splitlines() if "id=" in line)
    assert n_roots == len(document.sentences)
    assert read_one(text) == document


def test_a_file_of_sentences_that_another_program_saved_has_several_roots_as_before():
    document = Document.from_sentences([["He", "left"], ["She", "stayed"]], name="doc")
    document = replace(document, edus=document.sentences, sentence_trees=(Tree(), Tree()))
    lines = text_of(document).splitlines(keepends=True)
    (mark,) = (line for line in lines if "sentences" in line)
    assert mark.strip() == '<sentences words="2 2" trees="sentences"/>'
    saved = "".join(line for line in lines if line != mark)
    with pytest.raises(TreebankError, match="2 roots"):
        read_one(saved)
    assert read_one(saved, lenient=True).tree == Tree().join(Tree(), "NN", "virtual-root")


@pytest.mark.parametrize("is_own", [True, False])
def test_the_one_sentence_of_a_document_has_the_tree_or_the_document_has(is_own):
    tree = Tree().join(Tree(), "NS", "elaboration")
    document = Document.from_sentences([["He", "left"]], name="doc")
    document = replace(document, edus=(Span(0, 1), Span(1, 2)))
    document = replace(document, sentence_trees=(tree,)) if is_own else replace(document, tree=tree)
    assert read_one(text_of(document)) == document
    assert "<signals>" not in text_of(document, rs4)


def test_sentences_beside_a_tree_of_the_document_are_kept_though_edus_cross_them():
    document = Document.from_sentences([["a", "b"], ["c"]], name="doc")
    document = replace(document, edus=(Span(0, 1), Span(1, 3)), tree=Tree().join(Tree(), "NS", "cause"))
    assert read_one(text_of(document)) == document


WRONG = {
    'words="1 2" trees="sentences"': "counts 3 words in 2 sentences, found 2 words",
    'words="0 2" trees="sentences"': "counts 2 words in 2 sentences, found 2 words",
    'words="one" trees="sentences"': 'has words="one"; expected the number of words of each sentence',
    'trees="sentences"': "counts 0 words in 0 sentences, found 2 words",
    'words="1 1"': 'has trees=""; expected sentences or document',
    'words="2" trees="no"': 'has trees="no"; expected sentences or document',
}


@pytest.mark.parametrize(("attributes", "message"), WRONG.items())
def test_sentences_that_do_not_fit_are_refused_or_ignored(attributes, message, caplog):
    text = (
        f"<rst><header>\n<sentences {attributes}/></header><body>"
        '<segment id="1">a</segment><segment id="2" parent="1" relname="cause">b</segment></body></rst>'
    )
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == f"doc.rs3:2: <sentences> {message}; correct it, or remove the element"
    document = read_one(text, lenient=True)
    assert (document.sentences, document.tree) == ((), Tree().join(Tree(), "NS", "cause"))
    assert caplog.messages == [str(caught.value)]


def test_a_root_across_sentences_is_refused_or_read_as_the_tree_of_the_document(caplog):
    text = (
        '<rst><header>\n<sentences words="1 1" trees="sentences"/></header><body>'
        '<segment id="1">a</segment><segment id="2" parent="1" relname="cause">b</segment></body></rst>'
    )
    with pytest.raises(
        TreebankError, match=r"doc\.rs3:2: <sentences> says .* do not fit sentence 1; correct it"
    ):
        read_one(text)
    document = read_one(text, lenient=True)
    assert document.sentences == (Span(0, 1), Span(1, 2))
    assert document.tree == Tree().join(Tree(), "NS", "cause")
    assert len(caplog.records) == 1


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
    assert read_one(text_of(document)) == document


def test_an_edu_across_sentences_is_refused():
    document = Document.from_sentences([["a", "b"], ["c"], ["d"]], name="doc")
    document = replace(
        document, edus=(Span(0, 1), Span(1, 3), Span(3, 4)), sentence_trees=(None, None, Tree())
    )
    with pytest.raises(UnwritableError, match="an EDU crosses the edge of sentence 1"):
        text_of(document)


def test_a_tree_that_was_joined_in_reading_keeps_its_root():
    text = "<rst><body><segment id='1'>a</segment><segment id='2'>b</segment></body></rst>"
    joined = read_one(text, lenient=True)
    assert "virtual-root" in text_of(joined)
