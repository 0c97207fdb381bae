"""Texts that nobody would write, made from a seed, and what must hold of any document that is made of one.

``tests/test_hostile_text.py`` tries some hundreds, ``benchmarks/campaign.py text`` as many as it is told.
"""

import random
import unicodedata
from collections.abc import Iterator

from rhetree.domain.document import Document

SCRIPTS = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    "äéîøßñçœİıŁ",
    "абвгдежзик",
    "αβγδεΣς",
    "אבגדהו",
    "ابتثجحخ",
    "अआइईकखगि",
    "กขคงจำ",
    "漢字仮名交文",
    "한국어문장",
    "ⅣⅧ½²㎏ﬁ",
    "😀👍🏽👩‍👩‍👧🇩🇪🇫",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢𐍈𠀋",
)
SPACES = (
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\v",
    "\f",
    "\x85",
    "\u00a0",
    "\u2003",
    "\u2028",
    "\u2029",
    "\u3000",
)
CONTROLS = tuple(map(chr, (*range(32), 127, *range(128, 160))))
WIDTHLESS = tuple(
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\ufeff\ufff9\U000e0001\U000e007f"
)
MARKS = tuple("\u0300\u0301\u0308\u0327\u20dd\u0e49\u0651\u3099\ufe0f")
SURROGATES = ("\ud800", "\udbff", "\udc00", "\udfff", "\udcff")
PUNCTUATION = (
    *".,;:?!()[]{}\"'`“”‘’«»-–—…/\\|<>&%$#@*_+=~^°§。！？",
    *("...", "--", "``", "''", "?!", "))", "((", ":-)"),
)
PIECES = (
    *(
        "Mr.",
        "U.S.",
        "e.g.",
        "no. 5",
        "pp. 3",
        "[12]",
        "[1",
        "don't",
        "cannot",
        "gonna",
        "rock'n'roll",
        "O'Reilly",
    ),
    *("1,000.50", "3:45", "http://a.b/c?d=e&f", "www.a", "a@b.c", "#tag", "@name", "and/or", "C++", "x=1"),
    *("<b>", "</b>", "&amp;", "&#x41;", "**bold**", "# title", "- item", "| a | b |", "```"),
    *("because", "although", "which", "said", ", and", "if", "so that"),
    *("[SEP]", "[CLS]", "[PAD]", "<s>", "<|endoftext|>", "##ing", "▁"),
)

PATTERNS = {
    **{f"opening {mark}": mark for mark in "([{“«"},
    **{f"closing {mark}": mark for mark in ")]}”»"},
    **{f"marks {mark!r}": mark for mark in ".,?!;:'\"-_/\\@#&%*=+~<>|`"},
    **{f"spaced {mark!r}": f"{mark} " for mark in ".,?!('\"-"},
    **{f"after a letter {mark!r}": f"a{mark}" for mark in ".,?!(-_/@'\"\t\n\u200d\u00ad\u0301"},
    **{f"before a letter {mark!r}": f"{mark}a " for mark in "(#@'\"-"},
    "words": "word ",
    "titles": "Mr. ",
    "initials": "A.B. ",
    "numbers": "1.1,",
    "references": "[1] ",
    "addresses": "http://a.b/",
    "mail": "a@b.",
    "abbreviations": "e.g. ",
    "contractions": "n't'd",
    "hyphens": "co-e-",
    "faces": ":-)",
    "camel case": "aB",
    "letters": "a",
    "capitals": "A",
    "digits": "1",
    "brackets": "()",
    "deep brackets": "(a [b {c ",
    "sentences": "He left. ",
    "questions": "“Who?” Jo asked. ",
    "lines": "a\n",
    "paragraphs": "a\n\n",
    "accents": "a" + "\u0301" * 50,
    "joined emoji": "👩\u200d",
    "flags": "🇩",
    "skins": "👍🏽",
    "Han": "漢字。",
    "Thai": "กำ",
    "Arabic": "ش ",
    "nothing": "\x00",
    "halves": "\ud800",
    "halves and letters": "\ud800 a",
    "blanks": " ",
    "zero-width": "\u200b\u2060",
}
"""The time to tokenise much of each is proportional to its length."""


