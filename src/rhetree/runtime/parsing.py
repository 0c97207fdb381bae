"""Top-down parsing: split the sentence, then its left part, then its right one.

Each hypothesis has a stack of spans that wait to be split; at each step the top spans of all open
hypotheses go through the decoder together. A span of two EDUs can be split in one way only and takes
no step. Labels do not steer the structure, and come later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rhetree.domain.span import Span
from rhetree.runtime.beam import Beam, Found, Scores
from rhetree.runtime.network import Encoded, Floats, Ints, Network, SpansToSplit

REACH = 128
"""A span is split at most so many EDUs from one of its ends, so that a step costs no more in a long sentence.

Only spans of more than twice as many EDUs notice; no sentence that people wrote has these.
"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Structures:
    """Trees without labels, by what they are the trees of, best first."""

    items: Ints
    """Which of the given EDUs each tree is over, ``(trees,)``."""
    scores: Scores
    """The log-probability of each tree, ``(trees,)``."""
    owners: Ints
    """The tree of each split, ``(splits,)``, ascending; a tree's splits are in pre-order."""
    edus: Ints
    """First EDU, first EDU of the right part, end of each split, ``(splits, 3)``."""
    tokens: Ints
    """The same in tokens, ``(splits, 3)``."""
    log_probs: Floats
    """Of each split's place; 0 where there was no choice, ``(splits,)``."""


def find_structures(
    network: Network,
    encoded: Encoded,
    rows: Ints,
    edus: Sequence[Sequence[Span]],
    *,
    width: int = 1,
    reach: int = REACH,
) -> Structures:
    """The likeliest trees over the EDUs of sentences of a batch.

    :param rows: the sentence of each item, ``(items,)``; a sentence may have several, or none
    :param edus: each item's EDUs as spans of the sentence's tokens
    :param width: how many trees of each item to follow and to give
    :param reach: how many EDUs from an end of a span it is split at most
    """
    if encoded.parser is None:
        raise ValueError("this network does not parse")
    n_edus = np.fromiter(map(len, edus), np.int64, len(edus))
    agenda = _Agenda(edus, n_edus, reach)
    beam = Beam(len(edus), width)
    beam.finish(n_edus < 3)
    tops = beam.searches  # an item's root has the item's number
    hidden = encoded.parser.hidden[:, rows[tops]]
    while tops.size:
        asked = agenda.spans_to_split(tops, rows[beam.searches])
        step = network.parse_step(encoded, asked, hidden)
        origins, places = beam.advance(step.log_probs)
        tops = agenda.split(tops[origins], places)
        kept = beam.finish(tops < 0)
        tops, hidden = tops[kept], step.hidden[:, origins][:, kept]
    return agenda.structures(beam.found(), n_edus)


class _Agenda:
    """The spans of all hypotheses that wait, or waited, to be split.

    A stack is a chain: each span knows the one below it, so that hypotheses share what they have in
    common. EDUs are counted through all items, with one more number for each item's end.
    """

    def __init__(self, edus: Sequence[Sequence[Span]], n_edus: Ints, reach: int) -> None:
        n = len(n_edus)
        self._reach = reach
        self._first: Ints = np.cumsum(n_edus + 1) - n_edus - 1
        """The number of each item's first EDU."""
        edges = chain.from_iterable((0, *(edu.end for edu in own)) for own in edus)
        self._edges: Ints = np.fromiter(edges, np.int64, int(n_edus.sum()) + n)
        """The token at which each EDU starts."""
        self._lasts: Ints = self._edges - 1
        self._spans = np.zeros((7, max(16, 2 * n)), dtype=np.int64)
        """First EDU and end of each span, of its parent, of its left sibling; the span below it or -1.

        A parent or sibling that is not there is 0, 0, since the first EDU starts at token 0.
        """
        self._spans[0, :n], self._spans[1, :n], self._spans[6, :n] = self._first, self._first + n_edus, -1
        self._n_spans = n
        self._split: list[Ints] = []
        """The span that each step of the beam split."""
        self._middles: list[Ints] = []
        """The first EDU of its right part."""

    def spans_to_split(self, tops: Ints, rows: Ints) -> SpansToSplit:
        """What the decoder is to know of these spans."""
        edus = self._spans[:6, tops]
        starts, ends = edus[0], edus[1]
        # (start and end, start and end, …; spans) -> (span, parent, sibling; spans; start and end)
        tokens = np.ascontiguousarray(self._edges[edus].reshape(3, 2, -1).swapaxes(1, 2))
        # The left part ends with any EDU of the span but its last.
        n_candidates = np.minimum(ends - starts - 1, 2 * self._reach)
        numbers = np.arange(n_candidates.max())
        candidates = self._lasts.take(self._right_parts(starts[:, None], ends[:, None], numbers), mode="clip")
        candidates[numbers >= n_candidates[:, None]] = -1
        return SpansToSplit(
            rows=rows, spans=tokens[0], parents=tokens[1], siblings=tokens[2], candidates=candidates
        )

    def split(self, tops: Ints, places: Ints) -> Ints:
        """Part spans at their so many-th candidate, from 0; what is on top of the stacks then, or -1."""
        n = len(tops)
        starts, ends, below = (self._spans[row, tops] for row in (0, 1, 6))
        middles = self._right_parts(starts, ends, places)
        self._split.append(tops)
        self._middles.append(middles)
        right, left, after = self._n_spans, self._n_spans + n, self._n_spans + 2 * n
        below_left = np.where(ends - middles > 2, np.arange(right, left), below)
        self._reserve(2 * n)
        self._spans[:, right:left] = middles, ends, starts, ends, starts, middles, below
        self._spans[:4, left:after] = starts, middles, starts, ends
        self._spans[6, left:after] = below_left
        self._n_spans = after
        return np.where(middles - starts > 2, np.arange(left, after), below_left)

    def _right_parts(self, starts: Ints, ends: Ints, places: Ints) -> Ints:
        """The first EDU of the right part, for each candidate: near the span's start, then near its end."""
        between = np.maximum(ends - starts - 1 - 2 * self._reach, 0)
        middles: Ints = starts + 1 + places + between * (places >= self._reach)
        return middles

    def structures(self, found: Found, n_edus: Ints) -> Structures:
        """The trees of the hypotheses that were found, with the splits that took no step."""
        nothing = np.zeros(0, np.int64)
        split = np.concatenate([nothing, *self._split])[found.steps]
        middles = np.concatenate([nothing, *self._middles])[found.steps]
        starts, ends = self._spans[:2, split]
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
        capacity = self._spans.shape[1]
        if self._n_spans + n > capacity:
            more = np.zeros((7, max(capacity, n)), dtype=np.int64)
            self._spans = np.concatenate([self._spans, more], axis=1)
