"""The small layers of a network in NumPy: what decoders and the label classifier do at each step.

They take a few thousand multiplications for a row or two, where calling a graph would cost more
than running it. The torch side, with the papers' names, is ``rhetree.learning.networks``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.products import product

_MOST_SPLITS = 256
"""Labelled at once: each takes memory for all labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """``x W + b``."""

    weight: Floats
    """``(input width, width)``"""
    bias: Floats | None = None

    def __call__(self, inputs: Floats) -> Floats:
        """Rows of ``inputs`` one by one, ``(..., width)``."""
        outputs = product(inputs.reshape(-1, inputs.shape[-1]), self.weight)
        if self.bias is not None:
            outputs += self.bias
        return outputs.reshape(*inputs.shape[:-1], -1)


@dataclass(frozen=True, slots=True, eq=False)
class Gru:
    """Gated recurrent units (Cho et al. 2014), one step at a time; gates in torch's order."""

    layers: tuple[tuple[Linear, Linear], ...]
    """For what comes in and for the state before, each ``(…, 3 * width)``: reset, update, new."""

    def __call__(self, inputs: Floats, hidden: Floats) -> Floats:
        """The states of all layers after a step, ``(layers, k, width)``.

        :param inputs: ``(k, input width)``
        :param hidden: the states before, ``(layers, k, width)``
        """
        after = np.empty_like(hidden)
        for number, (for_input, for_state) in enumerate(self.layers):
            before = hidden[number]
            width = before.shape[1]
            given, kept = for_input(inputs), for_state(before)
            gates = _sigmoid(given[:, : 2 * width] + kept[:, : 2 * width])
            new = np.tanh(given[:, 2 * width :] + gates[:, :width] * kept[:, 2 * width :])
            inputs = after[number] = new + gates[:, width:] * (before - new)
        return after


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """Scores of the places after tokens, for a decoder's state.

    A dot product of the place with ``query(state)``; additive, ``score · tanh(query(state) + place)``.
    """

    query: Linear | None
    score: Floats | None
    """Of the additive form, ``(width,)``."""
    key: Linear | None
    """Of the additive form: what the state of a token is multiplied with, once a sentence."""
    sees_both_sides: bool
    """A place is the token's state and the next token's, zeros after the last; else the first alone."""

    def prepare(self, states: Floats) -> Floats:
        """What :meth:`scores` needs of tokens, ``(batch, longest, width)``.

        :param states: zeros past a sentence's end, ``(batch, longest, state width)``
        """
        if self.key is None:
            return states
        if self.sees_both_sides:
            following = np.zeros_like(states)
            following[:, :-1] = states[:, 1:]
            states = np.concatenate([states, following], axis=2)
        return self.key(states)

    def queries(self, states: Floats) -> Floats:
        """A decoder's states as they meet the tokens, ``(k, width)``."""
        return states if self.query is None else self.query(states)

    def scores_between(self, query: Floats, keys: Floats, start: int, end: int) -> Floats:
        """Of the tokens ``start..end`` of one sentence.

        :param keys: of the sentence, prepared, ``(longest, width)``
        """
        if self.score is not None or not self.sees_both_sides:
            return self._scores(query, keys[start:end])
        width = keys.shape[1]
        scores = keys[start:end] @ query[:width]
        following = keys[start + 1 : end + 1] @ query[width:]
        scores[: len(following)] += following
        return scores

    def scores_at(self, query: Floats, keys: Floats, places: Ints) -> Floats:
        """Of some tokens of one sentence."""
        if self.score is not None or not self.sees_both_sides:
            return self._scores(query, keys[places])
        width = keys.shape[1]
        scores = keys[places] @ query[:width]
        # The last token of a sentence is followed by zeros, or by nothing.
        following = places + 1
        inner = following < len(keys)
        scores[inner] += keys[following[inner]] @ query[width:]
        return scores

    def _scores(self, query: Floats, keys: Floats) -> Floats:
        return keys @ query if self.score is None else np.tanh(keys + query) @ self.score


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
        lengths = (ends - starts)[:, None]
        if self.kind == "mean":
            sums = units[rows, ends] - units[rows, starts]
            means: Floats = sums / np.maximum(lengths, 1).astype(np.float32)
            return means
        vectors = units[rows, np.maximum(ends - 1, 0)]
        if self.kind == "both-ends":
            vectors = np.concatenate([units[rows, starts], vectors], axis=1)
        vectors[lengths[:, 0] == 0] = 0
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


