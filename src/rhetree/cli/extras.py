"""Saying which extra to install, where a command needs packages that are not there."""

from collections.abc import Iterator
from contextlib import contextmanager

from rhetree.errors import MissingExtraError

_TRAINING = {"torch", "onnx", "transformers", "tomli", "h5py"}


@contextmanager
def training_extra() -> Iterator[None]:
    """Turn the absence of what training needs into a line that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _TRAINING:
            raise
        raise MissingExtraError("training and evaluating models", "train") from error
