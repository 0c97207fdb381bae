"""Scores a span of EDUs together with the span on its right, in NumPy: the twin of ``learning.documents.network``.

A search asks for a few scores at a time; that costs less here than in a graph (ADR 8). Running sums have double precision,
so that a mean says the same at the end of a long book as at its beginning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rhetree.runtime.document_units import EDGES, Units
from rhetree.runtime.network import Floats, Ints

ROLES = ("first", "last", "mean", "heads")
"""What a span is made of: its first and last EDU, the mean of all, and the mean of those that head their sentence."""

_BUCKETS = np.array((1, 2, 3, 4, 5, 7, 10, 15, 23, 36, 61, 101, 201))
N_BUCKETS = len(_BUCKETS) + 1
"""Number of classes of lengths."""

TABLES = ("edge", "length", "sum_weight", "sum_bias", "product_weight")
"""Names of the arrays of a scorer."""


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Pairs of adjacent spans to score, by EDUs; p is their number."""

    places: Ints
    """Start, middle and end of each, ``(p, 3)``."""
    edges: Ints
    """Which of :data:`EDGES` lies at each middle, ``(p,)``."""
    lengths: Ints
    """Buckets of the numbers of EDUs, sentences and paragraphs on the left, then on the right, ``(p, 6)``."""
    n_heads: Ints
    """Sentences that have their head in the left part, and in the right part, ``(p, 2)``."""

    @classmethod
    def of(cls, units: Units, places: Ints) -> "Splits":
        """What is known of these pairs besides the words."""
        start, middle, end = places.T
        counts = [np.arange(len(units) + 1), units.sentences, units.paragraphs]
        left = [count[middle] - count[start] for count in counts]
        # The last unit's sentence counts, also where the next unit is in the same one.
        right = [count[end - 1] + 1 - count[middle] for count in counts]
        heads = units.n_heads
        return cls(
            places,
            units.edges[middle],
            np.searchsorted(_BUCKETS, np.stack(left + right, axis=1), side="right"),
            np.stack([heads[middle] - heads[start], heads[end] - heads[middle]], axis=1),
        )


def with_edges(spans: Sequence[tuple[int, int]], candidates: Sequence[Ints]) -> Ints:
    """Start, middle and end for every candidate of every span, ``(p, 3)``."""
    sizes = [len(places) for places in candidates]
    edges = np.repeat(np.array(spans, dtype=np.int64), sizes, axis=0)
    return np.stack([edges[:, 0], np.concatenate(candidates), edges[:, 1]], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What each EDU contributes to the spans on the left (0) and on the right (1)."""

    first: Floats
    """``(2, n, width)``."""
    last: Floats
    """``(2, n, width)``."""
    sums: NDArray[np.float64]
    """Running sums of all EDUs, ``(2, n + 1, width)``."""
    heads: NDArray[np.float64]
    """Running sums of EDUs that head their sentence, ``(2, n + 1, width)``."""


class PairScorer:
    """Scores of pairs of spans; nothing depends on which others are scored with them."""

    def __init__(self, arrays: Mapping[str, Floats]) -> None:
        """Score with these weights.

        :param arrays: those of :data:`TABLES`; ``ValueError`` where their shapes do not fit
        """
        found = {name: np.asarray(arrays[name], dtype=np.float32) for name in TABLES}
        self._edge, self._length, self._sum, self._bias, self._product = found.values()
        width, n_scores = self._sum.shape if self._sum.ndim == 2 else (0, 0)
        expected = [
            (len(EDGES), width),
            (6 * N_BUCKETS, width),
            (width, n_scores),
            (n_scores,),
            (width, n_scores),
        ]
        for (name, array), shape in zip(found.items(), expected, strict=True):
            if array.shape != shape:
                raise ValueError(f"{name} has the shape {array.shape}, expected {shape}")
        self.width, self.n_scores = width, n_scores

    def prepare(self, roles: Sequence[Floats], is_head: Floats) -> Prepared:
        """Sort what EDUs contribute by side and role.

        :param roles: adjacent rows of EDUs, ``(some, 2 * roles * width)`` each
        """
        n, width = len(is_head), self.width
        first, last = (np.empty((2, n, width), dtype=np.float32) for _ in range(2))
        sums, heads = (np.zeros((2, n + 1, width)) for _ in range(2))
        at = 0
        for part in roles:
            end = at + len(part)
            sides = part.reshape(len(part), 2, len(ROLES), width).transpose(1, 2, 0, 3)
            first[:, at:end], last[:, at:end] = sides[:, 0], sides[:, 1]
            sums[:, at + 1 : end + 1] = sides[:, 2]
            heads[:, at + 1 : end + 1] = sides[:, 3] * is_head[at:end, None]
            at = end
        for running in (sums, heads):
            np.cumsum(running, axis=1, out=running)
        return Prepared(first, last, sums, heads)

    def scores(self, prepared: Prepared, splits: Splits) -> Floats:
        """``(p, n_scores)``."""
        start, middle, end = splits.places.T
        left, right = (
            self._side(prepared, side, *edges, splits.n_heads[:, side])
            for side, edges in enumerate(((start, middle), (middle, end)))
        )
        rows = splits.lengths + np.arange(6) * N_BUCKETS
        layout = self._edge[splits.edges] + self._length[rows].sum(axis=1)
        # Not a product of matrices, whose last digits depend on how many rows there are.
        found: Floats = np.einsum("pw,wn->pn", np.maximum(left + right + layout, 0), self._sum)
        found += np.einsum("pw,wn->pn", np.tanh(left) * np.tanh(right), self._product)
        return found + self._bias

    @staticmethod
    def _side(prepared: Prepared, side: int, start: Ints, end: Ints, n_heads: Ints) -> Floats:
        sums, heads = prepared.sums[side], prepared.heads[side]
        mean = (sums[end] - sums[start]) / (end - start)[:, None]
        of_heads = (heads[end] - heads[start]) / np.maximum(n_heads, 1)[:, None]
        found: Floats = (
            prepared.first[side, start] + prepared.last[side, end - 1] + (mean + of_heads).astype(np.float32)
        )
        return found
