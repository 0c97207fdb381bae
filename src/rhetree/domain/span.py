"""Half-open intervals of characters, tokens or EDUs, counted from 0."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Items ``start`` up to but not including ``end``, counted from 0."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, got {self.start}..{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"

    def contains(self, other: "Span") -> bool:
        """Whether ``other`` lies inside this span."""
        return self.start <= other.start and other.end <= self.end

    def shift(self, by: int) -> "Span":
        """The span moved to the right by ``by`` items; a negative number moves it to the left."""
        return Span(self.start + by, self.end + by)

    def indices(self) -> range:
        """The indices of the items inside."""
        return range(self.start, self.end)


def spans_of_lengths(lengths: Iterable[int]) -> tuple[Span, ...]:
    """Adjacent spans of these lengths, starting at 0."""
    spans = []
    start = 0
    for length in lengths:
        spans.append(Span(start, start + length))
        start += length
    return tuple(spans)


def check_tiling(spans: tuple[Span, ...], n_items: int, what: str) -> None:
    """Raise ``ValueError`` unless the spans cover ``0..n_items`` in order, each item once."""
    at = 0
    for span in spans:
        if span.start != at:
            raise ValueError(f"{what} {span} should start at {at}")
        at = span.end
    if at != n_items:
        raise ValueError(f"{what}s end at {at}, not at {n_items}")
