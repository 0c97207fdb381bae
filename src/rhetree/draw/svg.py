"""Draws RST diagrams as one self-contained SVG with selectable text.

CSS classes are scoped to the picture and no element has an id, so a page can hold any number of
pictures. The CSS is of the oldest kind, so that PNG renderers understand it.
"""

from collections import deque
from collections.abc import Mapping, Sequence, Set
from itertools import zip_longest
from math import inf

from rhetree.domain.nary import NaryTree
from rhetree.domain.span import Span
from rhetree.draw.annotations import Annotations
from rhetree.draw.diagram import NARROW, DiagramText, draw_diagram
from rhetree.draw.difference import Marks, Pair
from rhetree.draw.elements import LINE, SMALL, TEXT, Block, heading, moved, paragraph, words
from rhetree.draw.layout import Diagram, lay_out
from rhetree.draw.mirror import mirrored
from rhetree.draw.panel import Panel
from rhetree.draw.sheet import MARGIN, Sheet
from rhetree.draw.text import clean, pixels, wrap
from rhetree.draw.theme import Theme

WIDTH = 1600
"""Default width of a picture in pixels; wider trees are cut into several diagrams."""

_MIDDLE = 48.0
"""Distance between two diagrams side by side."""
_NOTES = 480.0
"""Width of the notes below a diagram that is narrower."""


def draw_panels(
    panels: Sequence[Panel], *, title: str = "", theme: Theme = "auto", width: float = WIDTH
) -> str:
    """Draw panels one below the other; trees wider than ``width`` are cut, unless it is 0."""
    gutter = _gutter(panels)
    limit = width - gutter - 2 * MARGIN if width else inf
    sheet = Sheet(width)
    for panel in panels:
        sheet.add_label(panel)
        blocks = _blocks(panel, {}, limit).values()
        right = max(block.width for block in blocks)
        for block in blocks:
            sheet.add([block], [gutter + (right - block.width if panel.is_right_to_left else 0.0)])
    return sheet.svg(title, theme)


def draw_pairs(
    pairs: Sequence[Pair],
    *,
    titles: tuple[str, str],
    title: str = "",
    theme: Theme = "auto",
    width: float = WIDTH,
) -> str:
    """Draw two analyses side by side, with differences marked by colour and by shape or sign."""
    gutter = _gutter([panel for pair in pairs for panel in pair.left])
    limit = (width - gutter - 2 * MARGIN - _MIDDLE) / 2 if width else inf
    rows = [(pair.left[0], _pair_rows(pair, limit)) for pair in pairs]
    left, right = clean(titles[0]), clean(titles[1])
    left_width = max([160.0, *(block.width for _, blocks in rows for block, _ in blocks)])
    right_width = max([160.0, *(block.width for _, blocks in rows for _, block in blocks)])
    xs = [gutter, gutter + left_width + _MIDDLE]
    sheet = Sheet(width)
    sheet.add([heading(left, left_width), heading(right, right_width)], xs)
    for panel, blocks in rows:
        sheet.add_label(panel)
        for beside in blocks:
            sheet.add(beside, xs)
    sheet.add_legend((left, right))
    return sheet.svg(title, theme)


def _blocks(
    panel: Panel, marks: Marks, limit: float, cut: frozenset[Span] = frozenset()
) -> dict[Span, Block]:
    """The diagrams of a panel, or its plain text, by their tokens."""
    if panel.tree is None or (panel.n_edus == 1 and not marks):
        return {panel.tokens_of(Span(0, panel.n_edus)): _plain_text(panel, min(limit, WIDTH / 2))}
    diagrams, text = _fit(panel, panel.tree, marks, limit, cut)
    if panel.is_right_to_left:
        diagrams = [mirrored(diagram) for diagram in diagrams]
    annotations = Annotations(panel, text)
    blocks = {}
    for number, diagram in enumerate(diagrams):
        is_part = number > 0
        block = draw_diagram(diagram, text, is_part)
        annotations.add(block, diagram, max(block.width, min(limit, _NOTES)), is_part)
        blocks[panel.tokens_of(diagram.edus)] = _with_heading(block, panel) if is_part else block
    return blocks


def _with_heading(block: Block, panel: Panel) -> Block:
    """A part cut out of a diagram, below the numbers of its EDUs."""
    above = heading(block.edus, block.width)
    x = max(block.width - above.width, 0.0) if panel.is_right_to_left else 0.0
    elements = [*moved(above, x, 0.0), *moved(block, 0.0, above.height)]
    return Block(max(block.width, above.width), above.height + block.height, elements, block.edus)


