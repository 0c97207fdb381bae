"""Pictures as PNG, rendered from their SVG by resvg (extra ``png``): no browser, no system library.

resvg draws text with the fonts of the machine and leaves it out, silently, where it finds none.
So a probe is drawn first.
"""

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

from rhetree.draw.theme import FONTS
from rhetree.errors import MissingExtraError, RhetreeError

LARGEST = 100_000_000
"""Pixels of a picture. More takes gigabytes, and few programs open it."""


def to_png(svg: str, scale: float = 2.0) -> bytes:
    """The SVG as PNG, ``scale`` pixels to each of its own.

    A picture whose theme follows the reader's system becomes light, since a PNG cannot follow.
    """
    resvg = _resvg()
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if size is None:
        raise ValueError("the SVG has no viewBox from 0 0")
    pixels = float(size[1]) * float(size[2]) * scale * scale
    if pixels > LARGEST:
        raise RhetreeError(
            f"the picture would have {pixels / 1e6:.0f} million pixels; draw one sentence, set a smaller "
            "--scale, or choose SVG or HTML"
        )
    if not has_fonts():
        raise RhetreeError(
            "resvg finds no font on this machine, so a PNG would have no text; install one "
            "(for instance Debian's fonts-dejavu-core), or choose SVG"
        )
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=scale))


@lru_cache(maxsize=1)
def has_fonts() -> bool:
    """Whether a letter leaves a trace."""
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
