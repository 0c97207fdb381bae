"""Divides sentences into batches: shuffled, of similar length, and reproducible from the seed."""

from collections.abc import Iterator, Sequence

import numpy as np

_POOL = 50
"""Batches drawn together and sorted by length: little padding, yet still a shuffle."""


def shuffled_batches(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """The batches of one epoch, as indices of sentences; each sentence comes once."""
    random = np.random.default_rng((seed, epoch))
    order = random.permutation(len(lengths))
    batches: list[list[int]] = []
    for pool in _runs(order.tolist(), batch_size * _POOL):
        by_length = sorted(pool, key=lambda number: lengths[number])
        batches.extend(_runs(by_length, batch_size))
    return [batches[number] for number in random.permutation(len(batches))]


def share(batch: Sequence[int], rank: int, n_ranks: int) -> list[int]:
    """One process's share of a batch, or the first sentence if the batch is too small to go round."""
    return list(batch[rank::n_ranks]) or list(batch[:1])


def _runs(items: list[int], length: int) -> Iterator[list[int]]:
    return (items[at : at + length] for at in range(0, len(items), length))
