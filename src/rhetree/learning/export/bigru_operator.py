"""A BiGRU layer as one ONNX operator.

Torch's exporter would write down each gather and mask of :mod:`rhetree.learning.networks.recurrent`,
and running them takes a tenth longer (ADR 8). ONNX has an operator that reads both directions and
honours lengths by itself, so this module takes the place of those layers while they are traced.
"""

from typing import Any

import torch
from torch import Tensor, nn

from rhetree.learning.networks.recurrent import Bidirectional, BothWays


class BiGruOperator(nn.Module):
    """Stands for :class:`Bidirectional` in a trace; it computes nothing itself."""

    def __init__(self, layers: Bidirectional) -> None:
        super().__init__()
        self.rightward = layers.rightward
        self.leftward = layers.leftward

    def forward(self, vectors: Tensor, lengths: Tensor) -> BothWays:
        """Write down the operator of each layer."""
        inputs = vectors.transpose(0, 1)  # (longest, batch, width)
        lengths = lengths.int()
        ends = []
        for pair in zip(self.rightward, self.leftward, strict=True):
            weights = [torch.stack(both) for both in zip(*map(_weights, pair), strict=True)]
            read, final = _Operator.apply(inputs, lengths, *weights)  # type: ignore[no-untyped-call]  # torch's
            # (longest, 2, batch, width) -> (longest, batch, 2, width) -> (longest, batch, 2 * width)
            inputs = read.transpose(1, 2).flatten(2)
            ends.append(final)
        both = read.permute(1, 2, 0, 3)  # (2, batch, longest, width)
        finals = torch.stack(ends, dim=1)  # (2, layers, batch, width)
        return BothWays(both[0], both[1], finals[0], finals[1])


class _Operator(torch.autograd.Function):
    @staticmethod
    def forward(_context: Any, inputs: Tensor, _lengths: Tensor, *weights: Tensor) -> tuple[Tensor, Tensor]:
        """The shapes of the operator's outputs, which is all that a trace needs."""
        longest, batch, _ = inputs.shape
        width = weights[1].shape[-1]
        return inputs.new_zeros(longest, 2, batch, width), inputs.new_zeros(2, batch, width)

    @staticmethod
    def symbolic(graph: Any, inputs: Any, lengths: Any, *weights: Any) -> Any:
        """The operator itself: it reads no padding, and writes zeros for it."""
        width = weights[1].type().sizes()[-1]
        settings = {"direction_s": "bidirectional", "hidden_size_i": width, "linear_before_reset_i": 1}
        return graph.op("GRU", inputs, *weights, lengths, outputs=2, **settings)


def _weights(gru: nn.Module) -> tuple[Tensor, Tensor, Tensor]:
    """Weights for the input, for the state before, and both biases; gates in ONNX's order."""
    weights = dict(gru.named_parameters())

    def reorder(name: str) -> Tensor:
        reset, update, new = weights[f"{name}_l0"].chunk(3)
        return torch.cat([update, reset, new])

    return reorder("weight_ih"), reorder("weight_hh"), torch.cat([reorder("bias_ih"), reorder("bias_hh")])
