"""Finds the tree above a document's sentences of which most nodes can be expected to be right.

A network says how probable each split of a span is, whatever lies around the span. So each span has a probability of being
a node at all: the sum, over the longer spans that can be split so, of their probability times that of the split. Of all
trees over these spans we take the one with the greatest sum of its nodes' probabilities (Goodman 1996), where a node counts
more if its label is sure. To take the best split of each span, from the top down, finds fewer nodes
(docs/experiments.md) but is quick: training does that, and long texts are first cut up in this way.

Time is linear in the text: a span has a bounded number of candidates, and what is cut up has a bounded number of sentences.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rhetree.runtime.document_scorer import with_edges
from rhetree.runtime.document_units import Candidates, Units
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pointer import log_softmax
from rhetree.runtime.steps import Steps, finish

LEAST = 0.001
"""Spans that are less probable than this are not looked into."""
FEW = 32
"""Number of spans of each length that are looked into at most, besides those that fit side by side."""
SPAN = 0.3
"""What a node counts for its span alone, where a label that is certain counts 1."""
WIDE = 300
"""Number of sentences above which a span is split where that is most probable."""

_NEGLIGIBLE = LEAST / 20
"""Splits that are less probable than this lead nowhere."""
_MOST_PAIRS = 4096
"""Most pairs of spans to score at once: they take memory."""

Place = tuple[int, int]
"""Start and end of a span, by EDUs."""
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
    for place in left:
        spans = _Spans(read, units, candidates)
        yield from spans.look_into(place)
        yield from spans.weigh()
        yield from spans.choose()
        found += spans.best_tree(place)
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
        while waiting and len(some) < _MOST_PAIRS // 64:
            start, end = place = waiting.pop()
            n_sentences = units.sentences[end - 1] + 1 - units.sentences[start]
            if n_sentences > widest:
                some.append(place)
            elif n_sentences > 1:
                left.append(place)
        if some:
            for (start, end), splits in _score(read, candidates, some):
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


@dataclass(slots=True, eq=False)
class _Splits:
    """Where a span may be split, and how probable that is."""

    middles: Ints
    probs: Floats
    best: int
    """The most probable middle."""
    prob: float = 0.0
    """Probability that the span is a node."""


def _score(
    read: ReadDocument, candidates: Candidates, places: list[Place]
) -> Iterator[tuple[Place, _Splits]]:
    """The splits of some spans."""
    middles = [candidates.of(*place) for place in places]
    scores = read.split_scores(with_edges(places, middles))
    at = 0
    for place, own in zip(places, middles, strict=True):
        log_probs = log_softmax(scores[None, at : at + len(own)])[0]
        at += len(own)
        yield place, _Splits(own, np.exp(log_probs), int(own[np.argmax(log_probs)]))


@dataclass(slots=True, eq=False)
class _Spans:
    """The spans below one span that are probable enough to be nodes."""

    read: ReadDocument
    units: Units
    candidates: Candidates
    known: dict[Place, _Splits] = field(default_factory=dict)
    """The spans that were looked into, longer ones before shorter ones."""
    values: dict[Place, float] = field(default_factory=dict)
    """What each of them is worth as a node; then, with all below it."""
    middles: dict[Place, int] = field(default_factory=dict)
    """Where each of them is split in the best tree below it."""

    def look_into(self, whole: Place) -> Steps[None]:
        """Find how probable spans are, from the longest to the shortest."""
        probs: dict[Place, float] = {whole: 1.0}
        waiting: dict[int, list[Place]] = {}  # by length: the probability of a span comes from longer ones
        unscored: dict[Place, None] = {}
        scored: dict[Place, _Splits] = {}
        asked: set[Place] = set()

        def ask(place: Place) -> None:
            if place not in asked and self.units.is_above(*place):
                asked.add(place)
                unscored[place] = None
                waiting.setdefault(place[1] - place[0], []).append(place)

        n = whole[1] - whole[0]
        ask(whole)
        needed = {whole}  # with each span also the tree of best splits below it, so that there is one
        for length in range(n, 1, -1):
            places = sorted(
                waiting.pop(length, ()), key=lambda place: (place not in needed, -probs[place], place)
            )
            for number, place in enumerate(places):
                if number >= FEW + n // length and place not in needed:
                    unscored.pop(place, None)
                    scored.pop(place, None)
                    continue
                if place not in scored:
                    del unscored[place]
                    others = [unscored.popitem()[0] for _ in range(min(len(unscored), _MOST_PAIRS // 64))]
                    scored.update(_score(self.read, self.candidates, [place, *others]))
                    yield
                splits = self.known[place] = scored.pop(place)
                splits.prob = probs[place]
                matter = (splits.probs * splits.prob >= _NEGLIGIBLE) | (splits.middles == splits.best)
                splits.middles, splits.probs = splits.middles[matter], splits.probs[matter]
                start, end = place
                for middle, prob in zip(splits.middles.tolist(), splits.probs.tolist(), strict=True):
                    for part in ((start, middle), (middle, end)):
                        probs[part] = probs.get(part, 0.0) + splits.prob * prob
                        if middle == splits.best:
                            needed.add(part)
                        if probs[part] >= LEAST or middle == splits.best:
                            ask(part)

    def weigh(self) -> Steps[None]:
        """Find what spans are worth as nodes. From here on no splits are scored, only labels."""
        places = list(self.known)
        for at in range(0, len(places), _MOST_PAIRS):
            some = places[at : at + _MOST_PAIRS]
            whole = np.array([(start, self.known[start, end].best, end) for start, end in some])
            label_probs = np.exp(self.read.label_log_probs(whole).max(axis=1)).tolist()
            for place, label_prob in zip(some, label_probs, strict=True):
                self.values[place] = self.known[place].prob * (SPAN + label_prob)
            yield

    def choose(self) -> Steps[None]:
        """Find the best tree below each span, from the shortest to the longest."""
        for number, (place, splits) in enumerate(reversed(self.known.items()), start=1):
            start, end = place
            best = (-np.inf, 0.0)
            for middle, prob in zip(splits.middles.tolist(), splits.probs.tolist(), strict=True):
                parts = ((start, middle), (middle, end))
                value = sum(self.values.get(part, -np.inf) for part in parts if self.units.is_above(*part))
                if (value, prob) > best:
                    best = (value, prob)
                    self.middles[place] = middle
            self.values[place] += best[0]
            if not number % _MOST_PAIRS:
                yield

    def best_tree(self, whole: Place) -> Iterator[Joint]:
        """The splits from a span down to its sentences."""
        waiting = [whole]
        while waiting:
            start, end = waiting.pop()
            if self.units.is_above(start, end):
                middle = self.middles[start, end]
                splits = self.known[start, end]
                yield start, middle, end, float(splits.probs[np.searchsorted(splits.middles, middle)])
                waiting += [(start, middle), (middle, end)]
