"""Recurrent layers that read a padded batch in both directions, each sentence as if it were alone.

Torch's own bidirectional layers need packed sequences for that, whose backward pass takes time
quadratic in the length. Here each direction is a plain padded pass: padding stands behind a sentence
and so cannot reach it, once the sentence (and not the row) is turned around for the way back.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rhetree.learning.padding import turn_around, where_present


@dataclass(frozen=True, slots=True, eq=False)
class BothWays:
    """The states of the last layer, and the final states of all layers."""

    forward: Tensor
    """``(batch, longest, width)``, zeros past a sentence's end."""
    backward: Tensor
    """``(batch, longest, width)``, zeros past a sentence's end."""
    final_forward: Tensor
    """The forward states at each sentence's last token, ``(layers, batch, width)``."""
    final_backward: Tensor
    """The backward states at each sentence's first token, ``(layers, batch, width)``."""


class Bidirectional(nn.Module):
    """Layers of GRU or LSTM cells over the sentence from left to right and from right to left."""

    def __init__(
        self, cell: type[nn.GRU] | type[nn.LSTM], input_width: int, width: int, layers: int, dropout: float
    ) -> None:
        super().__init__()
        widths = [input_width, *[2 * width] * (layers - 1)]
        self.rightward = nn.ModuleList(cell(n, width, batch_first=True) for n in widths)
        self.leftward = nn.ModuleList(cell(n, width, batch_first=True) for n in widths)
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> BothWays:
        """Read a padded batch.

        :param vectors: ``(batch, longest, input width)``
        :param lengths: tokens in each sentence, ``(batch,)``
        """
        inside = where_present(vectors, lengths).unsqueeze(-1)  # (batch, longest, 1)
        rows = torch.arange(vectors.shape[0], device=vectors.device)
        final_forward, final_backward = [], []
        for number, (rightward, leftward) in enumerate(zip(self.rightward, self.leftward, strict=True)):
            if number:
                vectors = self.dropout(vectors)
            forward = rightward(vectors)[0] * inside
            backward = turn_around(leftward(turn_around(vectors, lengths))[0], lengths) * inside
            final_forward.append(forward[rows, lengths - 1])
            final_backward.append(backward[:, 0])
            vectors = torch.cat([forward, backward], dim=-1)
        return BothWays(forward, backward, torch.stack(final_forward), torch.stack(final_backward))
