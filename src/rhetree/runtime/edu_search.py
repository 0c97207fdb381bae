"""The EDU search: point from the first token of an EDU to its last, until the sentence ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rhetree.domain.span import Span
from rhetree.runtime.beam import Beam
from rhetree.runtime.constraints import SentenceConstraints
from rhetree.runtime.network import Bools, Encoded, Floats, Ints, Network, SegmenterMemory, Tags

REACH = 512
"""The most tokens in an EDU, by default."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The EDUs of one sentence as spans of its tokens."""

    edus: tuple[Span, ...]
    log_prob: float
    """The log-probability of the whole segmentation."""
    probs: tuple[float, ...]
    """The probability of each EDU's end, given its start."""

    @classmethod
    def given(cls, edus: Sequence[Span]) -> "Segmentation":
        """Make a segmentation of known EDUs, with probability 1."""
        return cls(tuple(edus), 0.0, (1.0,) * len(edus))


def find_segmentations(
    network: Network,
    encoded: Encoded,
    *,
    width: int = 1,
    reach: int = REACH,
    constraints: Sequence[SentenceConstraints | None] | None = None,
) -> list[list[Segmentation]]:
    """Find the likeliest segmentations of each sentence of a batch, best first.

    A tagger decides on all tokens at once and gives one segmentation only.

    :param width: beam width: the number of segmentations to keep, and to return, for each sentence
    :param reach: the most tokens in an EDU
    :param constraints: what each sentence has to agree with, if any has constraints
    """
    if encoded.tags is not None:
        tags = encoded.tags if constraints is None else _constrained(encoded.tags, constraints)
        return [[one] for one in _read_tags(tags, encoded.lengths.tolist())]
    if encoded.segmenter is None:
        raise ValueError("this network does not segment")
    ends = None if constraints is None else _Ends(constraints, encoded.lengths)
    return _follow_pointer(network, encoded, encoded.segmenter, width, reach, ends)


def _follow_pointer(
    network: Network,
    encoded: Encoded,
    memory: SegmenterMemory,
    width: int,
    reach: int,
    allowed: "_Ends | None",
) -> list[list[Segmentation]]:
    beam = Beam(len(encoded.lengths), width)
    starts = np.zeros_like(beam.searches)
    hidden = memory.hidden
    ends_by_step = []
    while beam.searches.size:
        step = network.segment_step(encoded, beam.searches, starts, hidden, reach)
        log_probs = step.log_probs
        if allowed is not None:
            log_probs = allowed.only(log_probs, beam.searches, starts)
        origins, places = beam.advance(log_probs)
        ends = starts[origins] + places + 1
        ends_by_step.append(ends)
        kept = beam.finish(ends >= encoded.lengths[beam.searches])
        starts, hidden = ends[kept], step.hidden[:, origins][:, kept]
    found = beam.found()
    edges = np.searchsorted(found.owners, np.arange(len(found.searches) + 1)).tolist()
    all_ends = np.concatenate(ends_by_step)[found.steps].tolist()
    all_probs = np.exp(found.log_probs, dtype=np.float64).tolist()
    segmentations: list[list[Segmentation]] = [[] for _ in encoded.lengths]
    for number, (sentence, score) in enumerate(
        zip(found.searches.tolist(), found.scores.tolist(), strict=True)
    ):
        own = slice(edges[number], edges[number + 1])
        segmentations[sentence].append(_segmentation(all_ends[own], score, all_probs[own]))
    return segmentations


class _Ends:
    """Where the EDUs of a batch may end."""

    def __init__(self, constraints: Sequence[SentenceConstraints | None], lengths: Ints) -> None:
        longest = int(lengths.max())
        self._may_end: Bools = np.ones((len(constraints), longest + 1), dtype=bool)
        self._limits: Ints = np.full((len(constraints), longest), longest)
        """The last place where an EDU that starts at each token may end."""
        for row, own in enumerate(constraints):
            if own is not None:
                self._may_end[row, : len(own.may_begin)] = own.may_begin
                self._limits[row, : len(own.begins) - 1] = own.limits()

    def only(self, log_probs: Floats, rows: Ints, starts: Ints) -> Floats:
        """The log-probabilities of the ends that are allowed; ``-inf`` in place of the others."""
        ends = starts[:, None] + 1 + np.arange(log_probs.shape[1])
        allowed = ends <= self._limits[rows, starts][:, None]
        allowed &= self._may_end[rows[:, None], np.minimum(ends, self._may_end.shape[1] - 1)]
        return np.where(allowed, log_probs, np.float32(-np.inf))


def _constrained(tags: Tags, constraints: Sequence[SentenceConstraints | None]) -> Tags:
    """A tagger's decisions, changed where a constraint contradicts them."""
    begins, log_probs = tags.begins.copy(), tags.log_probs.copy()
    for row, own in enumerate(constraints):
        if own is None:
            continue
        n = len(own.begins) - 1
        begins[row, :n] = (begins[row, :n] | own.begins[:n]) & own.may_begin[:n]
        for span in own.branching:
            inside = slice(span.start + 1, span.end)
            if not begins[row, inside].any():
                likely = np.where(own.may_begin[inside], tags.log_probs[row, inside], -np.inf)
                begins[row, span.start + 1 + int(likely.argmax())] = True
        # What a constraint asks for may be as good as impossible to the tagger.
        log_probs[row] = np.maximum(log_probs[row], _LEAST)
    return Tags(begins, log_probs)


_LEAST = np.float32(np.log(np.finfo(np.float32).tiny))


def _read_tags(tags: Tags, lengths: list[int]) -> Iterator[Segmentation]:
    for begins, log_probs, length in zip(tags.begins, tags.log_probs, lengths, strict=True):
        # The first token begins an EDU whatever its tag says, and the last one always ends one.
        inner = np.flatnonzero(begins[1:length]) + 1
        own = log_probs[inner]
        # A tagger that computes NaN begins no EDU at all; the sum over none would hide it.
        score = np.nan if np.isnan(log_probs[:length]).any() else float(own.sum())
        yield _segmentation([*inner.tolist(), length], score, [*np.exp(own).tolist(), 1.0])


def _segmentation(ends: list[int], log_prob: float, probs: list[float]) -> Segmentation:
    return Segmentation(tuple(map(Span, [0, *ends[:-1]], ends)), log_prob, tuple(probs))
