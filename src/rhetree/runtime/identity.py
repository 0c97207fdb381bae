"""What tells one model from another: its name and a hash of its files, which are checked on the way."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError
from rhetree.runtime.installed import name_of
from rhetree.runtime.model_files import Settings

HASHES = "sha256"
"""Where ``config.json`` lists the SHA-256 of each file, under ``runtime``; older models list none."""

_CONFIG = "config.json"
_TRAINED = ("weights.safetensors",)
"""The files that matter in a model that was trained and not exported."""
_N_DIGITS = 12
_CHUNK = 2**20


def identify(folder: Path, config: Mapping[str, Any]) -> str:
    """The name of a model and the beginning of its hash, such as ``english 3f2a91bc0d12``.

    A copy of a model has the same hash, and a model that would parse differently another one.
    :class:`ModelError` if a file is not the one that the model was exported with.

    :param config: the content of its ``config.json``, which lists the other files
    """
    runtime = config.get("runtime", {})
    files = runtime.get("files") or [name for name in _TRAINED if (folder / name).exists()]
    listed = Settings.of(runtime.get(HASHES, {}), f"{folder / _CONFIG}: runtime.{HASHES}").values
    whole = hashlib.sha256()
    for name in sorted({_CONFIG, *files}):
        digest = file_hash(folder / name)
        if name in listed and digest.hex() != listed[name]:
            raise ModelError(
                f"{folder / name}: is not the file that the model was exported with: its SHA-256 is "
                f"{digest.hex()}, not {str(listed[name])[:64]}; copy it again"
            )
        whole.update(f"{name}\n".encode())
        whole.update(digest)
    return f"{name_of(folder)} {whole.hexdigest()[:_N_DIGITS]}"


def file_hash(path: Path) -> bytes:
    """The SHA-256 of a file of a model."""
    content = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                content.update(chunk)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
    return content.digest()
