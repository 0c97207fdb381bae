"""From segmentations to readings: trees over them, labels on the trees, the best of all for each sentence.

A reading's log-probability is the sum over its EDU ends, its splits' places and its labels.
Labels of different splits are independent of each other, so that the best ways to label a tree are its best
labels with few exceptions, the cheapest ones.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rhetree.domain.reading import LabelProbs, Reading
from rhetree.domain.relations import label_parts
from rhetree.domain.span import Span
from rhetree.domain.tree import Nuclearity, Split, Tree
from rhetree.errors import ModelError
from rhetree.runtime.beam import DAMAGED, best_of_each
from rhetree.runtime.constraints import SentenceConstraints
from rhetree.runtime.edu_search import Segmentation
from rhetree.runtime.network import Bools, Encoded, Floats, Ints, Network
from rhetree.runtime.search import GREEDY, Search
from rhetree.runtime.tree_search import Structures, find_structures

_Exceptions = tuple[tuple[int, int], ...]
"""Splits whose label is not their best one, each with the label's rank."""


def readings_without_trees(
    segmentations: Sequence[Sequence[Segmentation]], n: int, search: Search = GREEDY
) -> list[tuple[Reading, ...]]:
    """Make readings without trees, for when only EDUs were looked for: the best one, then the likeliest others.

    :param n: how many readings of each sentence to give
    :param search: which reading is the best
    """
    ordered = []
    for own in segmentations:
        log_probs, n_edus = np.array([one.log_prob for one in own]), np.array([len(one.edus) for one in own])
        best = int(search.value(log_probs, np.zeros(len(own)), n_edus).argmax())
        ordered.append([own[best], *own[:best], *own[best + 1 :]][:n])
    return _as_readings(ordered)


def readings_of_edus(
    segmentations: Sequence[Sequence[Segmentation]], readings: Sequence[tuple[Reading, ...]], n: int
) -> list[tuple[Reading, ...]]:
    """What :func:`readings_without_trees` gives, the EDUs of each sentence's best reading first.

    :param n: how many readings of each sentence to give
    """
    ordered = [
        sorted(own, key=lambda one: one.edus != best.edus)[:n]
        for own, (best, *_) in zip(segmentations, readings, strict=True)
    ]
    return _as_readings(ordered)


def _as_readings(segmentations: Sequence[Sequence[Segmentation]]) -> list[tuple[Reading, ...]]:
    _check_numbers([one.log_prob for own in segmentations for one in own])
    return [
        tuple(Reading(one.edus, None, min(one.log_prob, 0.0), one.probs) for one in own)
        for own in segmentations
    ]


def find_readings(
    network: Network,
    encoded: Encoded,
    segmentations: Sequence[Sequence[Segmentation]],
    labels: Sequence[str],
    *,
    n: int = 1,
    search: Search = GREEDY,
    top_labels: int = 3,
    constraints: Sequence[SentenceConstraints | None] | None = None,
) -> list[tuple[Reading, ...]]:
    """The best reading of each sentence of a batch, then the likeliest others, likeliest first.

    :param segmentations: of each sentence one or more
    :param labels: what the network's labels are called, such as ``elaboration-NS``
    :param n: how many readings of each sentence to give
    :param search: how many trees of each segmentation to try, at least ``n``; and which reading is the best
    :param top_labels: of how many labels of each split to tell the probability
    :param constraints: what each sentence has to agree with, if any has constraints
    """
    rows = np.repeat(np.arange(len(segmentations)), list(map(len, segmentations)))
    flat = [one for own in segmentations for one in own]
    structures = find_structures(
        network,
        encoded,
        rows,
        [one.edus for one in flat],
        width=search.width,
        constraints=None if constraints is None else [constraints[row] for row in rows.tolist()],
    )
    log_probs = _label(
        network,
        encoded,
        rows[structures.items[structures.owners]],
        structures.tokens,
        may_repeat=search.width > 1,
    )
    allowed = {} if constraints is None else _allowed_labels(structures, rows, constraints)
    labelled = _Labelled(structures, log_probs, labels, max(n, top_labels), top_labels, allowed)
    of_edus = np.array([one.log_prob for one in flat])[structures.items]
    of_trees = structures.scores + labelled.best
    totals = of_edus + of_trees
    _check_numbers(totals)
    sentences = rows[structures.items]
    values = search.value(of_edus, of_trees, np.array([len(one.edus) for one in flat])[structures.items])
    trees = best = best_of_each(sentences, values, 1)
    if n > 1:
        # Only a tree that is among a sentence's likeliest with its best labels can be so with others.
        trees = np.union1d(best, best_of_each(sentences, totals, n))
    found: list[list[tuple[bool, float, int, _Exceptions]]] = [[] for _ in segmentations]
    for sentence, tree, total, is_best in zip(
        sentences[trees].tolist(),
        trees.tolist(),
        totals[trees].tolist(),
        np.isin(trees, best).tolist(),
        strict=True,
    ):
        found[sentence] += [
            (is_best and not exceptions, total - cost, tree, exceptions)
            for cost, exceptions in labelled.choices(tree, n)
        ]
    if n > 1:
        found = [sorted(own, key=lambda one: one[:2], reverse=True)[:n] for own in found]
    items = structures.items.tolist()
    return [
        tuple(
            labelled.reading(flat[items[tree]], tree, total, exceptions) for _, total, tree, exceptions in own
        )
        for own in found
    ]


