"""The markup and the layout of a text, from the pieces of it that people read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rhetree.domain.blocks import Block, BlockKind
from rhetree.domain.markup import Markup
from rhetree.text.blocks import is_paragraph_break

PARAGRAPH_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters ``start..end`` of a text that people read, as they stand or as ``shown``."""

    start: int
    end: int
    shown: str | None = None


@dataclass(slots=True)
class Passage:
    """The pieces of a paragraph, a heading or an item of a list."""

    kind: BlockKind = "paragraph"
    pieces: list[Piece] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file of Markdown or HTML says beside its words."""

    markup: tuple[Markup, ...]
    blocks: tuple[Block, ...]


def layout_around(text: str, passages: Iterable[Passage]) -> Layout:
    """The layout of a text: what is not in the pieces is markup, and each passage is a block.

    Between two blocks, a blank line is read.
    """
    markup: list[Markup] = []
    blocks: list[Block] = []
    at = 0
    for passage in passages:
        pieces = _trimmed(text, passage.pieces)
        for number, piece in enumerate(pieces):
            gap = text[at : piece.start]
            if number:
                between = ""
            else:
                between = gap if not blocks and gap.isspace() else "" if not blocks else PARAGRAPH_BREAK
                if gap.isspace() and is_paragraph_break(gap):
                    between = gap
            if gap and between != gap:
                markup.append(Markup(at, piece.start, between))
            if piece.shown is not None:
                markup.append(Markup(piece.start, piece.end, piece.shown))
            at = piece.end
        if pieces:
            blocks.append(Block(pieces[0].start, pieces[-1].end, passage.kind))
    if text[at:].strip():
        markup.append(Markup(at, len(text)))
    return Layout(tuple(markup), tuple(blocks))


def _trimmed(text: str, block: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces of a block without white space at its edges."""
    inked = [number for number, piece in enumerate(block) if _shown(text, piece).strip()]
    return block[inked[0] : inked[-1] + 1] if inked else ()


def _shown(text: str, piece: Piece) -> str:
    return text[piece.start : piece.end] if piece.shown is None else piece.shown
