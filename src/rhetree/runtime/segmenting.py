"""Greedy segmentation: from the first token of an EDU to its last, again and again to the sentence's end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rhetree.domain.span import Span
from rhetree.runtime.network import Encoded, Network, SegmenterMemory, Tags


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The EDUs of one sentence as spans of its tokens, from 0 on."""

    edus: tuple[Span, ...]
    log_probs: tuple[float, ...]
    """Of each EDU's end, given where the EDU starts."""


def segment(network: Network, encoded: Encoded) -> list[Segmentation]:
    """The EDUs of each sentence of a batch; all unfinished sentences advance together."""
    if encoded.tags is not None:
        return list(_read_tags(encoded.tags, encoded.lengths.tolist()))
    if encoded.segmenter is None:
        raise ValueError("this network does not segment")
    return _follow_pointer(network, encoded, encoded.segmenter)


def _follow_pointer(network: Network, encoded: Encoded, memory: SegmenterMemory) -> list[Segmentation]:
    n_sentences = len(encoded.lengths)
    ends: list[list[int]] = [[] for _ in range(n_sentences)]
    log_probs: list[list[float]] = [[] for _ in range(n_sentences)]
    rows = np.arange(n_sentences)
    starts = np.zeros_like(rows)
    hidden = memory.hidden
    while rows.size:
        step = network.segment_step(encoded, rows, starts, hidden)
        last = step.log_probs.argmax(axis=1)
        chosen = step.log_probs[np.arange(len(rows)), last]
        for row, token, log_prob in zip(rows.tolist(), last.tolist(), chosen.tolist(), strict=True):
            ends[row].append(token + 1)
            log_probs[row].append(log_prob)
        unfinished = last + 1 < encoded.lengths[rows]
        rows, starts, hidden = rows[unfinished], last[unfinished] + 1, step.hidden[:, unfinished]
    return [_segmentation(*found) for found in zip(ends, log_probs, strict=True)]


def _read_tags(tags: Tags, lengths: list[int]) -> Iterator[Segmentation]:
    for begins, log_probs, length in zip(tags.begins, tags.log_probs, lengths, strict=True):
        # The first token begins an EDU whatever its tag says, and the last one ends one for certain.
        inner = np.flatnonzero(begins[1:length]) + 1
        yield _segmentation([*inner.tolist(), length], [*log_probs[inner].tolist(), 0.0])


def _segmentation(ends: Sequence[int], log_probs: Sequence[float]) -> Segmentation:
    edus = tuple(Span(start, end) for start, end in zip([0, *ends], ends, strict=False))
    return Segmentation(edus, tuple(log_probs))
