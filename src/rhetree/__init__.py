"""English text to elementary discourse units and labelled rhetorical trees.

Names are imported when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rhetree.domain.annotation import SecondaryEdge, Signal, Syntax
    from rhetree.domain.binarize import as_nary, binarize, unbinarize
    from rhetree.domain.document import Document, Token
    from rhetree.domain.nary import NaryTree, Unit
    from rhetree.domain.relations import Inventory, read_inventory
    from rhetree.domain.span import Span
    from rhetree.domain.tree import Split, Tree
    from rhetree.errors import (
        MismatchError,
        MissingExtraError,
        RhetreeError,
        TreebankError,
        UnwritableError,
    )

_HOMES = {
    "Document": "rhetree.domain.document",
    "Inventory": "rhetree.domain.relations",
    "MismatchError": "rhetree.errors",
    "MissingExtraError": "rhetree.errors",
    "NaryTree": "rhetree.domain.nary",
    "RhetreeError": "rhetree.errors",
    "SecondaryEdge": "rhetree.domain.annotation",
    "Signal": "rhetree.domain.annotation",
    "Span": "rhetree.domain.span",
    "Split": "rhetree.domain.tree",
    "Syntax": "rhetree.domain.annotation",
    "Token": "rhetree.domain.document",
    "Tree": "rhetree.domain.tree",
    "TreebankError": "rhetree.errors",
    "Unit": "rhetree.domain.nary",
    "UnwritableError": "rhetree.errors",
    "as_nary": "rhetree.domain.binarize",
    "binarize": "rhetree.domain.binarize",
    "read_inventory": "rhetree.domain.relations",
    "unbinarize": "rhetree.domain.binarize",
}

__all__ = [
    "Document",
    "Inventory",
    "MismatchError",
    "MissingExtraError",
    "NaryTree",
    "RhetreeError",
    "SecondaryEdge",
    "Signal",
    "Span",
    "Split",
    "Syntax",
    "Token",
    "Tree",
    "TreebankError",
    "Unit",
    "UnwritableError",
    "as_nary",
    "binarize",
    "read_inventory",
    "unbinarize",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'rhetree' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
