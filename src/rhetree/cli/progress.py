"""A bar on standard error with sentences a second, where there is time to look at one."""

import sys
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.5
"""Seconds before a bar appears."""
_INTERVAL = 0.1
"""Seconds between two looks at the clock's face."""


class Meter:
    """Counts sentences; draws a bar on a terminal once the work has taken a while."""

    def __init__(self, n_bytes: int | None, *, enabled: bool = True) -> None:
        """Start the clock.

        :param n_bytes: of all inputs, where that is known
        :param enabled: False where the data itself goes to the screen
        """
        self._n_bytes = n_bytes
        self._enabled = (enabled or not sys.stdout.isatty()) and sys.stderr.isatty()
        self._n_sentences = 0
        self._start = self._shown = perf_counter()
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> "Meter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    @property
    def speed(self) -> float:
        """Sentences a second since the start."""
        return self._n_sentences / max(perf_counter() - self._start, 1e-9)

    @property
    def told_speed(self) -> str:
        """The speed in words."""
        return f"{self.speed:.{0 if self.speed >= 10 else 1}f} sentences a second"

    def advance(self, n_sentences: int, at: int) -> None:
        """So many more sentences are done, and all bytes up to ``at``."""
        self._n_sentences += n_sentences
        now = perf_counter()
        if not self._enabled or now - self._start < _PATIENCE or now - self._shown < _INTERVAL:
            return
        self._shown = now
        bar, task = self._bar = self._bar or self._make()
        bar.update(task, completed=at, sentences=self._n_sentences, speed=self.told_speed)

    def _make(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        bar = Progress(
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[sentences]} done, {task.fields[speed]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True, markup=False, emoji=False),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task("", total=self._n_bytes, sentences=0, speed="")
