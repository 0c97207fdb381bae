"""Where sentences start among the tokens of a paragraph: as syntok says, corrected toward GUM."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syntok.tokenizer import Token

_SAYING = re.compile(
    "(?:add|answer|ask|call|demand|exclaim|repeat|scream|shout|whisper|yell)(?:s|ed)?|said|says?|(?:cr|repl)(?:y|ies|ied)"
)


def sentence_starts(forms: Sequence[str], starts: Sequence[int]) -> list[int]:
    """The numbers of the tokens that open a sentence, the first among them.

    :param forms: the tokens of one paragraph; periods are tokens of their own
    :param starts: where each starts in the text
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
    """The numbers of the tokens that syntok gets to see.

    Marks like ``[12]`` are kept from it, so that they go with the sentence before them. So are
    words between two words, to save time: what it does depends on marks and what is beside them
    (on GUM's train split this changes nothing).
    """
    shown = []
    is_word = [form.isalnum() for form in forms]
    is_word.append(False)  # after the last, and before the first, which Python counts as -1
    at = 0
    while at < len(forms):
        if forms[at] == "[" and list(forms[at + 2 : at + 3]) == ["]"] and forms[at + 1].isdecimal():
            at += 3
            continue
        if not (is_word[at] and is_word[at - 1] and is_word[at + 1]):
            shown.append(at)
        at += 1
    return shown


def _library_tokens(forms: Sequence[str], starts: Sequence[int], shown: list[int]) -> Iterator["Token"]:
    from syntok.tokenizer import Token

    for number in shown:
        form, start = forms[number], starts[number]
        is_glued = number > 0 and starts[number - 1] + len(forms[number - 1]) == start
        # A semicolon ends a sentence for syntok; in GUM's train split 14 of 191 do.
        yield Token("" if is_glued else " ", "," if form == ";" else form, start)


def _tells_who_spoke(forms: Sequence[str], at: int) -> bool:
    """Whether the sentence goes on after a question or exclamation in quotes: ``“Who?” Jo asked``.

    A pronoun would be in lower case, which syntok minds itself.
    """
    return (
        forms[at - 1] in ("”", '"', "’", "'")
        and forms[at - 2] in ("?", "!")
        and forms[at] not in ("He", "It", "She", "They", "We", "You")
        and at + 1 < len(forms)
        and _SAYING.fullmatch(forms[at + 1]) is not None
    )
