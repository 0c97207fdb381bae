"""Finds the tree above a document's sentences of which most nodes can be expected to be right.

A network says how probable each split of a span is, whatever lies around the span. So each span has a probability of being
a node at all: the sum, over the longer spans that can be split so, of their probability times that of the split. Of all
trees over these spans we take the one with the greatest sum of its nodes' probabilities (Goodman 1996), where a node counts
more if its label is sure. To take the best split of each span, from the top down, finds fewer nodes
(docs/experiments.md) but is quick: training does that, and long texts are first cut up in this way.

Time is linear in the text: a span has a bounded number of candidates, a bounded number of them is scored for each sentence,
and a chart has a bounded number of sentences.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rhetree.runtime.document_scorer import with_edges
from rhetree.runtime.document_units import Candidates, Units
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pointer import log_softmax
from rhetree.runtime.steps import Steps, finish

LEAST = 0.001
"""Spans that are less probable than this are not looked into."""
MANY = 500
"""Number of pairs of spans that are scored for each sentence at most, besides those of the tree of best splits."""
SPAN = 0.3
"""What a node counts for its span alone, where a label that is certain counts 1."""
WIDE = 300
"""Number of sentences above which a span is split where that is most probable."""

_AT_ONCE = 64
"""Most spans to score the splits of at once: pairs of their parts take memory."""
_LABELLED_AT_ONCE = 4096
"""Most spans to label at once."""

Place = tuple[int, int]
"""Start and end of a span, by EDUs; in a chart, by sentences."""
Joint = tuple[int, int, int, float]
"""Start, middle and end of a split, by EDUs, and the probability of its middle among the candidates of its span."""


class ReadDocument(Protocol):
    """A document as a network has read it."""

    def split_scores(self, places: Ints) -> Floats:
        """How well to split at each of these places, ``(p,)``; see ``places`` of ``Splits``."""

    def label_log_probs(self, places: Ints) -> Floats:
        """Log-probabilities of labels, ``(p, labels)``."""


class DocumentNetwork(Protocol):
    """A network that reads documents."""

    def read_in_steps(self, tokens: tuple[str, ...], units: Units) -> Steps[ReadDocument]:
        """Read the words and units of a document."""


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """The splits of a document above its sentences, in pre-order."""

    places: Ints
    """Start, middle and end, by EDUs, ``(p, 3)``."""
    probs: Floats
    """Probability of each middle among the candidates of its span, ``(p,)``."""


def find_joints(read: ReadDocument, units: Units, *, by_paragraph: bool = False) -> Joints:
    """Split the document into its sentences.

    :param by_paragraph: whether each paragraph is one node, so that no other node crosses its edge
    """
    return finish(find_joints_in_steps(read, units, by_paragraph=by_paragraph))


def find_joints_in_steps(read: ReadDocument, units: Units, *, by_paragraph: bool = False) -> Steps[Joints]:
    """What :func:`find_joints` does, some spans in each step."""
    candidates = Candidates(units, by_paragraph=by_paragraph)
    found, left = yield from _split_from_the_top(read, units, candidates, WIDE)
    charts = [_Chart(units, place) for place in left]
    # All splits before all labels: what a document needs for either is prepared for the whole of it.
    for chart in charts:
        yield from chart.look_into_spans(read, candidates)
    for chart in charts:
        found += yield from chart.best_tree(read)
    return _in_order(found)


def take_best_splits(read: ReadDocument, units: Units) -> Joints:
    """Split the document into its sentences from the top down, each span where that is most probable."""
    found, _ = finish(_split_from_the_top(read, units, Candidates(units), 1))
    return _in_order(found)


def _split_from_the_top(
    read: ReadDocument, units: Units, candidates: Candidates, widest: int
) -> Steps[tuple[list[Joint], list[Place]]]:
    """Split a document where that is most probable until no span has more sentences than ``widest``.

    Returns the splits, and the spans of several sentences that are left.
    """
    found: list[Joint] = []
    left: list[Place] = []
    waiting = [(0, len(units))] if len(units) else []
    while waiting:
        some: list[Place] = []
        while waiting and len(some) < _AT_ONCE:
            start, end = place = waiting.pop()
            n_sentences = units.sentences[end - 1] + 1 - units.sentences[start]
            if n_sentences > widest:
                some.append(place)
            elif n_sentences > 1:
                left.append(place)
        if some:
            for (start, end), splits in zip(some, _score(read, candidates, some), strict=True):
                found.append((start, splits.best, end, float(splits.probs.max())))
                waiting += [(start, splits.best), (splits.best, end)]
            yield
    return found, left


def _in_order(found: list[Joint]) -> Joints:
    found.sort(key=lambda joint: (joint[0], -joint[2]))
    return Joints(
        np.array([joint[:3] for joint in found], dtype=np.int64).reshape(-1, 3),
        np.array([joint[3] for joint in found], dtype=np.float32),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Splits:
    """Where a span may be split, and how probable that is."""

    middles: Ints
    probs: Floats

    @property
    def best(self) -> int:
        """The most probable middle."""
        return int(self.middles[np.argmax(self.probs)])


def _score(read: ReadDocument, candidates: Candidates, places: list[Place]) -> Iterator[_Splits]:
    """The splits of some spans."""
    middles = [candidates.of(*place) for place in places]
    scores = read.split_scores(with_edges(places, middles))
    at = 0
    for own in middles:
        yield _Splits(own, np.exp(log_softmax(scores[None, at : at + len(own)])[0]))
        at += len(own)


class _Chart:
    """The spans of whole sentences below one span, by the numbers of their first sentence and of the one after the last.

    Only what the best tree is found from is kept, since all charts of a book are there at once.
    """

    def __init__(self, units: Units, whole: Place) -> None:
        start, end = whole
        self._start = start
        self._sentences = units.sentences[start:end] - units.sentences[start]
        self._edges = np.append(start + np.flatnonzero(np.diff(self._sentences, prepend=-1)), end)
        """Where sentences start, by EDUs, and where the last one ends."""
        self._splits: Ints
        """Start, best middle and end of each span that was looked into, longer ones before shorter ones, ``(s, 3)``."""
        self._probs: NDArray[np.float64]
        """How probable each of them is as a node, ``(s,)``."""
        self._middles: list[Ints]
        """Where each of them may be split."""
        self._middle_probs: list[Floats]
        """How probable each of these splits is."""

    def look_into_spans(self, read: ReadDocument, candidates: Candidates) -> Steps[None]:
        """Find how probable spans are, from the longest to the shortest: their probability comes from longer ones."""
        n = len(self._edges) - 1
        probs = np.zeros((n + 1, n + 1))
        probs[0, n] = 1
        best = {(0, n)}  # the tree of best splits, which is looked into to its end, so that there is one
        found: list[tuple[int, int, int]] = []
        self._middles, self._middle_probs = [], []
        n_pairs = 0
        for length in range(n, 1, -1):
            of_length = probs.diagonal(length)
            places: list[Place] = []
            for start in np.argsort(-of_length, kind="stable").tolist():
                place = start, start + length
                if place not in best:
                    if of_length[start] < LEAST:
                        continue
                    n_own = len(candidates.of(*self._by_units(*place)))
                    if n_pairs + n_own > MANY * (n - length):
                        continue
                    n_pairs += n_own
                places.append(place)
            for at in range(0, len(places), _AT_ONCE):
                some = places[at : at + _AT_ONCE]
                scored = _score(read, candidates, [self._by_units(*place) for place in some])
                for (start, end), splits in zip(some, scored, strict=True):
                    middles = self._sentences[splits.middles - self._start]
                    middle = int(middles[np.argmax(splits.probs)])
                    if (start, end) in best:
                        best |= {(start, middle), (middle, end)}
                    probs[start, middles] += probs[start, end] * splits.probs
                    probs[middles, end] += probs[start, end] * splits.probs
                    found.append((start, middle, end))
                    self._middles.append(middles.astype(np.int16))
                    self._middle_probs.append(splits.probs)
                yield
        self._splits = np.array(found)
        self._probs = probs[self._splits[:, 0], self._splits[:, 2]]

    def _by_units(self, start: int, end: int) -> Place:
        return int(self._edges[start]), int(self._edges[end])

    def best_tree(self, read: ReadDocument) -> Steps[list[Joint]]:
        """The splits of the best tree, down to its sentences. No splits are scored for it, only labels."""
        n = len(self._edges)
        values = np.full((n, n), -np.inf)
        values[np.arange(n - 1), np.arange(1, n)] = 0
        for at in range(0, len(self._splits), _LABELLED_AT_ONCE):
            some = self._splits[at : at + _LABELLED_AT_ONCE]
            label_probs = np.exp(read.label_log_probs(self._edges[some]).max(axis=1))
            values[some[:, 0], some[:, 2]] = self._probs[at : at + len(some)] * (SPAN + label_probs)
            yield
        chosen: dict[Place, tuple[int, float]] = {}
        for number in reversed(range(len(self._splits))):  # from the shortest span to the longest
            start, _, end = self._splits[number].tolist()
            middles, probs = self._middles[number], self._middle_probs[number]
            below = values[start, middles] + values[middles, end]
            best = np.lexsort((probs, below))[-1]
            chosen[start, end] = int(middles[best]), float(probs[best])
            values[start, end] += below[best]
        joints: list[Joint] = []
        waiting = [(0, n - 1)]
        while waiting:
            start, end = waiting.pop()
            if end - start > 1:
                middle, prob = chosen[start, end]
                first, last = self._by_units(start, end)
                joints.append((first, int(self._edges[middle]), last, prob))
                waiting += [(start, middle), (middle, end)]
        return joints
