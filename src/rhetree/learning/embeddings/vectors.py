"""Reads files of word vectors: the text format of GloVe and fastText, and arrays with a vocabulary."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rhetree.errors import EmbeddingError


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Words and their vectors, ``(n_words, width)``, in the order of the file."""

    words: list[str]
    vectors: NDArray[np.float32]


def read_vectors(path: Path, keep: Callable[[int, str], bool]) -> WordVectors:
    """The vectors of a file that are to be kept; of a word that comes twice, the first.

    The width of every line is checked, the numbers only of those that are kept.

    :param path: a text file, a ``.npy`` file with ``vocab.txt`` beside it, or the folder of both
    :param keep: told the number of the vector in the file, from 0, and its word
    """
    if path.is_dir():
        arrays = sorted(path.glob("*.npy"))
        if len(arrays) != 1:
            found = ", ".join(array.name for array in arrays) or "none"
            raise EmbeddingError(f"expected one .npy file beside vocab.txt, found {found}", path)
        path = arrays[0]
    read = _read_array if path.suffix == ".npy" else _read_text
    with _file_errors(path):
        words, vectors = read(path, keep)
    if not words:
        raise EmbeddingError("none of its words is needed; is this a file of word vectors?", path)
    return WordVectors(words, vectors)


def _read_array(path: Path, keep: Callable[[int, str], bool]) -> tuple[list[str], NDArray[np.float32]]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise EmbeddingError(f"not a whole NumPy array of numbers ({error})", path) from error
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.floating) or array.shape[1] == 0:
        raise EmbeddingError(
            f"expected a floating-point array of (words, width), found {array.dtype} {array.shape}", path
        )
    kept: dict[str, int] = {}
    n_words = 0
    vocabulary = path.with_name("vocab.txt")
    with _file_errors(vocabulary), vocabulary.open(encoding="utf-8", newline="\n") as source:
        for number, line in enumerate(source):
            word = line.rstrip("\r\n")
            n_words += 1
            if keep(number, word):
                kept.setdefault(word, number)
    if n_words != len(array):
        raise EmbeddingError(f"{n_words} words for the {len(array)} vectors of {path.name}", vocabulary)
    rows = np.fromiter(kept.values(), dtype=np.int64, count=len(kept))
    vectors = np.asarray(array[rows], dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise EmbeddingError(f"vector {rows[bad[0]]} (counted from 0) has a number that is not finite", path)
    return list(kept), vectors


def _read_text(path: Path, keep: Callable[[int, str], bool]) -> tuple[list[str], NDArray[np.float32]]:
    kept: dict[str, NDArray[np.float32]] = {}
    width, promised, n_read = 0, None, 0
    # Only "\n" ends a line: some of the words are other line ends of Unicode.
    with path.open(encoding="utf-8-sig", newline="\n") as source:
        for line, text in enumerate(source, start=1):
            parts = text.rstrip().split(" ")
            if line == 1 and len(parts) == 2 and all(part.isdecimal() for part in parts):
                promised, width = int(parts[0]), int(parts[1])
                if not width:
                    raise EmbeddingError("vectors of width 0", path, line)
                continue
            if not width:
                width = len(parts) - 1
                if width < 1:
                    raise EmbeddingError(f"expected a word and its numbers, found {text[:40]!r}", path, line)
            _check_width(parts, width, path, line)
            # A few words of GloVe have spaces in them, so numbers are counted from the right.
            word = " ".join(parts[:-width])
            if keep(n_read, word) and word not in kept:
                kept[word] = _numbers(parts[-width:], path, line)
            n_read += 1
    if promised is not None and promised != n_read:
        raise EmbeddingError(
            f"its first line promises {promised} vectors, it has {n_read}; is it cut off?", path, 1
        )
    return list(kept), np.array(list(kept.values()), dtype=np.float32)


def _check_width(parts: list[str], width: int, path: Path, line: int) -> None:
    n_numbers = len(parts) - 1
    if n_numbers > width and not _is_number(parts[-width - 1]):
        n_numbers = width
    if n_numbers != width:
        raise EmbeddingError(
            f"a vector of {n_numbers} numbers, after others of {width}; is the file cut off or mixed?",
            path,
            line,
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(parts: list[str], path: Path, line: int) -> NDArray[np.float32]:
    try:
        vector = np.array(parts, dtype=np.float32)
    except ValueError:
        bad = next(part for part in parts if not _is_number(part))
        raise EmbeddingError(f"expected a number, found {bad!r}", path, line) from None
    if not np.isfinite(vector).all():
        raise EmbeddingError("has a number that is not finite", path, line)
    return vector


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise EmbeddingError(
            "not UTF-8 text; vectors are read as text or as .npy (fastText: the .vec file, not .bin)", path
        ) from error
    except OSError as error:
        raise EmbeddingError(f"cannot be read: {error.strerror}", error.filename or path) from error
