"""What joins sentences into a document: its EDUs as units, with the layout that raw text shows.

A unit is an EDU. Above sentences a tree may be split only where a sentence ends, so that each sentence keeps its own
tree. Everything here is known from text, sentences, EDUs and sentence trees; nothing is gold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.runtime.network import Bools, Floats, Ints

TEXT, HEADING, ITEM = 0, 1, 2
"""Kinds of paragraphs."""

EDGES = ("inside", "sentence", "paragraph", "before heading", "after heading", "before item")
"""Kinds of places where a span may be split."""

N_FLAGS = 14
"""Size of what is known of a unit besides its words."""

NEAR = 24
"""Number of candidates that are considered from either end of a span, of each kind of edge."""
SPREAD = 16
"""Number of candidates that are considered all over the span."""

_MOST_HEADING_TOKENS = 12
_BULLET = re.compile(r"[-*•·–—▪◦‣]\s*\Z|\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\Z")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[^\S\r\n]*[\r\n]")
_LINE_END = re.compile(r"[\r\n]")
_QUOTES = "\"'“‘«`"
_FINAL = ".?!…:;,"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Units:
    """The units of a document as arrays; n is their number."""

    tokens: Ints
    """First token and end of each unit, ``(n, 2)``."""
    flags: Floats
    """What is known of each unit besides its words, ``(n, N_FLAGS)``."""
    is_head: Floats
    """1 for the EDU of each sentence that its tree promotes to the top, else 0; ``(n,)``."""
    sentences: Ints
    """The sentence of each unit, ``(n + 1,)``; the last entry is the number of sentences."""
    paragraphs: Ints
    """The paragraph of each unit, ``(n + 1,)``; the last entry is the number of paragraphs."""
    edges: Ints
    """Which of :data:`EDGES` lies before each unit, ``(n,)``."""
    n_heads: Ints
    """Number of heads before each unit, ``(n + 1,)``, with a last entry for all."""
    blocks: Ints
    """The block of text that each unit's sentence starts in, ``(n,)``: what people see as paragraphs, where the network
    has always taken line ends for their edges."""

    def __len__(self) -> int:
        return len(self.tokens)

    def is_above(self, start: int, end: int) -> bool:
        """Whether these units are of more than one sentence."""
        return bool(self.sentences[start] != self.sentences[end - 1])


def units_of(document: Document, trees: Sequence[Tree | None]) -> Units:
    """The units of a document with sentences and EDUs, none of which crosses a sentence's edge.

    :param trees: the tree of each sentence; without one its first EDU stands for it
    """
    spans = document.sentence_edus()
    n_edus = len(document.edus)
    starts_sentence = np.zeros(n_edus, dtype=bool)
    starts_paragraph = np.zeros(n_edus, dtype=bool)
    kinds = np.zeros(n_edus, dtype=np.int64)
    is_head = np.zeros(n_edus, dtype=np.float32)
    paragraphs = find_paragraphs(document)
    for paragraph in paragraphs:
        kind = kind_of(document, paragraph)
        for number in paragraph.indices():
            span = spans[number]
            if span is None:
                raise ValueError(f"an EDU crosses the edge of sentence {number}")
            kinds[span.start : span.end] = kind
            starts_sentence[span.start] = True
            starts_paragraph[span.start] |= number == paragraph.start
            tree = trees[number]
            is_head[span.start + (0 if tree is None else head_edu(tree))] = 1
    return Units(
        tokens=np.array([(edu.start, edu.end) for edu in document.edus], dtype=np.int64).reshape(-1, 2),
        flags=_flags(document, starts_sentence, starts_paragraph, kinds, is_head),
        is_head=is_head,
        sentences=_running(starts_sentence),
        paragraphs=_running(starts_paragraph),
        edges=_edges(starts_sentence, starts_paragraph, kinds),
        n_heads=np.append(0, np.cumsum(is_head)).astype(np.int64),
        blocks=_blocks(document, spans, starts_paragraph),
    )


def _blocks(document: Document, spans: Sequence[Span | None], starts_paragraph: Bools) -> Ints:
    of_sentences = document.sentence_blocks()
    if not of_sentences:
        return np.cumsum(starts_paragraph)
    lengths = [0 if span is None else len(span) for span in spans]
    return np.repeat(np.array(of_sentences, dtype=np.int64), lengths)


def head_edu(tree: Tree) -> int:
    """The EDU that nuclei lead to from the root; the left one of two nuclei."""
    at = Span(0, tree.n_edus)
    number = 0
    splits = tree.splits
    while len(at) > 1:
        split = splits[number]
        if split.nuclearity == "SN":
            at = split.right
            number += split.split - split.start  # the splits of the left part come first
        else:
            at = split.left
            number += 1
    return at.start


def find_paragraphs(document: Document) -> list[Span]:
    """Spans of sentences with blank lines between them, or with single line ends in a text that has no blank line.

    Where markup says what a paragraph is, line ends do not count.
    """
    n = len(document.sentences)
    if not n:
        return []
    if document.markup and document.blocks:
        lengths = [len(list(same)) for _, same in groupby(document.sentence_blocks())]
        return list(spans_of_lengths(lengths))
    gaps = [
        document.text[document.tokens[before.end - 1].end : document.tokens[after.start].start]
        for before, after in pairwise(document.sentences)
    ]
    are_edges = [bool(_BLANK_LINE.search(gap)) for gap in gaps]
    if not any(are_edges):
        are_edges = [bool(_LINE_END.search(gap)) for gap in gaps]
    starts = [0, *(number for number, is_edge in enumerate(are_edges, start=1) if is_edge)]
    return [Span(start, end) for start, end in pairwise([*starts, n])]


def kind_of(document: Document, paragraph: Span) -> int:
    """Whether a paragraph looks like a heading, an item of a list, or text."""
    first = document.sentences[paragraph.start]
    opening = "".join(document.forms_of(Span(first.start, min(first.end, first.start + 2))))
    if _BULLET.match(document.tokens[first.start].form) or (
        len(first) > 2 and _BULLET.match(opening) and not opening[0].isalpha()
    ):
        return ITEM
    last = document.tokens[first.end - 1].form
    if (
        len(paragraph) == 1
        and len(first) <= _MOST_HEADING_TOKENS
        and last[-1] not in _FINAL + _QUOTES + "”’»"
    ):
        return HEADING
    return TEXT


def _flags(
    document: Document, starts_sentence: Bools, starts_paragraph: Bools, kinds: Ints, is_head: Floats
) -> Floats:
    n = len(document.edus)
    flags = np.zeros((n, N_FLAGS), dtype=np.float32)
    flags[:, 0] = starts_sentence
    flags[:, 1] = np.append(starts_sentence[1:], True)[:n]
    flags[:, 2] = starts_paragraph
    flags[:, 3] = np.append(starts_paragraph[1:], True)[:n]
    flags[:, 4] = kinds == HEADING
    flags[:, 5] = kinds == ITEM
    flags[:, 6] = is_head
    places = np.arange(n, dtype=np.float64)
    flags[:, 7] = places / max(1, n)
    flags[:, 8] = 1 / (1 + places)
    flags[:, 9] = 1 / np.maximum(1, n - places)
    for number, edu in enumerate(document.edus):
        first, last = document.tokens[edu.start].form, document.tokens[edu.end - 1].form
        flags[number, 10] = first[0] in _QUOTES
        flags[number, 11] = last[-1] == "?"
        flags[number, 12] = last[-1] == ":"
        flags[number, 13] = np.log1p(len(edu)) / 4
    return flags


def _edges(starts_sentence: Bools, starts_paragraph: Bools, kinds: Ints) -> Ints:
    edges = np.where(starts_paragraph, 2, np.where(starts_sentence, 1, 0)).astype(np.int64)
    before = np.append(TEXT, kinds[:-1])[: len(kinds)]
    edges[starts_paragraph & (kinds == ITEM)] = 5
    edges[starts_paragraph & (before == HEADING)] = 4
    edges[starts_paragraph & (kinds == HEADING)] = 3
    return edges


def _running(starts: Bools) -> Ints:
    """For each unit the number of the sentence or paragraph it is in, and after the last unit how many there are."""
    n = int(starts.sum())
    return np.append(np.cumsum(starts) - 1, n).astype(np.int64)


class Candidates:
    """Where each span may be split: at a bounded number of places, so that time is linear."""

    def __init__(self, units: Units, *, by_paragraph: bool = False) -> None:
        """Find the places of a document.

        :param by_paragraph: whether a span of several blocks may be split only between them
        """
        self._units = units
        self._by_paragraph = by_paragraph
        places = np.arange(len(units))
        starts_block = np.diff(units.blocks, prepend=-1) != 0
        is_heading = units.edges == EDGES.index("before heading")
        # By how strong an edge there is: sentences, paragraphs, headings.
        self._levels = [
            places[units.edges >= EDGES.index("sentence")],
            places[units.edges >= EDGES.index("paragraph")],
            places[is_heading],
        ]
        self._fences = [places[starts_block], places[starts_block & is_heading]]

    def of(self, start: int, end: int) -> Ints:
        """The candidates of a span of two units or more, in order: units that may start its right part."""
        units = self._units
        if not units.is_above(start, end):
            return np.arange(start + 1, end)
        is_fenced = self._by_paragraph and units.blocks[start] != units.blocks[end - 1]
        found: list[Ints] = []
        for places in self._fences if is_fenced else self._levels:
            low, high = np.searchsorted(places, (start + 1, end)).tolist()
            if high - low > 2 * NEAR + SPREAD:
                spread = np.linspace(low + NEAR, high - NEAR - 1, SPREAD).astype(np.int64)
                found += [places[low : low + NEAR], places[spread], places[high - NEAR : high]]
            elif found:
                found.append(places[low:high])
            else:
                own: Ints = places[low:high]
                return own  # every edge is a candidate, those of other levels among them
        every: Ints = np.unique(np.concatenate(found))
        return every
