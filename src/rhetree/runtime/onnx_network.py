"""The :class:`~rhetree.runtime.network.Network` of an exported model: ONNX graphs, and NumPy between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from rhetree.runtime.network import (
    DecoderStep,
    Encoded,
    Floats,
    Ints,
    ParserMemory,
    SegmenterMemory,
    SpansToSplit,
)
from rhetree.runtime.pointer import Pointer, log_softmax
from rhetree.runtime.spans import SpanRepresentation
from rhetree.runtime.words import Words
from rhetree.runtime.workers import Workers

Graph = Any
"""An ONNX Runtime session; the library has no types."""

Array = TypeVar("Array", Floats, Ints)

_TOGETHER = 16
"""Sentences that go through the recurrent layers together: more are no faster, and need more padding."""
_MOST_SPLITS = 256
"""The most splits to label at once: each takes memory for all labels."""


@dataclass(frozen=True, slots=True, eq=False)
class SegmenterGraphs:
    """What points from an EDU's first token to its last."""

    step: Graph
    pointer: Pointer
    reads_states: bool
    """Whether a step reads the state of the EDU's first token; otherwise it reads its word vector."""


@dataclass(frozen=True, slots=True, eq=False)
class ParserGraphs:
    """What points to where a span is split, and labels the split."""

    step: Graph
    pointer: Pointer
    spans: SpanRepresentation
    label: Graph
    label_spans: SpanRepresentation
    """How the label classifier represents spans; usually as ``spans`` does."""


class OnnxNetwork:
    """Runs an exported network; several threads may share one."""

    def __init__(
        self,
        words: Words,
        states: Graph,
        segmenter: SegmenterGraphs | None,
        parser: ParserGraphs | None,
        workers: Workers,
    ) -> None:
        """Put a network together.

        :param states: the graph from word vectors to token states and the decoders' first states
        """
        self._words = words
        self._states = states
        self._outputs = [output.name for output in states.get_outputs()]
        self._segmenter = segmenter
        self._parser = parser
        self._workers = workers

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
                keys=_keys(memory, "segmenter_keys", segmenter.pointer),
                hidden=memory["segmenter_hidden"],
            ),
            parser=None
            if parser is None
            else ParserMemory(
                units=parser.spans.prepare(states),
                keys=_keys(memory, "parser_keys", parser.pointer),
                hidden=memory["parser_hidden"],
                label_units=None
                if parser.label_spans.kind == parser.spans.kind
                else parser.label_spans.prepare(states),
            ),
        )

    def segment_step(
        self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int
    ) -> DecoderStep:
        """Point from an EDU's first token to its last one."""
        segmenter, memory = self._segmenter, encoded.segmenter
        if segmenter is None or memory is None:
            raise ValueError("this network does not segment in steps")
        inputs = memory.inputs[rows, starts]
        after, queries, *weights = _run_step(segmenter.step, inputs, hidden)
        ends = np.minimum(encoded.lengths[rows], starts + reach)
        scores = np.full((len(rows), int((ends - starts).max())), -np.inf, dtype=np.float32)
        # A slice for each row: gathering all rows into one array would copy up to the whole batch.
        places = zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
        for number, (row, start, end) in enumerate(places):
            keys = memory.keys[row, start:end]
            scores[number, : end - start] = segmenter.pointer.scores(keys, queries[number], *weights)
        return DecoderStep(log_softmax(scores), after)

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> DecoderStep:
        """Point to the end of a span's left part."""
        parser, memory = self._parser_and_memory(encoded)
        inputs = parser.spans.inputs(memory.units, spans.rows, spans.spans, spans.parents, spans.siblings)
        after, queries, *weights = _run_step(parser.step, inputs, hidden)
        scores = parser.pointer.scores(memory.keys[spans.rows[:, None], spans.candidates], queries, *weights)
        scores[spans.candidates < 0] = -np.inf
        return DecoderStep(log_softmax(scores), after)

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of any number of splits."""
        parser, memory = self._parser_and_memory(encoded)
        units = memory.units if memory.label_units is None else memory.label_units
        found = []
        for at in range(0, len(rows), _MOST_SPLITS):
            part, own = rows[at : at + _MOST_SPLITS], splits[at : at + _MOST_SPLITS]
            left = parser.label_spans(units, part, own[:, :2])
            right = parser.label_spans(units, part, own[:, 1:])
            (log_probs,) = parser.label.run(None, {"left": _two(left), "right": _two(right)})
            found.append(log_probs[: len(part)])
        joined: Floats = np.concatenate(found)
        return joined

    def _remember(self, vectors: Floats, lengths: Ints) -> dict[str, Floats]:
        """Run the graph of states on a batch; its outputs by name."""

        def run(at: int) -> list[Floats]:
            own = lengths[at : at + _TOGETHER]
            few = np.ascontiguousarray(vectors[at : at + _TOGETHER, : own.max()])
            found: list[Floats] = self._states.run(None, {"vectors": _two(few), "lengths": _two(own)})
            if len(own) > 1:
                return found
            return [
                array[:, :1] if name.endswith("_hidden") else array[:1]
                for name, array in zip(self._outputs, found, strict=True)
            ]

        parts = self._workers.map(run, range(0, len(lengths), _TOGETHER))
        joint = dict(zip(self._outputs, zip(*parts, strict=True), strict=True))
        return {
            name: np.concatenate(own, axis=1) if name.endswith("_hidden") else _padded(own, vectors.shape[1])
            for name, own in joint.items()
        }

    def _parser_and_memory(self, encoded: Encoded) -> tuple[ParserGraphs, ParserMemory]:
        if self._parser is None or encoded.parser is None:
            raise ValueError("this network does not parse")
        return self._parser, encoded.parser


def _run_step(step: Graph, inputs: Floats, hidden: Floats) -> list[Floats]:
    """One decoder step: the state after it, queries, and weights that the rows share."""
    if len(inputs) > 1:
        found: list[Floats] = step.run(None, {"inputs": inputs, "hidden": hidden})
        return found
    after, queries, *weights = step.run(None, {"inputs": _two(inputs), "hidden": hidden.repeat(2, axis=1)})
    return [after[:, :1], queries[:1], *weights]


def _two(rows: Array) -> Array:
    """A single row twice, several as they are.

    ONNX Runtime multiplies a matrix with one row by other code, which rounds differently: the last
    digit of a probability would depend on whether a sentence is parsed alone.
    """
    return rows.repeat(2, axis=0) if len(rows) == 1 else rows


def _keys(memory: dict[str, Floats], name: str, pointer: Pointer) -> Floats:
    """The keys that the graph computed, or else those that the pointer makes from the states, once for pointers alike."""
    if name in memory:
        return memory[name]
    name = f"{pointer.boundary} keys"
    if name not in memory:
        memory[name] = pointer.prepare(memory["states"])
    return memory[name]


def _padded(parts: Sequence[Floats], longest: int) -> Floats:
    """Join arrays of different lengths into one, padded with zeros."""
    if len(parts) == 1:
        return parts[0]
    padded = np.zeros((sum(map(len, parts)), longest, parts[0].shape[2]), dtype=np.float32)
    at = 0
    for part in parts:
        padded[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return padded
