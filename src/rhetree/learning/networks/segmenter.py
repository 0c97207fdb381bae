"""The discourse segmenter: a pointer network from the first token of an EDU to its last."""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from rhetree.learning.networks.choices import fit
from rhetree.learning.networks.decoder import DecoderKind, make_decoder
from rhetree.learning.networks.encoder import Encoder, States, check_share
from rhetree.learning.networks.pointer import Boundary, Pointer, PointerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmenterConfig:
    """How EDUs are found. For SegBot (Li et al. 2018) set pointer = "additive" and input = "embedding"."""

    kind: Literal["pointer", "crf"] = "pointer"
    """pointer: the paper's pointer network. crf: the BiLSTM-CRF tagger of Wang et al. (2018)."""
    decoder: DecoderKind = "gru"
    """pointer: gru: the paper's decoder. attention: self-attention over the steps so far."""
    heads: int = 4
    """With decoder "attention": number of heads."""
    layers: int = 6
    """Number of layers of the decoder, or of the tagger's first BiLSTM."""
    width: int = 128
    """Hidden size of the decoder, or of each direction of the tagger's BiLSTMs."""
    pointer: PointerKind = "dot"
    """pointer: how it scores a token: dot product, additive or biaffine attention."""
    boundary: Boundary = "last"
    """pointer: how the end of an EDU is represented: by the state of its last token, or by those of its last
    token and the next one."""
    input: Literal["state", "embedding"] = "state"
    """What the decoder or the tagger reads: encoder states or word vectors."""
    attention_window: int = 5
    """crf: number of tokens on each side that the tagger attends to; 0 for no attention."""
    dropout: float = 0.2
    """Dropout between layers and on their outputs."""

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        if self.attention_window < 0:
            raise ValueError(f"attention_window is at least 0, got {self.attention_window}")
        if self.decoder == "attention" and self.width % (2 * self.heads):
            raise ValueError(
                f"heads: {self.heads} heads of even width do not make up a width of {self.width}"
            )
        check_share("dropout", self.dropout)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentTargets:
    """The gold decoder steps of a batch, one for each EDU; padding repeats a sentence's last step."""

    starts: Tensor
    """First token of each EDU, ``(batch, steps)``."""
    lasts: Tensor
    """Last token of each EDU, ``(batch, steps)``."""
    real: Tensor
    """Which steps are not padding, ``(batch, steps)``."""
    soft: Tensor | None = None
    """How right each token is as an EDU's last one, ``(batch, steps, longest)``; None for ``lasts`` alone."""


class PointerSegmenter(nn.Module):
    """At each step the decoder reads the first token of an EDU and points to its last."""

    def __init__(self, config: SegmenterConfig, encoder: Encoder, embedding_width: int) -> None:
        super().__init__()
        self.reads_states = config.input == "state"
        input_width = encoder.width if self.reads_states else embedding_width
        self.decoder = make_decoder(
            config.decoder, input_width, config.width, config.layers, config.dropout, config.heads, encoder
        )
        self.pointer = Pointer(config.pointer, config.width, encoder.width, config.boundary)

    def inputs(self, embeddings: Tensor, states: States) -> Tensor:
        """The decoder's input for an EDU that starts at each token, ``(batch, longest, input width)``."""
        return states.tokens if self.reads_states else embeddings

    def settings(self) -> dict[str, Any]:
        """What an exported model needs to know besides its graphs, for ``config.json``."""
        return {"input": "state" if self.reads_states else "embedding", **self.pointer.settings()}

    def log_probs(
        self, embeddings: Tensor, states: States, lengths: Tensor, targets: SegmentTargets
    ) -> Tensor:
        """Log-probabilities of the gold ends at each real step, ``(all steps,)``.

        Teacher forcing in one pass.
        """
        rows = torch.arange(len(lengths), device=targets.starts.device).unsqueeze(1)
        inputs = self.inputs(embeddings, states)[rows, targets.starts]
        outputs, _ = self.decoder(inputs, self.decoder.start(states.final))
        log_probs = self.point(outputs, self.pointer.prepare(states.tokens), targets.starts, lengths)
        return fit(log_probs, targets.lasts, targets.soft)[targets.real]

    def point(self, outputs: Tensor, keys: Tensor, starts: Tensor, lengths: Tensor) -> Tensor:
        """Log-probabilities of an EDU's last token, from its start to the sentence's end.

        :param outputs: the decoder's outputs, ``(batch, steps, width)``
        :param keys: from :meth:`Pointer.prepare`, ``(batch, longest, width)``
        :param starts: ``(batch, steps)``
        :param lengths: ``(batch,)``
        """
        places = torch.arange(keys.shape[1], device=keys.device)
        allowed = (places >= starts.unsqueeze(-1)) & (places < lengths.view(-1, 1, 1))
        result: Tensor = self.pointer(outputs, keys, allowed)
        return result
