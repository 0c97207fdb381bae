"""From words to vectors: random, static, ELMo, or any Hugging Face encoder.

An embedder is made once for training, from its own files and the training sentences, and from then
on lives in the model directory: weights in the state, the rest through ``save_assets``. A new kind is a
subclass of :class:`~rhetree.learning.embeddings.embedder.Embedder` and an entry in
:data:`~rhetree.learning.embeddings.config.KINDS`. Its module is imported when it is needed, so that
reading settings stays fast.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.errors import MissingExtraError
from rhetree.learning.embeddings.config import KINDS, EmbeddingConfig

if TYPE_CHECKING:
    from rhetree.learning.embeddings.embedder import Embedder

__all__ = ["EmbeddingConfig", "load_embedder", "make_embedder"]

_EXTRA = {"h5py", "huggingface_hub", "safetensors", "tokenizers", "torch", "transformers"}


def make_embedder(config: EmbeddingConfig, sentences: Iterable[Sequence[str]]) -> "Embedder":
    """Make a new embedder to train, from the files that the settings name.

    :param sentences: the training data; random and static embedders keep its words, others ignore it
    """
    with _extra_installed(config):
        return _class_of(config).create(config, sentences)


def load_embedder(config: EmbeddingConfig, folder: Path) -> "Embedder":
    """Build the embedder whose assets are in this folder, without weights: these are in the model's state."""
    with _extra_installed(config):
        return _class_of(config).from_assets(config, folder)


def _class_of(config: EmbeddingConfig) -> "type[Embedder]":
    module, _, name = KINDS[config.kind].home.partition(":")
    found: type[Embedder] = getattr(import_module(module), name)
    return found


@contextmanager
def _extra_installed(config: EmbeddingConfig) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtraError(f"{config.kind} embeddings", "train") from error
