"""Shows trees and documents in a notebook, as SVG in a scrollable box."""

from html import escape

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.domain.tree import Tree
from rhetree.draw import svg
from rhetree.draw.panel import document_panels, tree_panel

MOST_EDUS = 400
"""Larger trees are described in a sentence instead of drawn, to keep the notebook fast."""


def tree_html(tree: Tree | NaryTree) -> str:
    """A tree with numbered EDUs, since a tree has no text."""
    if tree.n_edus > MOST_EDUS:
        return f"<p>A tree of {tree.n_edus} EDUs, too large to show here.</p>"
    return _boxed(svg.draw_panels([tree_panel(tree)]))


def document_html(document: Document) -> str:
    """A document's trees, or its text if it has no EDUs."""
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
