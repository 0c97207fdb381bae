"""Measures text, in terminal columns and in pixels, and breaks it into lines.

A picture cannot know its reader's fonts. So a character is as wide as in the wider of two: Liberation
Sans, whose widths are those of Helvetica and Arial, and DejaVu Sans, which is about as wide as Verdana.
Text then fits in either, and in what lies between.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from math import fsum
from unicodedata import bidirectional, category, decomposition, east_asian_width

_WIDTHS = {
    278: "'ijl",
    318: " ,.I‘’·",
    352: "/:;\\f|¦",
    392: "()-[]t",
    411: "!r¡",
    460: '"',
    525: "*J`sz“”",
    557: "L?_c–",
    592: "kvxy•",
    615: "FT¿aeoø«»",
    636: "$0123456789bdghnpqu{}€ß",
    667: "EKPSY",
    690: "ABVXZמקשת",
    732: "CRUд",
    752: "HNм",
    787: "&DGOQØىيئقلن",
    838: "#+<=>^w~≠−×÷±¬كыюω",
    863: "MМΜΦФф",
    950: "%жњљшщتبثطظЫ",
    1000: "Wm—…Ææ™→©®¼½¾",
    1080: "@œŒفЖЊШЮЉЩ",
    1220: "سشصض",
}
"""Characters by their width, in thousandths of the font size."""

_EM = {character: width / 1000 for width, characters in _WIDTHS.items() for character in characters}

BOLD = 1.2
"""Width of bold text divided by that of the same text in regular weight."""

_HYPHENS = re.compile(r"(?<=\w[-\u2010\u2013\u2014/])(?=\w)")
"""Where a word that is too long for a line is broken first."""

_CLOSING = re.compile(r"[.,;:!?%)\]}’”…·]+")
"""Punctuation that opens no line, even where a treebank has a space before it."""

_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow, or that control a terminal."""


def clean(text: str) -> str:
    """The text on one line, with characters unsafe in XML or a terminal replaced by U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", " ".join(text.split()))


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text belong to scripts that run from right to left."""
    if text.isascii():
        return False
    directions = [bidirectional(character) for character in text]
    n_left = directions.count("L")
    return directions.count("R") + directions.count("AL") > n_left


@lru_cache(maxsize=4096)
def columns_of(character: str) -> int:
    """Number of terminal columns of a character: 0, 1 or 2."""
    if category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # marks, joiners, and the later parts of a Hangul syllable
    return 2 if east_asian_width(character) in "WF" else 1


def columns(text: str) -> int:
    """Number of terminal columns of a text."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


@lru_cache(maxsize=4096)
def ems_of(character: str) -> float:
    """Width of a character as a share of the font size."""
    known = _EM.get(character)
    if known is not None:
        return known
    if columns_of(character) != 1:
        return columns_of(character) / 2
    base = decomposition(character).partition(" ")[0]
    if base and not base.startswith("<"):
        return ems_of(chr(int(base, 16)))
    return 0.8 if character.isupper() else 0.67


def pixels(text: str, size: float) -> float:
    """Width of a text in a picture, in a font of this size."""
    # fsum rounds alike in all versions of Python; sum does not.
    return size * fsum(map(ems_of, text))


def wrap(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break a text into lines no wider than ``room``: at spaces and between East Asian characters.

    A word wider than a line is broken at its hyphens, a part that is still too wide anywhere. A line has
    at least one character.
    """
    return _fill(_measured(text, room, width_of), room, width_of(" "))


def widest_part(text: str, width_of: Callable[[str], float]) -> float:
    """Width of the widest part of a text that :func:`wrap` keeps on one line if there is room."""
    parts = (part for word in text.split() for piece in _pieces(word) for part in _HYPHENS.split(piece))
    return max(map(width_of, parts), default=0.0)


def wrap_evenly(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break a text into as many lines as :func:`wrap` does, but of similar length."""
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
    """The parts between which a line may break; for each whether it starts a word, its text, its width."""
    measured = []
    for word in _words(text, room, width_of):
        opens_word = True
        for piece in _pieces(word):
            for part in _parts(piece, room, width_of):
                measured.append((opens_word, part, width_of(part)))
                opens_word = False
    return measured


def _words(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """The words of a text; closing punctuation belongs to the word before it if both fit on a line."""
    words: list[str] = []
    for word in text.split():
        if words and _CLOSING.fullmatch(word) and columns(words[-1]) <= len(words[-1]):
            joined = f"{words[-1]} {word}"
            if width_of(joined) <= room:
                words[-1] = joined
                continue
        words.append(word)
    return words


def _parts(piece: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """The piece itself if it fits on a line, or else its parts: at hyphens, or anywhere."""
    if width_of(piece) <= room:
        return [piece]
    hyphenated = _HYPHENS.split(piece)
    if len(hyphenated) == 1:
        return _cut(piece, room, width_of)
    return [part for each in hyphenated for part in _parts(each, room, width_of)]


def _pieces(word: str) -> list[str]:
    """The parts of a word between which a line may break; each East Asian character is a part."""
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
    """Whether a character must stay on the line of the one before it: combining marks, closing punctuation."""
    return columns_of(character) == 0 or category(character) in ("Pe", "Pf", "Po")
