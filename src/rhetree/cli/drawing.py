"""Trees on the screen: what it can show, and a drawing of all that a model found."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

from rhetree.draw.panel import Panel, document_panels
from rhetree.draw.terminal import Style, draw_panels, needs_ascii

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.domain.reading import Reading


def terminal_style(width: int | None = None, colour: str = "auto") -> Style:
    """What standard output can show; from now on it never fails on a character.

    :param width: columns; None takes those of the terminal
    :param colour: "always", "never", or "auto" for terminals that do not object
    """
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a TextIOWrapper wherever there is a console
    asks_for_colour = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    return Style(
        width=width or shutil.get_terminal_size((80, 24)).columns,
        colour=colour == "always" or (colour == "auto" and asks_for_colour),
        ascii_only=needs_ascii(sys.stdout.encoding or "ascii"),
    )


def draw_document(document: "Document", style: Style) -> Iterator[str]:
    """The sentences as lines, each with its tree or its EDUs, and with all readings where there are several."""
    if not any(len(readings) > 1 for readings in document.readings):
        yield from draw_panels(document_panels(document, by_sentence=True), style)
        return
    first = 0
    for number, readings in enumerate(document.readings):
        for rank, reading in enumerate(readings):
            yield f"({number + 1}.{rank + 1}) probability {_shown(reading)}"
            panel = replace(_panel(document, number, reading), first=first)
            for line in draw_panels([panel], replace(style, width=style.width - 2)):
                yield f"  {line}"
        first += len(readings[0].edus)


def _panel(document: "Document", number: int, reading: "Reading") -> Panel:
    """One reading of a sentence as a picture of its own."""
    sentence = document.sentences[number]
    tokens = document.tokens[sentence.start : sentence.end]
    alone = replace(
        document.without_edus(),
        tokens=tokens,
        sentences=(),
        syntax=None,
        edus=reading.edus,
        tree=reading.tree,
    )
    return document_panels(alone)[0]


def _shown(reading: "Reading") -> str:
    """Three digits, however small."""
    return f"{exp(reading.log_prob):.3g}"
