"""What tells one model from another: its name and a hash of its files."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError

_CONFIG = "config.json"
_TRAINED = ("weights.safetensors",)
"""The files that matter in a model that was trained and not exported."""
_N_DIGITS = 12
_CHUNK = 2**20


def identify(folder: Path, config: Mapping[str, Any]) -> str:
    """The name of a model's folder and the beginning of its hash, such as ``english 3f2a91bc0d12``.

    A copy of a model has the same hash, and a model that would parse differently another one.

    :param config: the content of its ``config.json``, which lists the other files
    """
    files = config.get("runtime", {}).get("files") or [name for name in _TRAINED if (folder / name).exists()]
    whole = hashlib.sha256()
    for name in sorted({_CONFIG, *files}):
        whole.update(f"{name}\n".encode())
        whole.update(_digest(folder / name))
    return f"{folder.resolve().name} {whole.hexdigest()[:_N_DIGITS]}"


def _digest(path: Path) -> bytes:
    content = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                content.update(chunk)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
    return content.digest()
