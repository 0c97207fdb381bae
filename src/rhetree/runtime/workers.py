"""Threads that share out work on graphs, each of which runs in the thread that calls it."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


MOST_THREADS = 1024
"""More than any machine has; a larger number is a slip."""


class Workers:
    """So many threads. Graphs do not hold Python's lock, so that they run beside each other."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._pools: dict[int, ThreadPoolExecutor] = {}
        """By process: one that was forked off has the pool of its parent, but none of its threads."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """What the function makes of each item, in order; it must not use the workers itself."""
        items = list(items)
        if self._n == 1 or len(items) < 2:
            return [function(item) for item in items]
        return list(self._pool().map(function, items))

    def _pool(self) -> ThreadPoolExecutor:
        process = os.getpid()
        if process not in self._pools:
            self._pools.setdefault(process, ThreadPoolExecutor(self._n, thread_name_prefix="rhetree"))
        return self._pools[process]
