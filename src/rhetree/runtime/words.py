"""From words to vectors without torch: an encoder's graph over pieces of words, or a table."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np

from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pieces import PieceBatch, WordPieces
from rhetree.runtime.workers import Workers

PADDING = 0
UNKNOWN = 1
FIRST = 2
"""Rows of a table: 0 is padding, 1 the unknown word; the words of the vocabulary start here."""


class Words(Protocol):
    """Turns sentences, given as words, into one vector for each word."""

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Floats:
        """``(batch, longest, width)``; zeros after a sentence's last word."""


_TOGETHER = 8
"""Most rows of equal length that go through an encoder together."""
_MOST_PIECES_TOGETHER = 512
"""Most pieces of these rows: long rows gain nothing, and would take memory."""
_MANY = 256
"""Rows after which it pays to have a second graph, which takes several together."""


class EncodedWords:
    """Words as an encoder's states at their pieces.

    Each row of pieces goes through the graph by itself, so that a sentence's vectors do not depend on the
    batch, whatever the precision, and there is no padding. Where there are many rows, those of equal length go through
    a second graph together, which gives the same bits.
    """

    def __init__(
        self,
        pieces: WordPieces,
        graph: Any,
        workers: Workers,
        read_batch_graph: Callable[[], Any | None] = lambda: None,
    ) -> None:
        """Read words with this graph, an ONNX Runtime session.

        :param read_batch_graph: reads the graph for rows of equal length, if there is one; called when it pays
        """
        self._pieces = pieces
        self._graph = graph
        self._workers = workers
        self._read_batch_graph = read_batch_graph
        self._batch_graph: Any | None = None
        self._has_asked = False
        self._n_rows = 0

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Floats:
        """``(batch, longest, width)``; zeros after a sentence's last word."""
        batch = self._pieces.batch(sentences)
        rows = [row[:length][None] for row, length in zip(batch.ids, batch.mask.sum(axis=1), strict=True)]
        # Long rows first, so that no thread is left alone with one at the end.
        order = sorted(range(len(rows)), key=lambda row: -rows[row].shape[1])
        groups = self._groups([rows[row].shape[1] for row in order])
        together = [np.concatenate([rows[row] for row in order[start:end]]) for start, end in groups]
        states = chain.from_iterable(self._workers.map(self._encode, together))
        return _pick(batch, dict(zip(order, states, strict=True)))

    def _groups(self, lengths: Sequence[int]) -> list[tuple[int, int]]:
        """Which rows, ordered by length, go through a graph together."""
        self._n_rows += len(lengths)
        if self._n_rows >= _MANY and not self._has_asked:
            self._has_asked = True
            self._batch_graph = self._read_batch_graph()
        most = 1 if self._batch_graph is None else _TOGETHER
        groups: list[tuple[int, int]] = []
        for row, length in enumerate(lengths):
            start = groups[-1][0] if groups else 0
            fits = row - start < most and (row - start + 1) * length <= _MOST_PIECES_TOGETHER
            if groups and lengths[start] == length and fits:
                groups[-1] = start, row + 1
            else:
                groups.append((row, row + 1))
        return groups

    def _encode(self, ids: Ints) -> Floats:
        graph: Any = self._graph if len(ids) == 1 else self._batch_graph
        (states,) = graph.run(None, {"ids": ids})
        found: Floats = states
        return found


class TabledWords:
    """Words as rows of a table: as they are, then in lower case, then the row of unknown words."""

    def __init__(self, words: Sequence[str], table: Floats, *, lower_case: bool) -> None:
        """Look words up in ``table``.

        :param table: a row for padding, one for unknown words, then one for each word
        :param lower_case: whether words that differ only in case are the same
        """
        self._rows: Mapping[str, int] = {word: row for row, word in enumerate(words, start=FIRST)}
        self._table = table
        self._lower_case = lower_case

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Floats:
        """``(batch, longest, width)``; zeros after a sentence's last word."""
        rows = np.full((len(sentences), max(map(len, sentences))), PADDING, dtype=np.int64)
        for number, sentence in enumerate(sentences):
            rows[number, : len(sentence)] = [self._row(word) for word in sentence]
        vectors: Floats = self._table[rows]
        return vectors

    def _row(self, word: str) -> int:
        row = None if self._lower_case else self._rows.get(word)
        return self._rows.get(word.lower(), UNKNOWN) if row is None else row


def _pick(batch: PieceBatch, states: Mapping[int, Floats]) -> Floats:
    """Words as the weighted sum of their pieces, ``(batch, longest, width)``, from the states of each row."""
    present = batch.weights[:, :, 0] > 0
    row, column = np.divmod(batch.positions, batch.ids.shape[1])
    vectors = np.zeros((*present.shape, states[0].shape[1] if states else 0), dtype=np.float32)
    if row.shape[2] == 1 and len(row) == len(states):
        # One row for each sentence and one piece for each word: each state is copied once.
        for number, n_words in enumerate(present.sum(axis=1).tolist()):
            states[number].take(
                column[number, :n_words, 0], axis=0, out=vectors[number, :n_words], mode="clip"
            )
        return vectors
    lengths = batch.mask.sum(axis=1)
    starts = lengths.cumsum() - lengths
    pieces = np.concatenate([states[number] for number in range(len(lengths))])
    picked = pieces[(starts[row] + column)[present]]  # (words, k, width)
    vectors[present] = (
        picked[:, 0] if row.shape[2] == 1 else np.einsum("nkw,nk->nw", picked, batch.weights[present])
    )
    return vectors
