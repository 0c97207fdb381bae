"""Beam search for many sentences at once: hypotheses are rows of arrays.

All open hypotheses of all searches take a decoder's step together; each search goes on with the
``width`` best of its steps. A step knows the one before it, so that no hypothesis copies its past, and
time and memory are linear in the number of steps. A width of 1 is greedy search, at its price.

Scores are plain log-probabilities. A step can only lower them, so that a hypothesis is given up as
soon as ``width`` finished ones of its search are at least as good.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rhetree.errors import ModelError
from rhetree.runtime.network import Bools, Floats, Ints

Scores = npt.NDArray[np.float64]
Index = Ints | slice
"""Some rows of an array; a slice where it is all of them, since that copies nothing."""

_ALL = slice(None)

DAMAGED = "its probabilities are not finite numbers: the model's weights are damaged"


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Finished hypotheses by search, best first, and the steps of them all."""

    searches: Ints
    """The search of each hypothesis, ``(hypotheses,)``."""
    scores: Scores
    """Its log-probability, ``(hypotheses,)``."""
    owners: Ints
    """The hypothesis of each step, ``(steps,)``, ascending; a hypothesis's steps are in order."""
    steps: Ints
    """The step's number among all that were ever taken, ``(steps,)``."""
    log_probs: Floats
    """The log-probability of each step, ``(steps,)``."""


class Beam:
    """The open hypotheses of several searches, sorted by search, best first."""

    def __init__(self, n_searches: int, width: int) -> None:
        if width < 1:
            raise ValueError(f"a beam is at least 1 wide, got {width}")
        self.width = width
        self.searches: Ints = np.arange(n_searches)
        """The search of each open hypothesis, ``(open,)``."""
        self._scores: Scores = np.zeros(n_searches)
        self._tips: Ints = np.full(n_searches, -1)
        """The last step of each open hypothesis; -1 before its first."""
        self._n_steps = 0
        self._before: list[Ints] = []
        """For each step the one before it."""
        self._owners: list[Ints] = []
        """For each step its search."""
        self._log_probs: list[Floats] = []
        self._finished: list[tuple[Ints, Scores, Ints]] = []
        self._best: Scores | None = np.full((n_searches, width), -np.inf) if width > 1 else None
        """Scores of the best finished hypotheses of each search, best first."""

    def advance(self, log_probs: Floats) -> tuple[Index, Ints]:
        """Take the best steps; they make the hypotheses that are open now.

        Ties are broken by position: the better hypothesis first, then the lower place.

        :param log_probs: of what each open hypothesis can point to, ``(open, n)``
        :return: for each new hypothesis the one that it goes on from, and the place it points to
        """
        origins: Index = _ALL
        if self.width == 1:
            places = log_probs.argmax(axis=1)
            taken = log_probs[np.arange(len(places)), places]
        else:
            if np.isnan(log_probs).any():  # a hypothesis without a score would be dropped
                raise ModelError(DAMAGED)
            origins, places = self._best_steps(log_probs)
            taken = log_probs[origins, places]
        self.searches = self.searches[origins]
        self._before.append(self._tips[origins])
        self._owners.append(self.searches)
        self._log_probs.append(taken)
        self._scores = self._scores[origins] + taken
        self._tips = np.arange(self._n_steps, self._n_steps + len(places))
        self._n_steps += len(places)
        return origins, places

    def finish(self, done: Bools) -> Index:
        """Put the finished hypotheses aside. Returns which of the others stay open."""
        if done.any():
            finished = self.searches[done], self._scores[done], self._tips[done]
            self._finished.append(finished)
            if self._best is not None:
                _merge(self._best, *finished[:2])
        elif self._best is None:
            return _ALL
        is_open = ~done
        if self._best is not None:
            is_open &= self._scores > self._best[self.searches, -1]
        kept = np.flatnonzero(is_open)
        self.searches, self._scores, self._tips = self.searches[kept], self._scores[kept], self._tips[kept]
        return kept

    def found(self) -> Found:
        """The ``width`` best finished hypotheses of each search."""
        searches, scores, tips = (np.concatenate(parts) for parts in zip(*self._finished, strict=True))
        chosen = best_of_each(searches, scores, self.width)
        owners, steps = self._trace(tips[chosen])
        log_probs = np.concatenate(self._log_probs)[steps] if self._n_steps else np.zeros(0, np.float32)
        return Found(searches[chosen], scores[chosen], owners, steps, log_probs)

    def _best_steps(self, log_probs: Floats) -> tuple[Ints, Ints]:
        places = np.argsort(-log_probs, axis=1, kind="stable")[:, : self.width]
        scores = self._scores[:, None] + np.take_along_axis(log_probs, places, axis=1)
        origins = np.repeat(np.arange(len(places)), places.shape[1])
        possible = np.flatnonzero(scores.ravel() > -np.inf)
        chosen = possible[
            best_of_each(self.searches[origins[possible]], scores.ravel()[possible], self.width)
        ]
        return origins[chosen], places.ravel()[chosen]

    def _trace(self, tips: Ints) -> tuple[Ints, Ints]:
        """The steps that lead to each of these, sorted: their hypotheses and their numbers."""
        if not self._n_steps:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if self.width == 1:
            # One hypothesis a search, so that there are no others, and a search has its hypothesis's number.
            searches = np.concatenate(self._owners)
            order = np.argsort(searches, kind="stable")
            return searches[order], order
        owners, numbers = [], []
        before = np.concatenate(self._before)
        at = np.arange(len(tips))
        while True:
            has_step = tips >= 0
            at, tips = at[has_step], tips[has_step]
            if not tips.size:
                break
            owners.append(at)
            numbers.append(tips)
            tips = before[tips]
        all_owners, all_numbers = np.concatenate(owners), np.concatenate(numbers)
        order = np.lexsort((all_numbers, all_owners))
        return all_owners[order], all_numbers[order]


def best_of_each(groups: Ints, scores: Scores, width: int) -> Ints:
    """The numbers of the ``width`` best items of each group, by group, best first; ties by position."""
    order = np.lexsort((-scores, groups))
    return order[_ranks(groups[order]) < width]


def _ranks(groups: Ints) -> Ints:
    """The number of each item within its group, where groups are sorted."""
    ranks: Ints = np.arange(len(groups)) - np.searchsorted(groups, groups)
    return ranks


def _merge(best: Scores, groups: Ints, scores: Scores) -> None:
    """Put scores, sorted by group, among the best of their groups, ``(groups, width)``."""
    touched, numbers = np.unique(groups, return_inverse=True)
    width = best.shape[1]
    both = np.full((len(touched), 2 * width), -np.inf)
    both[:, :width] = best[touched]
    both[numbers, width + _ranks(groups)] = scores
    best[touched] = -np.sort(-both, axis=1)[:, :width]
