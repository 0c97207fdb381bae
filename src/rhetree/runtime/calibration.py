"""Probabilities that mean what they say: a network whose distributions are made flatter or steeper.

A trained network is mostly too sure. Dividing its log-probabilities by a temperature (Guo et al. 2017) mends that and
changes no order, so that the likeliest choice stays the likeliest: a greedy parse is the same tree.
``benchmarks/calibrate.py`` fits the temperatures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rhetree.errors import ModelError
from rhetree.runtime.model_files import Settings
from rhetree.runtime.network import DecoderStep, Encoded, Floats, Ints, Network, SpansToSplit
from rhetree.runtime.pointer import log_softmax

_LOWEST, _HIGHEST = 0.05, 20.0


@dataclass(frozen=True, slots=True)
class Temperatures:
    """What log-probabilities are divided by; above 1 the network is less sure, 1 changes nothing."""

    segmenter: float = 1.0
    """Of EDU ends."""
    structure: float = 1.0
    """Of split places."""
    label: float = 1.0
    """Of labels."""

    def __post_init__(self) -> None:
        for name in ("segmenter", "structure", "label"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f"{name}: expected a number, got {value!r:.80}")
            if not _LOWEST <= value <= _HIGHEST:
                raise ValueError(f"{name}: expected a number from {_LOWEST} to {_HIGHEST}, got {value!r:.80}")

    @classmethod
    def from_settings(cls, settings: Settings) -> "Temperatures":
        """The temperatures of a model's ``config.json``; those that it does not name are 1."""
        try:
            return cls(**settings.values)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"{settings.where}: expected temperatures of segmenter, structure and label: {error}"
            ) from error


class CalibratedNetwork:
    """A network with temperatures, as a :class:`~rhetree.runtime.network.Network`."""

    def __init__(self, network: Network, temperatures: Temperatures) -> None:
        self.network = network
        self.temperatures = temperatures

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Read sentences, each of one token or more."""
        return self.network.encode(sentences)

    def segment_step(
        self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int
    ) -> DecoderStep:
        """Point from an EDU's first token to its last one."""
        step = self.network.segment_step(encoded, rows, starts, hidden, reach)
        return DecoderStep(tempered(step.log_probs, self.temperatures.segmenter), step.hidden)

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> DecoderStep:
        """Point to the end of a span's left part."""
        step = self.network.parse_step(encoded, spans, hidden)
        return DecoderStep(tempered(step.log_probs, self.temperatures.structure), step.hidden)

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of any number of splits, ``(splits, labels)``."""
        return tempered(self.network.label(encoded, rows, splits), self.temperatures.label)


def tempered(log_probs: Floats, temperature: float) -> Floats:
    """Log-probabilities divided by a temperature, as log-probabilities again, over the last axis."""
    if temperature == 1:
        return log_probs
    return log_softmax(log_probs / np.float32(temperature))
