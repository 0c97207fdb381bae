"""Vectors that are learnt from nothing but the training data."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.embeddings.table import export_table
from rhetree.learning.embeddings.vocabulary import Vocabulary, common_words
from rhetree.runtime.words import PADDING

if TYPE_CHECKING:
    from rhetree.learning.export.precision import Precision


class RandomEmbedder(Embedder):
    """A trained vector for each common word of the training data, and one for all others."""

    def __init__(self, config: EmbeddingConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.width = config.width
        self.vocabulary = vocabulary
        self.lower_case = config.lower_case
        self.vectors = nn.Embedding(len(vocabulary), config.width, padding_idx=PADDING)
        with torch.no_grad():
            bound = (3 / config.width) ** 0.5  # vectors of length 1 on average
            self.vectors.weight.uniform_(-bound, bound)
            self.vectors.weight[PADDING] = 0

    @classmethod
    def create(cls, config: EmbeddingConfig, sentences: Iterable[Sequence[str]]) -> "RandomEmbedder":
        """New vectors for the words of the training data."""
        return cls(config, Vocabulary(common_words(sentences, config.min_count, config.lower_case)))

    @classmethod
    def from_assets(cls, config: EmbeddingConfig, folder: Path) -> "RandomEmbedder":
        """The embedder of a saved vocabulary."""
        return cls(config, Vocabulary.load(folder))

    def save_assets(self, folder: Path) -> None:
        """Write the vocabulary."""
        self.vocabulary.save(folder)

    def export(self, folder: Path, precision: "Precision") -> dict[str, Any]:
        """Write the words and their vectors."""
        return export_table(
            folder, self.vocabulary, self.vectors.weight, precision, lower_case=self.lower_case
        )

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Word vectors, ``(batch, longest, width)``; zeros after a sentence's last word."""
        if self.lower_case:
            sentences = [[word.lower() for word in sentence] for sentence in sentences]
        rows = torch.from_numpy(self.vocabulary.rows(sentences)).to(self.vectors.weight.device)
        vectors: Tensor = self.vectors(rows)
        return vectors
