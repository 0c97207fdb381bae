"""A model ready to run, however it is stored: exported graphs by ONNX Runtime, trained weights by torch.

Torch lives in ``rhetree.learning``, which this room must not import. The one function that is needed from there is
looked up by its name, and only for a model that has no exported graphs.
"""

from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from rhetree.errors import MissingExtraError, SettingError
from rhetree.runtime.model import RuntimeModel, is_exported, load_runtime

_TORCH_LOADER = ("rhetree.learning.torch_model", "load_torch")


class Loader(Protocol):
    """Loads a model that torch runs."""

    def __call__(self, folder: Path, *, threads: int = 0, device: str | None = None) -> RuntimeModel:
        """The model of a folder, on a device."""


def load_any(folder: Path, *, threads: int = 0, device: str | None = None) -> RuntimeModel:
    """Load a model by its exported graphs if it has them, by torch otherwise.

    :param threads: number of threads; 0 for one per core, or for torch's own choice
    :param device: where torch computes, such as ``cuda``; None for a GPU if there is one, else the CPU. Exported
        graphs always run on the CPU.
    """
    if is_exported(folder):
        if device not in (None, "cpu"):
            raise SettingError(
                f"{folder}: this model was exported, so it runs on the CPU; {device!r} is for the folder that it "
                "was exported from, which torch runs"
            )
        return load_runtime(folder, threads=threads)
    return _torch_loader(folder)(folder, threads=threads, device=device)


def _torch_loader(folder: Path) -> Loader:
    module, name = _TORCH_LOADER
    try:
        return cast(Loader, getattr(import_module(module), name))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "rhetree":
            raise
        raise MissingExtraError(
            f"{folder}: a model that was not exported (rhetree export)", "train"
        ) from error