def _fit(
    panel: Panel,
    tree: NaryTree,
    marks: Marks,
    limit: float,
    must_cut: frozenset[Span] = frozenset(),
    may_cut: frozenset[Span] | None = None,
) -> tuple[list[Diagram], DiagramText]:
    """The diagrams of a tree, no wider than the limit if possible.

    A whole tree is easiest to read, so its texts are set in narrower columns before it is cut. What is
    still too wide after cutting, such as a list of many EDUs, gets narrower columns, too.
    """
    wide = DiagramText(panel, marks)
    whole = lay_out(tree, wide.measure(), must_cut=must_cut)
    if _width(whole) <= limit:
        return whole, wide
    narrow = DiagramText(panel, marks, NARROW)
    whole = lay_out(tree, narrow.measure(), must_cut=must_cut)
    if _width(whole) <= limit:
        return whole, narrow
    allowed = (lambda _: True) if may_cut is None else may_cut.__contains__
    parts = lay_out(tree, wide.measure(), must_cut=must_cut, may_cut=allowed, limit=limit)
    if _width(parts) <= limit:
        return parts, wide
    return lay_out(tree, narrow.measure(), must_cut=must_cut, may_cut=allowed, limit=limit), narrow


def _width(diagrams: Sequence[Diagram]) -> float:
    return max(diagram.width for diagram in diagrams)


def _found_in(tokens: Set[Span], panel: Panel) -> frozenset[Span]:
    """The units of a panel whose tokens are among these."""
    return frozenset(unit.span for unit in panel.units() if panel.tokens_of(unit.span) in tokens)


def _pair_rows(pair: Pair, limit: float) -> list[tuple[Block, Block]]:
    """The diagrams of both sides. Trees too wide are cut at units that both sides have, if possible, and
    then on both sides."""
    shared = _split_units(pair.left) & _split_units(pair.right)
    cut: set[Span] = set()
    for panel in (*pair.left, *pair.right):
        if panel.tree is not None:
            must_cut, may_cut = _found_in(cut, panel), _found_in(shared, panel)
            (_, *parts), _ = _fit(panel, panel.tree, {}, limit, must_cut, may_cut)
            cut |= {panel.tokens_of(part.edus) for part in parts}
    left = _side(pair.left, pair.left_marks, cut, limit)
    right = _side(pair.right, pair.right_marks, cut, limit)
    return _beside(left, right)


def _side(panels: Sequence[Panel], marks: Marks, cut: Set[Span], limit: float) -> dict[Span, Block]:
    """The blocks of one side, by their tokens."""
    blocks: dict[Span, Block] = {}
    for panel in panels:
        blocks |= _blocks(panel, marks, limit, _found_in(cut, panel))
    return blocks


def _beside(left: Mapping[Span, Block], right: Mapping[Span, Block]) -> list[tuple[Block, Block]]:
    """Put blocks of the same tokens side by side, and the others below them on their own side."""
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
    """The tokens of all units of more than one EDU."""
    return {
        panel.tokens_of(unit.span) for panel in panels for unit in panel.units() if unit.end - unit.start > 1
    }


def _plain_text(panel: Panel, limit: float) -> Block:
    """EDUs without a tree, each on a new line."""
    numbers = [panel.numbers_of(unit.span) for unit in panel.units()]
    indent = max(pixels(number, SMALL) for number in numbers) + 8 if numbers[0] else 0.0
    room = max(limit - indent, 80.0)
    paragraphs = [wrap(text, room, lambda line: pixels(line, TEXT)) for text in panel.texts]
    widths = [pixels(line, TEXT) for lines in paragraphs for line in lines]
    block = Block(indent + max(widths, default=0.0))
    is_rtl = panel.is_right_to_left
    anchor, number_x, text_x = (
        ("end", block.width, block.width - indent) if is_rtl else ("start", 0.0, indent)
    )
    for number, lines in zip(numbers, paragraphs, strict=True):
        block.elements.append(words(f"number {anchor}", number_x, block.height + 11, number))
        block.elements += paragraph(f"edu {anchor}", text_x, block.height + 11, lines)
        block.height += LINE * max(1, len(lines))
    return block


def _gutter(panels: Sequence[Panel]) -> float:
    numbers = [panel.sentence for panel in panels if panel.sentence is not None]
    return pixels(f"({max(numbers) + 1})", SMALL) + 12 if numbers else 0.0
