"""Draws what annotators added to a tree below its diagram: secondary edges as arrows, signals in words."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from rhetree.domain.annotation import SecondaryEdge
from rhetree.domain.dependencies import heads
from rhetree.domain.span import Span
from rhetree.draw.diagram import DiagramText
from rhetree.draw.edges import LANE, Column, Link, PlacedEdge, place_edges
from rhetree.draw.elements import LABEL, SMALL, Block, flowing, moved, n, path, words
from rhetree.draw.layout import Bar, Diagram
from rhetree.draw.panel import Panel, edu_numbers
from rhetree.draw.text import pixels

_ABOVE = 16.0
"""Distance from the text down to the first lane."""


class Annotations:
    """The secondary edges and signals of a panel."""

    def __init__(self, panel: Panel, text: DiagramText) -> None:
        self._panel = panel
        self._text = text

    def add(self, block: Block, diagram: Diagram, room: float, is_part: bool) -> None:
        """Add what belongs to the units of a diagram.

        :param room: width of the lines of signals
        :param is_part: whether the diagram was cut out of another, which shows its relation to the rest
        """
        columns = dict(self._columns(diagram))
        edges = place_edges(list(self._links(columns)))
        lowest = block.height + _ABOVE
        for edge in edges:
            block.elements += _draw(edge, lowest + edge.lane * LANE)
            block.width = max(block.width, edge.right)
        if edges:
            block.height = lowest + max(edge.lane for edge in edges) * LANE + 8.0
        shown = [bar.edus for bar in diagram.bars if not (is_part and bar.edus == diagram.edus)]
        units = sorted(set(shown), key=lambda unit: (unit.start, -unit.end))
        for name, notes in (("Secondary edges", self._undrawn), ("Signals", self._panel.signals)):
            items = [f"{self._text.numbers(unit)} {note}" for unit in units for note in notes.get(unit, ())]
            if items:
                lines = flowing("number", f"{name}: {' · '.join(items)}", SMALL, room)
                block.elements += moved(lines, 0.0, block.height + 8.0)
                block.height += lines.height + 8.0
                block.width = max(block.width, lines.width)

    @cached_property
    def _heads(self) -> Mapping[Span, int]:
        """The head EDU of each unit."""
        if self._panel.tree is None:
            return {}
        found = heads(self._panel.tree)
        return {unit.span: head for unit, (head, _) in zip(self._panel.tree.units, found, strict=True)}

    @cached_property
    def _ends(self) -> list[tuple[SecondaryEdge, int, int]]:
        """The edges that can be drawn, each with the EDUs where it starts and ends."""
        found = []
        for edge in self._panel.edges:
            if self._panel.holds(edge.source) and self._panel.holds(edge.target):
                source, target = self._head(edge.source), self._head(edge.target)
                if source != target:
                    found.append((edge, source, target))
        return found

    @cached_property
    def _undrawn(self) -> Mapping[Span, Sequence[str]]:
        """The other edges in words, by the unit where they start."""
        drawn = {edge for edge, _, _ in self._ends}
        return self._panel.edge_notes(edge for edge in self._panel.edges if edge not in drawn)

    def _head(self, edus: Span) -> int:
        """The head of a unit, counted in the panel; of no unit, the first EDU."""
        unit = edus.shift(-(self._panel.first or 0))
        return self._heads.get(unit, unit.start)

    def _columns(self, diagram: Diagram) -> Iterator[tuple[int, tuple[Bar, Column]]]:
        """For each EDU where an edge ends its text, or the reference that stands for it."""
        ends = {end for _, source, target in self._ends for end in (source, target)}
        if not ends:
            return
        measure = self._text.measure()
        for bar in diagram.bars:
            if bar.is_cut or len(bar.edus) == 1:
                size = measure.reference(bar.edus) if bar.is_cut else measure.text(bar.edus)
                column = Column(bar.left, bar.right, bar.y + size.height + (-4.0 if bar.is_cut else 2.0))
                for edu in ends:
                    if bar.edus.start <= edu < bar.edus.end:
                        yield edu, (bar, column)

    def _links(self, columns: Mapping[int, tuple[Bar, Column]]) -> Iterator[Link]:
        for edge, source, target in self._ends:
            if source not in columns or target not in columns:
                continue
            (from_bar, from_column), (to_bar, to_column) = columns[source], columns[target]
            if from_column == to_column:
                continue  # inside a unit that is drawn elsewhere
            label = edge.relation
            first = self._panel.first or 0
            if (from_bar.edus.shift(first), to_bar.edus.shift(first)) != (edge.source, edge.target):
                label = f"{edu_numbers(edge.source)} {label} → {edu_numbers(edge.target)}"
            yield Link(from_column, to_column, label, pixels(label, LABEL))


def _draw(edge: PlacedEdge, y: float) -> list[str]:
    left, right = sorted((edge.source, edge.target))
    half = edge.link.label_width / 2 + 3.0
    steps = [
        f"M{n(edge.source)} {n(edge.link.source.bottom)}V{n(y)}",
        f"M{n(edge.target)} {n(edge.link.target.bottom + 7)}V{n(y)}",
    ]
    start, end = min(left, edge.label), max(right, edge.label)
    steps += (
        f"M{n(a)} {n(y)}H{n(b)}"
        for a, b in ((start, min(end, edge.label - half)), (max(start, edge.label + half), end))
        if b > a
    )
    head = f"M{n(edge.target)} {n(edge.link.target.bottom)}l-3.5 8h7z"
    return [
        path("edge", "".join(steps)),
        path("edge-head", head),
        words("relation secondary", edge.label, y + 4, edge.link.label),
    ]
