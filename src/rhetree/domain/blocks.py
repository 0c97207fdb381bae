"""The layout of a text: its paragraphs, headings and items of lists, in order.

Blocks are spans of characters, so that a reader of Markdown can tell them before there are tokens, and
so that they stay when a text gets other tokens.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from rhetree.domain.document import Token

BlockKind = Literal["paragraph", "heading", "item"]
"""What a block is; an item is one of a list."""

BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


@dataclass(frozen=True, slots=True)
class Block:
    """Characters ``start..end`` of a text that are a paragraph, a heading or an item of a list."""

    start: int
    end: int
    kind: BlockKind = "paragraph"

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a block needs 0 <= start < end, got {self.start}..{self.end}")
        if self.kind not in BLOCK_KINDS:
            raise ValueError(f"a block is one of {', '.join(BLOCK_KINDS)}, got {self.kind!r}")


def check_blocks(blocks: Sequence[Block], tokens: "Sequence[Token]", n_characters: int) -> None:
    """Raise ``ValueError`` unless the blocks are in order, inside the text, and hold every token."""
    at = 0
    for block in blocks:
        if block.start < at or block.end > n_characters:
            raise ValueError(f"block {block.start}..{block.end} should lie within {at}..{n_characters}")
        _check_gap(tokens, at, block.start)
        at = block.end
    _check_gap(tokens, at, n_characters + 1)


def _check_gap(tokens: "Sequence[Token]", at: int, end: int) -> None:
    """Raise ``ValueError`` if a token has characters in ``at..end``, where there is no block."""
    number = bisect_left(tokens, at, key=lambda token: token.start)
    while number < len(tokens) and tokens[number].start < end:
        token = tokens[number]
        if token.start < token.end:
            raise ValueError(f"token {number} ({token.form!r}) at {token.start}..{token.end} is in no block")
        number += 1


def block_numbers(blocks: Sequence[Block], places: Iterable[int]) -> list[int]:
    """For each of these characters the block in which it is, or else the last one before it."""
    return [max(0, bisect_right(blocks, place, key=lambda block: block.start) - 1) for place in places]


def fitted(blocks: Iterable[Block], tokens: "Sequence[Token]") -> tuple[Block, ...]:
    """The blocks that hold tokens, each from its first token through its last.

    A token outside of all blocks goes with the block before it, or with the first.
    """
    kinds = list(blocks)
    starts = [bisect_left(tokens, block.start, key=lambda token: token.start) for block in kinds]
    if starts:
        starts[0] = 0
    ends = [*starts[1:], len(tokens)]
    return tuple(
        Block(tokens[first].start, tokens[end - 1].end, block.kind)
        for block, first, end in zip(kinds, starts, ends, strict=False)
        if first < end and tokens[first].start < tokens[end - 1].end
    )
