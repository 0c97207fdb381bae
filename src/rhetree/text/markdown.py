"""The markup of Markdown: CommonMark with tables and strikethrough; code blocks are not read.

markdown-it-py finds the blocks and says which lines they have. It does not say where the parts of a
paragraph are, so its inline parser is followed while it goes through the text.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token as Mark

from rhetree.domain.blocks import BlockKind
from rhetree.text.html import html_passages
from rhetree.text.markup import Layout, Passage, Piece, layout_around

_LINE_END = re.compile(r"\r\n?|\n")
_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*(?:\r\n?|\n).*?(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)", re.S
)
"""Settings in YAML at the top of a file, as static sites have them."""
_NO_LINE_END = re.compile(r"[^\r\n]")
_BREAK = re.compile(r"<br\b", re.IGNORECASE)


def markdown_layout(text: str) -> Layout:
    """The markup and the blocks of a Markdown file."""
    visible = _FRONT_MATTER.sub(lambda found: _NO_LINE_END.sub(" ", found[0]), text)
    visible = visible.replace("\0", "\ufffd")  # as the parser does
    parser = _parser()
    env: dict[str, object] = {}
    lines = _Lines(visible)
    passages: list[Passage] = []
    opening, cell = Mark("", "", 0), _Cell()
    kind: BlockKind = "paragraph"
    for mark in parser.parse(visible, env):
        kind = _KINDS.get(mark.type, kind)
        if mark.type == "html_block" and mark.map:
            content = lines.content(mark.content, mark.map[0])
            passages += [Passage(own.kind, content.pieces(own.pieces)) for own in html_passages(mark.content)]
        elif mark.type == "inline" and mark.map and mark.content:
            if opening.type in ("th_open", "td_open"):
                content = cell.content(mark.content, lines, mark.map[0])
            else:
                content = lines.content(
                    mark.content, mark.map[0], after=opening.markup.replace("=", "").replace("-", "")
                )
            passages.append(Passage(kind, content.pieces(_inline_pieces(mark.content, parser, env))))
            kind = "paragraph"
        opening = mark
    return layout_around(text, passages)


_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "list_item_open": "item",
    "list_item_close": "paragraph",
}
"""What the next block is after these marks; an item's later blocks are paragraphs."""


@cache
def _parser() -> MarkdownIt:
    """A parser of blocks; what is inside them is left to :func:`_inline_pieces`."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.inline = _FollowedInline()
    parser.inline.ruler.enableOnly([*_INLINE_RULES])
    parser.inline.ruler2.enableOnly(["balance_pairs", "strikethrough", "emphasis"])
    return parser.disable(["inline", "text_join"], ignoreInvalid=True)


_INLINE_RULES = (
    *("text", "newline", "escape", "backticks", "strikethrough", "emphasis"),
    *("link", "image", "autolink", "html_inline", "entity"),
)


# --- where a block is in the text ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a block, and where each of its characters is in the text."""

    starts: list[int]
    ends: list[int]

    def pieces(self, own: list[Piece]) -> list[Piece]:
        """Pieces of the content as pieces of the text."""
        found = []
        for piece in own:
            if piece.shown is not None:
                found.append(Piece(self.starts[piece.start], self.ends[piece.end - 1], piece.shown))
                continue
            cuts = [
                number
                for number in range(piece.start + 1, piece.end)
                if self.starts[number] != self.ends[number - 1]
            ]
            for start, end in pairwise([piece.start, *cuts, piece.end]):
                if self.starts[start] < self.ends[end - 1]:
                    found.append(Piece(self.starts[start], self.ends[end - 1]))
        return found


