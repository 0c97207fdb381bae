"""Gives sentences to documents whose tree files have only EDUs: from a second file, or by a rule.

The trees and the tokens of a text are often in two files. If both have the same tokens,
:func:`with_tokens_of` joins them token by token. If not (RST-DT's running text, the Penn
Treebank's tokens), :func:`onto_text` and :func:`with_sentences_of` compare characters. Without a
second file, :func:`with_sentences_by_rule` looks at how EDUs end. Where an EDU runs over the end
of a sentence, :func:`cut_at_sentences` cuts it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from rhetree.corpora.alignment import Place, locate
from rhetree.domain.annotation import Signal
from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span
from rhetree.errors import MismatchError, counted

RULE = (
    "a sentence ends with an EDU that ends in . ? ! or an ellipsis, closing quotes and brackets aside, "
    "unless the next EDU starts in lower case, and at the end of a paragraph"
)
"""The rule of :func:`with_sentences_by_rule` in words."""

_FINAL = re.compile(r"""[.?!…]["'”’»)\]}\s]*\Z""")
_LOWER = re.compile(r"""["'“‘`«(\[{\s]*[a-z]""")
_PARAGRAPH = re.compile(r"\n\s*\n")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A document made from two files, with notes on where they did not fit."""

    document: Document
    notes: tuple[str, ...] = ()


def with_tokens_of(
    document: Document, gold: Document, path: Path, gold_path: Path, *, lenient: bool = False
) -> Aligned:
    """Put the trees and EDUs of one document on the text, tokens and sentences of another.

    Both must have the same tokens, and the same EDUs if both have any. ``lenient`` accepts, and
    notes, up to one token in a hundred that differs; the other document's token counts.
    """
    notes: list[str] = []
    for number, (found, expected) in enumerate(zip(document.tokens, gold.tokens, strict=False), start=1):
        if found.form != expected.form:
            differs = f"token {number} is {found.form!r}, expected {expected.form!r} as in {gold_path}"
            if not lenient or 100 * len(notes) >= len(gold.tokens):
                raise MismatchError(f"{path}: {differs}")
            notes.append(differs)
    if len(document.tokens) != len(gold.tokens):
        raise MismatchError(
            f"{path}: {counted(len(document.tokens), 'token')}, expected {len(gold.tokens)} as in {gold_path}"
        )
    if document.edus and gold.edus and gold.edus != document.edus:
        starts, gold_starts = ({edu.start for edu in edus} for edus in (document.edus, gold.edus))
        token = min(starts ^ gold_starts)
        one, other = (path, gold_path) if token in starts else (gold_path, path)
        raise MismatchError(
            f"{one}: an EDU starts at token {token + 1} ({gold.tokens[token].form!r}), but none does in {other}"
        )
    together = replace(
        document,
        text=gold.text,
        tokens=gold.tokens,
        sentences=gold.sentences,
        edus=document.edus or gold.edus,
        syntax=gold.syntax,
        blocks=gold.blocks,
        metadata={**document.metadata, **gold.metadata},
    )
    return Aligned(together, tuple(notes))


def onto_text(document: Document, text: str, path: Path) -> Aligned:
    """Return the document with its tokens placed in a text that differs in white space or a few words.

    :param path: the document's own file, for messages
    """
    located = locate([token.form for token in document.tokens], text, path)
    tokens = [
        _token(token.form, text, place) for token, place in zip(document.tokens, located.places, strict=True)
    ]
    for number, edu in enumerate(document.edus, start=1):
        if tokens[edu.start].start == tokens[edu.end - 1].end:
            raise MismatchError(f"{path}: no word of EDU {number} ({document.text_of(edu)!r}) is in the text")
    notes = [f"the text has {difference}" for difference in located.differences]
    return Aligned(replace(document, text=text, tokens=tuple(tokens), blocks=()), tuple(notes))


def with_sentences_of(document: Document, gold: Document, gold_path: Path) -> Aligned:
    """Return the document with the tokens and sentences of another, found in its text.

    A token that crosses the edge of an EDU becomes two. Words of the text that the other document
    lacks keep the document's own tokens: those after its last sentence get sentences by the rule,
    others belong to the sentence before them.
    """
    located = locate([token.form for token in gold.tokens], document.text, gold_path)
    notes = [f"the text has {difference}" for difference in located.differences]
    edges = [document.tokens[edu.start].start for edu in document.edus]
    known_end = located.places[-1].end if located.places else 0
    # Characters where sentences start. A sentence with no word in the text starts where the next one does.
    starts = {located.places[sentence.start].start for sentence in gold.sentences[1:]}
    beyond = bisect_left(edges, known_end)
    if beyond < len(edges):
        starts |= {edges[number] for number in _rule_starts(document) if edges[number] >= known_end}
        starts.add(edges[beyond])
        n_beyond = len(edges) - beyond
        which = "the last EDU is" if n_beyond == 1 else f"the last {n_beyond} EDUs are"
        notes.append(f"{which} not in {gold_path}; their sentences are by rule")

    tokens: list[Token] = []
    n_cut = 0
    for form, place in _cover(gold.tokens, located.places, document.text):
        cuts = edges[bisect_right(edges, place.start) : bisect_left(edges, place.end)]
        n_cut += bool(cuts)
        for start, end in pairwise([place.start, *cuts, place.end]):
            end = start + len(document.text[start:end].rstrip())
            tokens.append(_token(form, document.text, Place(start, end)))
    if n_cut:
        which = f"1 token of {gold_path} crosses" if n_cut == 1 else f"{n_cut} tokens of {gold_path} cross"
        notes.append(f"{which} an EDU's edge and {'is' if n_cut == 1 else 'are'} cut there")
    token_starts = [token.start for token in tokens]
    return Aligned(
        replace(
            document,
            tokens=tuple(tokens),
            sentences=_spans_from(sorted(starts), token_starts),
            edus=_spans_from(edges[1:], token_starts) if edges else (),
            signals=tuple(_move(signal, document.tokens, token_starts) for signal in document.signals),
            syntax=None,
            metadata={**document.metadata, **gold.metadata},
        ),
        tuple(notes),
    )


def with_sentences_by_rule(document: Document) -> Document:
    """The document with sentences made of whole EDUs, by :data:`RULE`."""
    starts = [document.edus[number].start for number in _rule_starts(document)]
    ends = [*starts[1:], len(document.tokens)]
    return replace(document, sentences=tuple(map(Span, starts, ends)))


def cut_at_sentences(document: Document) -> Document:
    """The document with every EDU inside one sentence; one that crosses a sentence's edge is cut there.

    A document whose EDUs cross no edge comes back as it is. One that is changed loses its trees,
    whose leaves are no longer its EDUs.
    """
    starts = sorted({span.start for span in (*document.edus, *document.sentences)})
    if not document.edus or len(starts) == len(document.edus):
        return document
    edus = tuple(map(Span, starts, [*starts[1:], len(document.tokens)]))
    return replace(document.without_trees(), edus=edus)


def _rule_starts(document: Document) -> list[int]:
    """Numbers of the EDUs that start a sentence, beginning with 0."""
    starts = [0] if document.edus else []
    texts = document.edu_texts()
    for number, (edu, following) in enumerate(pairwise(document.edus), start=1):
        between = document.text[document.tokens[edu.end - 1].end : document.tokens[following.start].start]
        is_final = _FINAL.search(texts[number - 1]) and not _LOWER.match(texts[number])
        if is_final or _PARAGRAPH.search(between):
            starts.append(number)
    return starts


def _token(form: str, text: str, place: Place) -> Token:
    """A token whose form is its text if that is one word, else this form."""
    here = text[place.start : place.end]
    return Token(here if _WORD.fullmatch(here) else form, place.start, place.end)


def _cover(tokens: Sequence[Token], places: Sequence[Place], text: str) -> Iterator[tuple[str, Place]]:
    """The tokens that are in the text, and the words between them that no token covers."""
    at = 0
    for token, place in zip(tokens, places, strict=True):
        yield from _words(text, at, place.start)
        if place.start < place.end:
            yield token.form, place
        at = place.end
    yield from _words(text, at, len(text))


def _words(text: str, start: int, end: int) -> Iterator[tuple[str, Place]]:
    return ((match[0], Place(*match.span())) for match in _WORD.finditer(text, start, end))


def _move(signal: Signal, tokens: Sequence[Token], new_starts: Sequence[int]) -> Signal:
    """Move a signal to the new tokens that overlap its old ones."""
    moved: set[int] = set()
    for number in signal.tokens:
        first = bisect_right(new_starts, tokens[number].start) - 1
        moved.update(range(max(0, first), bisect_left(new_starts, tokens[number].end)))
    return replace(signal, tokens=tuple(sorted(moved)))


def _spans_from(starts: Sequence[int], token_starts: Sequence[int]) -> tuple[Span, ...]:
    """Split the tokens into spans, with a new span at each of these characters."""
    cuts = sorted({0, *(bisect_left(token_starts, start) for start in starts), len(token_starts)})
    return tuple(Span(*cut) for cut in pairwise(cuts))
