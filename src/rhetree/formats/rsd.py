"""``.rsd``: the discourse dependencies of a tree (Li et al. 2014) as rst2dep writes them, one EDU a line.

Ten columns between tabs: number, text, depth, ``_``, ``_``, features (not kept), head or 0, relation
with ``_m`` for one of several nuclei and ``_r`` for a satellite, secondary edges, signals. By its
depths the tree comes back as drawn; :mod:`rhetree.domain.dependencies` says how, and by which rule
where they are ``_``. Where satellites were drawn beside several nuclei, as children of the same
unit, all have one depth; rst2dep's trees, which are rs3's, have no such units.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TextIO

from rhetree.domain.dependencies import Dependency, DependencyError, dependencies, tree_of
from rhetree.domain.document import Document
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.format import Format, Layer, complain, spaced_edus, stem
from rhetree.formats.rsd_annotation import NOTHING, annotated, annotation_columns

_SUFFIXES = (".rsd",)
_ROOT = "ROOT"
_N_COLUMNS = 10
_NUMBER = re.compile(r"[0-9]{1,9}")


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The one document of a file.

    ``lenient`` forgives, with a warning for each: depths that cannot be (they are taken as not
    known), nuclei that depend on one to their right, relations without ``_m`` or ``_r`` (a
    satellite's), secondary edges and signals that make no sense (they are left out).
    """
    rows = _Rows(path, lenient)
    lines = source.read().rstrip("\n").split("\n")
    if lines == [""]:
        raise TreebankError(f"no EDU in it; expected {_N_COLUMNS} columns a line", path)
    for edu, line in enumerate(lines):
        rows.add(edu, line)
    try:
        tree = tree_of(rows.dependencies, lambda error: rows.complain(_told(error), error.edu))
    except DependencyError as error:
        raise TreebankError(_told(error), path, error.edu + 1) from error
    document = Document.from_edus(rows.texts, stem(path, _SUFFIXES)).with_nary(tree)
    yield annotated(document, tree, rows.annotations, rows.complain)


def write(document: Document, sink: TextIO) -> None:
    """Write the dependencies of the document's tree as it was drawn."""
    FORMAT.require(document)
    tree = document.as_drawn()
    if tree is None:
        return
    rows = zip(
        spaced_edus(document, FORMAT.name),
        dependencies(tree),
        annotation_columns(document, tree),
        strict=True,
    )
    lines = []
    for number, (text, dependency, annotations) in enumerate(rows, start=1):
        head = "0" if dependency.head is None else str(dependency.head + 1)
        relation = _spelled(dependency, document.name)
        columns = (
            str(number),
            text,
            str(dependency.depth),
            NOTHING,
            NOTHING,
            NOTHING,
            head,
            relation,
            *annotations,
        )
        lines.append("\t".join(columns) + "\n")
    sink.writelines(lines)


FORMAT = Format(
    name="rsd",
    suffixes=_SUFFIXES,
    read=read,
    write=write,
    holds=frozenset(
        {Layer.TEXT, Layer.TOKENS, Layer.EDUS, Layer.TREE, Layer.NARY, Layer.SECONDARY_EDGES, Layer.SIGNALS}
    ),
    needs=frozenset({Layer.TEXT, Layer.EDUS, Layer.TREE}),
)


class _Rows:
    """The columns of a file; line ``n`` belongs to EDU ``n - 1``."""

    def __init__(self, path: Path, lenient: bool) -> None:
        self.path = path
        self.lenient = lenient
        self.texts: list[str] = []
        self.dependencies: list[Dependency] = []
        self.annotations: list[tuple[str, str]] = []

    def add(self, edu: int, line: str) -> None:
        columns = line.split("\t")
        if len(columns) != _N_COLUMNS:
            self.fail(f"expected {_N_COLUMNS} columns between tabs, found {len(columns)}", edu)
        number, text, depth, _, _, _, head, relation, edges, signals = columns
        if number != str(edu + 1):
            self.fail(f"expected EDU {edu + 1}, found {number[:20]!r}", edu)
        if not text.strip():
            self.fail("expected the text of an EDU, found none", edu)
        if depth != NOTHING and not _NUMBER.fullmatch(depth):
            self.fail(f"expected a depth in column 3, found {depth[:20]!r}", edu)
        if not _NUMBER.fullmatch(head):
            self.fail(f"expected a head in column 7, 0 for none, found {head[:20]!r}", edu)
        self.texts.append(text)
        self.dependencies.append(
            self.dependency(edu, int(head), relation, None if depth == NOTHING else int(depth))
        )
        self.annotations.append((edges, signals))

    def dependency(self, edu: int, head: int, relation: str, depth: int | None) -> Dependency:
        if head == 0:
            if relation != _ROOT:
                self.complain(f"expected {_ROOT} without a head, found {relation[:40]!r}", edu)
            return Dependency(None, None, depth=depth)
        name, suffix = relation[:-2], relation[-2:]
        if suffix not in ("_m", "_r"):
            self.complain(f"expected a relation that ends in _m or _r, found {relation[:40]!r}", edu)
            name = relation
        if not name:
            self.fail(f"expected a relation in column 8, found {relation!r}", edu)
        return Dependency(head - 1, name, suffix == "_m", depth)

    def complain(self, what: str, edu: int) -> None:
        complain(what, self.path, edu + 1, lenient=self.lenient)

    def fail(self, what: str, edu: int) -> NoReturn:
        raise TreebankError(what, self.path, edu + 1)


def _told(error: DependencyError) -> str:
    return f"EDU {error.edu + 1} {error.what}"


def _spelled(dependency: Dependency, name: str) -> str:
    if dependency.relation is None:
        return _ROOT
    if re.search(r"[\t\n\r]", dependency.relation):
        raise UnwritableError(f"it has a relation called {dependency.relation!r}", name, FORMAT.name)
    return dependency.relation + ("_m" if dependency.is_nucleus else "_r")
