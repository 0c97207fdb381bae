"""Draws one laid-out diagram as SVG elements, and measures its text."""

from math import sqrt

from rhetree.domain.span import Span
from rhetree.draw.difference import SAME, Mark, Marks
from rhetree.draw.elements import LABEL, LINE, SMALL, TEXT, Block, diamond, n, paragraph, path, words
from rhetree.draw.layout import Arc, Bar, Bracket, Diagram, Measure, Size
from rhetree.draw.panel import Panel
from rhetree.draw.text import BOLD, pixels, widest_part, wrap, wrap_evenly

WIDE, NARROW = 180.0, 120.0
"""Widest lines of an EDU, and those where room is short."""
_NARROWEST = 84.0
"""Lines of an EDU are not broken to be shorter than this."""
_ASPECT = 2.75
"""Width divided by height of an EDU's text, within these bounds."""
_REFERENCE = 112.0
"""Width of the lines of a reference."""


class DiagramText:
    """The text of one panel's diagrams, broken into lines and measured."""

    def __init__(self, panel: Panel, marks: Marks, widest: float = WIDE) -> None:
        self._panel = panel
        self.is_right_to_left = panel.is_right_to_left
        self._marks = marks
        self._lines = [_edu_lines(text, widest) for text in panel.texts]
        self._widths = [max(map(_text_width, lines), default=0.0) for lines in self._lines]

    def measure(self) -> Measure:
        """The measures that the layout needs."""
        return Measure(
            text=self._edu_size,
            reference=self._reference_size,
            label=self._label_width,
            caption=self._caption_width,
        )

    def mark(self, edus: Span) -> Mark:
        """How this unit differs from that of the other side."""
        return self._marks.get(self._panel.tokens_of(edus), SAME)

    def edu(self, edus: Span) -> list[str]:
        """The lines of an EDU."""
        return self._lines[edus.start]

    def numbers(self, edus: Span) -> str:
        """The unit's numbers in its document."""
        return self._panel.numbers_of(edus)

    def label(self, edus: Span, relation: str) -> str:
        """A relation's name, after the sign of its difference, if any."""
        return f"{self.mark(edus).sign} {relation}".lstrip()

    def reference(self, edus: Span) -> list[str]:
        """The first words of a unit that is drawn elsewhere."""
        words = " ".join(self._panel.texts[edus.start : min(edus.end, edus.start + 8)])
        lines = wrap(words, _REFERENCE, _text_width)
        return lines if len(lines) <= 2 else [lines[0], f"{lines[1]} …"]

    def _edu_size(self, edus: Span) -> Size:
        number = pixels(self.numbers(edus), SMALL) + 10
        return Size(max(number, self._widths[edus.start]), LINE * (len(self._lines[edus.start]) + 1) + 4)

    def _reference_size(self, edus: Span) -> Size:
        lines = self.reference(edus)
        width = max([pixels(self.numbers(edus), TEXT) * BOLD, *map(_text_width, lines)])
        return Size(width + 16, LINE * (len(lines) + 1) + 16)

    def _label_width(self, edus: Span, relation: str) -> float:
        return pixels(self.label(edus, relation), LABEL)

    def _caption_width(self, edus: Span) -> float:
        return pixels(self.numbers(edus), SMALL) + 6


def draw_diagram(diagram: Diagram, text: DiagramText, is_part: bool = False) -> Block:
    """Draw a diagram: lines first, text on top. A part has its numbers in its heading."""
    block = Block(diagram.width, diagram.height, edus=text.numbers(diagram.edus))
    for stem in diagram.stems:
        block.elements.append(path("stem", f"M{n(stem.x)} {n(stem.top)}V{n(stem.bottom)}"))
    for arc in diagram.arcs:
        block.elements += _arc(arc, text)
    for bracket in diagram.brackets:
        block.elements += _bracket(bracket, text)
    groups = {*(arc.edus for arc in diagram.arcs), *(bracket.edus for bracket in diagram.brackets)}
    for bar in diagram.bars:
        numbers = "" if is_part and bar.edus == diagram.edus else text.numbers(bar.edus)
        block.elements += _bar(bar, bar.edus in groups, numbers, text)
    return block