def hostile_texts(seed: int, most_parts: int = 12) -> Iterator[str]:
    """Texts without end; the same for the same seed."""
    source = random.Random(seed)
    while True:
        yield _text(source, most_parts)


def _text(source: random.Random, most_parts: int) -> str:
    style = source.randrange(10)
    parts = []
    for _ in range(source.randint(0, most_parts)):
        if style < 5:  # mostly words
            parts.append(_word(source))
            parts.append(source.choice([" ", " ", " ", ", ", ". ", *SPACES]))
        elif style < 8:  # anything
            parts.append(source.choice([_word, _mark, _junk, _run])(source))
        else:
            parts.append(source.choice([_junk, _run])(source))
    return "".join(parts)


def _word(source: random.Random) -> str:
    if source.random() < 0.3:
        return source.choice(PIECES)
    letters = source.choice(SCRIPTS) if source.random() < 0.3 else SCRIPTS[0]
    word = "".join(source.choices(letters, k=source.randint(1, 9)))
    return word + source.choice(PUNCTUATION) if source.random() < 0.2 else word


def _mark(source: random.Random) -> str:
    marks: list[str] = [*PUNCTUATION, *SPACES]
    return source.choice(marks)


def _junk(source: random.Random) -> str:
    kind = source.choice([CONTROLS, WIDTHLESS, MARKS, SURROGATES, SPACES])
    junk = "".join(source.choices(kind, k=source.randint(1, 4)))
    return source.choice(["", _word(source)]) + junk


def _run(source: random.Random) -> str:
    """One thing many times."""
    piece = source.choice(
        [source.choice(list(PATTERNS.values())), source.choice(MARKS), source.choice(SURROGATES)]
    )
    return piece * source.choice([2, 3, 5, 8, 20])


def extreme_texts(size: int) -> Iterator[tuple[str, str]]:
    """A name and a text of about so many characters, for each way in which a text can be too much of one thing."""
    yield "one word", "x" * size
    yield "one line of long words", ("x" * 1999 + " ") * (size // 2000)
    yield "one line of words in brackets", ("(word " * (size // 600))
    yield "opening brackets", "(" * (size // 100)
    yield "combining marks", "e" + "\u0301" * (size // 100)
    yield "blank lines", "\n" * size
    yield "halves of surrogate pairs", "\ud800" * (size // 100)
    yield "zero-width characters", "a" + "\u200b\u200d" * (size // 2)


def faults(document: Document, text: str) -> Iterator[str]:
    """What is wrong with a document that was made of a text by a model that finds EDUs and trees."""
    if document.text != text:
        yield "the text was changed"
    at = 0
    for token in document.tokens:
        if not at <= token.start < token.end <= len(text) or text[token.start : token.end] != token.form:
            yield f"the token {token!r} is not at its place"
        if any(map(_is_visible, text[at : token.start])):
            yield f"before {token!r} something is in no token: {text[at : token.start]!r}"
        at = token.end
    if any(map(_is_visible, text[at:])):
        yield f"after the last token something is in no token: {text[at:]!r}"
    if len(document.sentence_trees) != len(document.sentences) or None in document.sentence_edus():
        yield "not every sentence has its EDUs and its tree"
    for readings, span in zip(document.readings, document.sentence_edus(), strict=True):
        best = readings[0]
        probabilities = [
            *best.edu_probs,
            *best.split_probs,
            *(p for labels in best.label_probs for _, p in labels),
        ]
        if len(best.edus) != len(span or ()) or not all(0 <= p <= 1 for p in probabilities):
            yield "a reading does not fit its sentence"


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Zs", "Zl", "Zp", "Cc", "Cf")
