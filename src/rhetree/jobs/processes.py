"""The same work in several processes, with the output of one.

Each process has a model of its own and gets one portion at a time over a pipe. Results are put back
into order; how far ahead the processes work is bounded. A process whose parent is gone reads the end
of its pipe and ends too.
"""

import pickle
import signal
import traceback
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from time import perf_counter
from typing import cast

from rhetree.errors import RhetreeError
from rhetree.jobs.interrupts import born_deaf, open_to_interrupts
from rhetree.jobs.portions import Worked
from rhetree.jobs.work import Item, Task

_AHEAD = 4
"""Portions per process that may be at work or waiting for an earlier one."""
_GRACE = 5.0
"""Seconds after Ctrl-C that a process has to finish a portion for which others wait."""

_CONTEXT = get_context("spawn")  # a process that was forked off has the threads of ONNX Runtime half


@dataclass(frozen=True, slots=True)
class _Failure:
    """An exception on its way from a process, with its traceback as text."""

    error: Exception
    trace: str = ""

    def raise_here(self) -> None:
        cause = None if isinstance(self.error, RhetreeError) else RuntimeError(self.trace)
        raise self.error from cause


class Processes:
    """Works through portions in several processes, which are started as they are needed."""

    def __init__(self, task: Task, n: int) -> None:
        self._task = task
        self._n = n

    def __call__(self, portions: "Iterable[list[Item]]") -> Generator[Worked, None, None]:
        """Work through portions, in order.

        After Ctrl-C all results that are there are given before ``KeyboardInterrupt`` is raised; for
        those that come earlier in the order it waits a moment.
        """
        crew = _Crew(self._task, self._n)
        try:
            yield from crew.work_through(iter(portions))
        finally:
            crew.dismiss()


class _Crew:
    """Processes at work, and their results that wait for their turn."""

    def __init__(self, task: Task, n: int) -> None:
        self._task = task
        self._n = n
        self._processes: list[_Process] = []
        self._results: dict[int, Worked | _Failure] = {}
        self._n_handed_out = self._n_given = 0
        """Number of portions that a process got, and of results that were passed on."""
        self._has_more = True
        self._deadline: float | None = None
        """When to stop waiting; set by Ctrl-C."""

    def work_through(self, portions: "Iterator[list[Item]]") -> Iterator[Worked]:
        while True:
            try:
                self._collect(waits=False)
                self._hand_out(portions)
                self._collect(waits=True)
            except KeyboardInterrupt:
                if self._deadline is not None:
                    raise
                self._has_more = False
                self._deadline = perf_counter() + _GRACE
            if self._n_given in self._results:
                result = self._results.pop(self._n_given)
                self._n_given += 1
                if isinstance(result, _Failure):
                    result.raise_here()
                else:
                    yield result
            elif self._is_over():
                break
        if self._deadline is not None:
            raise KeyboardInterrupt

    def dismiss(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.stop()
        for process in self._processes:
            process.join()

    def _busy(self) -> "list[_Process]":
        return [process for process in self._processes if process.portion is not None]

    def _is_over(self) -> bool:
        """Whether there is nothing more to wait for: after Ctrl-C, only for results that hold up others."""
        if self._deadline is not None and (not self._results or perf_counter() > self._deadline):
            return True
        return not self._busy() and not self._has_more

    def _hand_out(self, portions: "Iterator[list[Item]]") -> None:
        """Give a portion to each process that has none."""
        while self._has_more and self._n_handed_out - self._n_given < _AHEAD * self._n:
            idle = next((process for process in self._processes if process.portion is None), None)
            if idle is None and len(self._processes) == self._n:
                return
            portion = next(portions, None)
            if portion is None:
                self._has_more = False
                return
            if idle is None:
                idle = _Process(self._task)
                self._processes.append(idle)
            if not idle.give(self._n_handed_out, portion):
                self._results[self._n_handed_out] = idle.bury()
                self._has_more = False
            self._n_handed_out += 1

    def _collect(self, *, waits: bool) -> None:
        """Take the results that are there.

        :param waits: whether to wait for one if none can be passed on
        """
        busy = {process.connection: process for process in self._busy()}
        if not busy:
            return
        if not waits or self._n_given in self._results:
            ready = wait(list(busy), timeout=0)
        elif self._deadline is not None:
            ready = wait(list(busy), timeout=max(0.0, self._deadline - perf_counter()))
        else:
            with open_to_interrupts():
                ready = wait(list(busy))
        for connection in ready:
            process = busy[cast("Connection[object, object]", connection)]
            number = cast(int, process.portion)
            result = self._results[number] = process.take()
            if isinstance(result, _Failure):
                self._has_more = False  # the job ends when it is this portion's turn


class _Process:
    """One process, and the portion that it works on."""

    def __init__(self, task: Task) -> None:
        self.connection, theirs = _CONTEXT.Pipe()
        self.portion: int | None = None
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, task), daemon=True)
        with born_deaf():
            self._process.start()
        theirs.close()

    def give(self, number: int, portion: "Sequence[Item]") -> bool:
        """Hand a portion over; False if the process is gone."""
        self.portion = number
        try:
            self.connection.send(portion)
        except OSError:
            return False
        return True

    def take(self) -> Worked | _Failure:
        """What became of the portion."""
        try:
            result: Worked | _Failure = self.connection.recv()
        except (EOFError, OSError):
            return self.bury()
        self.portion = None
        return result

    def bury(self) -> _Failure:
        """What to say of a process that ended by itself."""
        self._process.join(timeout=_GRACE)
        code = self._process.exitcode
        how = f"with exit code {code}"
        if code is not None and code < 0:
            how = f"by {signal.Signals(-code).name}"
        self.portion = None
        return _Failure(
            RhetreeError(
                f"a worker process was ended {how}, perhaps for lack of memory; what came before is done: "
                "resume the run, or start it again with fewer workers"
            )
        )

    def stop(self) -> None:
        self.connection.close()
        self._process.terminate()

    def join(self) -> None:
        self._process.join(timeout=_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve(connection: "Connection[object, object]", task: Task) -> None:
    """What a process does: answer each portion, until there is nobody who asks."""
    worker = None
    while True:
        try:
            portion = cast("list[Item]", connection.recv())
        except (EOFError, OSError):
            return
        answer: Worked | _Failure
        try:
            worker = worker or task.load()
            answer = worker.work_on(portion)
        except Exception as error:  # whatever it is, it is raised by the parent
            answer = _Failure(_picklable(error), traceback.format_exc())
        try:
            connection.send(answer)
        except OSError:
            return


def _picklable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # anything can go wrong in foreign exceptions
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
