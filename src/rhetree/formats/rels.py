"""DISRPT's ``.rels``: the relations of documents as pairs of units, a row each; written, not read.

Rows are the discourse dependencies of the tree (:mod:`rhetree.domain.dependencies`) in the order of
the dependent EDUs. The pieces of a unit that another interrupts (``same-unit``) are one unit where
their first piece is meant, with ``<*>`` in the gap; a later piece stands for itself. The columns are
those of the shared task of 2025.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from rhetree.domain.binarize import as_nary
from rhetree.domain.dependencies import Dependency, dependencies, heads
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.domain.span import Span
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.format import Format, Layer

COLUMNS = [
    "doc",
    "unit1_toks",
    "unit2_toks",
    "unit1_txt",
    "unit2_txt",
    "u1_raw",
    "u2_raw",
    "s1_toks",
    "s2_toks",
    "unit1_sent",
    "unit2_sent",
    "dir",
    "rel_type",
    "orig_label",
    "label",
]
SAME_UNIT = "same-unit"
GAP = "<*>"


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:  # noqa: ARG001  # a reader's
    """Refuse: pairs of units are not a document."""
    what = "a .rels file has pairs of units and no tree; read the .conllu, .tok, .rs3 or .dis file beside it"
    raise TreebankError(what, path)


def write(document: Document, sink: TextIO) -> None:
    """Append a row for each relation of the document's tree, or of the trees of its sentences."""
    FORMAT.require(document)
    if document.tree is None and not document.sentence_trees:
        raise UnwritableError("it has no tree", document.name, FORMAT.name)
    units = _Units(document)
    for relation in _relations(document):
        first, second = sorted(
            (relation.dependent, relation.head), key=lambda edu: units.tokens(edu)[0].start
        )
        one, other = units.tokens(first), units.tokens(second)
        cells = (
            document.name,
            *(_ranges(tokens) for tokens in (one, other)),
            *(units.forms(tokens) for tokens in (one, other)),
            *(units.raw(tokens) for tokens in (one, other)),
            *(_ranges([units.sentence(tokens)]) for tokens in (one, other)),
            *(units.forms([units.sentence(tokens)]) for tokens in (one, other)),
            "1<2" if first == relation.head else "1>2",
            relation.type,
            relation.name,
            relation.name,
        )
        sink.write("\t".join(_one_line(cell) for cell in cells) + "\n")


FORMAT = Format(
    name="rels",
    suffixes=(".rels",),
    read=read,
    write=write,
    header="\t".join(COLUMNS) + "\n",
    holds=frozenset({Layer.TEXT, Layer.TOKENS, Layer.SENTENCES, Layer.EDUS}),
    needs=frozenset({Layer.TEXT, Layer.SENTENCES, Layer.EDUS}),
    many=True,
)


@dataclass(frozen=True, slots=True)
class _Relation:
    """An EDU that depends on another."""

    dependent: int
    head: int
    name: str
    type: str
    """``explicit`` with a discourse marker, else ``implicit``; ``none`` if no signals are known."""


def _relations(document: Document) -> Iterator[_Relation]:
    marked = _marked(document)
    for edu, dependency in enumerate(_all_dependencies(document)):
        if dependency.head is None or dependency.relation is None or _continues(dependency):
            continue
        type = "none" if marked is None else "explicit" if edu in marked else "implicit"
        yield _Relation(edu, dependency.head, dependency.relation, type)


def _marked(document: Document) -> set[int] | None:
    """The EDUs whose relation to their head has a discourse marker; None if no signals are known."""
    if not document.signals:
        return None
    head_of = {
        unit.span.shift(first): first + head
        for first, tree in _trees(document)
        for unit, (head, _) in zip(tree.units, heads(tree), strict=True)
    }
    return {
        head_of[signal.source]
        for signal in document.signals
        if signal.type == "dm" and signal.source in head_of
    }


def _trees(document: Document) -> list[tuple[int, NaryTree]]:
    """The document's tree as it was drawn, or those of its sentences, each with the number of its first EDU."""
    whole = document.as_drawn()
    if whole is not None:
        return [(0, whole)]
    return [(first, as_nary(tree)) for first, tree in document.placed_trees()]


def _all_dependencies(document: Document) -> list[Dependency]:
    """For each EDU what it depends on, in the document or in its sentence."""
    found = [Dependency(None, None)] * len(document.edus)
    for first, tree in _trees(document):
        for edu, dependency in enumerate(dependencies(tree), start=first):
            if dependency.head is not None:
                found[edu] = replace(dependency, head=first + dependency.head)
    return found


def _continues(dependency: Dependency) -> bool:
    """Whether an EDU goes on with the unit that it depends on."""
    return dependency.relation is not None and dependency.relation.lower() == SAME_UNIT


class _Units:
    """The tokens of units, and what stands in the columns for them."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.pieces: list[list[int]] = [[edu] for edu in range(len(document.edus))]
        """For each EDU the EDUs of its unit: itself and the pieces that go on with it."""
        found = _all_dependencies(document)
        for edu in range(len(found)):
            at = edu
            # In a binary tree the third piece depends on the second, and belongs to the first too.
            while _continues(found[at]) and (head := found[at].head) is not None:
                self.pieces[head].append(edu)
                at = head
        self.sentence_at = [span for span in document.sentences for _ in span.indices()]

    def tokens(self, edu: int) -> list[Span]:
        """The token spans of an EDU's unit; neighbours are one."""
        spans: list[Span] = []
        for piece in sorted(self.pieces[edu]):
            span = self.document.edus[piece]
            if spans and spans[-1].end == span.start:
                spans[-1] = Span(spans[-1].start, span.end)
            else:
                spans.append(span)
        return spans

    def forms(self, tokens: Sequence[Span]) -> str:
        """The tokens with a space between two."""
        return f" {GAP} ".join(" ".join(self.document.forms_of(span)) for span in tokens)

    def raw(self, tokens: Sequence[Span]) -> str:
        """The text as it was written."""
        return f" {GAP} ".join(self.document.text_of(span) for span in tokens)

    def sentence(self, tokens: Sequence[Span]) -> Span:
        """The sentence of a unit; several in one where it goes on across them."""
        return Span(self.sentence_at[tokens[0].start].start, self.sentence_at[tokens[-1].end - 1].end)


def _ranges(tokens: Sequence[Span]) -> str:
    """Token numbers counted from 1: ``2-8,12``."""
    return ",".join(
        f"{span.start + 1}" if len(span) == 1 else f"{span.start + 1}-{span.end}" for span in tokens
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
