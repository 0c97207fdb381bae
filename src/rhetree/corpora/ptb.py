"""Reads tokens and sentences of the Penn Treebank's merged files (``.mrg``); their syntax is not kept.

A file is a series of bracketed trees, ``( (S (NP-SBJ (DT The) (NN plan) ) … ) )``, one per sentence.
``-NONE-`` leaves are traces, which are not in the text. ``-LRB-`` and the like stand for brackets,
``\\/`` for a slash and ``\\*`` for an asterisk.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rhetree.domain.document import Document
from rhetree.errors import TreebankError
from rhetree.formats.format import complain

SUFFIX = ".mrg"
TRACE = "-NONE-"
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}

_PIECE = re.compile(r"[()]|[^\s()]+")
_ESCAPE = re.compile(r"\\([/*])")


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """Read the one document of a file: its tokens, with spaces between them, and its sentences.

    ``lenient`` forgives, with a warning, brackets that are still open at the end of the file.
    """
    sentences = [forms for forms in _sentences(source, path, lenient) if forms]
    if not sentences:
        raise TreebankError("no sentence in it; expected trees like ( (S (NN word) ) )", path)
    yield Document.from_sentences(sentences, name=path.stem)


def unescape(word: str) -> str:
    """The word of a leaf as it is in the text: a bracket for ``-LRB-``, ``/`` for ``\\/``."""
    return BRACKETS.get(word) or _ESCAPE.sub(r"\1", word)


def _sentences(source: TextIO, path: Path, lenient: bool) -> Iterator[list[str]]:
    forms: list[str] = []
    open_lines: list[int] = []
    node: list[str] = []  # label and word of the bracket opened last, as far as they have been read
    closed = True  # whether the last bracket was a closing one
    number = 0
    for number, line in enumerate(source, start=1):
        for piece in _PIECE.findall(line):
            if piece == "(":
                if not closed and len(node) > 1:
                    raise TreebankError(f"a bracket opens inside the leaf ({' '.join(node)}", path, number)
                open_lines.append(number)
                node, closed = [], False
            elif piece == ")":
                if not open_lines:
                    raise TreebankError("found ')' with no bracket open", path, number)
                if not closed:
                    forms += _leaf(node, path, number)
                open_lines.pop()
                closed = True
                if not open_lines:
                    yield forms
                    forms = []
            elif closed or len(node) > 1:
                raise TreebankError(f"found {piece!r}, expected a bracket", path, number)
            else:
                node.append(piece)
    if open_lines:
        opened = f"the file ends in a tree whose bracket opens in line {open_lines[0]}; is it cut short?"
        complain(opened, path, number, lenient=lenient)
        yield forms


def _leaf(node: list[str], path: Path, line: int) -> list[str]:
    if len(node) != 2:
        found = f"({' '.join(node)})"
        raise TreebankError(f"a leaf is a tag and a word, found {found}", path, line)
    tag, word = node
    return [] if tag == TRACE else [unescape(word)]
