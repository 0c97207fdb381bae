"""Renders SVG pictures as PNG with resvg (extra ``png``), which needs no browser and no system library.

resvg uses the machine's fonts, and silently leaves out text if there are none. So we first draw a
letter, to see whether it shows.
"""

import logging
import re
from functools import lru_cache
from importlib import import_module
from math import sqrt
from typing import Any

from rhetree.draw.theme import FONTS
from rhetree.errors import MissingExtraError, RhetreeError

LARGEST = 100_000_000
"""Largest number of pixels. A larger picture takes gigabytes, and few programs open it."""
_LEAST_SCALE = 0.4
"""Text is not legible at a smaller scale."""

_LOG = logging.getLogger("rhetree.draw")


def to_png(svg: str, scale: float = 2.0) -> bytes:
    """Render an SVG as PNG, with ``scale`` pixels per pixel of the SVG, fewer if it would be too large.

    The theme ``auto`` becomes light, since a PNG cannot follow the reader's system.
    """
    resvg = _resvg()
    scale = _fitting_scale(svg, scale)
    if not has_fonts():
        raise RhetreeError(
            "resvg finds no font on this machine, so a PNG would have no text; install one "
            "(for instance Debian's fonts-dejavu-core), or choose SVG"
        )
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=scale))


def _fitting_scale(svg: str, scale: float) -> float:
    """The scale asked for, or a smaller one at which the picture is not too large."""
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if size is None:
        raise ValueError("the SVG has no viewBox from 0 0")
    area = float(size[1]) * float(size[2])
    if area * scale * scale <= LARGEST:
        return scale
    largest = sqrt(LARGEST / area) * 0.999  # sides are rounded up to whole pixels
    if largest < _LEAST_SCALE:
        raise RhetreeError(
            f"the picture would have {area * scale * scale / 1e6:.0f} million pixels, and would not be legible "
            f"with {LARGEST / 1e6:.0f} million; draw one sentence, or choose SVG or HTML"
        )
    _LOG.warning(
        "the PNG is drawn at scale %.2f instead of %g, to have no more than %.0f million pixels",
        largest,
        scale,
        LARGEST / 1e6,
    )
    return largest


@lru_cache(maxsize=1)
def has_fonts() -> bool:
    """Whether resvg finds a font to draw a letter with."""
    probe = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" width="20" height="20">'
        f'<text x="2" y="16" font-size="16" font-family="{FONTS}">%s</text></svg>'
    )
    resvg = _resvg()
    return bool(resvg.svg_to_bytes(svg_string=probe % "M") != resvg.svg_to_bytes(svg_string=probe % " "))


def _resvg() -> Any:
    try:
        return import_module("resvg_py")
    except ImportError as error:
        raise MissingExtraError("drawing PNG", "png") from error
