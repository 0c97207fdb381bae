"""The vectors of spans, in NumPy: the twin of ``rhetree.learning.networks.spans``.

Looking a few rows up costs less than calling a graph for it would (ADR 8).
``tests/learning/test_twins.py`` compares the twins.
"""

from dataclasses import dataclass

import numpy as np

from rhetree.runtime.model_files import Settings
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pointer import log_softmax


@dataclass(frozen=True, slots=True, eq=False)
class SpanRepresentation:
    """A span of tokens as one vector, and what it knows about the tree around it."""

    kind: str
    """``last``, ``mean`` or ``both-ends``."""
    partial_tree: str
    """``attention``, ``average`` or ``none``."""

    @classmethod
    def from_settings(cls, settings: Settings, span: str = "span") -> "SpanRepresentation":
        """Build the twin of the representation whose ``settings()`` these are.

        :param span: the setting that says how spans are represented
        """
        return cls(
            settings.choice(span, ("last", "mean", "both-ends")),
            settings.choice("partial_tree", ("attention", "average", "none")),
        )

    def prepare(self, states: Floats) -> Floats:
        """Compute what spans are made from: the states, or their running sums."""
        if self.kind != "mean":
            return states
        sums = np.zeros((states.shape[0], states.shape[1] + 1, states.shape[2]), dtype=np.float32)
        np.cumsum(states, axis=1, out=sums[:, 1:])
        return sums

    def __call__(self, units: Floats, rows: Ints, spans: Ints) -> Floats:
        """The vectors of spans, ``(k, width)``; zeros for the empty span 0, 0.

        :param units: from :meth:`prepare`
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
            return self(units, rows, spans)
        every = np.concatenate([parents, spans, siblings])
        three = self(units, np.tile(rows, 3), every).reshape(3, len(rows), -1).transpose(1, 0, 2)
        if self.partial_tree == "average":
            mean: Floats = three.mean(axis=1)
            return mean
        attention = np.exp(log_softmax(three @ three.transpose(0, 2, 1)))  # (k, 3, 3)
        mixed: Floats = attention.sum(axis=1, keepdims=True) @ three
        return mixed[:, 0]
