"""Finds the sentences of a paragraph with a small network that was trained on edited and unedited text.

Dilated convolutions over the tokens decide at every token whether it starts a sentence, with or without a
mark before it. ``rhetree.learning.sentence_splitter`` trains it and writes ``sentences.safetensors``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rhetree.text.sentence_features import COLUMNS, features
from rhetree.text.sentences import abbreviates

Floats = npt.NDArray[np.float32]
Paragraph = tuple[Sequence[str], Sequence[int]]
"""The tokens of a paragraph, each period a token of its own, and the character offset of each in the text."""

FILE = Path(__file__).parent / "sentences.safetensors"
DILATIONS = (1, 2, 4, 8)
"""How far apart the tokens are that each layer above the first looks at."""

_REACH = 1 + sum(DILATIONS)
"""Tokens on each side that a decision depends on."""
_WINDOW = 1024
"""Tokens decided at once, so that memory is bounded."""
_GAP = np.full((max(DILATIONS), len(COLUMNS)), -1)
"""Rows between two paragraphs, so that neither sees the other."""
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
        return next(self.split(text, [(forms, starts)]))

    def split(self, text: str, paragraphs: Iterable[Paragraph]) -> Iterator[list[int]]:
        """What :meth:`sentence_starts` finds in each paragraph; short ones go through the network together."""
        for some in _in_groups(paragraphs):
            for (forms, _), scores in zip(some, self._scores(text, some), strict=True):
                likely = np.flatnonzero(scores > 0).tolist()
                yield [0, *(number for number in likely if number and not abbreviates(forms, number - 1))]

    def scores(self, text: str, forms: Sequence[str], starts: Sequence[int]) -> Floats:
        """The log-odds that each token starts a sentence, ``(tokens,)``."""
        return self._scores(text, [(forms, starts)])[0]

    def _scores(self, text: str, paragraphs: Sequence[Paragraph]) -> list[Floats]:
        rows = [features(text, *paragraph, self.vocabulary) for paragraph in paragraphs]
        joined = np.concatenate([row for own in rows for row in (own, _GAP)])
        is_token = joined[:, 0] >= 0
        found = []
        for at in range(0, len(joined), _WINDOW):
            first, end = max(0, at - _REACH), min(len(joined), at + _WINDOW + _REACH)
            scores = self._run(joined[first:end], is_token[first:end, None])
            found.append(scores[at - first : at - first + _WINDOW])
        return np.split(np.concatenate(found)[is_token], np.cumsum([len(own) for own in rows])[:-1])

    def _run(self, rows: npt.NDArray[np.int64], is_token: npt.NDArray[np.bool_]) -> Floats:
        states: Floats = np.concatenate(
            [table[rows[:, column]] for column, table in enumerate(self.tables)], axis=1
        )
        states *= is_token
        for number, (weight, bias) in enumerate(self.layers):
            dilation = 1 if number == 0 else DILATIONS[number - 1]
            changed = _convolve(states, weight, dilation)
            changed += bias
            np.maximum(changed, 0, out=changed)
            changed *= is_token
            if number:
                changed += states
            states = changed
        # Not ``@``: BLAS would wake its threads for a product with so many rows.
        scores: Floats = np.einsum("nw,w->n", states, self.output[0]) + np.float32(self.output[1])
        return scores


def _in_groups(paragraphs: Iterable[Paragraph]) -> Iterator[list[Paragraph]]:
    """Paragraphs of about a window's tokens together."""
    some: list[Paragraph] = []
    n_tokens = 0
    for paragraph in paragraphs:
        some.append(paragraph)
        n_tokens += len(paragraph[0])
        if n_tokens >= _WINDOW:
            yield some
            some, n_tokens = [], 0
    if some:
        yield some


def _convolve(states: Floats, weight: Floats, dilation: int) -> Floats:
    """Each token with those ``dilation`` tokens before and after it, ``(tokens, width)``; zeros lie beyond the ends.

    :param weight: ``(3 * width before, width)``
    """
    n, before = states.shape
    filled = -(-n // _BLOCK) * _BLOCK
    padded = np.zeros((filled + 2 * dilation, before), dtype=np.float32)
    padded[dilation : dilation + n] = states
    total: Floats = np.zeros((filled // _BLOCK, _BLOCK, weight.shape[1]), dtype=np.float32)
    for side in range(3):
        shifted = padded[side * dilation : side * dilation + filled].reshape(-1, _BLOCK, before)
        total += shifted @ weight[side * before : (side + 1) * before]
    return total.reshape(filled, -1)[:n]


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
