"""The markup of a text, from the pieces of it that people read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rhetree.domain.markup import Markup
from rhetree.text.tokenizing import is_paragraph_break

PARAGRAPH_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters ``start..end`` of a text that people read, as they stand or as ``shown``."""

    start: int
    end: int
    shown: str | None = None


def markup_around(text: str, blocks: Iterable[Sequence[Piece]]) -> tuple[Markup, ...]:
    """What is markup in a text: all but the pieces of its blocks.

    A block is a paragraph, a heading or an item of a list; between two blocks, a blank line is read.
    """
    markup: list[Markup] = []
    at = 0
    is_first = True
    for block in blocks:
        pieces = _trimmed(text, block)
        for number, piece in enumerate(pieces):
            gap = text[at : piece.start]
            if number:
                between = ""
            else:
                between = gap if is_first and gap.isspace() else "" if is_first else PARAGRAPH_BREAK
                if gap.isspace() and is_paragraph_break(gap):
                    between = gap
            if gap and between != gap:
                markup.append(Markup(at, piece.start, between))
            if piece.shown is not None:
                markup.append(Markup(piece.start, piece.end, piece.shown))
            at = piece.end
            is_first = False
    if text[at:].strip():
        markup.append(Markup(at, len(text)))
    return tuple(markup)


def _trimmed(text: str, block: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces of a block without white space at its edges."""
    inked = [number for number, piece in enumerate(block) if _shown(text, piece).strip()]
    return block[inked[0] : inked[-1] + 1] if inked else ()


def _shown(text: str, piece: Piece) -> str:
    return text[piece.start : piece.end] if piece.shown is None else piece.shown
