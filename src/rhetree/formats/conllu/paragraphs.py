"""Paragraphs, headings and items in the comments of CoNLL-U: ``# newpar``, and GUM's ``# newpar_block``.

GUM names the elements that a paragraph opens, ``head (1 s)`` or ``item (2 s) | p (1 s)``, each with the number
of sentences in it.
"""

import re
from collections.abc import Iterable, Sequence

from rhetree.domain.blocks import Block, BlockKind
from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span
from rhetree.formats.conllu.blocks import key_of, starts_paragraph, value_of

_ELEMENTS: dict[BlockKind, str] = {"heading": "head", "item": "item"}
"""GUM's names, the most telling first."""
_NAME = re.compile(r"(?:\A|\|)\s*(\w+)")
_KEY = "newpar_block"

Kinds = tuple[BlockKind | None, ...]
"""For each sentence the block that it opens, None if it opens none."""


def kinds_of(comments: Iterable[Iterable[str]]) -> Kinds:
    """What the comments of each sentence say. If one opens a block, the first sentence does too."""
    said = [_kind_of(tuple(lines)) for lines in comments]
    if any(said):
        said[0] = said[0] or "paragraph"
    return tuple(said)


def _kind_of(lines: Sequence[str]) -> BlockKind | None:
    if not any(map(starts_paragraph, lines)):
        return None
    names = {name for line in lines if key_of(line) == _KEY for name in _NAME.findall(value_of(line).strip())}
    return next((kind for kind, element in _ELEMENTS.items() if element in names), "paragraph")


def kinds_in(document: Document) -> Kinds:
    """The block that each sentence of a document opens."""
    numbers = document.sentence_blocks()
    if not numbers:
        return (None,) * len(document.sentences)
    before = [-1, *numbers]
    return tuple(
        document.blocks[number].kind if number != last else None
        for number, last in zip(numbers, before, strict=False)
    )


def blocks_of(kinds: Kinds, sentences: Sequence[Span], tokens: Sequence[Token]) -> tuple[Block, ...]:
    """The blocks that sentences open."""
    opened = [(sentence.start, kind) for sentence, kind in zip(sentences, kinds, strict=True) if kind]
    ends = [*(start for start, _ in opened[1:]), len(tokens)]
    return tuple(
        Block(tokens[start].start, tokens[end - 1].end, kind)
        for (start, kind), end in zip(opened, ends, strict=False)
        if tokens[start].start < tokens[end - 1].end
    )


def usual_lines(kinds: Kinds) -> list[list[str]]:
    """The comments that say which block each sentence opens."""
    opening = [number for number, kind in enumerate(kinds) if kind]
    ends = dict(zip(opening, [*opening[1:], len(kinds)], strict=False))
    lines: list[list[str]] = []
    for number, kind in enumerate(kinds):
        lines.append(["# newpar"] if kind else [])
        if kind in _ELEMENTS:
            lines[-1].append(f"# {_KEY} = {_ELEMENTS[kind]} ({ends[number] - number} s)")
    return lines


def without_paragraph(lines: Iterable[str]) -> list[str]:
    """The comments that say nothing of blocks."""
    return [line for line in lines if not starts_paragraph(line) and key_of(line) != _KEY]
