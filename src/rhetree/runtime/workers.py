"""Threads that share out work on graphs, each of which runs in the thread that calls it."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


MOST_THREADS = 1024
"""More than any machine has; a larger number is a mistake."""


class Workers:
    """A pool of threads. Graphs release Python's lock, so they run in parallel."""

    def __init__(self, n: int) -> None:
        self.n = n
        """Number of threads."""
        self._pools: dict[int, ThreadPoolExecutor] = {}
        """The pool of each process: a forked process inherits its parent's pool, but not its threads."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Apply a function to each item, in order; it must not use the workers itself."""
        items = list(items)
        if self.n == 1 or len(items) < 2:
            return [function(item) for item in items]
        return list(self._pool().map(function, items))

    def _pool(self) -> ThreadPoolExecutor:
        process = os.getpid()
        if process not in self._pools:
            self._pools.setdefault(process, ThreadPoolExecutor(self.n, thread_name_prefix="rhetree"))
        return self._pools[process]
