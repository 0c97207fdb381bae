"""The string form of the paper's code, one tree a line: a pair of brackets for each split.

``(1:Satellite=Contrast:4,5:Nucleus=span:6) …`` gives the first EDU, nuclearity, relation to the
parent and last EDU of the left part, then of the right; EDUs are counted from 1, pairs stand in
pre-order, and one EDU alone is ``NONE``. There are no words in it: EDUs are read as ``e1 e2 …``.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TextIO

from rhetree.domain.document import Document
from rhetree.domain.tree import NUCLEARITIES, Nuclearity, Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.format import Format, Layer, complain, numbered, stem

_SUFFIXES = (".brackets",)
_NONE = "NONE"
_NAMES = {"N": "Nucleus", "S": "Satellite"}
_NUCLEARITY: dict[tuple[str, str], Nuclearity] = {(_NAMES[n[0]], _NAMES[n[1]]): n for n in NUCLEARITIES}

_SIDE = r"([0-9]{1,9}):(Nucleus|Satellite)=([^\s:,()]+):([0-9]{1,9})"
_PAIR = re.compile(rf"\s*\({_SIDE},{_SIDE}\)")


def parse(line: str) -> Tree:
    """The tree of a line; ``ValueError`` if the line has another form."""
    return _parse(line, _refuse)


def format_tree(tree: Tree) -> str:
    """The line for a tree; ``ValueError`` if a line cannot hold the name of a relation."""
    return " ".join(map(_format_split, tree.splits)) or _NONE


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """A document for each line, named after the file, with a number if there are several.

    ``lenient`` forgives, with a warning for each: empty lines, pairs in another order, nuclei
    with different relations (the left one's holds) and a nucleus beside a satellite that has a
    relation (it is dropped).
    """
    lines = numbered(_trees(source, path, lenient), stem(path, _SUFFIXES))
    is_empty = True
    for name, tree in lines:
        is_empty = False
        edus = Document.from_edus((f"e{number}" for number in range(1, tree.n_edus + 1)), name)
        yield replace(edus, tree=tree)
    if is_empty:
        raise TreebankError(f"no tree in it; expected one a line, or {_NONE}", path)


def write(document: Document, sink: TextIO) -> None:
    """Write the tree of the document on one line, or the tree of each sentence on its own line."""
    FORMAT.require(document)
    if document.tree is None and not document.sentence_trees:
        raise UnwritableError("it has no tree, nor have its sentences", document.name, FORMAT.name)
    trees = document.sentence_trees if document.tree is None else (document.tree,)
    lines = []
    for number, tree in enumerate(trees, start=1):
        if tree is None:
            raise UnwritableError(f"sentence {number} has no tree", document.name, FORMAT.name)
        try:
            lines.append(format_tree(tree) + "\n")
        except ValueError as error:
            raise UnwritableError(str(error), document.name, FORMAT.name) from error
    sink.writelines(lines)


FORMAT = Format(
    name="brackets",
    suffixes=_SUFFIXES,
    read=read,
    write=write,
    holds=frozenset({Layer.EDUS, Layer.TREE, Layer.SENTENCE_TREES}),
    needs=frozenset({Layer.EDUS}),
    many=True,
)


def _trees(source: TextIO, path: Path, lenient: bool) -> Iterator[Tree]:
    after_blank = False
    for number, line in enumerate(source, start=1):
        if not line.strip():
            if not after_blank:
                complain(f"expected a tree or {_NONE}, found an empty line", path, number, lenient=lenient)
            after_blank = True
            continue
        after_blank = False

        def object_to(what: str, number: int = number) -> None:
            complain(what, path, number, lenient=lenient)

        try:
            yield _parse(line, object_to)
        except ValueError as error:
            raise TreebankError(str(error), path, number) from error


def _refuse(what: str) -> NoReturn:
    raise ValueError(what)


def _parse(line: str, object_to: Callable[[str], None]) -> Tree:
    line = line.strip()
    if line == _NONE:
        return Tree()
    if not line:
        raise ValueError(f"expected a tree or {_NONE}, found an empty line")
    splits: list[Split] = []
    at = 0
    while at < len(line):
        pair = _PAIR.match(line, at)
        if pair is None:
            found = line[at : at + 40].strip()
            raise ValueError(f"expected (1:Nucleus=span:2,3:Satellite=NAME:4) or {_NONE}, found {found!r}")
        splits.append(_split(pair, object_to))
        at = pair.end()
    in_order = sorted(splits, key=lambda split: (split.start, -split.end))
    if in_order != splits:
        object_to("expected the larger pair first and the left one before the right, found another order")
    try:
        return Tree(tuple(in_order))
    except ValueError as error:
        raise ValueError(f"the pairs make no tree; with EDUs counted from 0, {error}") from error


def _split(pair: re.Match[str], object_to: Callable[[str], None]) -> Split:
    start, left_end, middle, end = (int(pair[group]) for group in (1, 4, 5, 8))
    if not 1 <= start <= left_end < middle <= end or middle != left_end + 1:
        raise ValueError(
            f"expected two spans side by side, found {start} to {left_end} and {middle} to {end}"
        )
    left, right = pair[3], pair[7]
    nuclearity = _NUCLEARITY.get((pair[2], pair[6]))
    if nuclearity is None:
        raise ValueError(f"expected a nucleus in {pair[0].strip()}, found two satellites")
    relation, other = (right, left) if nuclearity == "NS" else (left, right)
    if nuclearity == "NN" and other != relation:
        object_to(f"expected one relation of two nuclei, found {left} and {right}")
    elif nuclearity != "NN" and other != "span":
        object_to(f"expected span of a nucleus beside a satellite, found {other}")
    if relation == "span":
        raise ValueError(f"expected a relation in {pair[0].strip()}, found span")
    return Split(start - 1, middle - 1, end, nuclearity, relation)


def _format_split(split: Split) -> str:
    if split.relation == "span" or re.search(r"[\s:,()]", split.relation):
        raise ValueError(f"it has a relation called {split.relation!r}")
    left, right = (
        f"{_NAMES[role]}={split.relation if role == 'S' or split.nuclearity == 'NN' else 'span'}"
        for role in split.nuclearity
    )
    return f"({split.start + 1}:{left}:{split.split},{split.split + 1}:{right}:{split.end})"
