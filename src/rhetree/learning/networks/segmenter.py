"""The discourse segmenter: a pointer network from the first token of an EDU to its last."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from rhetree.learning.networks.decoder import Decoder
from rhetree.learning.networks.encoder import Encoder, States, check_share
from rhetree.learning.networks.pointer import Boundary, Pointer, PointerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmenterConfig:
    """How EDUs are found. SegBot (Li et al. 2018) is pointer = "additive" with input = "embedding"."""

    kind: Literal["pointer", "crf"] = "pointer"
    """crf: the BiLSTM-CRF tagger of Wang et al. (2018)."""
    layers: int = 6
    """Of the decoder, or of the tagger's first BiLSTM."""
    width: int = 128
    """Units of the decoder, or of each direction of the tagger's BiLSTMs."""
    pointer: PointerKind = "dot"
    """How a pointer scores a token; not for the tagger."""
    boundary: Boundary = "last"
    """What stands for an EDU's end: the state of its last token, or that and the next one; not for the
    tagger."""
    input: Literal["state", "embedding"] = "state"
    """What a decoder step, or the tagger, is fed: encoder states or word vectors."""
    attention_window: int = 5
    """The tagger attends to so many tokens on each side; 0 for none. Not for the pointer."""
    dropout: float = 0.2
    """Between layers and on what comes out of them."""

    def __post_init__(self) -> None:
        for name in ("layers", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        if self.attention_window < 0:
            raise ValueError(f"attention_window is at least 0, got {self.attention_window}")
        check_share("dropout", self.dropout)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentTargets:
    """The EDUs of a batch, a decoder step each; padding repeats a sentence's last step."""

    starts: Tensor
    """First token of each EDU, ``(batch, steps)``."""
    lasts: Tensor
    """Last token of each EDU, ``(batch, steps)``."""
    real: Tensor
    """Which steps are no padding, ``(batch, steps)``."""


class PointerSegmenter(nn.Module):
    """At each step the decoder reads the first token of an EDU and points to its last."""

    def __init__(self, config: SegmenterConfig, encoder: Encoder, embedding_width: int) -> None:
        super().__init__()
        self.reads_states = config.input == "state"
        input_width = encoder.width if self.reads_states else embedding_width
        self.decoder = Decoder(input_width, config.width, config.layers, config.dropout, encoder)
        self.pointer = Pointer(config.pointer, config.width, encoder.width, config.boundary)

    def inputs(self, embeddings: Tensor, states: States) -> Tensor:
        """What a step that starts at each token would read, ``(batch, longest, input width)``."""
        return states.tokens if self.reads_states else embeddings

    def log_probs(
        self, embeddings: Tensor, states: States, lengths: Tensor, targets: SegmentTargets
    ) -> Tensor:
        """Of the right end at each real step, ``(all steps,)``: teacher forcing in one pass."""
        rows = torch.arange(len(lengths), device=targets.starts.device).unsqueeze(1)
        inputs = self.inputs(embeddings, states)[rows, targets.starts]
        outputs, _ = self.decoder(inputs, self.decoder.start(states.final))
        log_probs = self.point(outputs, self.pointer.prepare(states.tokens), targets.starts, lengths)
        return log_probs.gather(2, targets.lasts.unsqueeze(2)).squeeze(2)[targets.real]

    def point(self, outputs: Tensor, keys: Tensor, starts: Tensor, lengths: Tensor) -> Tensor:
        """Log-probabilities of an EDU's last token, from its start to the sentence's end.

        :param outputs: of the decoder, ``(batch, steps, width)``
        :param keys: prepared, ``(batch, longest, width)``
        :param starts: ``(batch, steps)``
        :param lengths: ``(batch,)``
        """
        places = torch.arange(keys.shape[1], device=keys.device)
        allowed = (places >= starts.unsqueeze(-1)) & (places < lengths.view(-1, 1, 1))
        result: Tensor = self.pointer(outputs, keys, allowed)
        return result
