"""The discourse parser: a stack-pointer network that splits spans of EDUs from the top down."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from rhetree.learning.networks.choices import fit
from rhetree.learning.networks.decoder import DecoderKind, make_decoder
from rhetree.learning.networks.encoder import Encoder, States, check_share
from rhetree.learning.networks.pointer import Boundary, Pointer, PointerKind
from rhetree.learning.networks.spans import PartialTree, SpanKind, SpanRepresentation


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserConfig:
    """How spans of EDUs are split."""

    decoder: DecoderKind = "gru"
    """gru: the paper's decoder. attention: self-attention over the steps so far."""
    heads: int = 4
    """With decoder "attention": number of heads."""
    layers: int = 6
    """Number of decoder layers."""
    width: int = 128
    """Hidden size of the decoder."""
    pointer: PointerKind = "dot"
    """How the pointer scores a split point: dot product, additive or biaffine attention."""
    span: SpanKind = "last"
    """How a span is represented, for the decoder and, unless it has a setting of its own, the label classifier:
    by the state of its last token, the mean of its states, or the states of both its ends."""
    boundary: Boundary = "last"
    """How a split point is represented: by the state of the token before it, or by those of the tokens on
    both sides."""
    partial_tree: PartialTree = "attention"
    """How the decoder's input combines a span with its parent and left sibling."""
    dropout: float = 0.5
    """Dropout between the decoder's layers and on its outputs."""

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        if self.decoder == "attention" and self.width % (2 * self.heads):
            raise ValueError(
                f"heads: {self.heads} heads of even width do not make up a width of {self.width}"
            )
        check_share("dropout", self.dropout)


@dataclass(frozen=True, slots=True, eq=False)
class ParseTargets:
    """The gold decoder steps of a batch: its spans of more than two EDUs, in pre-order.

    Only the p sentences that have such spans take part. Padding repeats a sentence's last step.
    """

    rows: Tensor
    """The sentences in the batch, ``(p,)``."""
    spans: Tensor
    """Tokens of each span, ``(p, steps, 2)``."""
    parents: Tensor
    """Tokens of each span's parent, ``(p, steps, 2)``; 0, 0 for a whole sentence."""
    siblings: Tensor
    """Tokens of each span's left sibling, ``(p, steps, 2)``; 0, 0 if it has none."""
    candidates: Tensor
    """The last token of each EDU of the sentence, ``(p, most EDUs)``; padding repeats the last one."""
    allowed: Tensor
    """Which of the candidates may end a span's left part, ``(p, steps, most EDUs)``."""
    chosen: Tensor
    """The gold candidate, ``(p, steps)``."""
    real: Tensor
    """Which steps are not padding, ``(p, steps)``."""
    soft: Tensor | None = None
    """How right each candidate is, ``(p, steps, most EDUs)``; None for ``chosen`` alone."""


class StackPointerParser(nn.Module):
    """At each step the decoder reads a span and points to the EDU that its left part ends with."""

    def __init__(self, config: ParserConfig, encoder: Encoder) -> None:
        super().__init__()
        self.represent = SpanRepresentation(config.span, encoder.width, config.partial_tree)
        self.decoder = make_decoder(
            config.decoder,
            self.represent.width,
            config.width,
            config.layers,
            config.dropout,
            config.heads,
            encoder,
        )
        self.pointer = Pointer(config.pointer, config.width, encoder.width, config.boundary)

    def settings(self) -> dict[str, Any]:
        """What an exported model needs to know besides its graphs, for ``config.json``."""
        return {**self.represent.settings(), **self.pointer.settings()}

    def log_probs(self, states: States, units: Tensor, targets: ParseTargets) -> Tensor:
        """Log-probabilities of the gold split points at each real step, ``(all steps,)``.

        Teacher forcing in one pass.
        """
        rows = targets.rows.unsqueeze(1)  # (p, 1)
        inputs = self.represent.inputs(units, rows, targets.spans, targets.parents, targets.siblings)
        outputs, _ = self.decoder(inputs, self.decoder.start(states.final)[:, targets.rows])
        keys = self.pointer.prepare(states.tokens)[rows, targets.candidates]
        log_probs: Tensor = self.pointer(outputs, keys, targets.allowed)
        return fit(log_probs, targets.chosen, targets.soft)[targets.real]