def _bar(bar: Bar, is_group: bool, numbers: str, text: DiagramText) -> list[str]:
    mark = text.mark(bar.edus)
    if bar.is_cut:
        lines = text.reference(bar.edus)
        size = LINE * (len(lines) + 1) + 10
        box = f'<rect class="reference" x="{n(bar.left)}" y="{n(bar.y)}" width="{n(bar.right - bar.left)}" height="{n(size)}" rx="5"/>'
        named = words("edu strong", bar.middle, bar.y + 16, numbers)
        return [box, named, *paragraph("edu muted", bar.middle, bar.y + 16 + LINE, lines)]
    only = " only" if mark.only_here else ""
    elements = [
        path(f"bar{' leaf' if not is_group else ''}{only}", f"M{n(bar.left)} {n(bar.y)}H{n(bar.right)}")
    ]
    if mark.only_here:
        elements += (diamond(x, bar.y) for x in (bar.left, bar.right))
    if is_group and numbers:
        kind, x = ("number end", bar.right) if text.is_right_to_left else ("number start", bar.left)
        elements.append(words(kind, x, bar.y + 12, numbers))
    if not is_group:
        elements.append(words("number", bar.middle, bar.y + 12, numbers))
        elements += paragraph("edu", bar.middle, bar.y + 12 + LINE, text.edu(bar.edus))
    return elements


def _arc(arc: Arc, text: DiagramText) -> list[str]:
    towards = 1.0 if arc.nucleus > arc.satellite else -1.0
    end = arc.nucleus - towards * (7.0 if arc.is_nearest else 0.0)
    radius = min(24.0, abs(end - arc.satellite) / 2)
    sweep = 1 if towards > 0 else 0
    turn = f"A{n(radius)} {n(arc.y - arc.top)} 0 0 {sweep} "
    steps = f"M{n(arc.satellite)} {n(arc.y)}{turn}{n(arc.satellite + towards * radius)} {n(arc.top)}"
    if arc.is_nearest:
        # The line stops short of the arrow's tip, which it would blunt.
        steps += f"H{n(end - towards * radius)}{turn}{n(end)} {n(arc.y)}"
        head = f"M{n(end)} {n(arc.y)}l-3.5 -8h7z"
    else:
        steps += f"H{n(end - towards * 6)}"
        head = f"M{n(end - towards)} {n(arc.top)}l{n(-towards * 8)} -3.5v7z"
    label = text.label(arc.edus, arc.relation)
    kind = "relation mark" if text.mark(arc.edus).sign else "relation"
    return [
        path("arc", steps),
        path("head", head),
        words(kind, arc.label_x, arc.top - 5, label),
    ]


def _bracket(bracket: Bracket, text: DiagramText) -> list[str]:
    label = text.label(bracket.edus, bracket.relation)
    half = pixels(label, LABEL) / 2 + 5
    first, *middle, last = bracket.nuclei
    corner = min(10.0, (last - first) / 2)
    y, bottom = bracket.y, bracket.bottom
    turned = f"{n(corner)} {n(corner)} 0 0 "
    paths = [
        f"M{n(bracket.x)} {n(bracket.top)}V{n(y - 8)}",
        f"M{n(first)} {n(bottom)}V{n(y + corner)}A{turned}1 {n(first + corner)} {n(y)}H{n(bracket.x - half)}",
        f"M{n(last)} {n(bottom)}V{n(y + corner)}A{turned}0 {n(last - corner)} {n(y)}H{n(bracket.x + half)}",
    ]
    for x in middle:
        under_label = abs(x - bracket.x) < half
        paths.append(f"M{n(x)} {n(y + 8 if under_label else y)}V{n(bottom)}")
    kind = "relation mark" if text.mark(bracket.edus).sign else "relation nuclei"
    return [path("bracket", "".join(paths)), words(kind, bracket.x, y + 4, label)]


def _edu_lines(text: str, widest: float) -> list[str]:
    room = max(sqrt(_text_width(text) * LINE * _ASPECT), _NARROWEST, widest_part(text, _text_width))
    return wrap_evenly(text, min(room, widest), _text_width)


def _text_width(text: str) -> float:
    return pixels(text, TEXT)
