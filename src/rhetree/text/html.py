"""The markup of HTML: tags, comments, scripts, styles and preformatted code are not read.

Python's own parser is used because it says where in the file everything is.
"""

import re
from html import unescape
from html.parser import HTMLParser
from itertools import accumulate

from rhetree.domain.blocks import BlockKind
from rhetree.text.markup import Layout, Passage, Piece, layout_around

_BLOCKS = frozenset(
    """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre section
    summary table tbody td tfoot th thead tr ul
    """.split()  # noqa: SIM905  # a list has a line for each
)
"""Elements that begin and end a paragraph."""

_KINDS: dict[str, BlockKind] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    "li": "item",
}
"""Elements that are other blocks than paragraphs."""

_UNREAD = frozenset(
    """
    audio canvas iframe math noembed noframes noscript object pre script select style svg template textarea title
    video xmp
    """.split()  # noqa: SIM905  # a list has a line for each
)
"""Elements whose content is no running text."""

_LINE_BREAKS = re.compile(r"[ \t\r\n\f]*[\r\n][ \t\r\n\f]*")


def html_layout(text: str) -> Layout:
    """The markup and the blocks of an HTML file."""
    return layout_around(text, html_passages(text))


def html_passages(text: str) -> list[Passage]:
    """What people read."""
    scanner = _Scanner(text)
    scanner.feed(text)
    scanner.close()
    return scanner.passages


class _Scanner(HTMLParser):
    """Gathers what is read between tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.passages = [Passage()]
        self._text = text
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._unread = ""
        """The element that is passed over, and how many of its kind are open inside each other."""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if self._depth:
            self._depth += tag == self._unread
            return
        if tag in _BLOCKS:
            # What opens a list's item or a heading belongs to it: <li><p>.
            inherited = "paragraph" if self._has_ink() else self.passages[-1].kind
            self.passages.append(Passage(_KINDS.get(tag, inherited)))
        if tag in _UNREAD:
            self._unread, self._depth = tag, 1
        elif tag == "br":
            start = self._at()
            self.passages[-1].pieces.append(Piece(start, start + len(self.get_starttag_text() or ""), "\n"))

    def handle_endtag(self, tag: str) -> None:
        if self._depth:
            self._depth -= tag == self._unread
        elif tag in _BLOCKS:
            self.passages.append(Passage())

    def handle_data(self, data: str) -> None:
        if self._depth:
            return
        first = at = self._at()
        for found in _LINE_BREAKS.finditer(data):
            start, end = first + found.start(), first + found.end()
            if at < start:
                self.passages[-1].pieces.append(Piece(at, start))
            self.passages[-1].pieces.append(Piece(start, end, " "))  # a blank line ends no paragraph here
            at = end
        if at < first + len(data):
            self.passages[-1].pieces.append(Piece(at, first + len(data)))

    def handle_entityref(self, name: str) -> None:
        self._add_reference(1 + len(name))

    def handle_charref(self, name: str) -> None:
        self._add_reference(2 + len(name))

    def parse_marked_section(self, i: int, report: int = 1) -> int:  # noqa: ARG002
        """Pass over ``<![...>``, at some of which Python's own method fails; returns where it ends."""
        return self.rawdata.find(">", i) + 1 or -1

    def _add_reference(self, length: int) -> None:
        if self._depth:
            return
        start = self._at()
        end = start + length + self._text.startswith(";", start + length)
        shown = unescape(self._text[start:end])
        self.passages[-1].pieces.append(Piece(start, end, None if shown == self._text[start:end] else shown))

    def _has_ink(self) -> bool:
        """Whether something was read since the last block began."""
        return any(
            piece.shown.strip() if piece.shown is not None else self._text[piece.start : piece.end].strip()
            for piece in self.passages[-1].pieces
        )

    def _at(self) -> int:
        line, column = self.getpos()
        return self._line_starts[line - 1] + column
