"""The tree search: split the sentence, then its left part, then its right one.

Each hypothesis has a stack of spans that wait to be split; at each step the top spans of all open
hypotheses go through the decoder together. A span of two EDUs can be split in one way only and takes
no step. Labels do not influence the structure, so they are found afterwards
(:mod:`rhetree.runtime.readings`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rhetree.domain.span import Span
from rhetree.runtime.beam import Beam, Found, Index, Scores
from rhetree.runtime.constraints import SentenceConstraints
from rhetree.runtime.network import Encoded, Floats, Ints, Network, SpansToSplit

REACH = 128
"""A split is at most this many EDUs away from one end of its span.

It bounds the cost of a step in a very long sentence. It changes nothing in spans of up to twice as
many EDUs, and no sentence that people write is longer.
"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Structures:
    """Trees without labels, grouped by item, the best tree of each item first."""

    items: Ints
    """The item that each tree belongs to, ``(trees,)``."""
    scores: Scores
    """The log-probability of each tree, ``(trees,)``."""
    owners: Ints
    """The tree of each split, ``(splits,)``, ascending; a tree's splits are in pre-order."""
    edus: Ints
    """For each split its first EDU, the first EDU of its right part and its end, ``(splits, 3)``."""
    tokens: Ints
    """The same in tokens, ``(splits, 3)``."""
    log_probs: Floats
    """The log-probability of each split point, ``(splits,)``; 0 where there was no choice."""


def find_structures(
    network: Network,
    encoded: Encoded,
    rows: Ints,
    edus: Sequence[Sequence[Span]],
    *,
    width: int = 1,
    reach: int = REACH,
    constraints: Sequence[SentenceConstraints | None] | None = None,
) -> Structures:
    """Find the likeliest trees over the EDUs of a batch's sentences.

    An item is one segmentation of one sentence.

    :param rows: the sentence of each item, ``(items,)``; a sentence may have several items, or none
    :param edus: each item's EDUs as spans of the sentence's tokens
    :param width: beam width: the number of trees to keep, and to return, for each item
    :param reach: see :data:`REACH`
    :param constraints: what each item has to agree with, as its EDUs do already, if any has constraints
    """
    if encoded.parser is None:
        raise ValueError("this network does not parse")
    n_edus = np.fromiter(map(len, edus), np.int64, len(edus))
    agenda = _Agenda(edus, n_edus, reach, constraints)
    beam = Beam(len(edus), width)
    beam.finish(n_edus < 3)
    tops = beam.searches  # an item's root has the item's number
    hidden = encoded.parser.hidden[:, rows[tops]]
    while tops.size:
        asked = agenda.spans_to_split(tops, rows[beam.searches])
        step = network.parse_step(encoded, asked, hidden)
        origins, places = beam.advance(agenda.allowed(step.log_probs))
        tops = agenda.split(tops[origins], origins, places)
        kept = beam.finish(tops < 0)
        tops, hidden = tops[kept], step.hidden[:, origins][:, kept]
    return agenda.structures(beam.found(), n_edus)


