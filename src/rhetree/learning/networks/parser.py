"""The discourse parser: a stack-pointer network that splits spans of EDUs from the top down."""

from dataclasses import dataclass

from torch import Tensor, nn

from rhetree.learning.networks.decoder import Decoder
from rhetree.learning.networks.encoder import Encoder, States, check_share
from rhetree.learning.networks.pointer import Boundary, Pointer, PointerKind
from rhetree.learning.networks.spans import PartialTree, SpanKind, SpanRepresentation, with_partial_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserConfig:
    """How spans of EDUs are split."""

    layers: int = 6
    """Of the decoder."""
    width: int = 128
    """Of the decoder."""
    pointer: PointerKind = "dot"
    """How a pointer scores a place to split at."""
    span: SpanKind = "last"
    """What stands for a span, in the decoder's input and for the label classifier."""
    boundary: Boundary = "last"
    """What stands for a place to split at: the state of the last token before it, or that and the next one."""
    partial_tree: PartialTree = "attention"
    """How a span's parent and left sibling come into the decoder's input."""
    dropout: float = 0.5
    """Between layers and on what comes out of them."""

    def __post_init__(self) -> None:
        for name in ("layers", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        check_share("dropout", self.dropout)


@dataclass(frozen=True, slots=True, eq=False)
class ParseTargets:
    """Spans of more than two EDUs, a decoder step each, of the p sentences that have any; in pre-order.

    Padding repeats a sentence's last step.
    """

    rows: Tensor
    """The sentences in the batch, ``(p,)``."""
    spans: Tensor
    """Tokens of each span, ``(p, steps, 2)``."""
    parents: Tensor
    """Tokens of the span it is part of; 0, 0 for a whole sentence, ``(p, steps, 2)``."""
    siblings: Tensor
    """Tokens of its left sibling; 0, 0 where there is none, ``(p, steps, 2)``."""
    candidates: Tensor
    """The last token of each EDU of the sentence, ``(p, most EDUs)``; padding repeats the last one."""
    allowed: Tensor
    """Which of the candidates may end a span's left part, ``(p, steps, most EDUs)``."""
    chosen: Tensor
    """The candidate that does, ``(p, steps)``."""
    real: Tensor
    """Which steps are no padding, ``(p, steps)``."""


class StackPointerParser(nn.Module):
    """At each step the decoder reads a span and points to the EDU that its left part ends with."""

    def __init__(self, config: ParserConfig, encoder: Encoder) -> None:
        super().__init__()
        self.partial_tree: PartialTree = config.partial_tree
        self.represent = SpanRepresentation(config.span, encoder.width)
        self.decoder = Decoder(self.represent.width, config.width, config.layers, config.dropout, encoder)
        self.pointer = Pointer(config.pointer, config.width, encoder.width, config.boundary)

    def inputs(self, units: Tensor, rows: Tensor, spans: Tensor, parents: Tensor, siblings: Tensor) -> Tensor:
        """What the decoder reads to split spans, ``(..., input width)``.

        :param units: of :meth:`SpanRepresentation.prepare`
        :param rows: ``(...)``; the others ``(..., 2)``
        """
        span: Tensor = self.represent(units, rows, spans)
        if self.partial_tree == "none":
            return span
        return with_partial_tree(
            self.partial_tree,
            self.represent(units, rows, parents),
            span,
            self.represent(units, rows, siblings),
        )

    def log_probs(self, states: States, units: Tensor, targets: ParseTargets) -> Tensor:
        """Of the right place to split at, at each real step, ``(all steps,)``: teacher forcing in one pass."""
        rows = targets.rows.unsqueeze(1)  # (p, 1)
        inputs = self.inputs(units, rows, targets.spans, targets.parents, targets.siblings)
        outputs, _ = self.decoder(inputs, self.decoder.start(states.final)[:, targets.rows])
        keys = self.pointer.prepare(states.tokens)[rows, targets.candidates]
        log_probs: Tensor = self.pointer(outputs, keys, targets.allowed)
        return log_probs.gather(2, targets.chosen.unsqueeze(2)).squeeze(2)[targets.real]
