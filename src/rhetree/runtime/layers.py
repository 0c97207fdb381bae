"""What is done at each step beside running graphs: looking spans up, and scoring places to point to.

Both take a few thousand multiplications, where calling a graph would cost more than running it. The
torch side, with the papers' names, is ``rhetree.learning.networks``.
"""

from dataclasses import dataclass

import numpy as np

from rhetree.runtime.network import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """Scores of the places after tokens, for a decoder's query.

    A dot product of both or, where the pointer is additive, ``score · tanh(query + place)``.
    """

    sees_both_sides: bool
    """A place is the token's state and the next token's, zeros after the last; else the first alone."""

    def between(
        self, keys: Floats, start: int, end: int, query: Floats, score: Floats | None = None
    ) -> Floats:
        """Of the tokens ``start..end`` of one sentence.

        :param keys: of the sentence's tokens: their states or, for an additive pointer, what it made of
            these, ``(longest, width)``
        :param query: ``(width,)``, of both sides ``(2 * width,)``
        :param score: of an additive pointer, ``(width,)``
        """
        if score is not None:
            return _dots(np.tanh(keys[start:end] + query), score)
        if not self.sees_both_sides:
            return _dots(keys[start:end], query)
        width = keys.shape[1]
        scores = _dots(keys[start:end], query[:width])
        following = _dots(keys[start + 1 : end + 1], query[width:])
        scores[: len(following)] += following
        return scores

    def at(self, keys: Floats, places: Ints, query: Floats, score: Floats | None = None) -> Floats:
        """Of some tokens of one sentence, in order."""
        if score is not None:
            return _dots(np.tanh(keys.take(places, axis=0) + query), score)
        if not self.sees_both_sides:
            return _dots(keys.take(places, axis=0), query)
        width = keys.shape[1]
        scores = _dots(keys.take(places, axis=0), query[:width])
        following = places + 1
        if len(following) and following[-1] == len(keys):
            following = following[:-1]
        scores[: len(following)] += _dots(keys.take(following, axis=0), query[width:])
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """A span of tokens as one vector, and what it knows of the tree around it."""

    kind: str
    """last, mean or both-ends."""
    partial_tree: str
    """attention, average or none."""

    def prepare(self, states: Floats) -> Floats:
        """What spans are made from: the states, for means their running sums."""
        if self.kind != "mean":
            return states
        sums = np.zeros((states.shape[0], states.shape[1] + 1, states.shape[2]), dtype=np.float32)
        np.cumsum(states, axis=1, out=sums[:, 1:])
        return sums

    def vectors(self, units: Floats, rows: Ints, spans: Ints) -> Floats:
        """``(k, width)``; zeros for the empty span 0, 0.

        :param units: prepared states
        :param rows: the sentence of each span, ``(k,)``
        :param spans: ``(k, 2)``
        """
        starts, ends = spans[:, 0], spans[:, 1]
        lengths = ends - starts
        if self.kind == "mean":
            sums = units[rows, ends] - units[rows, starts]
            means: Floats = sums / np.maximum(lengths, 1).astype(np.float32)[:, None]
            return means
        vectors = units[rows, np.maximum(ends - 1, 0)]
        if self.kind == "both-ends":
            vectors = np.concatenate([units[rows, starts], vectors], axis=1)
        vectors[lengths == 0] = 0
        return vectors

    def inputs(self, units: Floats, rows: Ints, spans: Ints, parents: Ints, siblings: Ints) -> Floats:
        """What the parser's decoder reads to split spans, ``(k, width)``: the paper's equation 5."""
        if self.partial_tree == "none":
            return self.vectors(units, rows, spans)
        every = np.concatenate([parents, spans, siblings])
        three = self.vectors(units, np.tile(rows, 3), every).reshape(3, len(rows), -1).transpose(1, 0, 2)
        if self.partial_tree == "average":
            mean: Floats = three.mean(axis=1)
            return mean
        attention = np.exp(log_softmax(three @ three.transpose(0, 2, 1)))  # (k, 3, 3)
        mixed: Floats = attention.sum(axis=1, keepdims=True) @ three
        return mixed[:, 0]


def log_softmax(scores: Floats) -> Floats:
    """Over the last axis, where at least one score is no ``-inf``."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def _dots(rows: Floats, vector: Floats) -> Floats:
    # Not ``@``: the library behind that would wake its threads for so little, and wait for them.
    products: Floats = np.einsum("nw,w->n", rows, vector)
    return products
