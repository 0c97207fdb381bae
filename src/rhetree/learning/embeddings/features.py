"""What a frozen encoder says of each sentence, computed once and kept on disk.

A store is a folder of segments, named by the hash of the encoder. A segment is an array of
features and an index of sentences, both written under a temporary name and renamed, the index
last: what can be seen is whole, after an interruption too. Segments are never changed, so any
number of processes may read and add; at worst one computes what another has just computed.
"""

import hashlib
import os
import random
import sys
import tempfile
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rhetree.errors import EmbeddingError

_VERSION = 1
_SEGMENT_BYTES = 32 * 2**20
"""An interruption loses at most so much of what was computed."""
_INDEX = np.dtype([("sentence", "V16"), ("start", "<i8"), ("n_words", "<i8")])


def cache_folder() -> Path:
    """Where features are kept: ``RHETREE_CACHE``, or else the user's cache folder."""
    if folder := os.environ.get("RHETREE_CACHE"):
        return Path(folder).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "rhetree" / "cache"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/rhetree").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "rhetree"


class FeatureStore:
    """Features of one encoder with one set of settings, by sentence."""

    def __init__(
        self, fingerprint: str, shape: tuple[int, ...], dtype: str = "float32", cache: Path | None = None
    ) -> None:
        """Open the store, which may be empty.

        :param fingerprint: a hash of the encoder and its settings
        :param shape: of the features of one word
        :param dtype: ``float32``, or ``float16`` for half the disk
        """
        key = hashlib.sha256(repr((_VERSION, fingerprint, tuple(shape), dtype)).encode()).hexdigest()[:32]
        self.folder = (cache_folder() if cache is None else cache) / "features" / key
        self._shape = tuple(shape)
        self._dtype = np.dtype(dtype)
        self._segments: dict[str, NDArray[np.floating]] = {}
        self._index: dict[bytes, tuple[str, int, int]] = {}
        self._refresh()

    def get(self, sentence: Sequence[str]) -> NDArray[np.floating] | None:
        """The features of a sentence, ``(n_words, *shape)``, mapped from disk; None where there are none."""
        place = self._index.get(sentence_key(sentence))
        if place is None:
            return None
        segment, start, n_words = place
        return self._segments[segment][start : start + n_words]

    def fill(
        self,
        sentences: Sequence[Sequence[str]],
        compute: Callable[[Sequence[str]], NDArray[np.floating]],
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Compute and keep the features of those sentences that have none.

        Each process takes them in its own order and looks now and then for what others have added:
        several that start together so share the work. One sentence at a time makes what is kept
        independent of what was computed beside it, to the last bit: the same seed gives the same
        weights, whatever was in the store before. It takes two to three times as long as in batches,
        but only once.

        :param compute: features of a sentence, ``(n_words, *shape)``
        :param progress: told now and then how many of the sentences are there
        """
        waiting = {
            key: sentence for sentence in sentences if (key := sentence_key(sentence)) not in self._index
        }
        order = list(waiting)
        random.Random(os.getpid()).shuffle(order)
        done: dict[bytes, NDArray[np.floating]] = {}
        n_bytes = 0
        for number, key in enumerate(order, start=1):
            if key not in self._index:
                features = compute(waiting[key])
                if features.shape != (len(waiting[key]), *self._shape):
                    raise ValueError(f"features of shape {features.shape} for {len(waiting[key])} words")
                done[key] = np.asarray(features, dtype=self._dtype)
                n_bytes += done[key].nbytes
            if n_bytes >= _SEGMENT_BYTES:
                self._add(done)
                done, n_bytes = {}, 0
            if progress is not None:
                progress(len(sentences) - len(order) + number)
        if done:
            self._add(done)

    def _add(self, features: dict[bytes, NDArray[np.floating]]) -> None:
        index = np.zeros(len(features), dtype=_INDEX)
        start = 0
        for row, (key, array) in zip(index, features.items(), strict=True):
            row["sentence"], row["start"], row["n_words"] = np.void(key), start, len(array)
            start += len(array)
        name = uuid.uuid4().hex
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(self.folder / f"{name}.features.npy", np.concatenate(list(features.values())))
            _write(self.folder / f"{name}.index.npy", index)
        except OSError as error:
            raise EmbeddingError(
                f"features cannot be kept: {error.strerror or error}; set RHETREE_CACHE to a folder with room, "
                "or features = false",
                self.folder,
            ) from error
        self._refresh()

    def _refresh(self) -> None:
        """Look for segments that are not known yet."""
        for path in sorted(self.folder.glob("*.index.npy")):
            name = path.name.removesuffix(".index.npy")
            if name in self._segments:
                continue
            try:
                index = np.load(path, allow_pickle=False)
                array = np.load(path.with_name(f"{name}.features.npy"), mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError) as error:
                raise EmbeddingError(
                    f"damaged ({error}); delete the folder to have it made again", path
                ) from error
            n_words = int(index["n_words"].sum()) if index.dtype == _INDEX else -1
            if array.dtype != self._dtype or array.shape != (n_words, *self._shape):
                raise EmbeddingError("damaged; delete the folder to have it made again", path)
            self._segments[name] = array
            for row in index:
                self._index[row["sentence"].tobytes()] = (name, int(row["start"]), int(row["n_words"]))


def sentence_key(sentence: Sequence[str]) -> bytes:
    """A hash of the words and of where they end."""
    digest = hashlib.blake2b(digest_size=16)
    for word in sentence:
        data = word.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _write(path: Path, array: NDArray[np.generic]) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with open(handle, "wb") as sink:
            np.save(sink, array, allow_pickle=False)
            sink.flush()
            os.fsync(sink.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
