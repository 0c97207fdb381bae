"""The sheet on which the diagrams of a picture stand, one below the other, with headings, legend and notes."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from rhetree.draw.elements import LABEL, LINE, SMALL, Block, diamond, flowing, moved, n, path, style, words
from rhetree.draw.panel import Panel
from rhetree.draw.text import clean, pixels
from rhetree.draw.theme import Theme

MARGIN = 18.0
_BETWEEN = 28.0
"""Distance between two blocks, one below the other."""
_LEAST_NOTE = 240.0
"""Width of a note below a picture that is narrower."""
_SWATCH = 44.0
"""Width of the example of a dashed bar in the legend."""


class Sheet:
    """Collects blocks, one below the other."""

    def __init__(self, width: float) -> None:
        """:param width: the width asked for in pixels, 0 for any"""
        self._asked = width
        self._elements: list[str] = []
        self._width = 0.0
        self._y = MARGIN
        self._widest = Block()

    def add_label(self, panel: Panel) -> None:
        """Add a sentence's number, to the left of the next block."""
        if panel.sentence is not None:
            self._elements.append(words("number start", MARGIN, self._y + 10, f"({panel.sentence + 1})"))

    def add(self, blocks: Sequence[Block], xs: Sequence[float]) -> None:
        """Add blocks side by side, each from the given x."""
        for block, x in zip(blocks, xs, strict=True):
            self._elements += moved(block, MARGIN + x, self._y)
            self._width = max(self._width, MARGIN + x + block.width)
            self._widest = max(self._widest, block, key=lambda each: each.width)
        self._y += max(block.height for block in blocks) + _BETWEEN

    def add_legend(self, titles: tuple[str, str]) -> None:
        """Add the meaning of the marks of a comparison, in words."""
        room = max(self._width - MARGIN, _LEAST_NOTE)
        only = flowing(
            "relation mark", f"only in {titles[0]} or only in {titles[1]}", LABEL, max(room - _SWATCH, 80.0)
        )
        swatch = [path("bar only", "M4 6H32"), diamond(4, 6), diamond(32, 6)]
        legend = Block(_SWATCH + only.width, only.height, [*swatch, *moved(only, _SWATCH, 0.0)])
        x = legend.width + 30
        for sign in ("≠N other nuclearity", "≠R other relation"):
            width = pixels(sign, LABEL)
            if x + width > room:
                x, legend.height = 0.0, legend.height + LINE
            legend.elements.append(words("relation mark start", x, legend.height - LINE + 11, sign))
            legend.width = max(legend.width, x + width)
            x += width + 30
        self.add([legend], [0.0])

    def svg(self, title: str, theme: Theme) -> str:
        """The picture; one that is wider than it should be says why."""
        if self._asked and self._width + MARGIN > self._asked + 0.5:
            self.add([self._excuse()], [0.0])
        width, height = n(self._width + MARGIN), n(self._y - _BETWEEN + MARGIN)
        named = f"<title>{escape(clean(title))}</title>\n" if title else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="rhetree-{theme}" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
            f"{named}<style>\n{style(theme)}</style>\n"
            f'<rect class="paper" width="{width}" height="{height}"/>\n'
            + "\n".join(self._elements)
            + "\n</svg>\n"
        )

    def _excuse(self) -> Block:
        where = (
            f": the parts of {self._widest.edus} need this much room side by side"
            if self._widest.edus
            else ""
        )
        what = f"This picture is {self._width + MARGIN:.0f} pixels wide instead of {n(self._asked)}{where}."
        return flowing("number", what, SMALL, max(self._asked - 2 * MARGIN, _LEAST_NOTE))
