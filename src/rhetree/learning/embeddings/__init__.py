"""From words to vectors: random, static, ELMo, or any Hugging Face encoder.

An embedder is built once for training, from its own files and the training sentences, and from
then on lives in the model directory: weights in the state, the rest through ``save_assets``.
The rooms behind are imported when they are needed, so that settings cost nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.errors import MissingExtraError
from rhetree.learning.embeddings.config import EmbeddingConfig

if TYPE_CHECKING:
    from rhetree.learning.embeddings.embedder import Embedder

__all__ = ["EmbeddingConfig", "load_embedder", "make_embedder"]

_EXTRA = {"h5py", "huggingface_hub", "safetensors", "tokenizers", "torch", "transformers"}


def make_embedder(config: EmbeddingConfig, sentences: Iterable[Sequence[str]]) -> "Embedder":
    """An embedder to train with, from the files that the settings name.

    :param sentences: the training data; random and static embedders keep its words, others ignore it
    """
    with _extra_installed(config):
        if config.kind == "random":
            from rhetree.learning.embeddings.random import RandomEmbedder

            return RandomEmbedder.from_sentences(config, sentences)
        if config.kind == "static":
            from rhetree.learning.embeddings.static import StaticEmbedder

            return StaticEmbedder.from_file(config, sentences)
        if config.kind == "elmo":
            from rhetree.learning.embeddings.elmo import ElmoEmbedder

            return ElmoEmbedder.from_files(config)
        from rhetree.learning.embeddings.transformer import TransformerEmbedder

        return TransformerEmbedder.from_files(config)


def load_embedder(config: EmbeddingConfig, folder: Path) -> "Embedder":
    """The embedder whose assets are in this folder, without weights: these are in the model's state."""
    with _extra_installed(config):
        if config.kind == "random":
            from rhetree.learning.embeddings.random import RandomEmbedder

            return RandomEmbedder.from_assets(config, folder)
        if config.kind == "static":
            from rhetree.learning.embeddings.static import StaticEmbedder

            return StaticEmbedder.from_assets(config, folder)
        if config.kind == "elmo":
            from rhetree.learning.embeddings.elmo import ElmoEmbedder

            return ElmoEmbedder.from_assets(config, folder)
        from rhetree.learning.embeddings.transformer import TransformerEmbedder

        return TransformerEmbedder.from_assets(config, folder)


@contextmanager
def _extra_installed(config: EmbeddingConfig) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtraError(f"{config.kind} embeddings", "train") from error
