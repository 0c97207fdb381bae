from dataclasses import replace

import pytest

from rhetree.domain.annotation import Signal
from rhetree.domain.binarize import as_nary
from rhetree.domain.document import Document
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.draw.panel import document_panels, tree_panel
from rhetree.errors import UnwritableError
from support.drawn_documents import TREASURY_TREE, drawn_nary, three_sentences, treasury


def test_a_documents_tree_is_one_panel():
    (panel,) = document_panels(treasury())
    assert panel.tree == as_nary(TREASURY_TREE)
    assert panel.texts[0] == "The Treasury also said"
    assert panel.numbers_of(Span(1, 4)) == "2–4"
    assert panel.tokens_of(Span(0, 2)) == Span(0, 10)


def test_a_bare_tree_has_numbers_and_no_text():
    panel = tree_panel(TREASURY_TREE)
    assert panel.texts == ("", "", "", "")
    assert panel.numbers_of(Span(3, 4)) == "4"


def test_each_sentence_is_a_panel_that_keeps_its_edu_numbers():
    one, tree, loose = document_panels(three_sentences())
    assert [panel.sentence for panel in (one, tree, loose)] == [0, 1, 2]
    assert [panel.first for panel in (one, tree, loose)] == [0, 1, 4]
    assert tree.numbers_of(Span(0, 3)) == "2–4"
    assert loose.tree is None
    assert [unit.span for unit in loose.units()] == [Span(0, 1), Span(1, 2)]


def test_sentences_are_taken_out_of_a_documents_tree():
    tree = Tree((Split(0, 2, 4, "NS", "condition"), Split(0, 1, 2, "SN", "x"), Split(2, 3, 4, "NN", "y")))
    document = replace(treasury(), tree=tree, sentences=(Span(0, 10), Span(10, 24)))
    first, second = document_panels(document, by_sentence=True)
    assert [unit.relation for unit in first.tree.units] == [None, "x", None]
    assert [unit.relation for unit in second.tree.units] == [None, "y", "y"]
    crossing = replace(document, sentences=(Span(0, 14), Span(14, 24)))
    assert [panel.tree for panel in document_panels(crossing, by_sentence=True)] == [None, None]


def test_a_document_with_a_tree_and_readings_is_drawn_as_its_tree():
    tree = Tree((Split(0, 2, 4, "NS", "condition"), Split(0, 1, 2, "SN", "x"), Split(2, 3, 4, "NN", "y")))
    plain = replace(treasury(), tree=tree, sentences=(Span(0, 10), Span(10, 24)))
    labels = (("x-SN", 0.9),)
    best = Reading((Span(0, 4), Span(4, 10)), tree.subtree(Span(0, 2)), -1.0, (1.0, 1.0), (1.0,), (labels,))
    document = replace(
        plain, readings=((best,), ()), split_probs=[SplitProbs(Span(0, 4), 0.5, (("condition-NS", 0.5),))]
    )
    assert document_panels(document) == document_panels(plain)
    assert document_panels(document, by_sentence=True) == document_panels(plain, by_sentence=True)


def test_a_sentence_whose_edge_an_edu_crosses_is_shown_as_words():
    document = replace(treasury(), sentences=(Span(0, 5), Span(5, 24)))
    first, _ = document_panels(document, by_sentence=True)
    assert first.texts == ("The Treasury also said noncompetitive",)
    assert first.numbers_of(Span(0, 1)) == ""


def test_shapes_are_as_drawn_binary_or_merged():
    listing = Tree((Split(0, 1, 3, "NN", "list"), Split(1, 2, 3, "NN", "list")))
    document = replace(Document.from_edus(["a", "b", "c"]), tree=listing)
    assert len(document_panels(document)[0].tree.units) == 5
    assert len(document_panels(document, "nary")[0].tree.units) == 4
    drawn = drawn_nary()
    assert document_panels(drawn)[0].tree == drawn.nary
    assert document_panels(drawn, "binary")[0].tree.is_binary()


def test_secondary_edges_and_signals_are_notes_on_their_units():
    (panel,) = document_panels(drawn_nary())
    assert panel.notes() == {
        Span(2, 3): ["contrast → 6", "signal semantic, antonymy (of contrast): lived dog"],
        Span(6, 7): ["signal dm: Once"],
    }


def test_a_note_on_a_unit_that_was_merged_moves_to_the_one_around_it():
    listing = Tree((Split(0, 1, 3, "NN", "list"), Split(1, 2, 3, "NN", "list")))
    document = replace(
        Document.from_edus(["a", "b", "c"]), tree=listing, signals=(Signal(Span(1, 3), "dm", "dm"),)
    )
    assert document_panels(document, "nary")[0].notes() == {Span(0, 3): ["signal dm"]}


def test_a_document_without_edus_cannot_be_drawn():
    document = Document.from_sentences([["No", "units"]], name="plain")
    with pytest.raises(UnwritableError, match="plain cannot be written as a picture: it has no EDUs"):
        document_panels(document)
    with pytest.raises(UnwritableError, match="sentences are not known"):
        document_panels(treasury(), by_sentence=True)
