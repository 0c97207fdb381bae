"""Word vectors from a file, such as GloVe's: frozen, or trained further.

A model keeps the vectors of the words that it was trained on and of the file's first words, so
that it does without the file. Trained further are only those of words that it was trained on:
the others, which no gradient reaches, stay out of the optimiser and of its weight decay.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from rhetree.errors import EmbeddingError, ModelError
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.embeddings.table import export_table
from rhetree.learning.embeddings.vectors import read_vectors
from rhetree.learning.embeddings.vocabulary import Vocabulary, common_words
from rhetree.runtime.words import FIRST, PADDING, UNKNOWN

if TYPE_CHECKING:
    from rhetree.learning.export.precision import Precision

_FILE = "vectors.json"


class StaticEmbedder(Embedder):
    """Looks words up, as they are or in lower case; all unknown words share one vector that is learnt."""

    table: Tensor
    """The frozen vectors, after zeros for padding and unknown words, ``(rows, width)``."""

    def __init__(self, vocabulary: Vocabulary, vectors: NDArray[np.float32], n_trained: int) -> None:
        """Embed with these vectors, one for each word of the vocabulary.

        :param n_trained: number of words whose vectors are trained: the first of the vocabulary
        """
        super().__init__()
        self.vocabulary = vocabulary
        self.width = vectors.shape[1]
        self.n_trained = n_trained
        frozen = torch.zeros(FIRST + len(vectors) - n_trained, self.width)
        frozen[FIRST:] = torch.from_numpy(vectors[n_trained:])
        self.register_buffer("table", frozen)
        self.trained = nn.Parameter(torch.from_numpy(vectors[:n_trained].copy())) if n_trained else None
        self.unknown = nn.Parameter(torch.from_numpy(vectors).mean(dim=0))

    @classmethod
    def create(cls, config: EmbeddingConfig, sentences: Iterable[Sequence[str]]) -> "StaticEmbedder":
        """Vectors of a file for the words of the training data, and some more."""
        seen = common_words(sentences)
        wanted = {*seen, *(word.lower() for word in seen)}
        found = read_vectors(config.folder, lambda number, word: number < config.n_extra or word in wanted)
        every = Vocabulary(found.words)
        used = sorted({every.row(word) for word in seen} - {UNKNOWN})
        if not used:
            raise EmbeddingError(
                f"none of the {len(seen)} words of the training data has a vector in it; "
                "are they of another language, or with other endings?",
                config.folder,
            )
        rest = sorted(set(range(FIRST, len(every))) - set(used))
        order = np.array(used + rest) - FIRST
        vocabulary = Vocabulary([found.words[number] for number in order])
        return cls(vocabulary, found.vectors[order], len(used) if config.tuning == "tuned" else 0)

    @classmethod
    def from_assets(cls, config: EmbeddingConfig, folder: Path) -> "StaticEmbedder":  # noqa: ARG003
        """The embedder of a saved vocabulary."""
        vocabulary = Vocabulary.load(folder)
        path = folder / _FILE
        try:
            shape = json.loads(path.read_text(encoding="utf-8"))
            width, n_trained = int(shape["width"]), int(shape["n_trained"])
        except OSError as error:
            raise ModelError(f"{path}: cannot be read: {error.strerror}; is the model complete?") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path}: not the JSON that Rhetree writes: {error}") from error
        return cls(vocabulary, np.zeros((len(vocabulary) - FIRST, width), dtype=np.float32), n_trained)

    def save_assets(self, folder: Path) -> None:
        """Write the vocabulary and the shape of the vectors."""
        self.vocabulary.save(folder)
        shape = {"width": self.width, "n_trained": self.n_trained}
        (folder / _FILE).write_text(json.dumps(shape), encoding="utf-8")

    def export(self, folder: Path, precision: "Precision") -> dict[str, Any]:
        """Write the words and their vectors."""
        vectors = torch.zeros(len(self.vocabulary), self.width)
        vectors[UNKNOWN] = self.unknown.detach()
        if self.trained is not None:
            vectors[FIRST : FIRST + self.n_trained] = self.trained.detach()
        vectors[FIRST + self.n_trained :] = self.table[FIRST:]
        return export_table(folder, self.vocabulary, vectors, precision, lower_case=False)

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Word vectors, ``(batch, longest, width)``; zeros after a sentence's last word."""
        rows = torch.from_numpy(self.vocabulary.rows(sentences)).to(self.table.device)
        is_unknown = (rows == UNKNOWN).unsqueeze(-1)
        if self.trained is None:
            vectors = functional.embedding(rows, self.table)
        else:
            is_trained = (rows >= FIRST) & (rows < FIRST + self.n_trained)
            trained = functional.embedding(torch.where(is_trained, rows - FIRST, 0), self.trained)
            in_table = torch.where(rows < FIRST, rows, rows - self.n_trained)
            frozen = functional.embedding(torch.where(is_trained, PADDING, in_table), self.table)
            vectors = torch.where(is_trained.unsqueeze(-1), trained, frozen)
        return torch.where(is_unknown, self.unknown, vectors)
