"""A parsed document as lines of text: its tree, or each sentence with its tree or with all its readings."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

from rhetree.draw.panel import Panel, document_panels
from rhetree.draw.terminal import Style, draw_panels

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.domain.reading import Reading


def draw_document(document: "Document", style: Style) -> Iterator[str]:
    """The lines of a drawing of the document.

    That is the tree of the document, or each sentence with its tree or its EDUs, or all EDUs if the
    sentences are not known. If a sentence has several readings, the readings of all sentences follow
    the tree, or replace the sentences. The signals that a model found come last.
    """
    has_tree = document.tree is not None
    has_alternatives = any(len(readings) > 1 for readings in document.readings)
    if has_tree or not has_alternatives:
        by_sentence = not has_tree and bool(document.sentences)
        panels = document_panels(document, by_sentence=by_sentence)
        yield from draw_panels(panels, style)
        if document.readings:
            yield from _signals(panels)
    if not has_alternatives:
        return
    sentences = document_panels(document, by_sentence=True)
    for number, (readings, sentence) in enumerate(zip(document.readings, sentences, strict=True)):
        if not readings and not has_tree:
            yield from draw_panels([sentence], style)
        for rank, reading in enumerate(readings):
            yield f"({number + 1}.{rank + 1}) probability {_shown(reading)}"
            panel = replace(_panel(document, number, reading), first=sentence.first)
            for line in draw_panels([panel], replace(style, width=style.width - 2)):
                yield f"  {line}"


def _signals(panels: list[Panel]) -> Iterator[str]:
    """A line for each unit whose relation a model found signals of."""
    units = [(panel.numbers_of(unit), texts) for panel in panels for unit, texts in panel.signals.items()]
    width = max((len(numbers) for numbers, _ in units), default=0)
    for place, (numbers, texts) in enumerate(units):
        title = "signals" if place == 0 else ""
        yield f"{title:7}  {numbers:>{width}}  {'; '.join(texts)}"


def _panel(document: "Document", number: int, reading: "Reading") -> Panel:
    """One reading of a sentence as a picture of its own."""
    sentence = document.sentences[number]
    tokens = document.tokens[sentence.start : sentence.end]
    alone = replace(
        document.without_edus(),
        tokens=tokens,
        sentences=(),
        blocks=(),
        syntax=None,
        edus=reading.edus,
        tree=reading.tree,
    )
    return document_panels(alone)[0]


def _shown(reading: "Reading") -> str:
    """The probability with three significant digits."""
    return f"{exp(reading.log_prob):.3g}"
