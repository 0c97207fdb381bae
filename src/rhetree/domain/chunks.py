"""Pieces of a document for retrieval: each ends at an EDU's edge and keeps together what belongs together.

A unit that fits into a chunk is never cut: neither a node of a tree nor a sentence. Among the ways to share
the units out, the one that parts the fewest nuclei from their satellites is taken, then the one that cuts the fewest
paragraphs and parts the fewest headings from what follows them, then the one with the fewest chunks, then the one that
fills the first chunks.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rhetree.domain.span import Span
from rhetree.domain.tree import Split

if TYPE_CHECKING:
    from rhetree.domain.document import Document

Count = Callable[[str], int]
"""Number of tokens of a text. A part of a text must not have more tokens than the whole."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Adjacent EDUs of a document, with their text at characters ``start..end``."""

    text: str
    start: int
    end: int
    edus: Span
    """The EDUs of the chunk, counted from the document's first."""
    n_tokens: int
    is_too_long: bool = False
    """Whether the chunk is one EDU with more tokens than allowed."""


def chunk(
    document: "Document",
    max_tokens: int | None = None,
    split_on: str | Iterable[str] = (),
    count: Count | None = None,
) -> tuple[Chunk, ...]:
    """The chunks of a document with EDUs; :meth:`rhetree.Document.chunks` describes the arguments."""
    if max_tokens is not None and (not isinstance(max_tokens, int) or max_tokens < 1):
        raise ValueError(f"max_tokens is a whole number from 1 on, or None, got {max_tokens!r}")
    if not document.edus:
        if not document.is_blank:
            raise ValueError(
                "chunks end at EDU edges, and this document has no EDUs; segment or parse it first"
            )
        return ()
    size = _sizes(document, count)
    units = list(_units(document))
    reach = _reach(len(document.edus), size, max_tokens, _forced_cuts(units, split_on))
    edges = _edges(units, reach, _paragraph_starts(document))
    chunks = []
    for start, end in pairwise(_best_cuts(edges, reach)):
        first, last = document.edus[start], document.edus[end - 1]
        at, until = document.tokens[first.start].start, document.tokens[last.end - 1].end
        n_tokens = size(start, end)
        is_too_long = max_tokens is not None and n_tokens > max_tokens
        chunks.append(
            Chunk(
                document.text_of(Span(first.start, last.end)),
                at,
                until,
                Span(start, end),
                n_tokens,
                is_too_long,
            )
        )
    return tuple(chunks)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A run of EDUs with a tree over it; without splits, a run whose EDUs belong together equally."""

    edus: Span
    splits: tuple[Split, ...] = ()
    """In pre-order, counted from the document's first EDU."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """What the end of a chunk would part."""

    parts_unit: bool
    """Whether it parts a nucleus from its satellite, or EDUs of a sentence without a tree."""
    parts_paragraph: bool
    """Whether it cuts a paragraph, or parts a heading from what follows it."""


def _units(document: "Document") -> Iterator[_Unit]:
    """The largest units that are known: the document's tree, or its sentences, or single EDUs."""
    n_edus = len(document.edus)
    if document.tree is not None:
        yield _Unit(Span(0, n_edus), document.tree.splits)
        return
    at = 0
    for span, tree in zip(document.sentence_edus(), document.trees_by_sentence(), strict=True):
        if span is None:  # an EDU crosses the sentence's edge
            continue
        yield from (_Unit(Span(edu, edu + 1)) for edu in range(at, span.start))
        splits = () if tree is None else tree.splits
        yield _Unit(span, tuple(split.shift(span.start) for split in splits))
        at = span.end
    yield from (_Unit(Span(edu, edu + 1)) for edu in range(at, n_edus))


def _sizes(document: "Document", count: Count | None) -> Callable[[int, int], int]:
    """The function that gives the number of tokens of EDUs ``start..end``."""
    edus = document.edus
    if count is None:
        return lambda start, end: edus[end - 1].end - edus[start].start
    return lambda start, end: count(document.text_of(Span(edus[start].start, edus[end - 1].end)))


def _forced_cuts(units: Iterable[_Unit], split_on: str | Iterable[str]) -> set[int]:
    """The EDUs before which a chunk ends because of the relation there."""
    names = [split_on] if isinstance(split_on, str) else list(split_on)
    wanted = {name.lower() for name in names}
    return {
        split.split
        for unit in units
        for split in unit.splits
        if split.relation.lower() in wanted or split.relation.lower().partition("-")[0] in wanted
    }


def _reach(
    n_edus: int, size: Callable[[int, int], int], max_tokens: int | None, forced: set[int]
) -> list[int]:
    """For each EDU the end of the longest chunk that starts there; a chunk has at least one EDU."""
    walls = sorted(forced | {n_edus}, reverse=True)
    reach: list[int] = []
    end = 0
    for start in range(n_edus):
        if walls[-1] <= start:
            walls.pop()
        end = max(end, start + 1)
        # What fits from one EDU on fits from the next one on, so that each end is tried about once.
        while end < walls[-1] and (max_tokens is None or size(start, end + 1) <= max_tokens):
            end += 1
        reach.append(end)
    return reach


def _paragraph_starts(document: "Document") -> set[int]:
    """The EDUs before which a cut parts nothing that belongs together by layout; all if the layout is not known."""
    numbers = document.edu_blocks() or list(range(len(document.edus)))
    is_heading = [block.kind == "heading" for block in document.blocks] or [False] * len(numbers)
    return {
        edu
        for edu, (before, here) in enumerate(pairwise(numbers), start=1)
        if before != here and not is_heading[before]
    }


def _edges(units: Iterable[_Unit], reach: list[int], paragraphs: set[int]) -> dict[int, _Cut]:
    """Where chunks may end, each with what a cut there parts."""
    edges = {0: False, len(reach): False}
    for unit in units:
        edges.setdefault(unit.edus.start, False)
        if unit.edus.end <= reach[unit.edus.start]:
            continue
        if not unit.splits:
            edges.update((edu, True) for edu in range(unit.edus.start + 1, unit.edus.end))
        for split in unit.splits:
            if split.end > reach[split.start]:
                edges[split.split] = split.nuclearity != "NN"
    return {
        place: _Cut(parts_unit, place not in paragraphs and 0 < place < len(reach))
        for place, parts_unit in sorted(edges.items())
    }


def _best_cuts(edges: dict[int, _Cut], reach: list[int]) -> list[int]:
    """The edges at which chunks start, and the last one, where the last chunk ends."""
    places = list(edges)
    apart = len(places) + 1  # worse than any number of chunks; its square than any number of paragraphs
    cost = {places[-1]: 0}
    following: dict[int, int] = {}
    # From the end to the start, the places where a chunk can end move to the left at both sides; the queue keeps
    # those that may still be the best, cheapest first. So the time is linear in the number of places.
    queue: deque[int] = deque()
    for place, end in zip(reversed(places[:-1]), reversed(places[1:]), strict=True):
        while queue and cost[queue[-1]] > cost[end]:
            queue.pop()
        queue.append(end)
        while queue[0] > reach[place]:
            queue.popleft()
        following[place] = queue[0]
        cut = edges[place]
        cost[place] = cost[queue[0]] + 1 + apart * (cut.parts_paragraph + apart * cut.parts_unit)
    cuts = [places[0]]
    while cuts[-1] != places[-1]:
        cuts.append(following[cuts[-1]])
    return cuts
