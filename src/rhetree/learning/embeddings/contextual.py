"""Embedders that see the whole sentence: layers of an encoder, mixed, live or from disk."""

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.embedder import Embedder, LayerMix
from rhetree.learning.embeddings.features import FeatureStore


class ContextualEmbedder(Embedder):
    """An encoder of which one layer is used, or a learnt mix of all.

    While the encoder is frozen, its layers can be kept on disk (:meth:`keep_features`).
    """

    n_layers: int
    """How many layers :meth:`layers` gives: one, or all that are mixed."""

    def __init__(self, config: EmbeddingConfig) -> None:
        super().__init__()
        self.config = config
        self.n_layers = 1
        self.mix: LayerMix | None = None
        self.store: FeatureStore | None = None

    @abstractmethod
    def layers(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """The encoder's states for each word, ``(batch, longest, n_layers, width)``, padded with zeros."""

    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of everything that :meth:`layers` depends on besides the sentence."""

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Word vectors, ``(batch, longest, width)``; zeros after a sentence's last word."""
        layers = self._live(sentences) if self.store is None else self._stored(self.store, sentences)
        return layers.squeeze(2) if self.mix is None else self.mix(layers)

    def keep_features(
        self,
        sentences: Sequence[Sequence[str]],
        cache: Path | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Compute the layers of these sentences unless they are on disk, and use those from now on.

        Other sentences are computed whenever they come, and so are all where the encoder is trained
        or the settings want it so.

        :param cache: the folder of all features; see :func:`rhetree.learning.embeddings.features.cache_folder`
        :param progress: told now and then how many of the sentences are there
        """
        if not self.config.has_features:
            return
        shape = (self.n_layers, self.width)
        self.store = FeatureStore(self.fingerprint(), shape, self.config.features_dtype, cache)
        self.store.fill(sentences, self._features, progress)

    def as_kept(self, layers: Tensor) -> Tensor:
        """Layers as exact as they would be kept: what is loaded or exported reads what was trained on."""
        return layers.half().float() if self.config.rounds_features else layers

    def _live(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        return self.as_kept(self.layers(sentences))

    def _features(self, sentence: Sequence[str]) -> NDArray[np.float32]:
        """``(n_words, n_layers, width)``."""
        with torch.no_grad():
            features: NDArray[np.float32] = self._live([sentence])[0].cpu().numpy()
        return features

    def _stored(self, store: FeatureStore, sentences: Sequence[Sequence[str]]) -> Tensor:
        longest = max(map(len, sentences), default=0)
        padded = np.zeros((len(sentences), longest, self.n_layers, self.width), dtype=np.float32)
        for number, sentence in enumerate(sentences):
            found = store.get(sentence)
            padded[number, : len(sentence)] = self._features(sentence) if found is None else found
        return torch.from_numpy(padded).to(next(self.parameters()).device)


def hash_of_weights(module: nn.Module) -> str:
    """A hash of all parameters and buffers, by name."""
    digest = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.detach().cpu().contiguous().numpy().data)
    return digest.hexdigest()
