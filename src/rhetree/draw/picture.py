"""A document, alone or beside another analysis of it, as any kind of picture."""

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

Format = Literal["txt", "svg", "html", "png"]

FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureConfig:
    """What of a document is drawn, and how."""

    shape: Shape | None = None
    """As drawn, but where two analyses are compared both binary, unless this says otherwise."""
    by_sentence: bool = False
    """Draw the sentences' nodes of a document's tree, each by itself."""
    sentence: int | None = None
    """Only this sentence, counted from 0."""
    titles: tuple[str, str] = ("gold", "predicted")
    """What two analyses are called."""
    theme: Theme = "auto"
    width: int | None = None
    """Columns of text, or pixels beyond which trees are cut; 0 never cuts. None is 80 or 1600."""
    scale: float = 2.0
    """Pixels of a PNG for each of the SVG's."""

    def __post_init__(self) -> None:
        if self.width is not None and self.width < 0:
            raise ValueError(f"a width is 0 or more, got {self.width}")
        if not 0 < self.scale <= 20:
            raise ValueError(f"a scale is over 0 and up to 20, got {self.scale}")


def draw(
    document: Document, format: Format, config: PictureConfig | None = None, against: Document | None = None
) -> bytes:
    """The picture as the contents of a file: text is UTF-8."""
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
    """The picture as lines for a terminal."""
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
