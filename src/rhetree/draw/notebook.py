"""How trees and documents show themselves in a notebook: as the SVG of their panels, in a box that scrolls."""

from html import escape

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.domain.tree import Tree
from rhetree.draw import svg
from rhetree.draw.panel import document_panels, tree_panel

MOST_EDUS = 400
"""Beyond this a notebook shows a sentence about the tree, not the tree: pages would become slow."""


def tree_html(tree: Tree | NaryTree) -> str:
    """A tree with its EDUs by number, since it does not know what they say."""
    if tree.n_edus > MOST_EDUS:
        return f"<p>A tree of {tree.n_edus} EDUs, too large to show here.</p>"
    return _boxed(svg.draw_panels([tree_panel(tree)]))


def document_html(document: Document) -> str:
    """A document's trees, or its text where it has no EDUs."""
    name = escape(document.name or "A document")
    if len(document.edus) > MOST_EDUS:
        return (
            f"<p>{name} has {len(document.edus)} EDUs, too many to show here; "
            "<code>rhetree draw</code> makes a page of it.</p>"
        )
    if not document.edus:
        return f'<p><b>{name}</b></p><p style="white-space:pre-wrap">{escape(document.text)}</p>'
    return _boxed(svg.draw_panels(document_panels(document), title=document.name))


def _boxed(picture: str) -> str:
    return f'<div style="overflow-x:auto">{picture}</div>'
