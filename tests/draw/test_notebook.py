from rhetree.domain.binarize import as_nary
from rhetree.domain.document import Document
from rhetree.draw.notebook import MOST_EDUS, document_html, tree_html
from support.drawn_documents import TREASURY_TREE, hostile, right_branching, three_sentences, treasury


def test_a_tree_shows_itself_with_numbered_edus():
    shown = tree_html(TREASURY_TREE)
    assert shown.startswith('<div style="overflow-x:auto"><svg')
    assert "Condition" in shown
    assert shown == tree_html(as_nary(TREASURY_TREE))


def test_a_document_shows_its_text_under_its_trees():
    assert "also said" in document_html(treasury())
    assert "(2)" in document_html(three_sentences())


def test_a_document_without_edus_shows_its_text():
    document = Document(name="<b>", text="a < b")
    assert document_html(document) == '<p><b>&lt;b&gt;</b></p><p style="white-space:pre-wrap">a &lt; b</p>'


def test_what_is_too_large_for_a_page_is_said():
    large = right_branching(MOST_EDUS + 1, "w")
    assert "401 EDUs, too large to show here" in tree_html(large.tree)
    assert "deep has 401 EDUs" in document_html(large)


def test_text_is_escaped():
    assert "<script" not in document_html(hostile())
