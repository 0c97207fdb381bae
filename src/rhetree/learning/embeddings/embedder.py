"""What all embedders have in common, and the learnt mix of layers that two of them share."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn


class Embedder(nn.Module):
    """Turns sentences, given as words, into one vector a word."""

    width: int

    @abstractmethod
    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Word vectors, ``(batch, longest, width)``; zeros after a sentence's last word."""

    @abstractmethod
    def save_assets(self, folder: Path) -> None:
        """Write what is needed to build this embedder again, but for its weights."""

    def keep_features(
        self,
        sentences: Sequence[Sequence[str]],  # noqa: ARG002
        cache: Path | None = None,  # noqa: ARG002
        progress: Callable[[int], None] | None = None,  # noqa: ARG002
    ) -> None:
        """Compute what is frozen once for these sentences; nothing where nothing would be gained."""
        return

    def depths(self) -> dict[str, int]:
        """For each pretrained parameter that is trained, how many layers it lies below the last."""
        return {}


class LayerMix(nn.Module):
    """A learnt weighting of layers (Peters et al. 2018): ``gamma * sum_l softmax(s)_l h_l``."""

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.scalars = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, layers: Tensor) -> Tensor:
        """One vector a word.

        :param layers: ``(batch, longest, n_layers, width)``
        """
        weights = self.gamma * self.scalars.softmax(dim=0)  # (n_layers,)
        return torch.einsum("l,bnlw->bnw", weights, layers)
