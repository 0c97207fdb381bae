"""A file format: its reader, its writer, and the layers of a document that it can hold."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import chain, pairwise
from pathlib import Path
from typing import Protocol, TextIO, TypeVar

from rhetree.domain.document import Document
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.files import STDIN

Part = TypeVar("Part")

_LOG = logging.getLogger("rhetree.formats")


class Layer(Enum):
    """A part of a document that some formats can hold and others cannot."""

    TEXT = "the words"
    SPACING = "spacing other than one space between two tokens"
    TOKENS = "tokens with no white space between them"
    FORMS = "tokens whose form is not their text, or has white space in it"
    SENTENCES = "sentences"
    EDUS = "EDUs"
    TREE = "the document's tree"
    SENTENCE_TREES = "trees of single sentences"
    READINGS = "probabilities and alternatives"
    NARY = "the n-ary shape of the tree"
    SECONDARY_EDGES = "secondary edges"
    SIGNALS = "signals"
    SYNTAX = "the other CoNLL-U columns"
    METADATA = "metadata"
    MARKUP = "markup"
    BLOCKS = "paragraphs, headings and items"


def layers_of(document: Document) -> frozenset[Layer]:
    """The layers that this document has."""
    present = {
        Layer.TEXT: bool(document.text),
        Layer.SPACING: _has_own_spacing(document),
        Layer.TOKENS: any(one.end == other.start for one, other in pairwise(document.tokens)),
        Layer.FORMS: any(
            token.form != document.text[token.start : token.end] or token.form.split() != [token.form]
            for token in document.tokens
        ),
        Layer.SENTENCES: bool(document.sentences),
        Layer.EDUS: bool(document.edus),
        Layer.TREE: document.tree is not None,
        Layer.SENTENCE_TREES: bool(document.sentence_trees),
        Layer.READINGS: bool(document.readings or document.split_probs),
        Layer.NARY: document.nary is not None,
        Layer.SECONDARY_EDGES: bool(document.secondary_edges),
        Layer.SIGNALS: bool(document.signals),
        Layer.SYNTAX: document.syntax is not None,
        Layer.METADATA: bool(document.metadata),
        Layer.MARKUP: bool(document.markup),
        Layer.BLOCKS: bool(document.blocks),
    }
    return frozenset(layer for layer, is_present in present.items() if is_present)


class Reader(Protocol):
    """Reads the documents of one open file; ``path`` is for names and messages only."""

    def __call__(self, source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format: how to read it, how to write it, what it can hold."""

    name: str
    suffixes: tuple[str, ...]
    """The endings of its files, the usual one first."""
    read: Reader
    write: Callable[[Document, TextIO], None]
    """Appends one document to an open file."""
    holds: frozenset[Layer]
    header: str = ""
    """The first line of a file, before any document."""
    needs: frozenset[Layer] = frozenset()
    """What a document must have to be written at all."""
    many: bool = False
    """Whether a file can hold several documents."""
    own_metadata: frozenset[str] = frozenset()
    """The metadata keys that it keeps, although it cannot hold any others."""

    def fit(self, document: Document) -> Document:
        """The document as this format is given it to write: without markup, unless it can hold that."""
        return document if Layer.MARKUP in self.holds else document.without_markup()

    def losses(self, document: Document) -> list[Layer]:
        """The layers of this document that would not come back from a file of this format."""
        lost = layers_of(self.fit(document)) - self.holds
        if document.markup and Layer.MARKUP not in self.holds:
            lost |= {Layer.MARKUP}
        if document.metadata.keys() <= self.own_metadata:
            lost -= {Layer.METADATA}
        return [layer for layer in Layer if layer in lost]

    def require(self, document: Document) -> None:
        """Raise :class:`UnwritableError` if the document lacks a layer that this format needs."""
        missing = self.needs - layers_of(document)
        if missing:
            names = ", ".join(layer.value for layer in Layer if layer in missing)
            hint = ""
            if Layer.TREE in missing and any(tree is not None for tree in document.sentence_trees):
                hint = "; rs3 and brackets hold its trees of sentences"
            raise UnwritableError(f"it lacks {names}{hint}", document.name, self.name)


@contextmanager
def blame(path: Path, line: int | None = None) -> Iterator[None]:
    """Turn the ``ValueError`` of a value that cannot be built into an error with file and line."""
    try:
        yield
    except ValueError as error:
        raise TreebankError(str(error), path, line) from error


def complain(what: str, path: Path, line: int | None, *, lenient: bool) -> None:
    """Raise :class:`TreebankError`, or log it as a warning if we are lenient."""
    error = TreebankError(what, path, line)
    if not lenient:
        raise error
    _LOG.warning("%s", error)


def stem(path: Path, suffixes: tuple[str, ...]) -> str:
    """The name of a file without the longest of these endings that it has."""
    if path == STDIN:
        return "stdin"
    for suffix in sorted(suffixes, key=len, reverse=True):
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix)
    return path.stem


def numbered(parts: Iterator[Part], name: str) -> Iterator[tuple[str, Part]]:
    """Name the parts of a file: after the file if there is one, else ``NAME-1``, ``NAME-2`` and so on."""
    first = next(parts, None)
    second = next(parts, None)
    if first is None:
        return
    if second is None:
        yield name, first
        return
    for number, part in enumerate(chain((first, second), parts), start=1):
        yield f"{name}-{number}", part


def spaced_edus(document: Document, format: str) -> list[str]:
    """The tokens of each EDU, joined by single spaces, each EDU on one line."""
    texts = [" ".join(" ".join(document.forms_of(edu)).split()) for edu in document.edus]
    if "" in texts:
        raise UnwritableError(f"EDU {texts.index('') + 1} is white space", document.name, format)
    return texts


def _has_own_spacing(document: Document) -> bool:
    at = 0
    for number, token in enumerate(document.tokens):
        if document.text[at : token.start] != (" " if number else ""):
            return True
        at = token.end
    return bool(document.text[at:])
