"""From raw text, or from the texts of EDUs, to a document."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.text.periods import joined_periods
from rhetree.text.sentences import sentence_starts
from rhetree.text.words import WORD, cut

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x85\u2028]")


def tokenize(text: str, name: str = "") -> Document:
    """The tokens and sentences of a text.

    Every token is the very characters that it stands at. White space, control characters and
    characters without width are all that is between tokens. Sentences end where a paragraph
    does, at a blank line.
    """
    tokens: list[Token] = []
    n_tokens: list[int] = []
    for words in _paragraphs(text):
        forms, starts = _cut_all(words)
        for sentence in _sentences(forms, starts, sentence_starts(forms, starts)):
            tokens += sentence
            n_tokens.append(len(sentence))
    return Document(name=name, text=text, tokens=tuple(tokens), sentences=spans_of_lengths(n_tokens))


def tokenize_edus(edus: Sequence[str], name: str = "") -> Document:
    """The tokens, sentences and EDUs of EDU texts, which are joined by one space.

    No token and no sentence crosses the edge of an EDU.
    """
    words: list[tuple[str, int]] = []
    edges: set[int] = set()
    at = 0
    for number, edu in enumerate(edus, start=1):
        own = [(found[0], at + found.start()) for found in WORD.finditer(edu)]
        if not own:
            raise ValueError(f"EDU {number} has no text")
        edges.add(own[0][1])
        words += own
        at += len(edu) + 1
    if not words:
        return Document(name=name)
    forms, starts = _cut_all(words)
    opening = [number for number in sentence_starts(forms, starts) if starts[number] in edges]
    sentences = list(_sentences(forms, starts, opening))
    tokens = [token for sentence in sentences for token in sentence]
    firsts = [number for number, token in enumerate(tokens) if token.start in edges]
    return Document(
        name=name,
        text=" ".join(edus),
        tokens=tuple(tokens),
        sentences=spans_of_lengths(map(len, sentences)),
        edus=tuple(Span(first, end) for first, end in zip(firsts, [*firsts[1:], len(tokens)], strict=True)),
    )


def _paragraphs(text: str) -> Iterator[list[tuple[str, int]]]:
    """The words of each paragraph, and where they start."""
    words: list[tuple[str, int]] = []
    end = 0
    for found in WORD.finditer(text):
        start, next_end = found.span()
        if words and text[end:start] != " " and _is_paragraph_break(text[end:start]):
            yield words
            words = []
        words.append((found[0], start))
        end = next_end
    if words:
        yield words


def _is_paragraph_break(gap: str) -> bool:
    return len(_LINE_END.findall(gap)) > 1 or "\u2029" in gap


def _cut_all(words: Iterable[tuple[str, int]]) -> tuple[list[str], list[int]]:
    """The tokens of these words, periods by themselves, and where they start."""
    forms: list[str] = []
    starts: list[int] = []
    for word, start in words:
        for form in cut(word):
            forms.append(form)
            starts.append(start)
            start += len(form)
    return forms, starts


def _sentences(forms: list[str], starts: list[int], opening: list[int]) -> Iterator[list[Token]]:
    """The tokens of each sentence, with the periods that belong to them."""
    for first, end in zip(opening, [*opening[1:], len(forms)], strict=True):
        joined = joined_periods(forms, starts, first, end)
        tokens: list[Token] = []
        for number in range(first, end):
            form, start = forms[number], starts[number]
            if number in joined:
                last = tokens.pop()
                form, start = last.form + form, last.start
            tokens.append(Token(form, start, start + len(form)))
        yield tokens
