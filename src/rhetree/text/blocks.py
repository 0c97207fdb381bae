"""Finds the paragraphs, headings and items of lists in plain text.

A blank line ends a block. So does the end of a line that was ended on purpose, where a sentence ends too:
before a bullet, a number or an indentation, and everywhere in a text that is not wrapped at some width. In
wrapped text a line was ended on purpose if the next word would have fitted into it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rhetree.domain.blocks import Block, BlockKind, fitted
from rhetree.domain.document import Document, Token
from rhetree.domain.markup import ShownText
from rhetree.domain.span import Span
from rhetree.text.words import LINE_END

_ITEM = re.compile(
    r"[ \t]*(?:[-*+•‣◦▪●○■·–][ \t]+|\(?[0-9]{1,3}[.)][ \t]+|\(?[A-Za-z][)][ \t]+|\([ivx]{1,5}\)[ \t]+)\S"
)
"""What starts an item of a list: a bullet, or a number or letter with a mark after it."""
_SURE_ITEM = re.compile(r"[-*+•‣◦▪●○■·][ \t]+\S|\(?[0-9]{1,3}\)[ \t]+\S")
"""What starts an item even in the middle of a sentence: no wrapped line looks so."""
_NUMBERED = re.compile(rf"(?:\A|{LINE_END.pattern})[ \t]*([0-9]{{1,3}})\.(?=[ \t]+\S)")
"""A number and a period first on a line: an item, or in wrapped text the end of a sentence (*on May / 12. He left*)."""
_FINAL = re.compile(r"""[.!?…:;,]["'”’»)\]]*\Z""")
_NO_HEADING = re.compile(r"""[a-z]{2}[.!?]\s|[-–—]["'”’»)\]]*\Z""")
"""A sentence's end inside a line, or a dash at its end, as where somebody is interrupted."""
_FIRST_LETTER = re.compile(r"[^\W_]")
_LONGEST_HEADING = 100
"""Characters of a line that may be a heading."""
_MOST_HEADINGS = 3
"""Headings in a row; more lines without a full stop are verses, turns of a chat or a list."""
_WIDEST = 200
"""Characters of a line above which nobody wraps text."""


def is_paragraph_break(gap: str) -> bool:
    """Whether the white space between two words has a blank line in it."""
    return len(LINE_END.findall(gap)) > 1 or "\u2029" in gap


def starts_item(text: str, gap: str, start: int) -> bool:
    """Whether a bullet stands here, first on its line after this white space; it ends the sentence before it."""
    return LINE_END.search(gap) is not None and _SURE_ITEM.match(text, start) is not None


def numbered_items(text: str) -> frozenset[int]:
    """Where the lines ``1. …``, ``2. …`` of numbered lists start: the next or the last such line has the next number or the one before."""
    found = [(int(line[1]), line.start(1)) for line in _NUMBERED.finditer(text)]
    return frozenset(
        start
        for (number, first), (following, second) in pairwise(found)
        if following == number + 1
        for start in (first, second)
    )


def with_blocks(document: Document) -> Document:
    """The document with its blocks as its text shows them, unless they are known already."""
    if document.blocks or not document.tokens:
        return document
    if not document.markup:
        return replace(document, blocks=find_blocks(document.text, document.tokens, document.sentences))
    plain = document.without_markup()
    found = find_blocks(plain.text, plain.tokens, plain.sentences)
    return replace(
        document, blocks=in_source(found, ShownText(document.text, document.markup), document.tokens)
    )


def in_source(blocks: Iterable[Block], shown: ShownText, tokens: Sequence[Token]) -> tuple[Block, ...]:
    """Blocks of a text as it is read, in the text with markup, which has these tokens."""
    return fitted((Block(*shown.to_source(one.start, one.end), one.kind) for one in blocks), tokens)


