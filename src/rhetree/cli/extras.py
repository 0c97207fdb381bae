"""Says which extra to install if a command needs packages that are missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from rhetree.errors import MissingExtraError

_TRAINING = {"torch", "onnx", "transformers", "tomli", "h5py"}


@contextmanager
def training_extra() -> Iterator[None]:
    """Turn a missing package of the training extra into an error with the line that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _TRAINING:
            raise
        raise MissingExtraError("training and evaluating models", "train") from error
