"""The SVG elements that pictures are made of: lines of text, paths, and the style sheet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from rhetree.draw.text import BOLD, is_right_to_left, pixels, wrap
from rhetree.draw.theme import DARK, FONTS, LIGHT, Theme

TEXT, LABEL, SMALL = 12.0, 11.0, 9.5
"""Font sizes of EDUs and headings, of relations, and of numbers."""
LINE = 15.0
"""Line height of an EDU's text."""
_ANCHORS = {"start": 0.0, "end": 1.0}
"""The share of a line's width that lies left of its x; half of it for other kinds of text."""


@dataclass(slots=True)
class Block:
    """SVG elements and their size, with the origin at 0, 0."""

    width: float = 0.0
    height: float = 0.0
    elements: list[str] = field(default_factory=list)
    edus: str = ""
    """Numbers of the EDUs that it shows, if it is a diagram."""


def n(number: float) -> str:
    """A number to a tenth of a pixel, as short as possible."""
    return f"{number:.1f}".removesuffix(".0")


def words(kind: str, x: float, y: float, text: str) -> str:
    """One line of text."""
    shown = _isolated(text, is_right_to_left(text))
    return f'<text class="{kind}" x="{n(x)}" y="{n(y)}">{escape(shown)}</text>'


def paragraph(kind: str, x: float, y: float, lines: Sequence[str]) -> list[str]:
    """The lines of one text as one element. A space after each line keeps words apart when copied."""
    if not lines:
        return []
    # The direction is that of the whole: a line may begin with a word of another script.
    is_rtl = is_right_to_left(" ".join(lines))
    *rest, last = (_isolated(line, is_rtl) for line in lines)
    # Anchors count the space at the end of a line, except in the last line, which has none.
    anchor = next((share for name, share in _ANCHORS.items() if name in kind.split()), 0.5)
    shifted = x + pixels(" ", TEXT) * anchor
    spans = "".join(
        f'<tspan x="{n(shifted)}" y="{n(y + number * LINE)}">{escape(line)} </tspan>'
        for number, line in enumerate(rest)
    )
    spans += f'<tspan x="{n(x)}" y="{n(y + len(rest) * LINE)}">{escape(last)}</tspan>'
    return [f'<text class="{kind}">{spans}</text>']


def _isolated(text: str, is_rtl: bool) -> str:
    """The text, marked if it runs from right to left. Unlike CSS, PNG renderers heed these characters."""
    return f"\u2067{text}\u2069" if is_rtl else text


def flowing(kind: str, text: str, size: float, room: float, weight: float = 1.0) -> Block:
    """A text in as many lines as it needs, from the left edge."""

    def width_of(line: str) -> float:
        return pixels(line, size) * weight

    lines = wrap(text, room, width_of)
    width = max(map(width_of, lines), default=0.0)
    return Block(width, LINE * len(lines), paragraph(f"{kind} start", 0.0, 11.0, lines))


def heading(text: str, room: float) -> Block:
    """A text in bold, with a distance below it."""
    block = flowing("edu strong", text, TEXT, room, BOLD)
    block.height += 7.0
    return block


def moved(block: Block, x: float, y: float) -> list[str]:
    """The elements of a block, moved as a group."""
    if not block.elements:
        return []
    return [f'<g transform="translate({n(x)} {n(y)})">', *block.elements, "</g>"]


def path(kind: str, steps: str) -> str:
    """Lines and curves."""
    return f'<path class="{kind}" d="{steps}"/>'


def diamond(x: float, y: float) -> str:
    """A diamond, for the ends of a bar that only one side has."""
    return path("diamond", f"M{n(x - 4)} {n(y)}l4 -4l4 4l-4 4z")


def style(theme: Theme) -> str:
    """CSS rules for one theme; ``auto`` is light, or dark if the reader's system prefers it."""
    scope = f".rhetree-{theme}"
    rules = [
        f"{scope} text{{font-family:{FONTS};text-anchor:middle}}",
        f"{scope} .edu{{font-size:{n(TEXT)}px}}",
        f"{scope} .relation{{font-size:{n(LABEL)}px}}",
        f"{scope} .number{{font-size:{n(SMALL)}px}}",
        f"{scope} .start{{text-anchor:start}}",
        f"{scope} .end{{text-anchor:end}}",
        f"{scope} .strong{{font-weight:bold}}",
        f"{scope} path{{fill:none;stroke-width:1.5}}",
        f"{scope} .stem,{scope} .bar{{stroke-width:1.8}}",
        f"{scope} .leaf{{stroke-width:1}}",
        f"{scope} .edge{{stroke-dasharray:3 3}}",
        f"{scope} .bar.only{{stroke-width:1.8;stroke-dasharray:6 4}}",
        *_colours(scope, DARK if theme == "dark" else LIGHT),
    ]
    if theme == "auto":
        rules += ["@media (prefers-color-scheme:dark){", *_colours(scope, DARK), "}"]
    return "\n".join(rules) + "\n"


def _colours(scope: str, colours: Mapping[str, str]) -> list[str]:
    # Of two rules for one element the later holds.
    fills = {
        "paper": ".paper",
        "ink": ".edu",
        "satellite": ".relation,.head",
        "muted": ".number,.muted,.secondary,.edge-head",
        "nuclei": ".nuclei",
        "mark": ".mark,.diamond",
        "tint": ".reference",
    }
    strokes = {
        "line": ".stem,.bar",
        "satellite": ".arc",
        "nuclei": ".bracket",
        "mark": ".only",
        "muted": ".edge",
        "faint": ".reference",
    }
    return [
        f"{','.join(f'{scope} {kind}' for kind in kinds.split(','))}{{{what}:{colours[name]}}}"
        for what, table in (("fill", fills), ("stroke", strokes))
        for name, kinds in table.items()
    ]
