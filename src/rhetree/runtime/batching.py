"""Which sentences go through a network together."""

from collections.abc import Iterator, Sequence


def batches_by_cost(costs: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Numbers of items in batches of like cost, so that little is padding.

    A batch costs its dearest item times its size, which is at most ``budget``; an item dearer than
    that goes alone. Cheap batches come first.
    """
    batch: list[int] = []
    for number in sorted(range(len(costs)), key=lambda number: costs[number]):
        if batch and (len(batch) + 1) * costs[number] > budget:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
