"""The words that have a vector of their own."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rhetree.errors import ModelError
from rhetree.runtime.words import FIRST, PADDING, UNKNOWN

_FILE = "vocabulary.json"


class Vocabulary:
    """Numbers words. A word that is not there is looked up in lower case, then unknown."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._rows = {word: row for row, word in enumerate(self.words, start=FIRST)}
        if len(self._rows) != len(self.words):
            raise ValueError("a vocabulary lists each word once")

    def __len__(self) -> int:
        """The number of rows, padding and unknown included."""
        return FIRST + len(self.words)

    def row(self, word: str) -> int:
        """The row of a word, or of the unknown one."""
        row = self._rows.get(word)
        if row is None:
            row = self._rows.get(word.lower(), UNKNOWN)
        return row

    def rows(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """The rows of all words, ``(batch, longest)``, padded."""
        longest = max((len(sentence) for sentence in sentences), default=0)
        rows = np.full((len(sentences), longest), PADDING, dtype=np.int64)
        for number, sentence in enumerate(sentences):
            rows[number, : len(sentence)] = [self.row(word) for word in sentence]
        return rows

    def save(self, folder: Path) -> None:
        """Write the words, in order."""
        (folder / _FILE).write_text(json.dumps(self.words), encoding="ascii")

    @classmethod
    def load(cls, folder: Path) -> "Vocabulary":
        """The vocabulary that was saved here."""
        path = folder / _FILE
        try:
            words = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ModelError(f"{path}: cannot be read: {error.strerror}; is the model complete?") from error
        except ValueError as error:
            raise ModelError(f"{path}: not the JSON that Rhetree writes: {error}") from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ModelError(f"{path}: expected a list of words")
        return cls(words)


def common_words(
    sentences: Iterable[Sequence[str]], min_count: int = 1, lower_case: bool = False
) -> list[str]:
    """The words that occur so often, in the order of their first occurrence."""
    counts = Counter(word.lower() if lower_case else word for sentence in sentences for word in sentence)
    return [word for word, count in counts.items() if count >= min_count]
