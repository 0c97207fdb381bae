"""A torch network behind the protocol :class:`rhetree.runtime.network.Network`: arrays in, arrays out."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from rhetree.learning.networks.classifier import LabelClassifier
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.networks.joint import DiscourseNetwork, Encoding
from rhetree.learning.networks.parser import StackPointerParser
from rhetree.learning.networks.segmenter import PointerSegmenter
from rhetree.runtime.network import (
    DecoderStep,
    Encoded,
    Floats,
    Ints,
    ParserMemory,
    SegmenterMemory,
    SpansToSplit,
    Tags,
)


class TorchNetwork:
    """Runs a torch network without gradients or dropout.

    The network may still be in training: ``encode`` switches it to evaluation mode.
    """

    def __init__(self, network: DiscourseNetwork) -> None:
        self.network = network

    @torch.inference_mode()
    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Encode sentences of at least one token each."""
        self.network.eval()
        encoding = self.network.encode(sentences)
        segmenter, parser = self.network.segmenter, self.network.parser
        return Encoded(
            lengths=encoding.lengths.cpu().numpy(),
            segmenter=_remember(segmenter, encoding) if isinstance(segmenter, PointerSegmenter) else None,
            tags=_tag(segmenter, encoding) if isinstance(segmenter, CrfTagger) else None,
            parser=None
            if parser is None
            else ParserMemory(
                units=_array(parser.represent.prepare(encoding.states.tokens)),
                keys=_array(parser.pointer.prepare(encoding.states.tokens)),
                hidden=_array(parser.decoder.start(encoding.states.final)),
                label_units=_array(self._classifier.spans.prepare(encoding.states.tokens)),
            ),
        )

    @torch.inference_mode()
    def segment_step(
        self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int
    ) -> DecoderStep:
        """Point from an EDU's first token to its last."""
        segmenter, memory = self.network.segmenter, encoded.segmenter
        if not isinstance(segmenter, PointerSegmenter) or memory is None:
            raise ValueError("this network does not segment in steps")
        inputs = self._tensor(memory.inputs[rows, starts]).unsqueeze(1)
        outputs, after = segmenter.decoder(inputs, self._tensor(hidden))
        ends = encoded.lengths[rows]
        places = starts[:, None] + np.arange(min(reach, int((ends - starts).max())))
        keys = memory.keys[rows[:, None], places.clip(max=memory.keys.shape[1] - 1)]
        allowed = self._tensor(places < ends[:, None]).unsqueeze(1)
        log_probs = segmenter.pointer(outputs, self._tensor(keys), allowed)
        return DecoderStep(_array(log_probs.squeeze(1)), _array(after))

    @torch.inference_mode()
    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> DecoderStep:
        """Point to the last token of a span's left part."""
        parser, memory = self._parser, _parser_memory(encoded)
        inputs = parser.represent.inputs(
            self._tensor(memory.units),
            self._tensor(spans.rows),
            self._tensor(spans.spans),
            self._tensor(spans.parents),
            self._tensor(spans.siblings),
        )
        outputs, after = parser.decoder(inputs.unsqueeze(1), self._tensor(hidden))
        keys = memory.keys[spans.rows[:, None], spans.candidates]
        allowed = self._tensor(spans.candidates >= 0).unsqueeze(1)
        log_probs = parser.pointer(outputs, self._tensor(keys), allowed)
        return DecoderStep(_array(log_probs.squeeze(1)), _array(after))

    @torch.inference_mode()
    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of each split."""
        memory = _parser_memory(encoded)
        units = self._tensor(memory.units if memory.label_units is None else memory.label_units)
        sentences = self._tensor(rows)
        left, right = (
            self._classifier.spans(units, sentences, self._tensor(part))
            for part in (splits[:, :2], splits[:, 1:])
        )
        return _array(self._classifier(left, right))

    @property
    def _parser(self) -> StackPointerParser:
        if self.network.parser is None:
            raise ValueError("this network does not parse")
        return self.network.parser

    @property
    def _classifier(self) -> LabelClassifier:
        if self.network.classifier is None:
            raise ValueError("this network does not parse")
        return self.network.classifier

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.network.device)


def _remember(segmenter: PointerSegmenter, encoding: Encoding) -> SegmenterMemory:
    return SegmenterMemory(
        inputs=_array(segmenter.inputs(encoding.embeddings, encoding.states)),
        keys=_array(segmenter.pointer.prepare(encoding.states.tokens)),
        hidden=_array(segmenter.decoder.start(encoding.states.final)),
    )


def _tag(segmenter: CrfTagger, encoding: Encoding) -> Tags:
    emissions = segmenter.emissions(encoding.embeddings, encoding.states, encoding.lengths)
    best = segmenter.crf.best(emissions, encoding.lengths)
    marginals = segmenter.crf.log_marginals(emissions, encoding.lengths)
    return Tags((best == 1).cpu().numpy(), _array(marginals[..., 1]))


def _parser_memory(encoded: Encoded) -> ParserMemory:
    if encoded.parser is None:
        raise ValueError("this network does not parse")
    return encoded.parser


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.cpu().numpy()
    return array
