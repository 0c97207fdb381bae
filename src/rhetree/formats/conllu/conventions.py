"""What a CoNLL-U file leaves implicit, in one place for reader and writer."""

from collections.abc import Iterable, Sequence

from rhetree.domain.span import spans_of_lengths
from rhetree.formats.conllu.blocks import key_of

EDUS_KEY = "conllu.edus"
"""Metadata: how the file marks EDU starts, if not in DISRPT's way since 2024."""

PARAGRAPH = "\n\n"
"""What stands between two paragraphs."""

BLANK = ("_",) * 8
"""LEMMA to MISC of a word that has no annotation."""


def implied_gaps(n_units: Sequence[int], paragraphs: Sequence[bool]) -> list[str]:
    """The text after each written word, as far as MISC does not give it.

    :param n_units: how many written words each sentence has
    :param paragraphs: whether each sentence opens a paragraph
    """
    gaps: list[str] = []
    for count, is_paragraph in zip(n_units, [*paragraphs[1:], None], strict=True):
        last = "" if is_paragraph is None else PARAGRAPH if is_paragraph else " "
        gaps += [" "] * (count - 1) + [last]
    return gaps


def ranges(text: str, forms: Sequence[str]) -> list[tuple[int, int]]:
    """Where in the text of a fused word its words stand.

    Where their letters are not those of the text (French *du* is *de le*), the first word has
    all of it and the others are empty at its end.
    """
    if len(forms) > 1 and "".join(forms) == text:
        return [(span.start, span.end) for span in spans_of_lengths(map(len, forms))]
    return [(0, len(text))] + [(len(text), len(text))] * (len(forms) - 1)


def sentence_text(texts: Sequence[str], gaps: Sequence[str]) -> str:
    """A sentence as ``# text`` has it: whatever stands between two words is one space."""
    parts = [part for text, gap in zip(texts, gaps, strict=True) for part in (text, " " if gap else "")]
    return one_line("".join(parts[:-1])).strip()


def one_line(text: str) -> str:
    """The text without tabs and line ends."""
    return text.translate({ord(character): " " for character in "\t\n\r"})


def usual_comments(name: str, number: int, paragraph: Iterable[str]) -> list[str]:
    """The comments of a sentence that has none of its own; ``# text`` without its value.

    :param name: the document's
    :param number: the sentence's in its document, from 0
    :param paragraph: the comments on the paragraph that it opens
    """
    identity = f"{name}-{number + 1}" if name else f"{number + 1}"
    return [*paragraph, f"# sent_id = {identity}", "# text"]


def metadata_key(comment: str) -> str | None:
    """The metadata key of a comment: ``genre`` of ``# meta::genre = news``."""
    key = key_of(comment)
    if "=" not in comment:
        return None
    if key.startswith("meta::") and key != "meta::":
        return key.removeprefix("meta::")
    return f"conllu.{key}" if key.startswith("global.") else None


def metadata_comments(key: str, value: str) -> list[str]:
    """The comments for an entry of the metadata, one for each line of the value."""
    name = key.removeprefix("conllu.") if key.startswith("conllu.global.") else f"meta::{key}"
    return [f"# {name} = {line}" for line in value.split("\n")]
