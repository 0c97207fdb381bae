"""What stands for a span of tokens, and what a span knows of the tree around it."""

from typing import Literal

import torch
from torch import Tensor, nn

SpanKind = Literal["last", "mean", "both-ends"]
PartialTree = Literal["attention", "average", "none"]


class SpanRepresentation(nn.Module):
    """A span as one vector, made from the states of its tokens. No parameters.

    - ``last``: the state of its last token, the paper's choice.
    - ``mean``: the mean of all its states, the paper's other attempt.
    - ``both-ends``: the states of its first and its last token, side by side.
    """

    def __init__(self, kind: SpanKind, state_width: int) -> None:
        super().__init__()
        self.kind = kind
        self.width = state_width * (2 if kind == "both-ends" else 1)

    def prepare(self, states: Tensor) -> Tensor:
        """What spans are made from: the states ``(batch, longest, width)``, for means their running sums."""
        if self.kind != "mean":
            return states
        # Row i is the sum of the i states before token i; a span's sum is then the difference of two rows.
        return nn.functional.pad(states.cumsum(dim=1), (0, 0, 1, 0))

    def forward(self, units: Tensor, rows: Tensor, spans: Tensor) -> Tensor:
        """The vectors of spans, ``(..., width)``; zeros for an empty span.

        :param units: prepared states
        :param rows: the sentence of each span, ``(...)``
        :param spans: tokens, half-open, ``(..., 2)``; 0, 0 is the empty span
        """
        starts, ends = spans[..., 0], spans[..., 1]
        lengths = (ends - starts).unsqueeze(-1)
        lasts = (ends - 1).clamp(min=0)
        if self.kind == "mean":
            return (units[rows, ends] - units[rows, starts]) / lengths.clamp(min=1)
        vectors = units[rows, lasts]
        if self.kind == "both-ends":
            vectors = torch.cat([units[rows, starts], vectors], dim=-1)
        return vectors * (lengths > 0)


def with_partial_tree(kind: PartialTree, parent: Tensor, span: Tensor, sibling: Tensor) -> Tensor:
    """The paper's equation 5: span, parent and left sibling as one input of the decoder.

    ``A = softmax(M Mᵀ) M`` with M = [parent; span; sibling], rows summed. The softmax is over the
    columns: each row of M attends to the three rows. One that is not there is a zero vector.

    :param parent: and the others: ``(..., width)``
    """
    if kind == "none":
        return span
    rows = torch.stack([parent, span, sibling], dim=-2)  # (..., 3, width)
    if kind == "average":
        return rows.mean(dim=-2)
    attention = (rows @ rows.transpose(-1, -2)).softmax(dim=-1)
    return (attention @ rows).sum(dim=-2)