class _Lines:
    """The lines of a text and their offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        ends = [found.span() for found in _LINE_END.finditer(text)]
        self.starts = [0, *(end for _, end in ends)]
        self.ends = [*(start for start, _ in ends), len(text)]
        """Where the characters of each line end, without its line end."""

    def content(self, content: str, first: int, after: str = "") -> _Content:
        """Find the content of a block, whose lines end like those of the text.

        :param after: what comes before it on its only line, such as ``##``
        """
        starts: list[int] = []
        ends: list[int] = []
        # The parser drops lines before it that are blank to Python, and not to Markdown.
        while not after and not self._ends_in(first, content.partition("\n")[0].strip()):
            first += 1
        for number, line in enumerate(content.split("\n"), start=first):
            inked = line.strip()
            if number >= len(self.ends):
                break  # after the last line end of a block of HTML
            start, end = self.starts[number], self.ends[number]
            source = self.text[start:end]
            at = (
                source.find(inked, source.find(after) + len(after))
                if after
                else len(source.rstrip()) - len(inked)
            )
            at += start
            n_before = len(line) - len(line.lstrip())
            n_after = len(line) - n_before - len(inked)
            # White space around may have been tabs: it has no place of its own.
            starts += [at] * n_before + list(range(at, at + len(inked))) + [at + len(inked)] * n_after
            ends += [at] * n_before + list(range(at + 1, at + len(inked) + 1)) + [at + len(inked)] * n_after
            starts.append(end)
            ends.append(self.starts[number + 1] if number + 1 < len(self.starts) else end)
        return _Content(starts, ends)

    def _ends_in(self, line: int, inked: str) -> bool:
        source = self.text[self.starts[line] : self.ends[line]].rstrip()
        return source.endswith(inked) or line + 1 == len(self.ends)


class _Cell:
    """Goes through the cells of a row, in which a bar is written with a backslash."""

    def __init__(self) -> None:
        self._line = -1
        self._at = 0

    def content(self, content: str, lines: _Lines, line: int) -> _Content:
        if line != self._line:
            self._line, self._at = line, lines.starts[line]
        for start in range(self._at, lines.ends[line]):
            starts, at = [], start
            for character in content:
                if character == "|" and lines.text.startswith("\\|", at):
                    at += 1
                if not lines.text.startswith(character, at):
                    break
                starts.append(at)
                at += 1
            else:
                self._at = at
                return _Content(starts, [place + 1 for place in starts])
        raise ValueError(f"the cell {content!r} is not in line {line + 1}")


# --- what is read in a block --------------------------------------------------------------------


class _FollowedState(StateInline):
    """The state of the inline parser, with what was found so far."""

    def __init__(self, content: str, parser: MarkdownIt, env: dict[str, object]) -> None:
        super().__init__(content, parser, env, [])
        self.found: list[Piece] = []
        self.delimiters_at: list[tuple[int, Mark]] = []
        """Stars and the like, and their marks: what they are is known at the end."""


class _FollowedInline(ParserInline):
    """The inline parser of markdown-it-py, which notes what each rule took."""

    def tokenize(self, state: StateInline) -> None:
        if not isinstance(state, _FollowedState):
            super().tokenize(state)  # the description of an image, which is not read
            return
        rules = self.ruler.getRules("")
        end = state.posMax
        while state.pos < end:
            start, n_marks = state.pos, len(state.tokens)
            rule = None
            if state.level < state.md.options["maxNesting"]:
                rule = next((rule for rule in rules if rule(state, False)), None)
            if rule is None:
                state.pending += state.src[start]
                state.pos = start + 1
            _note(state, rule.__module__.rpartition(".")[2] if rule else "text", start, n_marks)
        if state.pending:
            state.pushPending()


def _note(state: _FollowedState, rule: str, start: int, n_marks: int) -> None:
    """Note what is read of the characters from ``start`` on that a rule has taken."""
    end = state.pos
    taken = state.src[start:end]
    if rule in ("emphasis", "strikethrough"):
        at = end
        for mark in reversed(state.tokens[n_marks:]):
            at -= len(mark.content)
            if at < start:
                break
            state.delimiters_at.append((at, mark))
    elif rule in ("text", "newline"):
        state.found.append(Piece(start, end))
    elif rule == "escape":
        state.found.append(Piece(start + (state.tokens[-1].content != taken), end))
    elif rule == "backticks":
        n_ticks = len(taken) - len(taken.lstrip("`"))
        is_code = n_ticks < len(taken)
        state.found.append(Piece(start + n_ticks, end - n_ticks) if is_code else Piece(start, end))
    elif rule == "autolink":
        state.found.append(Piece(start + 1, end - 1))
    elif rule == "entity":
        state.found.append(Piece(start, end, state.tokens[-1].content))
    elif rule == "html_inline" and _BREAK.match(taken):
        state.found.append(Piece(start, end, "\n"))


def _inline_pieces(content: str, parser: MarkdownIt, env: dict[str, object]) -> list[Piece]:
    """What is read of the content of a paragraph, a heading or a cell."""
    state = _FollowedState(content, parser, env)
    parser.inline.tokenize(state)
    lengths = [len(mark.content) for _, mark in state.delimiters_at]
    for rule in parser.inline.ruler2.getRules(""):
        rule(state)
    pieces = state.found
    for (at, mark), length in zip(state.delimiters_at, lengths, strict=True):
        if mark.content:  # it was no delimiter after all
            pieces.append(Piece(at, at + length))
    return sorted(pieces, key=lambda piece: piece.start)
