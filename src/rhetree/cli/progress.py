"""A progress bar on standard error, for work that takes a while."""

import sys
from collections.abc import Callable
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING

from rhetree.errors import counted

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.5
"""Seconds before a bar appears."""


class Pace:
    """How fast documents are done, and how long the rest will take.

    The time left follows from all that was done since the start. A shorter memory would take the
    pause between two results for a halt, and their arrival for a leap.
    """

    def __init__(self, n_bytes: int | None = None, clock: Callable[[], float] = perf_counter) -> None:
        """Start the clock.

        :param n_bytes: size of all inputs, or None if that is not known
        """
        self.n_bytes = n_bytes
        self.n_documents = self.n_sentences = 0
        self._at = self._at_start = 0
        self._clock = clock
        self._start = clock()

    def advance(self, n_sentences: int, at: int, at_start: int = 0) -> None:
        """Count a document that was done.

        :param at: bytes of the inputs up to its end
        :param at_start: bytes of the inputs that an earlier run had done
        """
        self.n_documents += 1
        self.n_sentences += n_sentences
        self._at, self._at_start = at, at_start

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return max(self._clock() - self._start, 1e-9)

    @property
    def speed(self) -> str:
        """Sentences a second, with as many digits as mean something."""
        speed = self.n_sentences / self.seconds
        return f"{speed:.{0 if speed >= 10 else 1}f}"

    @property
    def share(self) -> float | None:
        """How much of the inputs is done, from 0 to 1; None if their size is not known."""
        return min(1.0, self._at / self.n_bytes) if self.n_bytes else None

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest will take; None if that cannot be said."""
        done = self._at - self._at_start
        if not self.n_bytes or done <= 0:
            return None
        return self.seconds * max(0, self.n_bytes - self._at) / done

    @property
    def time_left(self) -> str:
        """The same in words."""
        left = self.seconds_left
        if left is None:
            return ""
        if left < 90:
            return f"about {counted(max(1, round(left)), 'second')} left"
        if left < 90 * 60:
            return f"about {round(left / 60)} minutes left"
        return f"about {left / 3600:.1f} hours left"


class ProgressBar:
    """Draws a bar on a terminal once the work has taken a while."""

    def __init__(self, pace: Pace, *, enabled: bool = True) -> None:
        """Set up a bar.

        :param enabled: False if the data may go to the screen; then there is a bar only if it does not
        """
        self.pace = pace
        self._enabled = (enabled or not sys.stdout.isatty()) and sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    def update(self) -> None:
        """Show how far the work is."""
        if not self._enabled or self.pace.seconds < _PATIENCE:
            return
        bar, task = self._bar = self._bar or self._make()
        bar.update(task, completed=self.pace.share)

    def _make(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn
        from rich.text import Text

        pace = self.pace

        class Words(ProgressColumn):
            """Is drawn again every moment, also while nothing arrives."""

            def render(self, task: Task) -> Text:  # noqa: ARG002
                done = f"{counted(pace.n_documents, 'document')}, {pace.speed} sentences/s"
                return Text(", ".join(filter(None, (done, pace.time_left))))

        bar = Progress(
            BarColumn(bar_width=16),  # leaves room for the words in 80 columns
            TaskProgressColumn(),
            Words(),
            console=Console(stderr=True, markup=False, emoji=False),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task("", total=1.0 if pace.n_bytes else None)
