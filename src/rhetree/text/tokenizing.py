"""Turns raw text, or the texts of EDUs, into a document."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rhetree.domain.blocks import Block, fitted
from rhetree.domain.document import Document, Token
from rhetree.domain.markup import Markup, ShownText
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.text.blocks import find_blocks, in_source, is_paragraph_break, numbered_items, starts_item
from rhetree.text.periods import joined_periods
from rhetree.text.words import WORD, cut


def tokenize(
    text: str, name: str = "", markup: Sequence[Markup] = (), blocks: Sequence[Block] = ()
) -> Document:
    """Split a text into tokens and sentences, and find its paragraphs, headings and items of lists.

    A token's form is exactly the text at its offsets. Between tokens there are only white space,
    control characters and zero-width characters. A blank line ends a paragraph, and so a sentence; so does
    a line that starts with a bullet, or with the next number of a list.

    :param markup: characters that are not read as they stand. Tokens are of the text without it, and
        their offsets are those of the text with it; a word with markup inside is one token.
    :param blocks: the paragraphs, headings and items, where they are known; between two of them there is
        a blank line, or markup that is read as one
    """
    if markup:
        return _with_markup(text, name, markup, blocks)
    tokens: list[Token] = []
    n_tokens: list[int] = []
    found = list(paragraphs(text))
    for (forms, starts), opening in zip(found, _split(text, found), strict=True):
        for sentence in _sentences(forms, starts, opening):
            tokens += sentence
            n_tokens.append(len(sentence))
    sentences = spans_of_lengths(n_tokens)
    return Document(
        name=name,
        text=text,
        tokens=tuple(tokens),
        sentences=sentences,
        blocks=fitted(blocks, tokens) or find_blocks(text, tokens, sentences),
    )


def tokenize_edus(edus: Sequence[str], name: str = "") -> Document:
    """A document made of the texts of its EDUs, joined by single spaces.

    No token crosses an EDU boundary, and every sentence starts at one.
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
    text = " ".join(edus)
    forms, starts = _cut_all(words)
    (found,) = _split(text, [(forms, starts)])
    opening = [number for number in found if starts[number] in edges]
    sentences = list(_sentences(forms, starts, opening))
    tokens = [token for sentence in sentences for token in sentence]
    firsts = [number for number, token in enumerate(tokens) if token.start in edges]
    return Document(
        name=name,
        text=text,
        tokens=tuple(tokens),
        sentences=spans_of_lengths(map(len, sentences)),
        edus=tuple(Span(first, end) for first, end in zip(firsts, [*firsts[1:], len(tokens)], strict=True)),
    )


def add_sentences(document: Document, *, at_edus: bool = False) -> Document:
    """The document with sentences found, its tokens as they are.

    :param at_edus: start sentences only where an EDU starts
    """
    tokens = document.tokens
    gaps = (document.text[one.end : other.start] for one, other in pairwise(tokens))
    breaks = [number for number, gap in enumerate(gaps, start=1) if is_paragraph_break(gap)]
    allowed = {edu.start for edu in document.edus} if at_edus else range(len(tokens))
    firsts = [0, *breaks] if tokens else []
    own = [tokens[first:end] for first, end in pairwise([*firsts, len(tokens)])]
    split = _split(
        document.text, [([token.form for token in some], [token.start for token in some]) for some in own]
    )
    starts = [
        first + number
        for first, found in zip(firsts, split, strict=True)
        for number in found
        if first + number in allowed
    ]
    ends = [*starts[1:], len(tokens)]
    return replace(document, sentences=tuple(map(Span, starts, ends)))


def _with_markup(text: str, name: str, markup: Sequence[Markup], blocks: Sequence[Block]) -> Document:
    shown = ShownText(text, markup)
    document = tokenize(shown.text, name)
    tokens: list[Token] = []
    at = 0
    for token in document.tokens:
        start, end = shown.to_source(token.start, token.end)
        start = max(start, at)  # two tokens may share one escape, of which the first has the characters
        at = max(start, end)
        tokens.append(Token(token.form, start, at))
    placed = fitted(blocks, tokens) or in_source(document.blocks, shown, tokens)
    return replace(document, text=text, tokens=tuple(tokens), markup=tuple(markup), blocks=placed)


def paragraphs(text: str) -> Iterator[tuple[list[str], list[int]]]:
    """The tokens of each paragraph, with periods as tokens of their own, and their character offsets."""
    return map(_cut_all, _words_by_paragraph(text))


def _words_by_paragraph(text: str) -> Iterator[list[tuple[str, int]]]:
    words: list[tuple[str, int]] = []
    items = numbered_items(text)
    end = 0
    for found in WORD.finditer(text):
        start, next_end = found.span()
        gap = text[end:start]
        if (
            words
            and gap != " "
            and (is_paragraph_break(gap) or start in items or starts_item(text, gap, start))
        ):
            yield words
            words = []
        words.append((found[0], start))
        end = next_end
    if words:
        yield words


def _cut_all(words: Iterable[tuple[str, int]]) -> tuple[list[str], list[int]]:
    """Tokens of these words, with periods as tokens of their own, and their character offsets."""
    forms: list[str] = []
    starts: list[int] = []
    for word, start in words:
        for form in cut(word):
            forms.append(form)
            starts.append(start)
            start += len(form)
    return forms, starts


def _split(text: str, tokens: Sequence[tuple[list[str], list[int]]]) -> Iterator[list[int]]:
    """The tokens that start a sentence, for each paragraph, given as :func:`paragraphs` gives it."""
    from rhetree.text.splitter import load_splitter  # brings NumPy

    return load_splitter().split(text, tokens)


def _sentences(forms: list[str], starts: list[int], opening: list[int]) -> Iterator[list[Token]]:
    """The tokens of each sentence, after joining periods to the words they belong to."""
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
