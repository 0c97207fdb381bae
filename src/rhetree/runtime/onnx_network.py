"""The exported side of :class:`rhetree.runtime.network.Network`: ONNX Runtime for what is heavy, NumPy for the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rhetree.runtime.layers import Biaffine, Gru, Linear, Pointer, Spans, log_softmax
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


@dataclass(frozen=True, slots=True, eq=False)
class Decoder:
    """Recurrent layers with a pointer."""

    gru: Gru
    start: Linear | None
    """From the sentence's state to the decoder's first one; None where they are the same."""
    pointer: Pointer

    def begin(self, final: Floats) -> Floats:
        """The state before the first step, ``(layers, batch, width)``, from the encoder's final one."""
        if self.start is None:
            return final
        n_layers = len(self.gru.layers)
        projected = np.tanh(self.start(final[-1]))
        return np.ascontiguousarray(projected.reshape(len(projected), n_layers, -1).transpose(1, 0, 2))


@dataclass(frozen=True, slots=True, eq=False)
class Segmenter:
    """Points from an EDU's first token to its last."""

    decoder: Decoder
    reads_states: bool
    """A step reads the state of the EDU's first token; else its word vector."""


@dataclass(frozen=True, slots=True, eq=False)
class Parser:
    """Points to where a span is split, and names the split."""

    decoder: Decoder
    spans: Spans
    label: Biaffine
    nuclearity: Biaffine | None
    """Where it is classified apart from the relation."""


class OnnxNetwork:
    """Runs an exported network."""

    def __init__(
        self, words: Words, states: Any | None, segmenter: Segmenter | None, parser: Parser | None
    ) -> None:
        """Put a network together.

        :param states: the graph from word vectors to states, an ONNX Runtime session; None where they
            are the same
        """
        self._words = words
        self._states = states
        self._segmenter = segmenter
        self._parser = parser

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Read sentences, each of one token or more."""
        vectors = self._words(sentences)
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        states, final = self._read(vectors, lengths)
        segmenter, parser = self._segmenter, self._parser
        return Encoded(
            lengths=lengths,
            segmenter=None
            if segmenter is None
            else SegmenterMemory(
                inputs=states if segmenter.reads_states else vectors,
                keys=segmenter.decoder.pointer.prepare(states),
                hidden=segmenter.decoder.begin(final),
            ),
            parser=None
            if parser is None
            else ParserMemory(
                units=parser.spans.prepare(states),
                keys=parser.decoder.pointer.prepare(states),
                hidden=parser.decoder.begin(final),
            ),
        )

    def segment_step(self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int) -> Step:
        """Point from an EDU's first token to its last one."""
        memory = encoded.segmenter
        if self._segmenter is None or memory is None:
            raise ValueError("this network does not segment in steps")
        decoder = self._segmenter.decoder
        after = decoder.gru(memory.inputs[rows, starts], hidden)
        queries = decoder.pointer.queries(after[-1])
        ends = np.minimum(encoded.lengths[rows], starts + reach)
        scores = np.full((len(rows), int((ends - starts).max())), -np.inf, dtype=np.float32)
        places = zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
        for number, (row, start, end) in enumerate(places):
            scores[number, : end - start] = decoder.pointer.scores_between(
                queries[number], memory.keys[row], start, end
            )
        return Step(log_softmax(scores), after)

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> Step:
        """Point to the end of a span's left part."""
        parser, memory = self._parser_and_memory(encoded)
        inputs = parser.spans.inputs(memory.units, spans.rows, spans.spans, spans.parents, spans.siblings)
        after = parser.decoder.gru(inputs, hidden)
        queries = parser.decoder.pointer.queries(after[-1])
        scores = np.full(spans.candidates.shape, -np.inf, dtype=np.float32)
        n_candidates = (spans.candidates >= 0).sum(axis=1).tolist()
        for number, (row, n) in enumerate(zip(spans.rows.tolist(), n_candidates, strict=True)):
            scores[number, :n] = parser.decoder.pointer.scores_at(
                queries[number], memory.keys[row], spans.candidates[number, :n]
            )
        return Step(log_softmax(scores), after)

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of any number of splits."""
        parser, memory = self._parser_and_memory(encoded)
        left = parser.spans.vectors(memory.units, rows, splits[:, :2])
        right = parser.spans.vectors(memory.units, rows, splits[:, 1:])
        log_probs = parser.label(left, right)
        if parser.nuclearity is None:
            return log_probs
        both = log_probs[:, :, None] + parser.nuclearity(left, right)[:, None]
        return both.reshape(len(rows), -1)

    def _read(self, vectors: Floats, lengths: Ints) -> tuple[Floats, Floats]:
        """The states of tokens, ``(batch, longest, width)``, and of sentences, ``(layers, batch, width)``."""
        if self._states is None:
            return vectors, (vectors.sum(axis=1) / lengths[:, None].astype(np.float32))[None]
        states, final = self._states.run(None, {"vectors": vectors, "lengths": lengths.astype(np.int32)})
        return states, final

    def _parser_and_memory(self, encoded: Encoded) -> tuple[Parser, ParserMemory]:
        if self._parser is None or encoded.parser is None:
            raise ValueError("this network does not parse")
        return self._parser, encoded.parser
