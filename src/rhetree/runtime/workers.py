"""Threads that share out work on graphs, each of which runs in the thread that calls it."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """So many threads. Graphs do not hold Python's lock, so that they run beside each other."""

    def __init__(self, n: int) -> None:
        self._pool = ThreadPoolExecutor(n, thread_name_prefix="rhetree") if n > 1 else None

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """What the function makes of each item, in order; it must not use the workers itself."""
        return list((map if self._pool is None else self._pool.map)(function, items))
