"""English text to elementary discourse units and labelled rhetorical trees.

Names are imported when they are first used, so that importing the package costs nothing.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rhetree.domain.annotation import EmptyNode, FusedWord, SecondaryEdge, Signal, Syntax
    from rhetree.domain.binarize import as_nary, binarize, unbinarize
    from rhetree.domain.document import Document, Token
    from rhetree.domain.nary import NaryTree, Unit
    from rhetree.domain.reading import Reading
    from rhetree.domain.relations import GUM, PAPER_LABELS, RST_DT, Inventory, read_inventory
    from rhetree.domain.span import Span
    from rhetree.domain.tree import Split, Tree
    from rhetree.errors import (
        ArgumentError,
        EmbeddingError,
        FileError,
        MismatchError,
        MissingExtraError,
        ModelError,
        RhetreeError,
        SettingError,
        TrainingError,
        TreebankError,
        UnwritableError,
    )
    from rhetree.metrics.counts import Counts
    from rhetree.metrics.report import Evaluation, evaluate
    from rhetree.runtime.parser import Parser, load, parse, segment
    from rhetree.treebanks import FORMATS, read, read_one, write
    from rhetree.treebanks.corpus import Corpus, read_corpus
    from rhetree.treebanks.format import Layer

_HOMES = {
    "ArgumentError": "rhetree.errors",
    "Corpus": "rhetree.treebanks.corpus",
    "Counts": "rhetree.metrics.counts",
    "Document": "rhetree.domain.document",
    "EmbeddingError": "rhetree.errors",
    "EmptyNode": "rhetree.domain.annotation",
    "Evaluation": "rhetree.metrics.report",
    "FORMATS": "rhetree.treebanks",
    "FileError": "rhetree.errors",
    "FusedWord": "rhetree.domain.annotation",
    "GUM": "rhetree.domain.relations",
    "Inventory": "rhetree.domain.relations",
    "Layer": "rhetree.treebanks.format",
    "MismatchError": "rhetree.errors",
    "MissingExtraError": "rhetree.errors",
    "ModelError": "rhetree.errors",
    "NaryTree": "rhetree.domain.nary",
    "PAPER_LABELS": "rhetree.domain.relations",
    "Parser": "rhetree.runtime.parser",
    "RST_DT": "rhetree.domain.relations",
    "Reading": "rhetree.domain.reading",
    "RhetreeError": "rhetree.errors",
    "SecondaryEdge": "rhetree.domain.annotation",
    "SettingError": "rhetree.errors",
    "Signal": "rhetree.domain.annotation",
    "Span": "rhetree.domain.span",
    "Split": "rhetree.domain.tree",
    "Syntax": "rhetree.domain.annotation",
    "Token": "rhetree.domain.document",
    "TrainingError": "rhetree.errors",
    "Tree": "rhetree.domain.tree",
    "TreebankError": "rhetree.errors",
    "Unit": "rhetree.domain.nary",
    "UnwritableError": "rhetree.errors",
    "as_nary": "rhetree.domain.binarize",
    "binarize": "rhetree.domain.binarize",
    "evaluate": "rhetree.metrics.report",
    "load": "rhetree.runtime.parser",
    "parse": "rhetree.runtime.parser",
    "read": "rhetree.treebanks",
    "read_corpus": "rhetree.treebanks.corpus",
    "read_inventory": "rhetree.domain.relations",
    "read_one": "rhetree.treebanks",
    "segment": "rhetree.runtime.parser",
    "unbinarize": "rhetree.domain.binarize",
    "write": "rhetree.treebanks",
}

__all__ = [
    "FORMATS",
    "GUM",
    "PAPER_LABELS",
    "RST_DT",
    "ArgumentError",
    "Corpus",
    "Counts",
    "Document",
    "EmbeddingError",
    "EmptyNode",
    "Evaluation",
    "FileError",
    "FusedWord",
    "Inventory",
    "Layer",
    "MismatchError",
    "MissingExtraError",
    "ModelError",
    "NaryTree",
    "Parser",
    "Reading",
    "RhetreeError",
    "SecondaryEdge",
    "SettingError",
    "Signal",
    "Span",
    "Split",
    "Syntax",
    "Token",
    "TrainingError",
    "Tree",
    "TreebankError",
    "Unit",
    "UnwritableError",
    "as_nary",
    "binarize",
    "evaluate",
    "load",
    "parse",
    "read",
    "read_corpus",
    "read_inventory",
    "read_one",
    "segment",
    "unbinarize",
    "write",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("rhetree")
    if name not in _HOMES:
        raise AttributeError(f"module 'rhetree' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    _show_in_notebooks()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _show_in_notebooks() -> None:
    """Let trees and documents draw themselves, without ``domain`` knowing of ``draw``."""
    from rhetree.domain.document import Document
    from rhetree.domain.nary import NaryTree
    from rhetree.domain.tree import Tree

    def draw(self: Tree | NaryTree | Document) -> str:
        from rhetree.draw.notebook import document_html, tree_html

        return document_html(self) if isinstance(self, Document) else tree_html(self)

    for kind in (Document, NaryTree, Tree):
        kind._repr_html_ = draw  # type: ignore[union-attr]  # IPython looks for it on the class


if "IPython" in sys.modules:
    _show_in_notebooks()
