"""What the sentence splitter knows of each token of a paragraph, as rows of small tables.

Training and running share this file, so that both see the same.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from zlib import crc32

import numpy as np
import numpy.typing as npt

from rhetree.text.sentences import sentence_starts
from rhetree.text.words import LINE_END

Rows = npt.NDArray[np.int64]

COLUMNS = ("word", "suffix", "shape", "gap", "place")
SIZES = {"suffix": 2048, "shape": 512, "gap": 6, "place": 12}
"""Rows of each table; the words' depends on the vocabulary, whose row 0 is an unknown word."""

_FIRST, _GLUED, _SPACE, _OTHER, _WRAPPED, _BROKEN = range(6)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_SHAPE_LENGTH = 12
"""Letters of a token that its shape tells of."""


def features(text: str, forms: Sequence[str], starts: Sequence[int], vocabulary: Mapping[str, int]) -> Rows:
    """For each token of a paragraph its rows of the tables :data:`COLUMNS`, ``(tokens, 5)``.

    :param forms: the tokens; each period is a token of its own
    :param starts: character offset of each token in the text
    :param vocabulary: the row of each word in lower case
    """
    rows = np.empty((len(forms), len(COLUMNS)), dtype=np.int64)
    rows[:, 0] = [vocabulary.get(form.lower(), 0) for form in forms]
    rows[:, 1:3] = [_describe(form) for form in forms]
    rows[:, 3] = _gaps(text, forms, starts)
    rows[:, 4] = _places(forms)
    # What syntok would do is the best single clue.
    rows[sentence_starts(forms, starts), 4] += SIZES["place"] // 2
    return rows


@lru_cache(maxsize=1 << 15)
def _describe(form: str) -> tuple[int, int]:
    """The rows of a token's last letters and of its shape: ``Xxx`` for a name, ``dd`` for a number."""
    runs = groupby(map(_kind, form[:_SHAPE_LENGTH]))
    shape = "".join(kind * min(2, len(list(run))) for kind, run in runs)
    length = "1" if len(form) == 1 else "+"
    return _row("s" + form.lower()[-3:], "suffix"), _row(f"h{shape}{length}", "shape")


def _kind(letter: str) -> str:
    if letter.isupper():
        return "X"
    if letter.islower():
        return "x"
    if letter.isdecimal():
        return "d"
    return "a" if letter.isalpha() else letter


def _row(value: str, table: str) -> int:
    return crc32(value.encode("utf-8", "surrogatepass")) % SIZES[table]


def _gaps(text: str, forms: Sequence[str], starts: Sequence[int]) -> list[int]:
    """How each token is separated from the one before it.

    A line that ends although the next word would have fitted into it was ended on purpose.
    """
    first, end = starts[0], starts[-1] + len(forms[-1])
    lines = _line_starts(text, first, end)
    widest = max((after - before for before, after in zip(lines, [*lines[1:], end], strict=True)), default=0)
    gaps = [_FIRST]
    line = 0
    before = first + len(forms[0])
    for form, start in zip(forms[1:], starts[1:], strict=True):
        if before == start:
            gaps.append(_GLUED)
        elif line + 1 < len(lines) and lines[line + 1] <= start:
            fits = before - lines[line] + 1 + len(form) < widest
            gaps.append(_BROKEN if fits else _WRAPPED)
            while line + 1 < len(lines) and lines[line + 1] <= start:
                line += 1
        else:
            gaps.append(_SPACE if start - before == 1 else _OTHER)
        before = start + len(form)
    return gaps


def _line_starts(text: str, first: int, end: int) -> list[int]:
    """Where each line of a paragraph starts."""
    return [first, *(found.end() for found in LINE_END.finditer(text, first, end))]


def _places(forms: Sequence[str]) -> list[int]:
    """Whether each token is inside brackets (one, or several) and inside quotes."""
    places = []
    depth = quoted = 0
    for form in forms:
        places.append(min(depth, 2) * 2 + quoted)
        if form in _OPENING:
            depth += 1
        elif form in _CLOSING:
            depth = max(0, depth - 1)
        elif form in ("“", "”"):
            quoted = int(form == "“")
        elif form == '"':
            quoted = 1 - quoted
    return places
