"""From word vectors to states that know their sentence: the BiGRU of the paper, self-attention, or nothing."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from rhetree.learning.networks.recurrent import Bidirectional, BothWays
from rhetree.learning.padding import where_present


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderConfig:
    """How word vectors become states; the segmenter and the parser share them."""

    kind: Literal["bigru", "attention", "none"] = "bigru"
    """bigru: the paper's. attention: a small Transformer. none: the states are the word vectors, for
    embeddings that are already contextual."""
    layers: int = 6
    """Number of layers."""
    width: int = 64
    """Hidden size of each direction; self-attention is as wide as both directions merged."""
    merge: Literal["concatenate", "sum"] = "concatenate"
    """How the states of the two directions are merged."""
    heads: int = 4
    """attention: number of heads."""
    dropout: float = 0.2
    """Dropout on the word vectors that the encoder reads, between its layers and on its states."""

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        check_share("dropout", self.dropout)
        if self.kind == "attention" and self.state_width % (2 * self.heads):
            raise ValueError(
                f"heads: {self.heads} heads of even width do not make up a state of {self.state_width}"
            )

    @property
    def state_width(self) -> int:
        """The width of a state of the BiGRU or of self-attention."""
        return self.width * (2 if self.merge == "concatenate" else 1)


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """An encoder's output for a batch."""

    tokens: Tensor
    """``(batch, longest, width)``, zeros past a sentence's end."""
    final: Tensor
    """The state of the whole sentence, ``(layers, batch, width)``."""


class Encoder(nn.Module):
    """Makes a batch of sentences into states, each sentence as if it were alone."""

    def __init__(self, config: EncoderConfig, input_width: int) -> None:
        super().__init__()
        self.width = input_width if config.kind == "none" else config.state_width
        self.final_layers = config.layers if config.kind == "bigru" else 1
        self.layers: BiGRU | SelfAttention | None = None
        if config.kind == "bigru":
            self.layers = BiGRU(config, input_width)
        elif config.kind == "attention":
            self.layers = SelfAttention(config, input_width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> States:
        """Encode a padded batch.

        :param vectors: ``(batch, longest, input width)``
        :param lengths: tokens in each sentence, ``(batch,)``
        """
        if self.layers is None:
            return States(self.dropout(vectors), _mean(vectors, lengths))
        states: States = self.layers(self.dropout(vectors), lengths)
        return States(self.dropout(states.tokens), states.final)


class BiGRU(nn.Module):
    """Gated recurrent units (Cho et al. 2014) in both directions, merged."""

    def __init__(self, config: EncoderConfig, input_width: int) -> None:
        super().__init__()
        self.is_sum = config.merge == "sum"
        self.layers = Bidirectional(nn.GRU, input_width, config.width, config.layers, config.dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> States:
        read: BothWays = self.layers(vectors, lengths)
        return States(
            self._merge(read.forward, read.backward), self._merge(read.final_forward, read.final_backward)
        )

    def _merge(self, forward: Tensor, backward: Tensor) -> Tensor:
        return forward + backward if self.is_sum else torch.cat([forward, backward], dim=-1)


class SelfAttention(nn.Module):
    """A Transformer encoder (Vaswani et al. 2017) with its normalisation before each sublayer.

    Positions are sines and cosines, so a sentence may be of any length.
    """

    def __init__(self, config: EncoderConfig, input_width: int) -> None:
        super().__init__()
        width = config.state_width
        self.project = nn.Linear(input_width, width)
        self.layers = nn.ModuleList(
            AttentionLayer(width, config.heads, config.dropout) for _ in range(config.layers)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, vectors: Tensor, lengths: Tensor) -> States:
        present = where_present(vectors, lengths)  # (batch, longest)
        tokens = self.project(vectors)
        tokens = tokens + sinusoids(tokens)
        for layer in self.layers:
            tokens = layer(tokens, present[:, None, None, :])
        tokens = self.norm(tokens) * present.unsqueeze(-1)
        return States(tokens, _mean(tokens, lengths))


class AttentionLayer(nn.Module):
    """Self-attention and a feed-forward layer, each after a normalisation and added to what it read."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, allowed: Tensor) -> Tensor:
        """The next states of tokens, ``(batch, n, width)``.

        :param allowed: which tokens each may attend to; any shape that broadcasts to ``(batch, heads, n, n)``
        """
        batch, n, width = tokens.shape
        heads = self.query_key_value(self.norm(tokens)).view(batch, n, 3, self.heads, width // self.heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4)  # each (batch, heads, n, width of a head)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        mixed = self.merge(mixed.transpose(1, 2).reshape(batch, n, width))
        tokens = tokens + self.dropout(mixed)
        transformed: Tensor = self.dropout(self.feed_forward(tokens))
        return tokens + transformed


def check_share(name: str, value: float) -> None:
    """Raise ``ValueError`` unless a dropout rate is one."""
    if not 0 <= value < 1:
        raise ValueError(f"{name} is within 0 <= {name} < 1, got {value}")


def sinusoids(like: Tensor) -> Tensor:
    """Sines and cosines of the position of each token, ``(longest, width)``."""
    _, n, width = like.shape
    places = torch.arange(n, device=like.device, dtype=like.dtype).unsqueeze(1)
    waves = torch.arange(0, width, 2, device=like.device, dtype=like.dtype)
    angles = places * torch.exp(waves * (-math.log(10000.0) / width))
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def _mean(vectors: Tensor, lengths: Tensor) -> Tensor:
    """The mean over each sentence's tokens as the state of one layer, ``(1, batch, width)``."""
    present = where_present(vectors, lengths).unsqueeze(-1)
    return ((vectors * present).sum(dim=1) / lengths.unsqueeze(-1)).unsqueeze(0)
