"""Draws a document, or two analyses of it side by side, in any picture format."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from rhetree.domain.document import Document
from rhetree.draw import html, svg, terminal
from rhetree.draw.difference import Pair, compare, tally
from rhetree.draw.panel import Panel, Shape, document_panels
from rhetree.draw.png import to_png
from rhetree.draw.theme import Theme
from rhetree.errors import MismatchError

PictureFormat = Literal["txt", "svg", "html", "png"]

FORMATS: tuple[PictureFormat, ...] = get_args(PictureFormat)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureConfig:
    """What to draw of a document, and how."""

    shape: Shape | None = None
    """Shape of the tree; None for the drawn shape, or for binary when two analyses are compared."""
    by_sentence: bool = False
    """Draw each sentence of a document's tree by itself."""
    sentence: int | None = None
    """Draw only this sentence, counted from 0."""
    titles: tuple[str, str] = ("gold", "predicted")
    """Titles of two analyses that are compared."""
    theme: Theme = "auto"
    width: int | None = None
    """Width in columns of text, or in pixels; wider trees are cut. 0 never cuts. None means 80 columns or 1600 pixels."""
    scale: float = 2.0
    """Pixels of a PNG per pixel of the SVG."""

    def __post_init__(self) -> None:
        if self.width is not None and self.width < 0:
            raise ValueError(f"a width is 0 or more, got {self.width}")
        if not 0 < self.scale <= 20:
            raise ValueError(f"a scale is over 0 and up to 20, got {self.scale}")


def draw(
    document: Document,
    format: PictureFormat,
    config: PictureConfig | None = None,
    against: Document | None = None,
) -> bytes:
    """Draw a picture; returns the bytes of a file, in UTF-8 if it is text."""
    if format not in FORMATS:
        raise ValueError(f"no picture is called {format!r}; expected one of {', '.join(FORMATS)}")
    config = config or PictureConfig()
    if format == "txt":
        style = terminal.Style(width=80 if config.width is None else config.width)
        if style.width < terminal.LEAST_WIDTH:
            raise ValueError(f"text needs {terminal.LEAST_WIDTH} columns or more, got {style.width}")
        return ("\n".join(draw_lines(document, style, config, against)) + "\n").encode()
    if format == "html":
        return _html(document, config, against).encode()
    picture = _svg(document, config, against)
    return to_png(picture, config.scale) if format == "png" else picture.encode()


def draw_lines(
    document: Document,
    style: terminal.Style,
    config: PictureConfig | None = None,
    against: Document | None = None,
) -> Iterator[str]:
    """Draw a picture as lines for a terminal."""
    config = config or PictureConfig()
    if against is None:
        yield from terminal.draw_panels(_panels(document, config), style)
        return
    pairs = _pairs(document, against, config)
    yield from terminal.draw_pairs(pairs, style, config.titles)
    yield ""
    yield from terminal.describe(tally(pairs), config.titles, style)


def _svg(document: Document, config: PictureConfig, against: Document | None) -> str:
    width = svg.WIDTH if config.width is None else config.width
    if against is None:
        panels = _panels(document, config)
        return svg.draw_panels(panels, title=document.name, theme=config.theme, width=width)
    pairs = _pairs(document, against, config)
    return svg.draw_pairs(pairs, titles=config.titles, title=document.name, theme=config.theme, width=width)


def _html(document: Document, config: PictureConfig, against: Document | None) -> str:
    if against is None:
        return html.draw_panels(_panels(document, config), title=document.name, theme=config.theme)
    pairs = _pairs(document, against, config)
    return html.draw_pairs(pairs, titles=config.titles, title=document.name, theme=config.theme)


def _panels(document: Document, config: PictureConfig) -> list[Panel]:
    by_sentence = config.by_sentence or config.sentence is not None
    panels = document_panels(document, config.shape or "drawn", by_sentence)
    if config.sentence is None:
        return panels
    _check_sentence(config.sentence, document, len(document.sentences))
    return [panels[config.sentence]]


def _pairs(document: Document, against: Document, config: PictureConfig) -> list[Pair]:
    by_sentence = config.by_sentence or config.sentence is not None
    pairs = compare(document, against, config.shape or "binary", by_sentence)
    if config.sentence is None:
        return pairs
    _check_sentence(config.sentence, document, len(document.sentences or against.sentences))
    return [pair for pair in pairs if any(panel.sentence == config.sentence for panel in pair.left)]


def _check_sentence(sentence: int, document: Document, n_sentences: int) -> None:
    if not 0 <= sentence < n_sentences:
        raise MismatchError(
            f"{document.name or 'document'} has sentences 1 to {n_sentences}, not {sentence + 1}"
        )
