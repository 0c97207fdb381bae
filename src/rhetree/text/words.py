"""Splits a word (text between white space) into tokens: syntok's, corrected to Penn's and GUM's conventions.

Corrections look only at the word itself, so results are cached by word.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from syntok.tokenizer import Tokenizer

_BLANK = r"\s\x00-\x1f\x7f-\x9f\u200b"
_WIDTHLESS = (
    r"\u00ad\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)

WORD = re.compile(rf"[^{_BLANK}{_WIDTHLESS}]+(?:[{_WIDTHLESS}]+[^{_BLANK}{_WIDTHLESS}]+)*")
"""A run of characters without white space or control characters. Zero-width characters inside it
belong to it; those at its ends do not."""

LINE_END = re.compile(r"\r\n|[\n\r\v\f\x85\u2028]")

_ONE_TOKEN = re.compile(
    r"""
      (?:https?://|www\.)[^\s<>"“”]*[^\s<>"“”()\[\]{}.,;:!?'’]    # addresses
    | (?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?<!\w)[#@][^\W\d]\w*                                       # hashtags, names
    | (?<!\w)[:;=]-?[()dp](?!\w)                                  # faces :-)
    | \A\([a-z]\)\Z | \b\w+\(s\)                                  # (a), friend(s)
    | \.\.\.? | --+ | [–—]+ | ``                                  # longer marks
    | […“”"«»()\[\]{}°º]
    | (?<=[^\W\d_])/(?=[^\W\d_])                                  # and/or
    | (?<=[^\W\d_]\.)-(?=\w)                                      # U.S.-style
    | (?<=\d)[+=×](?=\d)                                          # 6.8+7.2
    | \b(?:anti|co|counter|cross|e|inter|mid|mini|non|pre|pro|re|semi|sub)-\w+
    | \b\w{1,3}-(?![\w-])                                        # th-, broken off
    | n['’]t\b                                                    # N'T
    | \A['’](?:d|ll|m|re|s|ve)\Z                                  # 's alone
    | \b[dlo]['’][^\W\d_]{3,}                                     # O'Reilly, o'clock
    | \b\d*0['’]s\b                                               # 1930's
    | [\U0001f1e6-\U0001f1ff]{2}                                  # flags
    """,
    re.VERBOSE | re.IGNORECASE,
)

_TWO_TOKENS = frozenset({"cannot", "gonna", "gotta", "lotta", "wanna"})
"""Words that become two tokens, the first of three letters."""

_LONGEST_REMEMBERED = 40


def cut(word: str) -> tuple[str, ...]:
    """The tokens of a word. A final period is a token of its own; whether it belongs to the word, only
    the sentence can tell."""
    if word.isalnum():
        return _halves(word)
    return _remember(word) if len(word) <= _LONGEST_REMEMBERED else _cut(word)


def _cut(word: str) -> tuple[str, ...]:
    cuts = _library_cuts(word)
    for found in _ONE_TOKEN.finditer(word):
        cuts.difference_update(range(found.start() + 1, found.end()))
        cuts.update(found.span())
    if not word.isascii():
        cuts = {at for at in cuts if at == len(word) or not _is_attached(word, at)}
    edges = sorted(cuts | {0, len(word)})
    pieces = (word[start:end] for start, end in zip(edges, edges[1:], strict=False))
    return tuple(token for piece in pieces for token in _halves(piece))


_remember = lru_cache(maxsize=1 << 15)(_cut)


def _halves(piece: str) -> tuple[str, ...]:
    return (piece[:3], piece[3:]) if piece.lower() in _TWO_TOKENS else (piece,)


def _library_cuts(word: str) -> set[int]:
    """Offsets at which syntok's tokens start, with two corrections: no cut in camelCase, and a cut after
    every character of a word without letters or digits."""
    if not any(map(str.isalnum, word)):
        return set(range(len(word)))
    starts = {token.offset for token in _library().tokenize(word)}
    return {at for at in starts if not (at and word[at - 1].islower() and word[at].isupper())}


def _is_attached(word: str, at: int) -> bool:
    """Whether a character belongs to the one before it: an accent, a skin tone, or anything after a
    joiner or a soft hyphen."""
    return (
        category(word[at]) in ("Mn", "Mc", "Me", "Cf")
        or "\U0001f3fb" <= word[at] <= "\U0001f3ff"
        or word[at - 1] in "\u00ad\u200d"
    )


@cache
def _library() -> "Tokenizer":
    from syntok.tokenizer import Tokenizer

    return Tokenizer(emit_hyphen_or_underscore_sep=True, replace_not_contraction=False)
