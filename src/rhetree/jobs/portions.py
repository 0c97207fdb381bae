"""Portions: the records that are worked on together, few enough that results come every second or so.

Which records share a portion changes nothing but the speed, so their number follows the clock.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from rhetree.errors import RhetreeError
from rhetree.jobs.records import Record

if TYPE_CHECKING:
    from rhetree.domain.document import Document

Clock = Callable[[], float]

_FIRST = 4_000
"""Characters in the first portion: some thirty sentences."""
_LEAST = 500
_MOST = 250_000
_GROWTH = 2.0
"""A portion is at most this many times larger or smaller than the one before."""
_PER_DOCUMENT = 50
"""What a document costs beside its characters, so that empty ones do not pile up."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What became of a portion."""

    results: "list[Document | RhetreeError]"
    """A document for each record, or what is wrong with it."""
    seconds: float
    """How long the work took."""


class Portions:
    """Divides records into portions that take about as long as wished."""

    def __init__(self, seconds: float = 1.0, clock: Clock = perf_counter) -> None:
        self._seconds = seconds
        self._clock = clock
        self.size = _FIRST
        """Characters in the next portion."""

    def divide(self, records: Iterable[Record]) -> Iterator[list[Record]]:
        """The records in order, one or more in each portion.

        A large document does not wait for small ones to join it, nor they for it. A portion of
        records that come slowly, as from a pipe, is complete with the first one that comes after the same time.
        """
        portion: list[Record] = []
        size, begun = 0, self._clock()
        for record in records:
            own = size_of(record)
            if portion and size + own > 2 * self.size:
                yield portion
                portion, size, begun = [], 0, self._clock()
            portion.append(record)
            size += own
            if size >= self.size or self._clock() - begun > self._seconds:
                yield portion
                portion, size, begun = [], 0, self._clock()
        if portion:
            yield portion

    def learn(self, portion: list[Record], seconds: float) -> None:
        """Fit the size to how long a portion took."""
        fitting = sum(map(size_of, portion)) * self._seconds / max(seconds, 1e-3)
        fitting = min(max(fitting, self.size / _GROWTH), self.size * _GROWTH)
        self.size = round(min(max(fitting, _LEAST), _MOST))


def size_of(record: Record) -> int:
    """About how much work a record is, in characters."""
    return len(record.document.text) + _PER_DOCUMENT
