"""What all embedders have in common, and the learnt mix of layers that two of them share."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from rhetree.learning.embeddings.config import EmbeddingConfig

if TYPE_CHECKING:
    from rhetree.learning.export.precision import Precision


class Embedder(nn.Module):
    """Turns sentences, given as words, into one vector for each word."""

    width: int
    """Size of a word's vector."""

    @classmethod
    @abstractmethod
    def create(cls, config: EmbeddingConfig, sentences: Iterable[Sequence[str]]) -> "Embedder":
        """Make a new embedder to train.

        :param sentences: the training data
        """

    @classmethod
    @abstractmethod
    def from_assets(cls, config: EmbeddingConfig, folder: Path) -> "Embedder":
        """Build the embedder that :meth:`save_assets` wrote; its weights come with the model's state."""

    @abstractmethod
    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Word vectors, ``(batch, longest, width)``; zeros after a sentence's last word."""

    @abstractmethod
    def save_assets(self, folder: Path) -> None:
        """Write what is needed to build this embedder again, but for its weights."""

    def export(self, folder: Path, precision: "Precision") -> dict[str, Any]:
        """Write the files that a model needs to run without torch.

        Returns their settings, which :mod:`rhetree.runtime.model` reads; raises ``NotImplementedError`` if
        these embeddings have no exported form.
        """
        raise NotImplementedError

    def keep_features(
        self,
        sentences: Sequence[Sequence[str]],  # noqa: ARG002
        cache: Path | None = None,  # noqa: ARG002
        progress: Callable[[int], None] | None = None,  # noqa: ARG002
    ) -> None:
        """Compute the frozen layers for these sentences and keep them; does nothing if there are none."""
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
        """One vector for each word, ``(batch, longest, width)``.

        :param layers: ``(batch, longest, n_layers, width)``
        """
        return torch.einsum("l,bnlw->bnw", self.weights(), layers)

    def weights(self) -> Tensor:
        """The weight of each layer, ``(n_layers,)``."""
        return self.gamma * self.scalars.softmax(dim=0)
