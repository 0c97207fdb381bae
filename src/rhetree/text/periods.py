"""Finds periods that belong to the word before them: in abbreviations and in numbers of a list."""

import re
from collections.abc import Sequence

_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
"""``U.S``, ``a.m``, ``J``."""

_ABBREVIATION = re.compile(
    r"""
      al|approx|ave|ca|capt|cf|co|col|corp|dept|dr|eds?|esp|est|etc|figs?|gen|gov|hon|inc|jr|lt|ltd|messrs|mlle
    | mr|mrs|ms|mt|pp|prof|rep|rev|sen|sgt|sr|st|univ|vols?|vs
    | jan|feb|apr|jun|jul|aug|sept|oct|nov|dec|mon|tues?|wed|thu|thurs|fri
    """,
    re.VERBOSE | re.IGNORECASE,
)

_ALSO_LAST = re.compile(r"al|co|corp|etc|inc|jr|ltd|sr", re.IGNORECASE)
"""Abbreviations that often end a sentence; their period then also ends the sentence."""

_CLOSING = frozenset(")]}\"'”’»")


def joined_periods(forms: Sequence[str], starts: Sequence[int], first: int, end: int) -> set[int]:
    """Indices of the periods in the sentence ``first..end`` that belong to the token before them."""
    joined: set[int] = set()
    last = _last(forms, first, end)
    at = first
    while True:
        try:
            at = forms.index(".", at + 1, end)
        except ValueError:
            return joined
        word = forms[at - 1]
        if starts[at - 1] + len(word) != starts[at]:
            continue
        is_glued = at + 1 < end and starts[at] + 1 == starts[at + 1]
        if word[-1].isdecimal():
            is_joined = at == first + 1 and at < last and not is_glued
        elif is_glued and forms[at + 1] in (",", ";", ":"):
            is_joined = word[-1].isalpha()
        elif word in ("No", "no") and at < last and forms[at + 1][0].isdecimal():
            is_joined = True
        elif _INITIALS.fullmatch(word):
            is_joined = "." in word or at < last
        else:
            is_joined = (_ABBREVIATION if at < last else _ALSO_LAST).fullmatch(word) is not None
        if is_joined:
            joined.add(at)


def _last(forms: Sequence[str], first: int, end: int) -> int:
    """Index of a sentence's last token, not counting quotes, brackets and references like ``[12]``."""
    last = end - 1
    while last > first and (forms[last] in _CLOSING or forms[last] == "[" or forms[last].isdecimal()):
        last -= 1
    return last
