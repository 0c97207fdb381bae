"""A network without a network: it points where it is told to, and notes how it was called."""

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from rhetree.runtime.network import DecoderStep, Encoded, ParserMemory, SegmenterMemory

LABELS = ("elaboration-NS", "attribution-SN", "joint-NN")


@dataclass
class FakeNetwork:
    """Scores are a hash of sentence and place, whatever the batch; the hidden state counts the steps."""

    seed: int = 0
    segments: bool = True
    parses: bool = True
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def encode(self, sentences):
        lengths = np.array([len(sentence) for sentence in sentences])
        longest = lengths.max()
        # What a sentence is: the same alone and in company.
        texts = (" ".join([str(self.seed), *sentence]) for sentence in sentences)
        own = [[crc32(text.encode("utf-8", "surrogatepass")) % 1009] for text in texts]
        memory = np.repeat(np.array(own, dtype=np.float32)[:, :, None], longest, axis=1)
        hidden = np.zeros((1, len(sentences), 1), dtype=np.float32)
        self.calls.append(("encode", len(sentences)))
        return Encoded(
            lengths=lengths,
            segmenter=SegmenterMemory(inputs=memory, keys=memory, hidden=hidden) if self.segments else None,
            parser=ParserMemory(units=memory, keys=memory, hidden=hidden) if self.parses else None,
        )

    def segment_step(self, encoded, rows, starts, hidden, reach):
        self.calls.append(("segment", rows.tolist(), starts.tolist()))
        assert hidden.shape == (1, len(rows), 1)
        remainders = encoded.lengths[rows] - starts
        places = starts[:, None] + np.arange(min(reach, remainders.max()))
        own = encoded.segmenter.keys[rows, 0]
        scores = self._scores(own, starts[:, None], places, hidden[0])
        allowed = places < encoded.lengths[rows][:, None]
        return DecoderStep(np.where(allowed, scores, -np.inf), hidden + 1)

    def parse_step(self, encoded, spans, hidden):
        self.calls.append(("parse", spans))
        assert hidden.shape == (1, len(spans.rows), 1)
        own = encoded.parser.keys[spans.rows, 0]
        scores = self._scores(own, spans.spans.sum(axis=1)[:, None], spans.candidates, hidden[0])
        return DecoderStep(np.where(spans.candidates >= 0, scores, -np.inf), hidden + 1)

    def label(self, encoded, rows, splits):
        self.calls.append(("label", rows.tolist(), splits.tolist()))
        own = encoded.parser.keys[rows, 0]
        return self._scores(own, splits.sum(axis=1)[:, None], np.arange(len(LABELS)), 0)

    def _scores(self, own, *numbers):
        mixed = own + sum(7919 * (place + 1) * number for place, number in enumerate(numbers))
        # Below 0 like log-probabilities, but not normalised: a sum over a padded row would round differently.
        return np.sin(mixed.astype(np.float64)).astype(np.float32) - 1

    def named(self, name):
        return [call for call in self.calls if call[0] == name]
