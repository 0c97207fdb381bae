"""Finds the sentences of a paragraph: syntok's, corrected to GUM's conventions."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syntok.tokenizer import Token

_SAYING = re.compile(
    "(?:add|answer|ask|call|demand|exclaim|repeat|scream|shout|whisper|yell)(?:s|ed)?|said|says?|(?:cr|repl)(?:y|ies|ied)"
)

_TITLE = re.compile(
    "Adm|Capt|Cmdr|Col|Cpl|Dr|Gen|Gov|Hon|Insp|Lt|Maj|Messrs|Mr|Mrs|Ms|Mt|Pres|Prof|Pvt|Rep|Rev|Sen|Sgt|St|Supt"
)
"""Abbreviations before a name."""
_NUMBERED = re.compile(
    "apr|aug|ch|dec|eqs?|feb|figs?|jan|jul|jun|nos|nov|oct|para|pp?|secs?|sept?|vols?", re.IGNORECASE
)
"""Abbreviations before a number."""
_LEADING = re.compile(r"e\.g|i\.e|cf|viz|vs", re.IGNORECASE)
"""Abbreviations that something always follows."""
_MOSTLY_LEADING = re.compile("al|approx|ca", re.IGNORECASE)
"""Abbreviations that end a sentence at most before a capital."""
_INNER = re.compile(
    r"(?:[a-z]\.)+[a-z]|(?-i:Ave|Blvd|Co|Corp|Dr|Inc|Jr|Ltd|Messrs|Mr|Mrs|Ms|Prof|Rd|Sr|St)|dept|esp|est|etc|excl|incl|resp"
    "|cm|ft|hrs?|kg|km|lbs?|mg|mi|mins?|ml|mm|mph|oz|secs?|tbsp|tsp|yds?|yrs?",
    re.IGNORECASE,
)
"""Abbreviations after which a word in lower case goes on with the sentence."""

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BRACKET_REACH = 50
"""Tokens after an opening bracket in which syntok looks for the closing one."""
_MOST_OPEN = 8
"""Brackets within this reach that syntok sees open at once."""


def sentence_starts(forms: Sequence[str], starts: Sequence[int]) -> list[int]:
    """Indices of the tokens that start a sentence; 0 is always one of them.

    :param forms: the tokens of one paragraph; each period is a token of its own
    :param starts: character offset of each token in the text
    """
    from syntok.segmenter import segment

    shown = _shown(forms)
    opening = [0]
    at = 0
    for sentence in segment(_library_tokens(forms, starts, shown)):
        at += len(sentence)
        if at < len(shown) and not _tells_who_spoke(forms, shown[at]):
            opening.append(shown[at])
    return opening


def _shown(forms: Sequence[str]) -> list[int]:
    """Indices of the tokens that syntok sees.

    References like ``[12]`` are hidden from it, so that they stay in the sentence before them. A word
    between two words is hidden to save time, since syntok decides by punctuation and its
    neighbours; on GUM's train split this changes nothing. So is the period of ``Gov. Costa`` or ``pp. 3``.
    Brackets inside many others are hidden too: syntok would look for the end of each anew.
    """
    shown = []
    brackets = _Brackets()
    is_word = [form.isalnum() for form in forms]
    is_word.append(False)  # for the token after the last, and for index -1, the one before the first
    at = 0
    while at < len(forms):
        if forms[at] == "[" and list(forms[at + 2 : at + 3]) == ["]"] and forms[at + 1].isdecimal():
            at += 3
            continue
        if (
            not (is_word[at] and is_word[at - 1] and is_word[at + 1])
            and not brackets.hide(forms[at], at)
            and not abbreviates(forms, at)
        ):
            shown.append(at)
        at += 1
    return shown


class _Brackets:
    """Knows which brackets of a paragraph are open, and hides those that are inside too many others."""

    def __init__(self) -> None:
        self._open: deque[tuple[int, bool]] = deque()
        """The place of each open bracket, and whether it is hidden; those out of reach are left out."""
        self._n_shown = 0

    def hide(self, form: str, at: int) -> bool:
        """Whether syntok should not see this token. Asked once for each token, in order."""
        if form in _CLOSING and self._open:
            _, is_hidden = self._open.pop()
            self._n_shown -= not is_hidden
            return is_hidden
        if form not in _OPENING:
            return False
        while self._open and self._open[0][0] < at - _BRACKET_REACH:
            self._n_shown -= not self._open.popleft()[1]
        is_hidden = self._n_shown >= _MOST_OPEN
        self._open.append((at, is_hidden))
        self._n_shown += not is_hidden
        return is_hidden


def abbreviates(forms: Sequence[str], at: int) -> bool:
    """Whether this is the period of an abbreviation after which the sentence goes on."""
    if forms[at] != "." or not 0 < at < len(forms) - 1:
        return False
    word, following = forms[at - 1], forms[at + 1][0]
    if following.isupper():
        patterns = [_TITLE, _LEADING]
    elif following.isdecimal():
        patterns = [_NUMBERED, _LEADING, _MOSTLY_LEADING]
    elif following.islower():
        patterns = [_INNER, _LEADING, _MOSTLY_LEADING]
    elif following in _OPENING:
        patterns = [_LEADING, _MOSTLY_LEADING]
    else:
        return False
    return any(pattern.fullmatch(word) for pattern in patterns)


def _library_tokens(forms: Sequence[str], starts: Sequence[int], shown: list[int]) -> Iterator["Token"]:
    from syntok.tokenizer import Token

    for number in shown:
        form, start = forms[number], starts[number]
        is_glued = number > 0 and starts[number - 1] + len(forms[number - 1]) == start
        # To syntok a semicolon ends a sentence; in GUM's train split only 14 of 191 do.
        yield Token("" if is_glued else " ", "," if form == ";" else form, start)


def _tells_who_spoke(forms: Sequence[str], at: int) -> bool:
    """Whether the sentence continues after a quoted question or exclamation: ``“Who?” Jo asked``.

    A pronoun there would be in lower case, and syntok handles that itself.
    """
    return (
        forms[at - 1] in ("”", '"', "’", "'")
        and forms[at - 2] in ("?", "!")
        and forms[at] not in ("He", "It", "She", "They", "We", "You")
        and at + 1 < len(forms)
        and _SAYING.fullmatch(forms[at + 1]) is not None
    )
