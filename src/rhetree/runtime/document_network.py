"""The exported network that reads documents: ONNX graphs, and NumPy between them.

The encoder reads overlapping windows of the document, each by itself. A window's words go into the vectors of their EDUs at
once, so that memory does not grow with the number of words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rhetree.runtime.document_scorer import PairScorer, Prepared, Splits
from rhetree.runtime.document_units import Units
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pieces import WordPieces
from rhetree.runtime.pointer import log_softmax
from rhetree.runtime.steps import Steps, finish
from rhetree.runtime.workers import Workers

Graph = Any
"""An ONNX Runtime session; the library has no types."""

_WINDOWS = 32
"""Windows to encode before their words go into EDUs."""
_ROWS = 1024
"""EDUs that go through a graph together."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A graph from the states of EDUs to what they contribute, and what scores are made of it."""

    roles: Graph
    scorer: PairScorer

    def prepare(self, states: Floats, is_head: Floats) -> Prepared:
        """What each EDU contributes."""

        def run(at: int) -> Floats:
            some = states[at : at + _ROWS]
            # A single row is multiplied by other code, which rounds differently.
            (found,) = self.roles.run(None, {"states": some.repeat(2, axis=0) if len(some) == 1 else some})
            roles: Floats = found[: len(some)]
            return roles

        return self.scorer.prepare([run(at) for at in range(0, len(states), _ROWS)], is_head)


class OnnxDocumentNetwork:
    """Runs an exported network; several threads may share one."""

    def __init__(
        self, pieces: WordPieces, encoder: Graph, units: Graph, split: Scored, label: Scored, workers: Workers
    ) -> None:
        """Put a network together.

        :param encoder: from pieces to states
        :param units: from what is known of EDUs to their states
        """
        self._pieces = pieces
        self._encoder = encoder
        self._units = units
        self.split = split
        self.label = label
        self._workers = workers

    def read(self, tokens: tuple[str, ...], units: Units) -> "OnnxReadDocument":
        """Read the words and units of a document."""
        return finish(self.read_in_steps(tokens, units))

    def read_in_steps(self, tokens: tuple[str, ...], units: Units) -> "Steps[OnnxReadDocument]":
        """What :meth:`read` does, one window for each thread in a step."""
        words = yield from self._vectors(tokens, units.tokens)
        vectors = np.concatenate([words, units.flags], axis=1)
        (states,) = self._units.run(None, {"vectors": vectors})
        yield
        return OnnxReadDocument(self, states, units)

    def _vectors(self, tokens: Sequence[str], edus: Ints) -> Steps[Floats]:
        """The first word, the last word and the mean of each EDU, ``(n, 3 * width)``."""
        edu_of = np.repeat(np.arange(len(edus)), edus[:, 1] - edus[:, 0])
        batch = self._pieces.batch([tokens])
        rows, columns = np.divmod(batch.positions[0, :, 0], batch.ids.shape[1])
        found: Floats | None = None
        yield
        for at in range(0, len(batch.ids), _WINDOWS):
            ids = batch.ids[at : at + _WINDOWS]
            start, end = np.searchsorted(rows, (at, at + len(ids))).tolist()
            words = (yield from self._states(ids))[rows[start:end] - at, columns[start:end]]
            if found is None:
                found = np.zeros((len(edus), 3, words.shape[1]), dtype=np.float32)
            own = edu_of[start : start + len(words)]
            numbers, firsts = np.unique(own, return_index=True)
            found[numbers, 2] += np.add.reduceat(words, firsts, axis=0)
            for side, places in enumerate((edus[numbers, 0], edus[numbers, 1] - 1)):
                here = (places >= start) & (places < start + len(words))
                found[numbers[here], side] = words[places[here] - start]
        if found is None:
            raise ValueError("a document without words has no units")
        found[:, 2] /= (edus[:, 1] - edus[:, 0])[:, None]
        return found.reshape(len(edus), -1)

    def _states(self, ids: Ints) -> Steps[Floats]:
        """The encoder's states for some windows, ``(windows, pieces, width)``."""
        states: list[Floats] = []
        n_threads = self._workers.n
        for at in range(0, len(ids), n_threads):
            states += self._workers.map(self._encode, [row[None] for row in ids[at : at + n_threads]])
            yield
        return np.stack(states)

    def _encode(self, ids: Ints) -> Floats:
        (states,) = self._encoder.run(None, {"ids": ids})
        found: Floats = states[0]
        return found


class OnnxReadDocument:
    """A document after the encoder. What splits need goes when labels are asked for: a book's takes much memory."""

    def __init__(self, network: OnnxDocumentNetwork, states: Floats, units: Units) -> None:
        self._network = network
        self._states = states
        self._units = units
        self._prepared: tuple[Scored, Prepared] | None = None

    def split_scores(self, places: Ints) -> Floats:
        """How well to split at each of these places, ``(p,)``."""
        found: Floats = self._scores(self._network.split, places)[:, 0]
        return found

    def label_log_probs(self, places: Ints) -> Floats:
        """Log-probabilities of labels, ``(p, labels)``."""
        return log_softmax(self._scores(self._network.label, places))

    def _scores(self, scored: Scored, places: Ints) -> Floats:
        if self._prepared is None or self._prepared[0] is not scored:
            self._prepared = None
            self._prepared = (scored, scored.prepare(self._states, self._units.is_head))
        return scored.scorer.scores(self._prepared[1], Splits.of(self._units, places))
