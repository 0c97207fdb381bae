"""The recurrent decoder that segmenter and parser have in common."""

from typing import cast

import torch
from torch import Tensor, nn

from rhetree.learning.networks.encoder import Encoder


class Decoder(nn.Module):
    """GRU layers that start from the encoder's final state.

    Where the decoder has as many layers as the encoder and is as wide, each layer starts from the
    encoder's state of the same layer. Otherwise all start from ``tanh(W h)``, h the state of the
    encoder's last layer.
    """

    def __init__(self, input_width: int, width: int, layers: int, dropout: float, encoder: Encoder) -> None:
        super().__init__()
        self.width = width
        self.layers = layers
        self.gru = nn.GRU(
            input_width, width, layers, batch_first=True, dropout=dropout if layers > 1 else 0.0
        )
        self.dropout = nn.Dropout(dropout)
        self.project: nn.Linear | None = None
        if (layers, width) != (encoder.final_layers, encoder.width):
            self.project = nn.Linear(encoder.width, layers * width)

    def start(self, final: Tensor) -> Tensor:
        """The state before the first step, ``(layers, batch, width)``, from the encoder's final one."""
        if self.project is None:
            return final
        projected = torch.tanh(self.project(final[-1]))
        return projected.view(-1, self.layers, self.width).transpose(0, 1).contiguous()

    def forward(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Any number of steps: outputs ``(batch, steps, width)`` and the state after the last step.

        Steps past a sentence's end may hold anything: no step sees a later one.

        :param inputs: ``(batch, steps, input width)``
        :param hidden: ``(layers, batch, width)``
        """
        outputs, hidden = cast(tuple[Tensor, Tensor], self.gru(inputs, hidden))
        return self.dropout(outputs), hidden
