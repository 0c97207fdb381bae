"""Splits a document from the top down until sentences are left: greedy, with a bounded number of candidates a span.

Scores of one span do not depend on how it came about, so spans wait in a stack and are taken several at a time.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rhetree.runtime.document_scorer import with_edges
from rhetree.runtime.document_units import Candidates, Units
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pointer import log_softmax
from rhetree.runtime.steps import Steps, finish

_MOST_PAIRS = 4096
"""Most pairs of spans to score at once: they take memory."""


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
    waiting = [(0, len(units))] if len(units) and units.is_above(0, len(units)) else []
    found: list[tuple[int, int, int]] = []
    probs: list[float] = []
    while waiting:
        spans, places, n_pairs = [], [], 0
        while waiting and n_pairs < _MOST_PAIRS:
            spans.append(waiting.pop())
            places.append(candidates.of(*spans[-1]))
            n_pairs += len(places[-1])
        scores = read.split_scores(with_edges(spans, places))
        at = 0
        for (start, end), own in zip(spans, places, strict=True):
            log_probs = log_softmax(scores[None, at : at + len(own)])[0]
            at += len(own)
            best = int(np.argmax(log_probs))
            middle = int(own[best])
            found.append((start, middle, end))
            probs.append(float(np.exp(log_probs[best])))
            waiting += [part for part in ((start, middle), (middle, end)) if units.is_above(*part)]
        yield
    order = sorted(range(len(found)), key=lambda number: (found[number][0], -found[number][2]))
    return Joints(
        np.array([found[number] for number in order], dtype=np.int64).reshape(-1, 3),
        np.array([probs[number] for number in order], dtype=np.float32),
    )
