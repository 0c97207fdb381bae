"""The scores of a pointer, in NumPy: the twin of ``rhetree.learning.networks.pointer``.

A graph would take longer for so little work (ADR 8). What needs large weights is in the exported
graphs: the queries, and the keys of an additive pointer. ``tests/learning/test_twins.py`` compares the
twins.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rhetree.runtime.model_files import Settings
from rhetree.runtime.network import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """Scores where a decoder's state points."""

    boundary: str
    """``last``, or ``both-sides`` for keys of a token's state and the next token's."""

    @classmethod
    def from_settings(cls, settings: Settings) -> "Pointer":
        """Build the twin of the pointer whose ``settings()`` these are."""
        return cls(settings.choice("boundary", ("last", "both-sides")))

    def prepare(self, states: Floats) -> Floats:
        """Compute the keys of a pointer whose graph gives none, ``(batch, longest, width)``.

        :param states: token states, ``(batch, longest, state width)``, zeros past a sentence's end
        """
        if self.boundary != "both-sides":
            return states
        batch, longest, width = states.shape
        padded = np.zeros((batch, longest + 1, width), dtype=np.float32)
        padded[:, :-1] = states
        # A token's state and the next one's lie side by side in memory: no copy of each is made.
        return as_strided(padded, (batch, longest, 2 * width), padded.strides, writeable=False)

    def scores(self, keys: Floats, query: Floats, score: Floats | None = None) -> Floats:
        """Score positions, ``(..., n)``; their softmax is the pointer's distribution.

        A position's score is the same to the last bit whatever else is scored with it.

        :param keys: the keys of the positions, ``(..., n, width)``
        :param query: ``(..., width)``
        :param score: the vector ``v`` of an additive pointer, ``(width,)``
        """
        if score is not None:
            keys, query = np.tanh(keys + query[..., None, :]), score
        # Not ``@``: BLAS would wake its threads for so little work, and its sums depend on the shape.
        products: Floats = np.einsum("...nw,...w->...n", keys, query)
        return products


def log_softmax(scores: Floats) -> Floats:
    """Log-softmax over the last axis, where at least one score is above ``-inf``."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    # In double precision, since the order of the sum depends on how far rows are padded.
    total = np.exp(shifted).sum(axis=-1, keepdims=True, dtype=np.float64)
    result: Floats = (shifted - np.log(total)).astype(np.float32)
    return result