class _Agenda:
    """The spans of all hypotheses, those that wait to be split and those that were.

    For one hypothesis, this is the loop::

        stack = [(0, n_edus)]
        while stack:
            start, end = stack.pop()
            middle = split point of start..end
            for part in ((middle, end), (start, middle)):  # the left part ends up on top
                if part has more than two EDUs:
                    stack.append(part)

    Here each step does this for all open hypotheses at once. A stack is a linked list: each span knows
    the one below it, so that hypotheses share what their stacks have in common. EDUs are numbered
    through all items, with one more number for the end of each item.
    """

    def __init__(
        self,
        edus: Sequence[Sequence[Span]],
        n_edus: Ints,
        reach: int,
        constraints: Sequence[SentenceConstraints | None] | None,
    ) -> None:
        n = len(n_edus)
        self._reach = reach
        self._first: Ints = np.cumsum(n_edus + 1) - n_edus - 1
        """The number of each item's first EDU, ``(items,)``."""
        edges = chain.from_iterable((0, *(edu.end for edu in own)) for own in edus)
        self._edges: Ints = np.fromiter(edges, np.int64, int(n_edus.sum()) + n)
        """The token at which each EDU starts."""
        self._lasts: Ints = self._edges - 1
        capacity = max(16, 2 * n)
        self._spans: Ints = np.zeros((capacity, 2), dtype=np.int64)
        """First EDU and end of each span; an item's root has the item's number."""
        self._parents: Ints = np.zeros((capacity, 2), dtype=np.int64)
        """First EDU and end of the span that each span is a part of; 0, 0 for a root."""
        self._siblings: Ints = np.zeros((capacity, 2), dtype=np.int64)
        """First EDU and end of each span's left sibling; 0, 0 if it has none.

        0, 0 becomes the empty span of tokens, since EDU 0 starts at token 0.
        """
        self._below: Ints = np.full(capacity, -1, dtype=np.int64)
        """The span below each span on the stack, or -1."""
        self._spans[:n, 0], self._spans[:n, 1] = self._first, self._first + n_edus
        self._n_spans = n
        self._largest: Ints | None = None
        """The number of EDUs of the largest span that may be split before each EDU; None if any may."""
        if constraints is not None:
            largest = [
                np.full(len(spans) + 1, len(spans)) if own is None else own.largest_spans(spans)
                for spans, own in zip(edus, constraints, strict=True)
            ]
            self._largest = np.concatenate(largest)
        self._sizes: Ints = np.zeros((0, 1), dtype=np.int64)
        """The number of EDUs of each span that is about to be split, ``(k, 1)``."""
        self._places: Ints = np.zeros((0, 0), dtype=np.int64)
        """The first EDU of the right part for each of its candidates, ``(k, most)``."""
        self._split: list[Ints] = []
        """The span that each step of the beam split."""
        self._middles: list[Ints] = []
        """The first EDU of the right part, for each step of the beam."""

    def spans_to_split(self, tops: Ints, rows: Ints) -> SpansToSplit:
        """Look up what the decoder needs to know about these spans."""
        spans = self._spans[tops]
        starts, ends = spans[:, :1], spans[:, 1:]
        # The left part ends with any EDU of the span but its last.
        n_candidates = np.minimum(ends - starts - 1, 2 * self._reach)
        numbers = np.arange(n_candidates.max())
        self._sizes = ends - starts
        # Candidates near the span's start, then those near its end.
        between = np.maximum(self._sizes - 1 - 2 * self._reach, 0)
        self._places = starts + 1 + numbers + between * (numbers >= self._reach)
        if self._largest is not None and between.any():
            self._choose_allowed_places(self._largest, spans, n_candidates)
        candidates = self._lasts.take(self._places, mode="clip")
        candidates[numbers >= n_candidates] = -1
        return SpansToSplit(
            rows=rows,
            spans=self._edges[spans],
            parents=self._edges[self._parents[tops]],
            siblings=self._edges[self._siblings[tops]],
            candidates=candidates,
        )

    def _choose_allowed_places(self, largest: Ints, spans: Ints, n_candidates: Ints) -> None:
        """In spans that are too large to consider every place, consider only places that are allowed."""
        for row in np.flatnonzero(self._sizes[:, 0] - 1 > 2 * self._reach).tolist():
            first, end = spans[row].tolist()
            places = first + 1 + np.flatnonzero(largest[first + 1 : end] >= end - first)
            if len(places) > 2 * self._reach:
                places = np.concatenate([places[: self._reach], places[-self._reach :]])
            self._places[row, : len(places)] = places
            n_candidates[row] = len(places)

    def allowed(self, log_probs: Floats) -> Floats:
        """The log-probabilities of the candidates that are allowed; ``-inf`` in place of the others."""
        if self._largest is None:
            return log_probs
        may_split = self._largest.take(self._places, mode="clip") >= self._sizes
        return np.where(may_split, log_probs, np.float32(-np.inf))

    def split(self, tops: Ints, origins: Index, places: Ints) -> Ints:
        """Split each span at the given candidate (counted from 0).

        Returns the span now on top of each stack, or -1 for an empty stack.

        :param tops: the spans to split
        :param origins: which of the spans that candidates were looked up for each of them is
        """
        n = len(tops)
        self._reserve(2 * n)
        spans, below = self._spans[tops], self._below[tops]
        starts, ends = spans[:, 0], spans[:, 1]
        middles = self._places[np.arange(len(self._places))[origins], places]
        self._split.append(tops)
        self._middles.append(middles)
        first, second, after = self._n_spans, self._n_spans + n, self._n_spans + 2 * n
        right, left = slice(first, second), slice(second, after)
        self._spans[right, 0], self._spans[right, 1] = middles, ends
        self._spans[left, 0], self._spans[left, 1] = starts, middles
        self._parents[right] = self._parents[left] = spans
        self._siblings[right] = self._spans[left]
        self._below[right] = below
        self._below[left] = below_left = np.where(ends - middles > 2, np.arange(first, second), below)
        self._n_spans = after
        return np.where(middles - starts > 2, np.arange(second, after), below_left)

    def structures(self, found: Found, n_edus: Ints) -> Structures:
        """Build the trees of the hypotheses that were found, adding the splits that took no step."""
        nothing = np.zeros(0, np.int64)
        split = np.concatenate([nothing, *self._split])[found.steps]
        middles = np.concatenate([nothing, *self._middles])[found.steps]
        starts, ends = self._spans[split].T
        left, right = np.flatnonzero(middles - starts == 2), np.flatnonzero(ends - middles == 2)
        whole = np.flatnonzero(n_edus[found.searches] == 2)
        pairs = np.concatenate([starts[left], middles[right], self._first[found.searches[whole]]])
        splits = np.array(
            [
                np.concatenate([starts, pairs]),
                np.concatenate([middles, pairs + 1]),
                np.concatenate([ends, pairs + 2]),
            ]
        )
        owners = np.concatenate([found.owners, found.owners[left], found.owners[right], whole])
        log_probs = np.concatenate([found.log_probs, np.zeros(len(pairs), np.float32)])
        order = np.lexsort((-splits[2], splits[0], owners))  # pre-order
        splits, owners = np.ascontiguousarray(splits[:, order].T), owners[order]
        return Structures(
            items=found.searches,
            scores=found.scores,
            owners=owners,
            edus=splits - self._first[found.searches[owners]][:, None],
            tokens=self._edges[splits],
            log_probs=log_probs[order],
        )

    def _reserve(self, n: int) -> None:
        """Make room for ``n`` more spans."""
        capacity = len(self._below)
        if self._n_spans + n > capacity:
            more = np.zeros((max(capacity, n), 2), dtype=np.int64)
            self._spans = np.concatenate([self._spans, more])
            self._parents = np.concatenate([self._parents, more])
            self._siblings = np.concatenate([self._siblings, more])
            self._below = np.concatenate([self._below, more[:, 0]])
