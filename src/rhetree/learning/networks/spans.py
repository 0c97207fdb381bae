"""How a span of tokens is represented, and what a span knows about the tree around it.

``rhetree.runtime.spans`` computes the same without torch. Whoever changes a formula here changes it
there as well; ``tests/learning/test_twins.py`` compares the two.
"""

from typing import Any, Literal

import torch
from torch import Tensor, nn

SpanKind = Literal["last", "mean", "both-ends"]
PartialTree = Literal["attention", "average", "none"]


class SpanRepresentation(nn.Module):
    """A span as one vector, made from the states of its tokens. It has no parameters.

    - ``last``: the state of its last token, the paper's choice.
    - ``mean``: the mean of all its states, the paper's other attempt.
    - ``both-ends``: the states of its first and its last token, concatenated.
    """

    def __init__(self, kind: SpanKind, state_width: int, partial_tree: PartialTree = "attention") -> None:
        super().__init__()
        self.kind = kind
        self.partial_tree: PartialTree = partial_tree
        self.width = state_width * (2 if kind == "both-ends" else 1)

    def prepare(self, states: Tensor) -> Tensor:
        """Compute what spans are made from: the states ``(batch, longest, width)``, or their running sums."""
        if self.kind != "mean":
            return states
        # Row i is the sum of the first i states; the sum over a span is then the difference of two rows.
        return nn.functional.pad(states.cumsum(dim=1), (0, 0, 1, 0))

    def forward(self, units: Tensor, rows: Tensor, spans: Tensor) -> Tensor:
        """The vectors of spans, ``(..., width)``; zeros for an empty span.

        :param units: from :meth:`prepare`
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

    def inputs(self, units: Tensor, rows: Tensor, spans: Tensor, parents: Tensor, siblings: Tensor) -> Tensor:
        """What the parser's decoder reads to split spans, ``(..., width)``.

        :param units: from :meth:`prepare`
        :param rows: ``(...)``; the others ``(..., 2)``
        """
        span: Tensor = self(units, rows, spans)
        if self.partial_tree == "none":
            return span
        return with_partial_tree(
            self.partial_tree, self(units, rows, parents), span, self(units, rows, siblings)
        )

    def settings(self) -> dict[str, Any]:
        """The settings that the twin in ``rhetree.runtime.spans`` is built from, for ``config.json``."""
        return {"span": self.kind, "partial_tree": self.partial_tree}


def with_partial_tree(kind: PartialTree, parent: Tensor, span: Tensor, sibling: Tensor) -> Tensor:
    """The paper's equation 5: span, parent and left sibling as one input of the decoder.

    ``A = softmax(M Mᵀ) M`` with M = [parent; span; sibling], rows summed. The softmax is over the
    columns: each row of M attends to the three rows. A missing parent or sibling is a zero vector.

    :param parent: ``(..., width)``, as are ``span`` and ``sibling``
    """
    if kind == "none":
        return span
    rows = torch.stack([parent, span, sibling], dim=-2)  # (..., 3, width)
    if kind == "average":
        return rows.mean(dim=-2)
    attention = (rows @ rows.transpose(-1, -2)).softmax(dim=-1)
    return (attention @ rows).sum(dim=-2)
