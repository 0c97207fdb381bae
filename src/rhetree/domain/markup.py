"""Characters of a text that are not read as they stand: markup, and escapes for other characters.

A document keeps the text of its file as it is, so that offsets are the file's. Its markup says how
to read that text.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Markup:
    """Characters ``start..end`` of a text, which are read as ``shown``: nothing for ``<b>``, ``&`` for ``&amp;``."""

    start: int
    end: int
    shown: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"markup needs 0 <= start < end, got {self.start}..{self.end}")


def check_markup(markup: Sequence[Markup], n_characters: int) -> None:
    """Raise ``ValueError`` if markup is out of order, overlaps, or lies outside a text of this length."""
    at = 0
    for one in markup:
        if one.start < at or one.end > n_characters:
            raise ValueError(f"markup at {one.start}..{one.end} should lie within {at}..{n_characters}")
        at = one.end


def shown_between(text: str, markup: Sequence[Markup], start: int, end: int) -> str:
    """The characters ``start..end`` of a text as they are read."""
    pieces: list[str] = []
    at = start
    for number in range(bisect_left(markup, start, key=lambda one: one.start), len(markup)):
        one = markup[number]
        if one.start >= end:
            break
        pieces += (text[at : one.start], one.shown)
        at = one.end
    pieces.append(text[at:end])
    return "".join(pieces)


class ShownText:
    """A whole text as it is read, and the way from its offsets to those of the text with markup, and back."""

    def __init__(self, text: str, markup: Sequence[Markup]) -> None:
        self.text = shown_between(text, markup, 0, len(text))
        # Each part is a run of characters that are read as they stand, or one piece of markup.
        self._sources: list[int] = []
        self._shown: list[int] = []
        self._is_markup: list[bool] = []
        at = shown = 0
        for one in markup:
            if at < one.start:
                self._add(at, shown, is_markup=False)
                shown += one.start - at
            self._add(one.start, shown, is_markup=True)
            at, shown = one.end, shown + len(one.shown)
        self._add(at, shown, is_markup=False)
        self._sources.append(len(text))
        self._shown.append(shown + len(text) - at)

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters ``start..end`` of what is read are in the text with markup."""
        first = bisect_right(self._shown, start, hi=len(self._is_markup)) - 1
        last = bisect_right(self._shown, max(start, end - 1), hi=len(self._is_markup)) - 1
        source_start = self._sources[first]
        if not self._is_markup[first]:
            source_start += start - self._shown[first]
        if self._is_markup[last]:
            return source_start, self._sources[last + 1]
        return source_start, self._sources[last] + end - self._shown[last]

    def from_source(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters ``start..end`` of the text with markup are in what is read."""
        first = bisect_right(self._sources, start, hi=len(self._is_markup)) - 1
        last = bisect_right(self._sources, max(start, end - 1), hi=len(self._is_markup)) - 1
        shown_start = self._shown[first]
        if not self._is_markup[first]:
            shown_start += start - self._sources[first]
        if self._is_markup[last]:
            return shown_start, max(shown_start, self._shown[last + 1])
        return shown_start, self._shown[last] + end - self._sources[last]

    def _add(self, source: int, shown: int, *, is_markup: bool) -> None:
        self._sources.append(source)
        self._shown.append(shown)
        self._is_markup.append(is_markup)
