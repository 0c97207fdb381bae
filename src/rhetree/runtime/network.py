"""A network as the searches see it: a few functions from arrays to arrays.

Positions are tokens, counted from the start of their sentence; spans are half-open. A step is made
for any choice of the batch's sentences (``rows``), so that finished ones cost nothing. The torch
side is ``rhetree.learning.torch_network``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SegmenterMemory:
    """What the segmenter's decoder reads."""

    inputs: Floats
    """The decoder's input for an EDU that starts at each token, ``(batch, longest, input width)``."""
    keys: Floats
    """The pointer's key for each token, ``(batch, longest, width)``."""
    hidden: Floats
    """The decoder's first state, ``(layers, batch, width)``."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ParserMemory:
    """What the parser's decoder and the label classifier read."""

    units: Floats
    """What span vectors are made from: token states ``(batch, longest, width)``, or their running sums with
    one row more."""
    keys: Floats
    """The pointer's key for each token, ``(batch, longest, width)``."""
    hidden: Floats
    """The decoder's first state, ``(layers, batch, width)``."""
    label_units: Floats | None = None
    """The same as ``units`` for the spans of the label classifier, if it represents them in another way."""


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """A segmentation made in one go, by a tagger."""

    begins: Bools
    """Whether an EDU begins at each token, ``(batch, longest)``."""
    log_probs: Floats
    """The log-probability that an EDU begins at each token, ``(batch, longest)``."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Encoded:
    """A batch of sentences after the encoder."""

    lengths: Ints
    """Tokens in each sentence, ``(batch,)``."""
    segmenter: SegmenterMemory | None = None
    tags: Tags | None = None
    """Set in place of ``segmenter`` if the network is a tagger."""
    parser: ParserMemory | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SpansToSplit:
    """One span of each of k sentences, for one step of the parser."""

    rows: Ints
    """The sentence of each span, ``(k,)``."""
    spans: Ints
    """The span's tokens, ``(k, 2)``."""
    parents: Ints
    """The tokens of the span that it is part of, ``(k, 2)``; 0, 0 for a whole sentence."""
    siblings: Ints
    """The tokens of the span's left sibling, ``(k, 2)``; 0, 0 where it has none."""
    candidates: Ints
    """The last token of each EDU that the left part may end with, ``(k, most)``; -1 fills the rows up."""


@dataclass(frozen=True, slots=True, eq=False)
class DecoderStep:
    """The result of one decoder step for each of its k rows."""

    log_probs: Floats
    """Log-probabilities of the candidates, ``(k, n)``; ``-inf`` for padding."""
    hidden: Floats
    """The decoder's state after the step, ``(layers, k, width)``."""


class Network(Protocol):
    """A trained network. Each call is over a whole batch; nothing depends on who else is in it."""

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Read sentences, each of one token or more."""

    def segment_step(
        self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int
    ) -> DecoderStep:
        """Point from an EDU's first token to its last one, for k sentences.

        Candidates are counted from each EDU's start. Their number ``n`` is at most ``reach``, so that the
        cost of a step does not grow with the sentence.

        :param rows: the sentences, ``(k,)``
        :param starts: where the EDU starts in each, ``(k,)``
        :param hidden: the decoder's state before the step, ``(layers, k, width)``
        :param reach: most tokens in an EDU
        """

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> DecoderStep:
        """Point to the end of a span's left part, for k sentences; ``n`` is the most candidates."""

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of any number of splits, ``(splits, labels)``.

        :param rows: the sentence of each split, ``(splits,)``
        :param splits: first token, first token of the right part, end, ``(splits, 3)``
        """
