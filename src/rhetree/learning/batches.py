"""Which sentences are learnt from together: shuffled, yet of like length, and the same for the same seed."""

from collections.abc import Iterator, Sequence

import numpy as np

_POOL = 50
"""So many batches are drawn together and sorted by length: little padding, and still a shuffle."""


def shuffled_batches(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """The batches of one epoch as numbers of sentences; every sentence comes once."""
    random = np.random.default_rng((seed, epoch))
    order = random.permutation(len(lengths))
    batches: list[list[int]] = []
    for pool in _runs(order.tolist(), batch_size * _POOL):
        by_length = sorted(pool, key=lambda number: lengths[number])
        batches.extend(_runs(by_length, batch_size))
    return [batches[number] for number in random.permutation(len(batches))]


def share(batch: Sequence[int], rank: int, n_ranks: int) -> list[int]:
    """What one of several processes takes of a batch; each takes something where there is enough."""
    return list(batch[rank::n_ranks]) or list(batch[:1])


def _runs(items: list[int], length: int) -> Iterator[list[int]]:
    return (items[at : at + length] for at in range(0, len(items), length))
