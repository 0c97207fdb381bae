"""How wide text is, in a terminal's columns and in a picture's pixels, and where to break it.

A picture cannot ask which font its reader has, so widths are those of Helvetica and its metric
twins (Arial, Liberation Sans, Nimbus Sans), which stand first in the pictures' list of fonts.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from unicodedata import category, decomposition, east_asian_width

_HELVETICA = {
    191: "'",
    222: "ijl‘’",
    260: "|¦",
    278: " !,./:;I[\\]ft·",
    333: "()-`r¡“”",
    334: "{}",
    355: '"•',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu–€",
    584: "+<=>~≠−×",
    611: "FTZß",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%æ",
    944: "W",
    1000: "—…Æ™",
    1015: "@",
}
"""Thousandths of the font size, and the characters that are so wide."""

_EM = {character: width / 1000 for width, characters in _HELVETICA.items() for character in characters}

_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Not allowed in XML, or able to command a terminal."""


def clean(text: str) -> str:
    """The text on one line, with what neither XML nor a terminal may be given replaced by U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", " ".join(text.split()))


@lru_cache(maxsize=4096)
def columns_of(character: str) -> int:
    """How many columns of a terminal the character takes: none, one or two."""
    if category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # marks, joiners, and the later parts of a Hangul syllable
    return 2 if east_asian_width(character) in "WF" else 1


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


@lru_cache(maxsize=4096)
def ems_of(character: str) -> float:
    """The character's width as a share of the font size."""
    known = _EM.get(character)
    if known is not None:
        return known
    if columns_of(character) != 1:
        return columns_of(character) / 2
    base = decomposition(character).partition(" ")[0]
    if base and not base.startswith("<"):
        return ems_of(chr(int(base, 16)))
    return 0.74 if character.isupper() else 0.6


def pixels(text: str, size: float) -> float:
    """The width of the text in a picture, in a font of this size."""
    return size * sum(map(ems_of, text))


def wrap(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """The text in lines no wider than ``room``: broken at spaces, between East Asian characters, and
    inside a word only where it alone is wider. A line holds one character at least.
    """
    return _fill(_measured(text, room, width_of), room, width_of(" "))


def wrap_evenly(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """As many lines as :func:`wrap` makes, of lengths as even as may be."""
    pieces = _measured(text, room, width_of)
    space = width_of(" ")
    lines = _fill(pieces, room, space)
    least = max([room * 0.6, *(width for _, _, width in pieces)])
    while len(lines) > 1 and room - least > 2.0:
        middle = (room + least) / 2
        narrower = _fill(pieces, middle, space)
        if len(narrower) == len(lines):
            lines, room = narrower, middle
        else:
            least = middle
    return lines


def _fill(pieces: list[tuple[bool, str, float]], room: float, space: float) -> list[str]:
    lines: list[str] = []
    line, used = "", 0.0
    for opens_word, piece, width in pieces:
        glue = space if line and opens_word else 0.0
        if line and used + glue + width > room:
            lines.append(line)
            line, used = piece, width
        else:
            line += f" {piece}" if glue else piece
            used += glue + width
    return [*lines, line] if line else lines


def _measured(text: str, room: float, width_of: Callable[[str], float]) -> list[tuple[bool, str, float]]:
    """The parts between which a line may break: whether each opens a word, the part, its width."""
    measured = []
    for word in text.split():
        opens_word = True
        for piece in _pieces(word):
            width = width_of(piece)
            for part in _cut(piece, room, width_of) if width > room else [piece]:
                measured.append((opens_word, part, width if part is piece else width_of(part)))
                opens_word = False
    return measured


def _pieces(word: str) -> list[str]:
    """The parts of a word between which a line may break: each East Asian character is one."""
    if word.isascii():
        return [word]
    pieces = [""]
    for character in word:
        wide = columns_of(character) == 2
        follows_wide = pieces[-1] != "" and columns_of(pieces[-1][0]) == 2
        if pieces[-1] and (wide or follows_wide) and not _clings(character):
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces


def _cut(piece: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    parts = [""]
    used = 0.0
    for character in piece:
        width = width_of(character)
        if parts[-1] and used + width > room and columns_of(character):
            parts.append("")
            used = 0.0
        parts[-1] += character
        used += width
    return parts


def _clings(character: str) -> bool:
    """Whether the character belongs on the line of the one before it: marks, closing punctuation."""
    return columns_of(character) == 0 or category(character) in ("Pe", "Pf", "Po")
