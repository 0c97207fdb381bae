"""Finds the words of one file in the text of another, although the two differ slightly.

White space does not count, and all ways to write a quote are the same: two backticks, the
typewriter's ``"``, the printer's ``“``. Two corpora of one text also differ in a few words
(RST-DT and the Penn Treebank in some forty places). Such a place is skipped and reported if the
texts agree again soon after it; otherwise the texts are refused.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from rhetree.errors import MismatchError

FARTHEST = 60
"""Maximum number of letters that may be missing, added or different at one place."""
SURE = 12
"""Number of letters in a row that must agree after such a place."""
MOST = 100
"""Maximum number of such places. With more, or if a quarter of the letters differ, it is another text."""

# One letter for a single quote and two for a double one, so that three in a row can be read either way.
_QUOTES = str.maketrans({"`": "'", "‘": "'", "’": "'", '"': "''", "“": "''", "”": "''"})
_LETTER = re.compile(r"&amp;|\S")


@dataclass(frozen=True, slots=True)
class Place:
    """Characters ``start..end`` of a text; empty for a word that is not in the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where the text has something else than the words: what was expected, what was found, and where."""

    expected: str
    found: str
    at: int

    def __str__(self) -> str:
        return f"{self.found!r} in place of {self.expected!r} at character {self.at}"


@dataclass(frozen=True, slots=True)
class Located:
    """The place of each word in the text, in order and without overlap, and where the two differ."""

    places: tuple[Place, ...]
    differences: tuple[Difference, ...]


def locate(words: Sequence[str], text: str, path: Path) -> Located:
    """Find the words of a file in the text, each after the one before.

    The text may go on after the last word. The Penn Treebank adds a full stop after an abbreviation
    that ends a sentence; that is not reported as a difference.

    :param path: the file of the words, for messages
    """
    wanted = [_normal(word) for word in words]
    letters, starts, ends = _letters_of(text)
    expected = "".join(wanted)
    # Range of letters in the text for each expected letter: one letter, or any number inside a difference.
    first: list[int] = []
    last: list[int] = []
    differences: list[Difference] = []
    n_other = 0
    for run in _runs(expected, letters, [0, *accumulate(map(len, wanted))]):
        n, m = run.n_expected, run.n_found
        if n == m:
            first += range(run.found, run.found + n)
            last += range(run.found + 1, run.found + n + 1)
        else:
            first += [run.found + number * m // n for number in range(n)]
            last += [run.found + (number + 1) * m // n for number in range(n)]
        here, there = run.texts(expected, letters)
        if here != there and not (here == "." and not there and expected[: run.expected].endswith(".")):
            at = starts[run.found] if run.found < len(starts) else len(text)
            differences.append(Difference(here, there, at))
            n_other += max(n, m)
        if run.is_lost or len(differences) > MOST or 4 * n_other > len(expected):
            raise MismatchError(_no_such_word(words, wanted, run.expected, text, starts, run.found, path))

    places = []
    at = letter = 0
    for word in wanted:
        start = at
        if word and (begin := first[letter]) < (end := last[letter + len(word) - 1]):
            start = max(at, starts[begin])
            at = max(start, ends[end - 1])
        letter += len(word)
        places.append(Place(start, at))
    return Located(tuple(places), tuple(differences))


@dataclass(frozen=True, slots=True)
class _Run:
    """A stretch of expected and found letters that are all the same, or that differ."""

    expected: int
    n_expected: int
    found: int
    n_found: int
    is_lost: bool = False
    """Whether the two never agree again."""

    def texts(self, expected: str, found: str) -> tuple[str, str]:
        return (
            expected[self.expected : self.expected + self.n_expected],
            found[self.found : self.found + self.n_found],
        )


def _runs(expected: str, found: str, word_starts: Sequence[int]) -> Iterator[_Run]:
    i = j = 0
    while i < len(expected):
        same = _common(expected, i, found, j)
        if i + same < len(expected):
            # A word that only starts the same is a different word: go back to its start.
            same = max(0, word_starts[bisect_right(word_starts, i + same) - 1] - i)
        if same:
            yield _Run(i, same, j, same)
            i, j = i + same, j + same
        else:
            n, m = _detour(expected, i, found, j)
            yield _Run(i, n, j, m, is_lost=not n and not m)
            i, j = i + n, j + m


def _common(expected: str, i: int, found: str, j: int) -> int:
    """Number of letters that are the same from here on."""
    same = 0
    step = 1024
    while step:
        chunk = expected[i + same : i + same + step]
        if chunk and chunk == found[j + same : j + same + len(chunk)]:
            same += len(chunk)
        else:
            step //= 4
    return same


def _detour(expected: str, i: int, found: str, j: int) -> tuple[int, int]:
    """Fewest letters of each to skip until both agree again; 0 and 0 if they never do."""
    for total in range(1, 2 * FARTHEST + 1):
        for n in range(max(0, total - FARTHEST), min(total, FARTHEST) + 1):
            m = total - n
            if i + n > len(expected) or j + m > len(found):
                continue
            if found.startswith(expected[i + n : i + n + SURE], j + m):
                return n, m
    return 0, 0


def _normal(word: str) -> str:
    return "".join("&" if letter == "&amp;" else letter for letter in _LETTER.findall(word)).translate(
        _QUOTES
    )


def _letters_of(text: str) -> tuple[str, list[int], list[int]]:
    """The letters of a text in the form that is compared, with start and end of each one's character."""
    letters, starts, ends = [], [], []
    for match in _LETTER.finditer(text):
        letter = _normal(match[0])
        letters.append(letter)
        starts += [match.start()] * len(letter)
        ends += [match.end()] * len(letter)
    return "".join(letters), starts, ends


def _no_such_word(
    words: Sequence[str],
    wanted: Sequence[str],
    letter: int,
    text: str,
    starts: Sequence[int],
    found: int,
    path: Path,
) -> str:
    number = 0
    while letter >= len(wanted[number]):
        letter -= len(wanted[number])
        number += 1
    if found >= len(starts):
        return f"{path}: the text ends before token {number + 1} ({words[number]!r})"
    goes_on = " ".join(text[starts[found] : starts[found] + 40].split())
    return (
        f"{path}: token {number + 1} is {words[number]!r}, but the text goes on with {goes_on!r} "
        f"at character {starts[found]}; are the two of one document?"
    )
