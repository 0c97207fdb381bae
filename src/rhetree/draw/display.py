"""Documents and trees draw themselves when they are printed and in notebooks, although ``domain`` does not know ``draw``."""

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.domain.tree import Tree

Shown = Document | NaryTree | Tree


def install() -> None:
    """Give documents and trees the methods that ``print`` and IPython call to show them."""
    for kind in (Document, NaryTree, Tree):
        kind.__str__ = _text  # type: ignore[assignment]  # one function for three classes
        kind._repr_html_ = _html  # type: ignore[union-attr]  # IPython looks for it on the class


def _text(shown: Shown) -> str:
    from rhetree.draw.alternatives import draw_document
    from rhetree.draw.panel import tree_panel
    from rhetree.draw.terminal import Style, draw_panels

    if not isinstance(shown, Document):
        return "\n".join(draw_panels([tree_panel(shown)], Style()))
    return "\n".join(draw_document(shown, Style())) if shown.edus else shown.text


def _html(shown: Shown) -> str:
    from rhetree.draw.notebook import document_html, tree_html

    return document_html(shown) if isinstance(shown, Document) else tree_html(shown)
