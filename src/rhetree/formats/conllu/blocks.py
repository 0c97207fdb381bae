"""Reads the lines of a CoNLL-U file into blocks of comments, words and fused words, and checks them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from rhetree.domain.annotation import EmptyNode
from rhetree.errors import TreebankError
from rhetree.formats.conllu import misc
from rhetree.formats.format import complain

_NEWDOC = ("newdoc", "newdoc id", "newdoc_id")
_NEWPAR = ("newpar", "newpar id")
_WORD = re.compile(r"[0-9]{1,9}")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")


@dataclass(slots=True)
class Word:
    """A word's line, or the line of a fused word."""

    line: int
    form: str
    columns: tuple[str, ...]
    """LEMMA to MISC."""
    fields: tuple[str, ...]
    """Those of MISC."""


@dataclass(slots=True)
class Unit:
    """One written word: a word, or a fused word with the words in it."""

    whole: Word
    words: list[Word]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = misc.text_of(self.whole.form, self.whole.fields)

    @property
    def is_fused(self) -> bool:
        return self.words[0] is not self.whole


@dataclass(slots=True)
class Block:
    """The lines between two blank lines: a sentence, or a whole document in ``.tok``."""

    line: int
    comments: list[tuple[int, str]] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    n_words: int = 0
    n_empty: int = 0
    """Empty nodes since the last word."""
    empty_nodes: list[EmptyNode] = field(default_factory=list)
    """Their ``after`` is counted from the block's first word."""

    @property
    def starts_document(self) -> bool:
        return any(starts_document(comment) for _, comment in self.comments)

    @property
    def starts_paragraph(self) -> bool:
        return any(starts_paragraph(comment) for _, comment in self.comments)


def read_blocks(source: TextIO, path: Path, *, lenient: bool) -> Iterator[Block]:
    """The blocks of a file, one after the other."""
    block = Block(1)
    open_range = 0
    number = 0
    for number, raw in enumerate(source, start=1):
        line = raw.rstrip("\n")
        if not line.strip():
            if _is_complete(block, open_range, path, number, lenient):
                yield block
            block, open_range = Block(number + 1), 0
        elif line.startswith("#"):
            if block.units:
                raise TreebankError(
                    "found a comment among the words, expected a blank line first", path, number
                )
            block.comments.append((number, line))
        else:
            open_range = _add_row(block, line, open_range, path, number)
    if _is_complete(block, open_range, path, number, lenient):
        yield block


def _is_complete(block: Block, open_range: int, path: Path, line: int, lenient: bool) -> bool:
    if open_range > block.n_words:
        raise TreebankError(
            f"the fused word needs words up to {open_range}, found {block.n_words}", path, line
        )
    if not block.units and (block.comments or block.empty_nodes):
        complain("found comments or empty nodes without words", path, block.line, lenient=lenient)
    return bool(block.units)


def _add_row(block: Block, line: str, open_range: int, path: Path, number: int) -> int:
    """Add a line of ten columns to the block. Returns the last word of the fused word that is open."""
    cells = line.split("\t")
    if len(cells) != 10:
        raise TreebankError(
            f"expected 10 columns between tabs, found {len(cells)}: {line[:60]!r}", path, number
        )
    if "" in cells:
        raise TreebankError(f"column {cells.index('') + 1} is empty, expected a value or _", path, number)
    identity, form, *rest = cells
    columns = tuple(rest)
    if _WORD.fullmatch(identity):
        if int(identity) != block.n_words + 1:
            raise TreebankError(f"expected word {block.n_words + 1}, found {identity}", path, number)
        block.n_words += 1
        block.n_empty = 0
        word = Word(number, form, columns, misc.fields_of(columns[-1]))
        if block.n_words <= open_range:
            block.units[-1].words.append(word)
        else:
            block.units.append(Unit(word, [word]))
    elif ends := _RANGE.fullmatch(identity):
        first, last = int(ends[1]), int(ends[2])
        if first != block.n_words + 1 or first >= last or open_range > block.n_words:
            raise TreebankError(
                f"expected words from {block.n_words + 1} on to be fused, found {identity}", path, number
            )
        block.units.append(Unit(Word(number, form, columns, misc.fields_of(columns[-1])), []))
        return last
    elif place := _EMPTY.fullmatch(identity):
        block.n_empty += 1
        if (int(place[1]), int(place[2])) != (block.n_words, block.n_empty):
            raise TreebankError(
                f"expected empty node {block.n_words}.{block.n_empty}, found {identity}", path, number
            )
        block.empty_nodes.append(EmptyNode(block.n_words, (form, *columns)))
    else:
        raise TreebankError(f"expected an ID like 1, 1-2 or 1.1, found {identity[:40]!r}", path, number)
    return open_range


def key_of(comment: str) -> str:
    """The key of a comment line: ``sent_id`` of ``# sent_id = 1``."""
    return comment[1:].partition("=")[0].strip()


def value_of(comment: str) -> str:
    """The value of a comment line: ``1`` of ``# sent_id = 1``."""
    return comment.partition("=")[2].removeprefix(" ")


def starts_document(comment: str) -> bool:
    """Whether a comment line opens a document, in UD's spelling or in DISRPT's older one."""
    return key_of(comment) in _NEWDOC


def starts_paragraph(comment: str) -> bool:
    """Whether a comment line opens a paragraph."""
    return key_of(comment) in _NEWPAR
