"""Every reading of a sentence: every segmentation, every tree over it, every way to label the tree."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from rhetree.runtime.network import SpansToSplit


def signature(reading):
    """What a reading says, without how sure it is."""
    return tuple((edu.start, edu.end) for edu in reading.edus), tuple(
        (split.start, split.split, split.end, split.label) for split in reading.tree.splits
    )


def brute_force(network, labels, tokens):
    """Every reading of a sentence with its log-probability, best first."""
    encoded = network.encode([tokens])
    found = []
    for ends, score in all_segmentations(network, encoded, len(tokens)):
        edges = [0, *ends]
        edus = tuple(zip(edges, ends, strict=False))
        for splits, structure in all_structures(network, encoded, edges):
            places = np.array([[edges[edu] for edu in split] for split in splits]).reshape(-1, 3)
            scores = network.label(encoded, np.zeros(len(splits), int), places) if splits else []
            for chosen in product(range(len(labels)), repeat=len(splits)):
                own = sum(float(row[label]) for row, label in zip(scores, chosen, strict=True))
                named = tuple((*split, labels[label]) for split, label in zip(splits, chosen, strict=True))
                found.append(((edus, named), score + structure + own))
    return sorted(found, key=lambda item: -item[1])


def all_segmentations(network, encoded, n_tokens):
    waiting: list[tuple[Any, ...]] = [((), encoded.segmenter.hidden, 0.0)]
    while waiting:
        ends, hidden, score = waiting.pop()
        start = ends[-1] if ends else 0
        if start == n_tokens:
            yield ends, score
            continue
        step = network.segment_step(encoded, np.array([0]), np.array([start]), hidden, n_tokens)
        for place, log_prob in enumerate(step.log_probs[0].tolist()):
            waiting.append(((*ends, start + place + 1), step.hidden, score + log_prob))


def all_structures(network, encoded, edges):
    nothing = (0, 0)
    waiting: list[tuple[Any, ...]] = [
        ((), [(0, len(edges) - 1, nothing, nothing)], encoded.parser.hidden, 0.0)
    ]
    while waiting:
        splits, stack, hidden, score = waiting.pop()
        while stack and stack[-1][1] - stack[-1][0] == 1:
            stack = stack[:-1]
        if not stack:
            yield splits, score
            continue
        start, end, parent, sibling = stack[-1]
        log_probs = [0.0]
        if end - start > 2:
            asked = SpansToSplit(
                rows=np.array([0]),
                spans=np.array([[edges[start], edges[end]]]),
                parents=np.array([[edges[edu] for edu in parent]]),
                siblings=np.array([[edges[edu] for edu in sibling]]),
                candidates=np.array([edges[start + 1 : end]]) - 1,
            )
            step = network.parse_step(encoded, asked, hidden)
            hidden, log_probs = step.hidden, step.log_probs[0].tolist()
        for middle, log_prob in enumerate(log_probs, start=start + 1):
            right = (middle, end, (start, end), (start, middle))
            left = (start, middle, (start, end), nothing)
            waiting.append(
                ((*splits, (start, middle, end)), [*stack[:-1], right, left], hidden, score + log_prob)
            )


def check_same(found, expected):
    """The same readings in the same order, but for neighbours that are as good as each other."""
    assert [one.log_prob for one in found] == pytest.approx([score for _, score in expected], abs=1e-4)
    scores = dict(expected)
    assert len({signature(one) for one in found}) == len(found)
    for one in found:
        assert one.log_prob == pytest.approx(scores[signature(one)], abs=1e-4)
