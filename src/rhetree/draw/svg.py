"""RST diagrams as SVG: one self-contained picture with selectable text.

Classes are scoped by the picture's own, and nothing has an identifier, so that any number of
pictures can stand in one page. No rule needs more than the oldest CSS: PNG renderers read it too.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import zip_longest
from math import inf
from xml.sax.saxutils import escape

from rhetree.domain.nary import NaryTree
from rhetree.domain.span import Span
from rhetree.draw.diagram import (
    LABEL,
    LINE,
    SMALL,
    TEXT,
    Block,
    DiagramText,
    diamond,
    draw_diagram,
    n,
    paragraph,
    words,
)
from rhetree.draw.difference import Marks, Pair
from rhetree.draw.layout import Diagram, lay_out
from rhetree.draw.panel import Panel
from rhetree.draw.text import clean, pixels, wrap
from rhetree.draw.theme import DARK, FONTS, LIGHT, Theme

WIDTH = 1600
"""How wide a picture may be before trees are cut into several diagrams, in pixels."""

_TOLERANCE = 1.25
"""How much wider than asked a tree may be before it is cut: one that is whole is easier to read."""
_MARGIN = 18.0
_BETWEEN = 28.0
"""Between two diagrams, one below the other."""
_MIDDLE = 48.0
"""Between two diagrams side by side."""


def draw_panels(
    panels: Sequence[Panel], *, title: str = "", theme: Theme = "auto", width: float = WIDTH
) -> str:
    """The panels one below the other; trees wider than ``width`` are cut, unless it is 0."""
    gutter = _gutter(panels)
    limit = width - gutter - 2 * _MARGIN if width else inf
    page = _Page()
    for panel in panels:
        blocks = _panel_blocks(panel, limit)
        page.add_label(panel)
        for block in blocks:
            page.add(block, gutter)
    return page.svg(title, theme)


def draw_pairs(
    pairs: Sequence[Pair],
    *,
    titles: tuple[str, str],
    title: str = "",
    theme: Theme = "auto",
    width: float = WIDTH,
) -> str:
    """Two analyses side by side, what differs marked by colour and by shape or sign."""
    gutter = _gutter([panel for pair in pairs for panel in pair.left])
    limit = (width - gutter - 2 * _MARGIN - _MIDDLE) / 2 if width else inf
    rows = [(pair.left[0], _pair_rows(pair, limit)) for pair in pairs]
    left_width = max(160.0, *(left.width for _, blocks in rows for left, _ in blocks))
    right = gutter + left_width + _MIDDLE
    page = _Page()
    page.add_beside([_heading(titles[0]), _heading(titles[1])], [gutter, right])
    for panel, blocks in rows:
        page.add_label(panel)
        for beside in blocks:
            page.add_beside(beside, [gutter, right])
    page.add(_legend(titles), 0.0)
    return page.svg(title, theme)


class _Page:
    """Blocks put one below the other."""

    def __init__(self) -> None:
        self._elements: list[str] = []
        self._width = 0.0
        self._y = _MARGIN

    def add_label(self, panel: Panel) -> None:
        """The number of a sentence, left of what is added next."""
        if panel.sentence is not None:
            self._elements.append(words("number start", _MARGIN, self._y + 10, f"({panel.sentence + 1})"))

    def add(self, block: Block, x: float) -> None:
        self.add_beside([block], [x])

    def add_beside(self, blocks: Sequence[Block], xs: Sequence[float]) -> None:
        for block, x in zip(blocks, xs, strict=True):
            if block.elements:
                at = f"translate({n(_MARGIN + x)} {n(self._y)})"
                self._elements.append(f'<g transform="{at}">\n' + "\n".join(block.elements) + "\n</g>")
            self._width = max(self._width, _MARGIN + x + block.width)
        self._y += max(block.height for block in blocks) + _BETWEEN

    def svg(self, title: str, theme: Theme) -> str:
        width, height = n(self._width + _MARGIN), n(self._y - _BETWEEN + _MARGIN)
        named = f"<title>{escape(clean(title))}</title>\n" if title else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="rhetree-{theme}" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
            f"{named}<style>\n{_style(theme)}</style>\n"
            f'<rect class="paper" width="{width}" height="{height}"/>\n'
            + "\n".join(self._elements)
            + "\n</svg>\n"
        )


def _panel_blocks(panel: Panel, limit: float) -> list[Block]:
    if panel.tree is None or panel.n_edus == 1:
        return [_plain_text(panel, min(limit, WIDTH / 2))]
    text = DiagramText(panel, {})
    return [block for _, block in _draw_parts(_lay_out(panel.tree, text, limit), text)]


def _lay_out(
    tree: NaryTree,
    text: DiagramText,
    limit: float,
    must_cut: frozenset[Span] = frozenset(),
    may_cut: frozenset[Span] | None = None,
) -> list[Diagram]:
    measure = text.measure()
    whole = lay_out(tree, measure, must_cut=must_cut)
    if max(diagram.width for diagram in whole) <= limit * _TOLERANCE:
        return whole
    allowed = (lambda _: True) if may_cut is None else may_cut.__contains__
    return lay_out(tree, measure, must_cut=must_cut, may_cut=allowed, limit=limit)


def _found_in(tokens: Set[Span], panel: Panel) -> frozenset[Span]:
    """The units of a panel whose tokens are among these."""
    return frozenset(unit.span for unit in panel.units() if panel.tokens_of(unit.span) in tokens)


def _pair_rows(pair: Pair, limit: float) -> list[tuple[Block, Block]]:
    """The diagrams of both sides; trees too wide are cut, first at units that both have and then in both."""
    shared = _split_units(pair.left) & _split_units(pair.right)
    cut: set[Span] = set()
    for panel in (*pair.left, *pair.right):
        if panel.tree is not None:
            text = DiagramText(panel, {})
            _, *parts = _lay_out(panel.tree, text, limit, _found_in(cut, panel), _found_in(shared, panel))
            cut |= {panel.tokens_of(part.edus) for part in parts}
    left = _side(pair.left, pair.left_marks, cut, limit)
    right = _side(pair.right, pair.right_marks, cut, limit)
    return _beside(left, right)


def _side(panels: Sequence[Panel], marks: Marks, cut: Set[Span], limit: float) -> dict[Span, Block]:
    """The blocks of one side by the tokens that they are of."""
    blocks: dict[Span, Block] = {}
    for panel in panels:
        if panel.tree is None:
            blocks[panel.tokens_of(Span(0, panel.n_edus))] = _plain_text(panel, limit)
            continue
        text = DiagramText(panel, marks)
        parts = _draw_parts(_lay_out(panel.tree, text, limit, _found_in(cut, panel)), text)
        blocks.update({panel.tokens_of(edus): block for edus, block in parts})
    return blocks


def _beside(left: Mapping[Span, Block], right: Mapping[Span, Block]) -> list[tuple[Block, Block]]:
    """Blocks of the same tokens side by side; the others below them, each on its own side."""
    rows: list[tuple[Block, Block]] = []
    ours, theirs = deque(left.items()), deque(right.items())
    for tokens in [*(tokens for tokens in left if tokens in right), None]:
        rows += zip_longest(_taken_until(tokens, ours), _taken_until(tokens, theirs), fillvalue=Block())
        if tokens is not None:
            rows.append((ours.popleft()[1], theirs.popleft()[1]))
    return rows


def _taken_until(tokens: Span | None, side: deque[tuple[Span, Block]]) -> list[Block]:
    taken = []
    while side and side[0][0] != tokens:
        taken.append(side.popleft()[1])
    return taken


def _split_units(panels: Sequence[Panel]) -> set[Span]:
    """The tokens of the units that are no EDUs."""
    return {
        panel.tokens_of(unit.span) for panel in panels for unit in panel.units() if unit.end - unit.start > 1
    }


def _draw_parts(diagrams: Sequence[Diagram], text: DiagramText) -> Iterator[tuple[Span, Block]]:
    """Each diagram with its EDUs; what was cut from the first says in a heading which they are."""
    first, *parts = diagrams
    yield first.edus, draw_diagram(first, text)
    for diagram in parts:
        block = draw_diagram(diagram, text, is_part=True)
        heading = _heading(text.numbers(diagram.edus))
        moved = f'<g transform="translate(0 {n(heading.height)})">\n' + "\n".join(block.elements) + "\n</g>"
        width = max(block.width, heading.width)
        yield diagram.edus, Block(width, block.height + heading.height, [*heading.elements, moved])


def _plain_text(panel: Panel, limit: float) -> Block:
    """EDUs without a tree, each from a new line."""
    block = Block()
    numbers = [panel.numbers_of(unit.span) for unit in panel.units()]
    indent = max(pixels(number, SMALL) for number in numbers) + 8 if numbers[0] else 0.0
    for number, text in zip(numbers, panel.texts, strict=True):
        lines = wrap(text, max(limit - indent, 80.0), lambda line: pixels(line, TEXT))
        block.elements.append(words("number start", 0.0, block.height + 11, number))
        block.elements += paragraph("edu start", indent, block.height + 11, lines)
        block.height += LINE * max(1, len(lines))
        block.width = max([block.width, indent, *(indent + pixels(line, TEXT) for line in lines)])
    return block


def _heading(text: str) -> Block:
    shown = clean(text)
    return Block(pixels(shown, TEXT) * 1.1, 22.0, [words("edu strong start", 0.0, 11.0, shown)])


def _legend(titles: tuple[str, str]) -> Block:
    """What the marks say, in words."""
    text = f"only in {clean(titles[0])} or only in {clean(titles[1])}"
    first = 44 + pixels(text, LABEL)
    rest = "≠N other nuclearity    ≠R other relation"
    return Block(
        first + 40 + pixels(rest, LABEL),
        12.0,
        [
            '<path class="bar only" d="M4 6H32"/>',
            diamond(4, 6),
            diamond(32, 6),
            words("relation mark start", 44, 10, text),
            words("relation mark start", first + 30, 10, rest),
        ],
    )


def _gutter(panels: Sequence[Panel]) -> float:
    numbers = [panel.sentence for panel in panels if panel.sentence is not None]
    return pixels(f"({max(numbers) + 1})", SMALL) + 12 if numbers else 0.0


def _style(theme: Theme) -> str:
    """Rules for one theme, or for light with dark where the reader prefers it."""
    scope = f".rhetree-{theme}"
    rules = [
        f"{scope} text{{font-family:{FONTS};text-anchor:middle}}",
        f"{scope} .edu{{font-size:{n(TEXT)}px}}",
        f"{scope} .relation{{font-size:{n(LABEL)}px}}",
        f"{scope} .number{{font-size:{n(SMALL)}px}}",
        f"{scope} .start{{text-anchor:start}}",
        f"{scope} .strong{{font-weight:bold}}",
        f"{scope} path{{fill:none;stroke-width:1.5}}",
        f"{scope} .stem,{scope} .bar{{stroke-width:1.8}}",
        f"{scope} .leaf{{stroke-width:1}}",
        f"{scope} .bar.only{{stroke-width:1.8;stroke-dasharray:6 4}}",
        *_colours(scope, DARK if theme == "dark" else LIGHT),
    ]
    if theme == "auto":
        rules += ["@media (prefers-color-scheme:dark){", *_colours(scope, DARK), "}"]
    return "\n".join(rules) + "\n"


def _colours(scope: str, colours: Mapping[str, str]) -> list[str]:
    fills = {
        "paper": ".paper",
        "ink": ".edu",
        "muted": ".number,.muted",
        "satellite": ".relation,.head",
        "nuclei": ".nuclei",
        "mark": ".mark,.diamond",
        "tint": ".reference",
    }
    strokes = {
        "line": ".stem,.bar",
        "satellite": ".arc",
        "nuclei": ".bracket",
        "mark": ".only",
        "faint": ".reference",
    }
    return [
        f"{','.join(f'{scope} {kind}' for kind in kinds.split(','))}{{{what}:{colours[name]}}}"
        for what, table in (("fill", fills), ("stroke", strokes))
        for name, kinds in table.items()
    ]
