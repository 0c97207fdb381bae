"""The colours of pictures, for light and dark backgrounds.

Nothing is told by colour alone: satellites have arcs, nuclei have stems and brackets, and differences
between two trees are also dashed or named. Colour-blind readers can tell the hues apart.
"""

from collections.abc import Mapping
from typing import Literal, get_args

Theme = Literal["auto", "light", "dark"]
"""``auto`` follows the reader's system if the viewer supports it."""

THEMES: tuple[Theme, ...] = get_args(Theme)

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#667080",
    "line": "#3b4350",
    "faint": "#c3c9d1",
    "satellite": "#0b62b0",
    "nuclei": "#7b3f98",
    "mark": "#b5420a",
    "tint": "#eef2f7",
}

DARK: Mapping[str, str] = {
    "paper": "#15181d",
    "ink": "#e7e9ec",
    "muted": "#98a2b0",
    "line": "#b8c0ca",
    "faint": "#434b57",
    "satellite": "#70b7ff",
    "nuclei": "#d3a6f5",
    "mark": "#ff9f5f",
    "tint": "#222831",
}

FONTS = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"
"""The fonts whose widths :mod:`rhetree.draw.text` knows come first."""
