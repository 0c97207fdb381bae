"""Finds the sentences of a paragraph with a small network that was trained on edited and unedited text.

Dilated convolutions over the tokens decide at every token whether it starts a sentence, with or without a
mark before it. ``rhetree.learning.sentence_splitter`` trains it and writes ``sentences.safetensors``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rhetree.text.sentence_features import COLUMNS, features
from rhetree.text.sentences import abbreviates

Floats = npt.NDArray[np.float32]

FILE = Path(__file__).parent / "sentences.safetensors"
DILATIONS = (1, 2, 4, 8)
"""How far apart the tokens are that each layer above the first looks at."""

_REACH = 1 + sum(DILATIONS)
"""Tokens on each side that a decision depends on."""
_WINDOW = 1024
"""Tokens decided at once, so that memory is bounded."""
_BLOCK = 12
"""Rows of a product. For larger products BLAS wakes its threads, which takes longer than the products do."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSplitter:
    """The trained network."""

    vocabulary: dict[str, int]
    """The row of each known word, from 1."""
    tables: tuple[Floats, ...]
    """A vector for each row, by :data:`COLUMNS`."""
    layers: tuple[tuple[Floats, Floats], ...]
    """Weight ``(3 * width before, width)`` and bias of each convolution."""
    output: tuple[Floats, float]
    """Weight ``(width,)`` and bias of the decision."""

    def sentence_starts(self, text: str, forms: Sequence[str], starts: Sequence[int]) -> list[int]:
        """Indices of the tokens that start a sentence; 0 is always one of them.

        :param forms: the tokens of one paragraph; each period is a token of its own
        :param starts: character offset of each token in the text
        """
        likely = np.flatnonzero(self.scores(text, forms, starts) > 0).tolist()
        return [0, *(number for number in likely if number and not abbreviates(forms, number - 1))]

    def scores(self, text: str, forms: Sequence[str], starts: Sequence[int]) -> Floats:
        """The log-odds that each token starts a sentence, ``(tokens,)``."""
        rows = features(text, forms, starts, self.vocabulary)
        found = []
        for at in range(0, len(rows), _WINDOW):
            first, end = max(0, at - _REACH), min(len(rows), at + _WINDOW + _REACH)
            scores = self._run(rows[first:end])
            found.append(scores[at - first : at - first + _WINDOW])
        joined: Floats = np.concatenate(found)
        return joined

    def _run(self, rows: npt.NDArray[np.int64]) -> Floats:
        states: Floats = np.concatenate(
            [table[rows[:, column]] for column, table in enumerate(self.tables)], axis=1
        )
        for number, (weight, bias) in enumerate(self.layers):
            dilation = 1 if number == 0 else DILATIONS[number - 1]
            product = (_neighbours(states, dilation) @ weight).reshape(-1, weight.shape[1])[: len(rows)]
            changed = np.maximum(product + bias, 0)
            states = changed if number == 0 else states + changed
        scores: Floats = states @ self.output[0] + np.float32(self.output[1])
        return scores


def _neighbours(states: Floats, dilation: int) -> Floats:
    """Each token's vector between those ``dilation`` tokens before and after it, ``(blocks, rows, 3 * width)``.

    There are zeros beyond the ends of the tokens, and in the rows that fill up the last block.
    """
    n, width = states.shape
    found = np.zeros((-(-n // _BLOCK) * _BLOCK, 3 * width), dtype=np.float32)
    found[dilation:n, :width] = states[: max(0, n - dilation)]
    found[:n, width : 2 * width] = states
    found[: max(0, n - dilation), 2 * width :] = states[dilation:]
    return found.reshape(-1, _BLOCK, 3 * width)


@cache
def load_splitter(path: Path = FILE) -> SentenceSplitter:
    """The splitter that comes with the package."""
    from safetensors.numpy import load_file

    tensors = load_file(path)
    words = bytes(tensors["words"]).decode("utf-8").split("\n")
    layers = range(1 + len(DILATIONS))
    word_table = tensors["table.word"].astype(np.float32) * tensors["scale.word"]
    others = (tensors[f"table.{name}"].astype(np.float32) for name in COLUMNS[1:])
    return SentenceSplitter(
        vocabulary={word: number for number, word in enumerate(words, start=1)},
        tables=(word_table, *others),
        layers=tuple(
            (tensors[f"layer.{n}.weight"].astype(np.float32), tensors[f"layer.{n}.bias"].astype(np.float32))
            for n in layers
        ),
        output=(tensors["output.weight"].astype(np.float32), float(tensors["output.bias"][0])),
    )
