"""Reads the two official files of an ELMo model: ``options.json`` and ``weights.hdf5``."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from rhetree.errors import EmbeddingError

N_CHARACTERS = 261
"""256 bytes, then begin and end of sentence, begin and end of word, padding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElmoOptions:
    """The sizes of an ELMo model. Small, medium and large differ in nothing else."""

    activation: str
    """After each filter: ``relu`` or ``tanh``."""
    filters: tuple[tuple[int, int], ...]
    """The filters of the character CNN: their width in characters, and their number."""
    character_width: int
    max_characters: int
    """The most characters of a word, including the marks of its begin and end."""
    n_highway: int
    cell: int
    """Width of the LSTM's memory."""
    projection: int
    """Width of its output, in each direction."""
    n_layers: int
    cell_clip: float
    """Largest value of a memory cell; 0 is no limit."""
    projection_clip: float
    has_skips: bool
    """Whether each layer but the first adds its input to its output."""

    def __post_init__(self) -> None:
        if self.activation not in ("relu", "tanh"):
            raise ValueError(f"char_cnn.activation is relu or tanh, got {self.activation!r}")
        sizes = [self.character_width, self.cell, self.projection, self.n_layers]
        if not self.filters or min(*sizes, *(size for pair in self.filters for size in pair)) < 1:
            raise ValueError("every size is at least 1, and there is at least one filter")
        widest = max(width for width, _ in self.filters)
        if self.max_characters < max(3, widest):
            raise ValueError(f"char_cnn.max_characters_per_token is at least {max(3, widest)}")
        if min(self.n_highway, self.cell_clip, self.projection_clip) < 0:
            raise ValueError("n_highway and the clips are at least 0")

    @property
    def n_filters(self) -> int:
        """The width of a word after the character CNN."""
        return sum(number for _, number in self.filters)

    @classmethod
    def from_json(cls, text: str) -> "ElmoOptions":
        """Read the official options; a ``ValueError`` says what is wrong with them."""
        try:
            options = json.loads(text)
        except ValueError as error:
            raise ValueError(f"not JSON: {error}") from error
        if not isinstance(options, dict) or "char_cnn" not in options:
            raise ValueError("has no char_cnn: not the options of an ELMo that reads characters")
        try:
            cnn, lstm = options["char_cnn"], options["lstm"]
            return cls(
                activation=cnn["activation"],
                filters=tuple((int(width), int(number)) for width, number in cnn["filters"]),
                character_width=int(cnn["embedding"]["dim"]),
                max_characters=int(cnn["max_characters_per_token"]),
                n_highway=int(cnn.get("n_highway") or 0),
                cell=int(lstm["dim"]),
                projection=int(lstm["projection_dim"]),
                n_layers=int(lstm["n_layers"]),
                cell_clip=float(lstm.get("cell_clip") or 0),
                projection_clip=float(lstm.get("proj_clip") or 0),
                has_skips=bool(lstm.get("use_skip_connections", False)),
            )
        except KeyError as error:
            raise ValueError(f"has no {error.args[0]}") from error
        except TypeError as error:
            raise ValueError(f"not the options of an ELMo: {error}") from error


def find_files(folder: Path) -> tuple[Path, Path]:
    """The options and the weights in a folder, whatever stands before ``options`` and ``weights``."""
    if not folder.is_dir():
        raise EmbeddingError("is not a folder; expected that of ELMo's options.json and weights.hdf5", folder)
    return _only(folder, "*options.json"), _only(folder, "*weights.hdf5")


def read_options(path: Path) -> str:
    """The text of an options file, after a check."""
    try:
        text = path.read_text(encoding="utf-8")
        ElmoOptions.from_json(text)
    except ValueError as error:
        raise EmbeddingError(str(error), path) from error
    except OSError as error:
        raise EmbeddingError(f"cannot be read: {error.strerror}", path) from error
    return text


class ElmoWeights:
    """The arrays of an open ``weights.hdf5``, each checked for its shape."""

    def __init__(self, file: Any, path: Path) -> None:
        self._file = file
        self._path = path

    def array(self, name: str, *shape: int) -> NDArray[np.float32]:
        """The array of this name, which has this shape."""
        dataset = self._file.get(name)
        if not isinstance(dataset, h5py.Dataset):
            raise EmbeddingError(
                f"has no dataset {name}; is it a weight file of ELMo's, for these options?", self._path
            )
        if dataset.shape != shape:
            raise EmbeddingError(
                f"{name} has the shape {dataset.shape}, but {shape} by the options; do the two files belong together?",
                self._path,
            )
        try:
            array: NDArray[np.float32] = dataset[...].astype(np.float32)
        except (OSError, ValueError) as error:
            raise EmbeddingError(
                f"{name} cannot be read ({error}); is the file whole?", self._path
            ) from error
        return array


@contextmanager
def open_weights(path: Path) -> Iterator[ElmoWeights]:
    """The weights in a file."""
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise EmbeddingError(f"not a whole hdf5 file ({' '.join(str(error).split())})", path) from error
    with file:
        yield ElmoWeights(file, path)


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise EmbeddingError(f"expected one file like {pattern}, found {names}", folder)
    return found[0]