class _Labelled:
    """Structures with the likeliest labels of their splits."""

    def __init__(
        self,
        structures: Structures,
        log_probs: Floats,
        labels: Sequence[str],
        n_ranks: int,
        n_told: int,
        allowed: Mapping[int, Bools],
    ) -> None:
        """Rank the labels.

        :param n_ranks: how many labels of a split to rank
        :param n_told: of how many to tell the probability
        :param allowed: for splits whose label is constrained, the labels that they may have, ``(labels,)``
        """
        n_trees = len(structures.items)
        self._told = {number: _best_labels(log_probs[number], labels, n_told) for number in allowed}
        """The likeliest labels of splits whose label is constrained, whether they may have these or not."""
        if allowed:
            log_probs = log_probs.copy()
            for number, own in allowed.items():
                log_probs[number, ~own] = -np.inf
        ranked = np.argsort(-log_probs, axis=1, kind="stable")[:, :n_ranks]
        self._log_probs = np.take_along_axis(log_probs, ranked, axis=1).astype(np.float64)
        """The log-probability of the label of each rank, ``(splits, ranks)``."""
        self.best = np.bincount(structures.owners, weights=self._log_probs[:, :1].ravel(), minlength=n_trees)
        """The log-probability of the best labels of each tree, ``(trees,)``."""
        self._edges = np.searchsorted(structures.owners, np.arange(n_trees + 1)).tolist()
        self._edus = structures.edus.tolist()
        self._split_probs = np.exp(structures.log_probs, dtype=np.float64).tolist()
        self._labels = np.array(labels, dtype=object)[ranked].tolist()
        """The names of the labels of each rank, for each split."""
        self._label_probs = np.exp(self._log_probs).tolist()
        self._parts = _parts(tuple(labels))
        self._n_told = n_told

    def choices(self, tree: int, width: int) -> list[tuple[float, _Exceptions]]:
        """The best ways to label a tree: what each costs, and the splits that do not get their best label."""
        choices: list[tuple[float, _Exceptions]] = [(0.0, ())]
        if width == 1:
            return choices
        own = self._log_probs[self._edges[tree] : self._edges[tree + 1]]
        costs = (own[:, :1] - own[:, 1:]).ravel()
        # Each of these exceptions alone is better than any way that has a dearer one.
        for number in np.argsort(costs, kind="stable")[: width - 1].tolist():
            cost = float(costs[number])
            if cost == np.inf:
                break
            split, rank = divmod(number, own.shape[1] - 1)
            choices += [
                (so_far + cost, (*exceptions, (split, rank + 1)))
                for so_far, exceptions in choices
                if all(split != other for other, _ in exceptions)
            ]
            choices = sorted(choices, key=lambda choice: choice[0])[:width]
        return choices

    def reading(
        self, segmentation: Segmentation, tree: int, total: float, exceptions: _Exceptions
    ) -> Reading:
        """A tree with its labels, and all that is known of them."""
        first, after = self._edges[tree], self._edges[tree + 1]
        ranks = dict(exceptions)
        splits, label_probs = [], []
        for number in range(first, after):
            rank = ranks.get(number - first, 0)
            names, probs = self._labels[number], self._label_probs[number]
            relation, nuclearity = self._parts[names[rank]]
            start, middle, end = self._edus[number]
            splits.append(Split(start, middle, end, nuclearity, relation))
            told = self._told.get(number)
            if told is None:
                told = tuple(zip(names[: self._n_told], probs, strict=False))
                is_told = rank < self._n_told
            else:
                is_told = names[rank] in dict(told)
            label_probs.append(told if is_told else (*told, (names[rank], probs[rank])))
        return Reading(
            segmentation.edus,
            Tree(tuple(splits)),
            min(total, 0.0),
            segmentation.probs,
            tuple(self._split_probs[first:after]),
            tuple(label_probs),
        )


def _allowed_labels(
    structures: Structures, rows: Ints, constraints: Sequence[SentenceConstraints | None]
) -> dict[int, Bools]:
    """The labels that a split may have, for each split that may not have all."""
    sentences = rows[structures.items[structures.owners]].tolist()
    return {
        number: own.labels[span]
        for number, (sentence, (start, _, end)) in enumerate(
            zip(sentences, structures.tokens.tolist(), strict=True)
        )
        if (own := constraints[sentence]) is not None and (span := Span(start, end)) in own.labels
    }


def _best_labels(log_probs: Floats, labels: Sequence[str], n: int) -> LabelProbs:
    best = np.argsort(-log_probs, kind="stable")[:n].tolist()
    probs = np.exp(log_probs.astype(np.float64)).tolist()
    return tuple((labels[label], probs[label]) for label in best)


def _check_numbers(log_probs: NDArray[np.floating] | Sequence[float]) -> None:
    if not np.isfinite(log_probs).all():
        raise ModelError(DAMAGED)


@lru_cache(maxsize=8)
def _parts(labels: tuple[str, ...]) -> dict[str, tuple[str, Nuclearity]]:
    """Relation and nuclearity of each label."""
    return {label: label_parts(label) for label in labels}


def _label(network: Network, encoded: Encoded, rows: Ints, tokens: Ints, *, may_repeat: bool) -> Floats:
    """Log-probabilities of the labels of splits, ``(splits, labels)``; the same split is looked at once."""
    if not len(rows):
        return np.zeros((0, 1), np.float32)
    if not may_repeat:
        return network.label(encoded, rows, tokens)
    keys = np.column_stack([rows, tokens])
    _, chosen, numbers = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    log_probs: Floats = network.label(encoded, rows[chosen], tokens[chosen])[numbers.reshape(-1)]
    return log_probs