@dataclass(frozen=True, slots=True, eq=False)
class Biaffine:
    """Classes of splits: the paper's equations 3 and 4."""

    left: Linear
    right: Linear
    both: Floats
    """``(width, classes * width)``"""
    left_alone: Linear
    right_alone: Linear

    def __call__(self, left: Floats, right: Floats) -> Floats:
        """Log-probabilities, ``(splits, classes)``."""
        left, right = _elu(self.left(left)), _elu(self.right(right))
        scores = self.left_alone(left) + self.right_alone(right)
        n_classes, width = scores.shape[1], right.shape[1]
        for at in range(0, len(left), _MOST_SPLITS):
            part = slice(at, at + _MOST_SPLITS)
            related = product(left[part], self.both).reshape(-1, n_classes, width)
            scores[part] += (related @ right[part, :, None])[:, :, 0]
        return log_softmax(scores)


class Weights:
    """Named arrays, read as layers."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._arrays = arrays

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def array(self, name: str) -> Floats:
        """As float32, whatever it is stored as."""
        return np.ascontiguousarray(self._arrays[name], dtype=np.float32)

    def linear(self, name: str) -> Linear:
        """Torch's, which stores a weight the other way around."""
        bias = f"{name}.bias"
        return Linear(
            np.ascontiguousarray(self.array(f"{name}.weight").T), self.array(bias) if bias in self else None
        )

    def optional_linear(self, name: str) -> Linear | None:
        """None where there is none of this name."""
        return self.linear(name) if f"{name}.weight" in self else None

    def gru(self, name: str, n_layers: int) -> Gru:
        """Torch's ``nn.GRU`` of one direction."""
        return Gru(
            tuple(
                (self._gates(f"{name}.%s_ih_l{n}"), self._gates(f"{name}.%s_hh_l{n}"))
                for n in range(n_layers)
            )
        )

    def pointer(self, name: str, *, sees_both_sides: bool) -> Pointer:
        """Of any kind: what is there says which."""
        score = f"{name}.score.weight"
        return Pointer(
            query=self.optional_linear(f"{name}.query"),
            score=self.array(score)[0] if score in self else None,
            key=self.optional_linear(f"{name}.key"),
            sees_both_sides=sees_both_sides,
        )

    def biaffine(self, name: str) -> Biaffine:
        """The classifier's."""
        both = self.array(f"{name}.both")
        return Biaffine(
            left=self.linear(f"{name}.left"),
            right=self.linear(f"{name}.right"),
            both=both.reshape(len(both), -1),
            left_alone=self.linear(f"{name}.left_alone"),
            right_alone=self.linear(f"{name}.right_alone"),
        )

    def _gates(self, pattern: str) -> Linear:
        return Linear(np.ascontiguousarray(self.array(pattern % "weight").T), self.array(pattern % "bias"))


def log_softmax(scores: Floats) -> Floats:
    """Over the last axis, where at least one score is no ``-inf``."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def _sigmoid(numbers: Floats) -> Floats:
    # By way of tanh, which cannot overflow.
    result: Floats = np.tanh(numbers * np.float32(0.5)) * np.float32(0.5) + np.float32(0.5)
    return result


def _elu(numbers: Floats) -> Floats:
    return np.where(numbers > 0, numbers, np.expm1(np.minimum(numbers, 0)))