def find_blocks(text: str, tokens: Sequence[Token], sentences: Sequence[Span]) -> tuple[Block, ...]:
    """The blocks of a text that has no markup, each from its first token through its last.

    :param sentences: a block starts with one of them; without any, it may start with every token
    """
    if not tokens:
        return ()
    lines = _Lines(text)
    starts = [0]
    for first in [sentence.start for sentence in sentences] or range(len(tokens)):
        if first and lines.ends_block(tokens[first - 1].end, tokens[first].start):
            starts.append(first)
    spans = [
        Span(tokens[start].start, tokens[end - 1].end)
        for start, end in pairwise([*starts, len(tokens)])
        if tokens[start].start < tokens[end - 1].end
    ]
    return tuple(
        Block(span.start, span.end, kind)
        for span, kind in zip(spans, _kinds(text, lines, spans), strict=True)
    )


@dataclass(slots=True)
class _Lines:
    """The lines of a text, and whether it is wrapped at some width."""

    text: str
    starts: list[int]
    width: int
    """The width at which lines are wrapped; 0 if they are not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in LINE_END.finditer(text))]
        self.width = _width(text, self.starts)

    def start_of(self, place: int) -> int:
        """Where the line of this character starts."""
        return self.starts[bisect_right(self.starts, place) - 1]

    def ends_block(self, end: int, start: int) -> bool:
        """Whether a block ends between two words, the first of which ends here and the second starts there."""
        gap = self.text[end:start]
        if gap == " " or not LINE_END.search(gap):
            return "\u2029" in gap
        if is_paragraph_break(gap) or not self.width:
            return True
        line, following = self.start_of(end - 1), self.start_of(start)
        if _ITEM.match(self.text, following) or start - following > _indent(self.text, line):
            return True
        return end - line + 1 + _word_length(self.text, start) <= self.width


def _width(text: str, starts: list[int]) -> int:
    """The width at which the lines of a text are wrapped; 0 if they are not.

    Of the lines that another follows, half had no room for its first word, and half end without a full stop.
    """
    rows = [text[start:end].rstrip() for start, end in pairwise([*starts, len(text)])]
    broken = [(row, following) for row, following in pairwise(rows) if row and following]
    lengths = sorted(len(row) for row, _ in broken)
    if len(lengths) < 2:
        return 0
    width = lengths[len(lengths) * 9 // 10]
    n_full = sum(len(row) + 1 + _word_length(following.lstrip(), 0) > width for row, following in broken)
    n_open = sum(not _FINAL.search(row) for row, _ in broken)
    return width if 2 * min(n_full, n_open) >= len(broken) and width <= _WIDEST else 0


def _word_length(text: str, at: int) -> int:
    found = re.compile(r"\S+").match(text, at)
    return len(found[0]) if found else 0


def _indent(text: str, line: int) -> int:
    found = re.compile(r"[ \t]*").match(text, line)
    return len(found[0]) if found else 0


def _kinds(text: str, lines: _Lines, spans: Sequence[Span]) -> Iterator[BlockKind]:
    items = [_ITEM.match(text, lines.start_of(span.start)) is not None for span in spans]
    items = [
        is_item and lines.text[lines.start_of(span.start) : span.start].strip() == ""
        for is_item, span in zip(items, spans, strict=True)
    ]
    headings = [_may_be_heading(text[span.start : span.end]) for span in spans[:-1]] + [False]
    for number, is_item in enumerate(items):
        if is_item:
            # A number stands before headings too, but not beside other items.
            headings[number] &= not any(items[max(0, number - 1) : number] + items[number + 1 : number + 2])
    run = 0
    for number, is_heading in enumerate([*headings, False]):
        if is_heading:
            run += 1
        else:
            if run > _MOST_HEADINGS:
                headings[number - run : number] = [False] * run
            run = 0
    for is_heading, is_item in zip(headings, items, strict=True):
        yield "heading" if is_heading else "item" if is_item else "paragraph"


def _may_be_heading(text: str) -> bool:
    """Whether this is one short line with a capital or a number first, and no mark at its end."""
    if (
        len(text) > _LONGEST_HEADING
        or LINE_END.search(text)
        or _FINAL.search(text)
        or _NO_HEADING.search(text)
    ):
        return False
    first = _FIRST_LETTER.search(text)
    return first is not None and not first[0].islower() and any(map(str.isalpha, text))
