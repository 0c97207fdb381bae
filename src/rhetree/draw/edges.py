"""Places secondary edges below the text of a diagram: an arrow down from one column, along a lane, and up.

Columns stand side by side, so nothing is below a column but arrows. Names of relations keep clear of all
vertical lines. Edges share a lane where they do not meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LANE = 22.0
"""Distance between two lanes."""
_SPREAD = 10.0
"""Distance between two arrows at the same column."""
_CLEAR = 6.0
"""Distance between a relation's name and a line, and between two edges in one lane."""


@dataclass(frozen=True, slots=True)
class Column:
    """The text of an EDU, or a reference to a unit that was cut out."""

    left: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Link:
    """An edge to be placed, from one column to another."""

    source: Column
    target: Column
    label: str
    label_width: float


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """Where an edge is drawn."""

    link: Link
    source: float
    """x of the line down from the source."""
    target: float
    """x of the line up to the target."""
    label: float
    """x of the middle of the label."""
    lane: int

    @property
    def left(self) -> float:
        return min(self.source, self.target, self.label - self.link.label_width / 2)

    @property
    def right(self) -> float:
        return max(self.source, self.target, self.label + self.link.label_width / 2)


def place_edges(links: Sequence[Link]) -> list[PlacedEdge]:
    """Place edges in as few lanes as a greedy search finds; short edges come first, and so highest."""
    ends = _ends(links)
    lines = [x for pair in ends for x in pair]
    lanes: list[list[PlacedEdge]] = []
    for at in sorted(range(len(links)), key=lambda number: abs(ends[number][1] - ends[number][0])):
        source, target = ends[at]
        edge = PlacedEdge(links[at], source, target, _label_x(links[at], source, target, lines), 0)
        number = next(
            (number for number, lane in enumerate(lanes) if not any(_meet(edge, other) for other in lane)),
            len(lanes),
        )
        if number == len(lanes):
            lanes.append([])
        lanes[number].append(
            PlacedEdge(edge.link, edge.source, edge.target, edge.label, number),
        )
    return [edge for lane in lanes for edge in lane]


def _ends(links: Sequence[Link]) -> list[tuple[float, float]]:
    """The x of both ends of each link; the ends at one column stand side by side."""
    at: dict[Column, list[tuple[float, int, int]]] = {}
    for number, link in enumerate(links):
        at.setdefault(link.source, []).append((link.target.left, number, 0))
        at.setdefault(link.target, []).append((link.source.left, number, 1))
    found = [[0.0, 0.0] for _ in links]
    for column, ends in at.items():
        step = min(_SPREAD, (column.right - column.left) / (len(ends) + 1))
        first = (column.left + column.right - step * (len(ends) - 1)) / 2
        for place, (_, number, side) in enumerate(sorted(ends)):
            found[number][side] = first + place * step
    return [(source, target) for source, target in found]


def _label_x(link: Link, source: float, target: float, lines: Sequence[float]) -> float:
    """The x nearest to the edge's middle at which the label touches no vertical line."""
    middle, room = (source + target) / 2, link.label_width / 2 + _CLEAR
    candidates = [middle, *(x - room for x in lines), *(x + room for x in lines)]
    free = [
        x for x in candidates if x >= room and all(abs(line - x) >= room - 0.01 for line in lines)
    ]  # never empty: right of the last line there is room
    return min(free, key=lambda x: abs(x - middle))


def _meet(edge: PlacedEdge, other: PlacedEdge) -> bool:
    return edge.left < other.right + _CLEAR and other.left < edge.right + _CLEAR
