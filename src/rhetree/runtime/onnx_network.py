"""The exported side of :class:`rhetree.runtime.network.Network`: graphs in ONNX Runtime, and NumPy between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rhetree.runtime.layers import Pointer, Spans, log_softmax
from rhetree.runtime.network import (
    Encoded,
    Floats,
    Ints,
    ParserMemory,
    SegmenterMemory,
    SpansToSplit,
    Step,
)
from rhetree.runtime.words import Words
from rhetree.runtime.workers import Workers

Graph = Any
"""An ONNX Runtime session; the library has no types."""

_TOGETHER = 16
"""So many sentences go through the recurrent layers together: more are no faster, and need more padding."""
_MOST_SPLITS = 256
"""Labelled at once: each takes memory for all labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Segmenter:
    """Points from an EDU's first token to its last."""

    step: Graph
    pointer: Pointer
    reads_states: bool
    """A step reads the state of the EDU's first token; else its word vector."""


@dataclass(frozen=True, slots=True, eq=False)
class Parser:
    """Points to where a span is split, and names the split."""

    step: Graph
    pointer: Pointer
    spans: Spans
    label: Graph


class OnnxNetwork:
    """Runs an exported network; several threads may share one."""

    def __init__(
        self,
        words: Words,
        states: Graph,
        segmenter: Segmenter | None,
        parser: Parser | None,
        workers: Workers,
    ) -> None:
        """Put a network together.

        :param states: from word vectors to what decoders begin with
        """
        self._words = words
        self._states = states
        self._outputs = [output.name for output in states.get_outputs()]
        self._segmenter = segmenter
        self._parser = parser
        self._workers = workers

    @property
    def n_labels(self) -> int | None:
        """How many labels a split can have, where the graph says so; None where it does not parse."""
        width = None if self._parser is None else self._parser.label.get_outputs()[0].shape[-1]
        return width if isinstance(width, int) else None

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Read sentences, each of one token or more."""
        vectors = self._words(sentences)
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        memory = self._remember(vectors, lengths)
        states = memory["states"]
        segmenter, parser = self._segmenter, self._parser
        return Encoded(
            lengths=lengths,
            segmenter=None
            if segmenter is None
            else SegmenterMemory(
                inputs=states if segmenter.reads_states else vectors,
                keys=memory.get("segmenter_keys", states),
                hidden=memory["segmenter_hidden"],
            ),
            parser=None
            if parser is None
            else ParserMemory(
                units=parser.spans.prepare(states),
                keys=memory.get("parser_keys", states),
                hidden=memory["parser_hidden"],
            ),
        )

    def segment_step(self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int) -> Step:
        """Point from an EDU's first token to its last one."""
        segmenter, memory = self._segmenter, encoded.segmenter
        if segmenter is None or memory is None:
            raise ValueError("this network does not segment in steps")
        inputs = memory.inputs[rows, starts]
        after, queries, *score = segmenter.step.run(None, {"inputs": inputs, "hidden": hidden})
        ends = np.minimum(encoded.lengths[rows], starts + reach)
        scores = np.full((len(rows), int((ends - starts).max())), -np.inf, dtype=np.float32)
        places = zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
        for number, (row, start, end) in enumerate(places):
            own = segmenter.pointer.between(memory.keys[row], start, end, queries[number], *score)
            scores[number, : end - start] = own
        return Step(log_softmax(scores), after)

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> Step:
        """Point to the end of a span's left part."""
        parser, memory = self._parser_and_memory(encoded)
        inputs = parser.spans.inputs(memory.units, spans.rows, spans.spans, spans.parents, spans.siblings)
        after, queries, *score = parser.step.run(None, {"inputs": inputs, "hidden": hidden})
        scores = np.full(spans.candidates.shape, -np.inf, dtype=np.float32)
        n_candidates = (spans.candidates >= 0).sum(axis=1).tolist()
        for number, (row, n) in enumerate(zip(spans.rows.tolist(), n_candidates, strict=True)):
            places = spans.candidates[number, :n]
            scores[number, :n] = parser.pointer.at(memory.keys[row], places, queries[number], *score)
        return Step(log_softmax(scores), after)

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of any number of splits."""
        parser, memory = self._parser_and_memory(encoded)
        found = []
        for at in range(0, len(rows), _MOST_SPLITS):
            part, own = rows[at : at + _MOST_SPLITS], splits[at : at + _MOST_SPLITS]
            left = parser.spans.vectors(memory.units, part, own[:, :2])
            right = parser.spans.vectors(memory.units, part, own[:, 1:])
            found += parser.label.run(None, {"left": left, "right": right})
        log_probs: Floats = np.concatenate(found)
        return log_probs

    def _remember(self, vectors: Floats, lengths: Ints) -> dict[str, Floats]:
        """What decoders begin with, by the names of the graph."""

        def run(at: int) -> list[Floats]:
            own = lengths[at : at + _TOGETHER]
            few = np.ascontiguousarray(vectors[at : at + _TOGETHER, : own.max()])
            found: list[Floats] = self._states.run(None, {"vectors": few, "lengths": own})
            return found

        parts = self._workers.map(run, range(0, len(lengths), _TOGETHER))
        joint = dict(zip(self._outputs, zip(*parts, strict=True), strict=True))
        return {
            name: np.concatenate(own, axis=1) if name.endswith("_hidden") else _padded(own, vectors.shape[1])
            for name, own in joint.items()
        }

    def _parser_and_memory(self, encoded: Encoded) -> tuple[Parser, ParserMemory]:
        if self._parser is None or encoded.parser is None:
            raise ValueError("this network does not parse")
        return self._parser, encoded.parser


def _padded(parts: Sequence[Floats], longest: int) -> Floats:
    """One array of several, with zeros where their sentences are shorter."""
    if len(parts) == 1:
        return parts[0]
    padded = np.zeros((sum(map(len, parts)), longest, parts[0].shape[2]), dtype=np.float32)
    at = 0
    for part in parts:
        padded[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return padded
