"""The decoders that segmenter and parser have in common: recurrent, or with attention to the steps before."""

from typing import Literal, cast

import torch
from torch import Tensor, nn

from rhetree.learning.networks.encoder import AttentionLayer, Encoder, sinusoids

DecoderKind = Literal["gru", "attention"]


def make_decoder(
    kind: DecoderKind, input_width: int, width: int, layers: int, dropout: float, heads: int, encoder: Encoder
) -> "Decoder | AttentionDecoder":
    """A decoder of this kind; ``heads`` are of attention alone."""
    if kind == "attention":
        return AttentionDecoder(input_width, width, layers, dropout, heads, encoder)
    return Decoder(input_width, width, layers, dropout, encoder)


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
        self.input_width = input_width
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


class AttentionDecoder(nn.Module):
    """Layers of self-attention (Vaswani et al. 2017) over the sentence's state and all steps up to the current one.

    What is carried from step to step is the projected inputs of all steps so far, so that each step is computed
    anew from them: the time of a sentence grows with the square of its steps.
    """

    def __init__(
        self, input_width: int, width: int, layers: int, dropout: float, heads: int, encoder: Encoder
    ) -> None:
        super().__init__()
        self.width = width
        self.input_width = input_width
        self.first = nn.Linear(encoder.width, width)
        self.project = nn.Linear(input_width, width)
        self.layers = nn.ModuleList(AttentionLayer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def start(self, final: Tensor) -> Tensor:
        """The memory before the first step, ``(1, batch, width)``, from the encoder's final state."""
        first: Tensor = self.first(final[-1:])
        return first

    def forward(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Any number of steps: outputs ``(batch, steps, width)`` and the memory after the last step.

        :param inputs: ``(batch, steps, input width)``
        :param hidden: the memory before, ``(1 + steps before, batch, width)``
        """
        memory = torch.cat([hidden, self.project(inputs).transpose(0, 1)])
        tokens = memory.transpose(0, 1)
        tokens = tokens + sinusoids(tokens)
        places = torch.arange(tokens.shape[1], device=tokens.device)
        earlier = places.unsqueeze(0) <= places.unsqueeze(1)  # (all steps, all steps)
        for layer in self.layers:
            tokens = layer(tokens, earlier)
        return self.norm(tokens[:, hidden.shape[0] :]), memory
