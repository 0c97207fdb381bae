"""Draws trees in the terminal: an outline with the relation at each split and N or S at each part.

Indentation is limited. A subtree beyond the limit starts again at the left margin, with a note before
and after it, so that even in the deepest tree every unit has room for its text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rhetree.domain.span import Span
from rhetree.draw.difference import SAME, Mark, Pair, Tally
from rhetree.draw.outline import Row, outline
from rhetree.draw.panel import Panel
from rhetree.draw.text import columns, wrap
from rhetree.errors import counted

LEAST_WIDTH = 30
"""Smallest number of columns for a tree; a narrower terminal gets longer lines."""

Segment = tuple[str, str]
"""Some text and its tone."""
Line = list[Segment]

_TONES = {
    "guide": "2",
    "nucleus": "1",
    "relation": "36",
    "nuclei": "35",
    "number": "2",
    "title": "1",
    "mark": "1;33",
}
"""Terminal code of each tone; other tones are plain. Only the eight basic colours, which follow the user's theme."""

_ASCII = str.maketrans("├└│─┆–≠→", "|`|-:-!>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The terminal's width and abilities."""

    width: int = 80
    colour: bool = False
    ascii_only: bool = False
    """Draw lines in ASCII, for streams that cannot encode box-drawing characters; text is unchanged."""

    @property
    def room(self) -> int:
        return max(self.width, LEAST_WIDTH)


def needs_ascii(encoding: str) -> bool:
    """Whether this encoding lacks the box-drawing characters of trees."""
    try:
        "├└│─┆–≠".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def draw_panels(panels: Sequence[Panel], style: Style) -> Iterator[str]:
    """Draw panels as lines of text, with a sentence's number before its tree."""
    gutter = _gutter(panels)
    for panel in panels:
        label = _sentence_label(panel, gutter)
        for cell in _cells(panel, style.room - gutter):
            for line in cell.lines:
                yield _paint([(label, "number"), *line], style)
                label = " " * gutter


def draw_pairs(pairs: Sequence[Pair], style: Style, titles: tuple[str, str]) -> Iterator[str]:
    """Draw two analyses in two columns, with units of the same tokens on the same line and marks between.

    ``<`` and ``>`` mark a unit that only the left or only the right side has, ``≠N`` and ``≠R`` one
    whose parts differ in nuclearity or in relation. If there is no room for two columns, one analysis
    is below the other, with the marks on the left.
    """
    gutter = _gutter([panel for pair in pairs for panel in pair.left])
    side = (style.room - gutter - 5) // 2
    if side < LEAST_WIDTH:
        for pair in pairs:
            yield from _stacked(pair, style, titles, gutter)
        return
    head = [(titles[number][:side].ljust(side + 5), "title") for number in (0, 1)]
    yield _paint([(" " * gutter, ""), *head], style)
    for pair in pairs:
        label = _sentence_label(pair.left[0], gutter)
        lefts, rights = _cells_by_tokens(pair.left, side), _cells_by_tokens(pair.right, side)
        units = sorted(lefts.keys() | rights.keys(), key=lambda span: (span.start, -span.end))
        fillers = zip(_guides_onwards(units, lefts), _guides_onwards(units, rights), strict=True)
        for tokens, (left_filler, right_filler) in zip(units, fillers, strict=True):
            mark = pair.left_marks.get(tokens) or pair.right_marks.get(tokens) or SAME
            signs = [(f" {_sign(mark, tokens in lefts):<3} ", "mark" if mark else "guide")]
            left = lefts[tokens].lines if tokens in lefts else []
            right = rights[tokens].lines if tokens in rights else []
            for ours, theirs, sign in zip_longest(left, right, signs):
                yield _paint(
                    [
                        (label, "number"),
                        *_padded(ours or [(left_filler, "guide")], side),
                        sign or (" │   ", "guide"),
                        *(theirs or [(right_filler, "guide")]),
                    ],
                    style,
                )
                label = " " * gutter


def describe(tally: Tally, titles: tuple[str, str], style: Style) -> list[str]:
    """The counts of a comparison; they also explain its marks."""
    text = (
        f"{counted(tally.same, 'unit')} the same; < {tally.only_left} only in {titles[0]}; "
        f"> {tally.only_right} only in {titles[1]}; ≠N {tally.nuclearity} differ in nuclearity; "
        f"≠R {tally.relation} differ in relation"
    )
    return [_paint([(line, "number")], style) for line in wrap(text, style.room, columns)]


def _stacked(pair: Pair, style: Style, titles: tuple[str, str], gutter: int) -> Iterator[str]:
    """Draw one analysis below the other."""
    label = _sentence_label(pair.left[0], gutter)
    sides = ((pair.left, pair.left_marks), (pair.right, pair.right_marks))
    for number, (panels, marks) in enumerate(sides):
        yield _paint([(label, "number"), (titles[number][: style.room - gutter], "title")], style)
        label = " " * gutter
        for tokens, cell in _cells_by_tokens(panels, style.room - gutter - 4).items():
            sign = _sign(marks[tokens], is_left=number == 0) if tokens in marks else ""
            for line in cell.lines:
                yield _paint([(label, "number"), (sign.ljust(4), "mark"), *line], style)
                sign = ""


@dataclass(frozen=True, slots=True)
class _Cell:
    """The lines of one unit."""

    lines: list[Line]
    guides: str
    """Guide lines above its connector, for the lines before it."""


def _cells_by_tokens(panels: Sequence[Panel], width: int) -> dict[Span, _Cell]:
    cells: dict[Span, _Cell] = {}
    for panel in panels:
        for unit, cell in zip(panel.units(), _cells(panel, width), strict=True):
            cells[panel.tokens_of(unit.span)] = cell
    return cells


def _guides_onwards(units: Sequence[Span], cells: Mapping[Span, _Cell]) -> list[str]:
    """For each unit, the guide lines that lead past it to the next unit of this side."""
    guides = []
    following = ""
    for tokens in reversed(units):
        guides.append(following)
        if tokens in cells:
            following = cells[tokens].guides
    return guides[::-1]


def _cells(panel: Panel, width: int) -> Iterator[_Cell]:
    """The lines of each unit."""
    rows = outline(panel)
    cap = max(2, min(width // 2, width - 28))
    step = 3 if 3 * max(row.depth for row in rows) <= cap else 2
    guides: list[str] = []
    """For each row, the guide lines before its parts; empty if they start at the margin."""
    homes: list[int] = []
    """For each row, the ancestor whose parts start again at the margin; -1 if there is none."""
    for number, row in enumerate(rows):
        if row.parent < 0:
            homes.append(-1)
            guides.append("")
            yield _Cell(_unit_lines(row, "", "", width), "")
            continue
        before = guides[row.parent]
        restarts = before == "" and rows[row.parent].depth > 0
        homes.append(row.parent if restarts else homes[row.parent])
        after = before + (" " if row.is_last else "│") + " " * (step - 1)
        guides.append("" if len(after) > cap else after)
        lines: list[Line] = []
        if homes[-1] != homes[number - 1]:
            note = _margin_note(rows, number, went_on=homes[-1] == number - 1)
            lines += ([(line, "number")] for line in wrap(note, width, columns))
        connector = before + ("└─" if row.is_last else "├─")
        yield _Cell(lines + _unit_lines(row, connector, after, width), before + "│")


def _margin_note(rows: Sequence[Row], number: int, went_on: bool) -> str:
    parent = rows[rows[number].parent]
    if went_on:
        return f"┆ {parent.numbers} goes on here, {parent.depth + 1} levels down"
    return f"┆ back in {parent.numbers}, {parent.depth + 1} levels down"


def _unit_lines(row: Row, connector: str, after: str, width: int) -> list[Line]:
    """The unit's role, then its relation or text, wrapped to the right of ``connector``."""
    lines: list[Line] = []
    head: Line = [(connector, "guide")]
    if row.letter:
        head.append((row.letter + " ", "nucleus" if row.letter == "N" else "satellite"))
    indent = after.ljust(_width(head))
    if row.own_relation:
        *full, last = wrap(f"{row.own_relation}:", width - len(indent), columns)
        for text in full:
            lines.append([*head, (text, "relation")])
            head = [(indent, "guide")]
        head.append((last + " ", "relation"))
        if _width(head) > width - LEAST_WIDTH // 2:
            lines.append(head)
            head = [(indent, "guide")]
    body, tone = row.text, "text"
    if row.relation:
        body, tone = row.relation, "relation" if row.n_nuclei == 1 else "nuclei"
    else:
        head.append((f"{row.numbers} " if row.text and row.numbers else row.numbers, "number"))
    indent = after.ljust(_width(head))
    room = width - len(indent)
    first, *rest = wrap(body, room, columns) or [""]
    lines.append([*head, (first, tone)])
    lines += ([(indent, "guide"), (text, tone)] for text in rest)
    if row.relation:
        if _width(lines[-1]) + 1 + len(row.numbers) > width:
            lines.append([(indent[:-1], "guide")])
        lines[-1].append((f" {row.numbers}", "number"))
    return lines


def _sign(mark: Mark, is_left: bool) -> str:
    if mark.only_here:
        return "<" if is_left else ">"
    return mark.sign or "│"


def _gutter(panels: Sequence[Panel]) -> int:
    numbers = [panel.sentence for panel in panels if panel.sentence is not None]
    return len(f"({max(numbers) + 1}) ") if numbers else 0


def _sentence_label(panel: Panel, gutter: int) -> str:
    return "" if panel.sentence is None else f"({panel.sentence + 1})".ljust(gutter)


def _padded(line: Line, width: int) -> Line:
    return [*line, (" " * (width - _width(line)), "")]


def _width(line: Line) -> int:
    return sum(columns(text) for text, _ in line)


def _paint(line: Line, style: Style) -> str:
    if style.ascii_only:
        line = [(text if tone == "text" else text.translate(_ASCII), tone) for text, tone in line]
    if not style.colour:
        return "".join(text for text, _ in line).rstrip()
    return "".join(_coloured(text, tone) for text, tone in line)


def _coloured(text: str, tone: str) -> str:
    code = _TONES.get(tone)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text
