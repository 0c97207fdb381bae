"""Threads that run the model for many requests at a time, batch by batch.

A request's work is a generator. It runs in a worker thread, never in the event loop, and yields

- :class:`Ask`: sentences for the model; it is sent their readings;
- bytes: a piece of the answer, for the event loop to send;
- ``None``: a good moment to let others have a turn.

Requests take turns. A worker fills a batch with sentences of all requests that wait for the model, an equal
share of each, so that a short request is answered while a long one goes through slice by slice, and many short
ones go through together. Sentences are independent of each other: who shares a batch changes no tree.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rhetree.domain.reading import Reading
from rhetree.domain.span import Span
from rhetree.runtime.constraints import SentenceConstraints
from rhetree.serve.failures import stopping

MOST_UNSENT = 16
"""Pieces of an answer that wait to be sent before its work pauses: a slow reader does not fill the memory."""

TURN = 0.02
"""Seconds of work, other than the model's, after which others have a turn."""

Readings = tuple[Reading, ...]
"""The readings of a sentence, best first."""


class Analyser(Protocol):
    """What runs the model: :class:`rhetree.runtime.pipeline.Pipeline`."""

    def analyse(
        self,
        sentences: Sequence[Sequence[str]],
        edus: Sequence[Sequence[Span]] | None = None,
        *,
        trees: bool = True,
        constraints: Sequence[SentenceConstraints | None] | None = None,
    ) -> list[Readings]:
        """The readings of each sentence."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Sentences that a request needs the readings of."""

    sentences: Sequence[Sequence[str]]
    edus: Sequence[Sequence[Span]] | None = None
    """The EDUs of each sentence, if they are given."""
    trees: bool = True
    constraints: Sequence[SentenceConstraints | None] | None = None
    """What each sentence has to agree with, if any has constraints."""

    @property
    def kind(self) -> tuple[bool, bool]:
        """Asks of the same kind can share a batch."""
        return self.edus is not None, self.trees


Work = Generator[Ask | bytes | None, list[Readings], None]


class Task:
    """The work of one request, and the pieces of its answer that are ready."""

    def __init__(self, work: Work, pool: "Pool") -> None:
        self._work = work
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._pieces: deque[bytes] = deque()
        self._error: BaseException | None = None
        self._is_done = False
        self.ask: Ask | None = None
        """What it waits for; None if its work can go on."""
        self.readings: list[Readings] = []
        """The answer to ``ask`` so far."""
        self.is_cancelled = False
        self.is_paused = False
        """Whether it waits for its client to read."""

    async def pieces(self) -> AsyncIterator[bytes]:
        """The pieces of the answer as they are made; raises what its work raised."""
        while True:
            self._changed.clear()
            while self._pieces:
                piece = self._pieces.popleft()
                self._pool.resume(self)
                yield piece
            if self._is_done and not self._pieces:
                if self._error is not None:
                    raise self._error
                return
            await self._changed.wait()

    def cancel(self) -> None:
        """End the work, after the batch that it is part of; nothing happens if it is done."""
        self._pool.cancel(self)

    @property
    def needs_model(self) -> bool:
        """Whether it waits for readings, and not for its work to go on."""
        return self.ask is not None and len(self.readings) < len(self.ask.sentences)

    @property
    def is_full(self) -> bool:
        """Whether its client has to read before the work goes on."""
        return len(self._pieces) >= MOST_UNSENT

    # --- what workers call ------------------------------------------------------------------

    def advance(self) -> bool:
        """Go on until the work asks, pauses or has had its turn. Returns whether there is more to do."""
        end = time.perf_counter() + TURN
        while True:
            readings, is_answer = self.readings, self.ask is not None
            self.readings, self.ask = [], None
            try:
                found = self._work.send(readings) if is_answer else next(self._work)
            except StopIteration:
                self.finish()
                return False
            except Exception as error:
                self.finish(error)
                return False
            if not isinstance(found, bytes):
                self.ask = found
                return True
            self._pieces.append(found)
            self._notify()
            if self.is_full or time.perf_counter() > end:
                return True

    def finish(self, error: BaseException | None = None) -> None:
        """Note that the work is over, and why if it failed."""
        self._work.close()
        self._error, self._is_done = error, True
        self._notify()

    def _notify(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._changed.set)
        except RuntimeError:
            pass  # the loop is closed: nobody waits


class Pool:
    """Worker threads and the requests that take turns in them."""

    def __init__(
        self,
        analyser: Analyser,
        *,
        workers: int,
        slice_tokens: int,
        on_batch: Callable[[int, int], None] = lambda _requests, _sentences: None,
    ) -> None:
        """Start the threads.

        :param slice_tokens: most tokens in a batch, unless one sentence is longer
        :param on_batch: called after each batch with the number of its requests and sentences
        """
        self._analyser = analyser
        self._slice_tokens = slice_tokens
        self._on_batch = on_batch
        self._ready: deque[Task] = deque()
        self._tasks: set[Task] = set()
        self._is_closing = False
        self._change = threading.Condition()
        self._threads = [
            threading.Thread(target=self._serve, name=f"rhetree-worker-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def n_tasks(self) -> int:
        """Number of tasks that are not done yet."""
        return len(self._tasks)

    @property
    def is_alive(self) -> bool:
        """Whether every worker runs."""
        return not self._is_closing and all(thread.is_alive() for thread in self._threads)

    def submit(self, work: Work) -> Task:
        """Queue the work of a request; called in the event loop."""
        task = Task(work, self)
        with self._change:
            if self._is_closing:
                raise RuntimeError("the pool is closed")
            self._tasks.add(task)
            self._ready.append(task)
            self._change.notify()
        return task

    def resume(self, task: Task) -> None:
        """Go on with a task that was paused, once its client has read."""
        with self._change:  # always: a worker may be about to pause it
            if task.is_paused and not task.is_full:
                task.is_paused = False
                self._ready.append(task)
                self._change.notify()

    def cancel(self, task: Task) -> None:
        """End a task: at once if it waits for its turn, else after the batch that it is part of."""
        with self._change:
            task.is_cancelled = True
            if task in self._ready:
                self._ready.remove(task)
                self._drop(task)
            elif task.is_paused:
                task.is_paused = False
                self._drop(task)

    def close(self) -> None:
        """End all threads after the batches that they are at; what is not done is cancelled."""
        with self._change:
            self._is_closing = True
            self._change.notify_all()
        for thread in self._threads:
            thread.join()
        for task in list(self._tasks):
            self._drop(task, stopping())  # without an error what there is of its answer would look whole

    # --- in the worker threads --------------------------------------------------------------

    def _serve(self) -> None:
        while True:
            with self._change:
                while not self._ready and not self._is_closing:
                    self._change.wait()
                if self._is_closing:
                    return
                task = self._ready.popleft()
                shares = self._shares(task) if task.needs_model else []
            if shares:
                self._run_batch(shares)
            else:
                self._put_back(task, task.advance())

    def _shares(self, first: Task) -> "list[_Share]":
        """Fill a batch: first an equal share of each task that asks the same, then more of the first ones."""
        tasks = [first, *(task for task in self._ready if task.needs_model)]
        shares = [_Share(task, task.ask, len(task.readings)) for task in tasks if task.ask is not None]
        shares = [share for share in shares if share.ask.kind == shares[0].ask.kind]
        left = self._slice_tokens
        for most in (max(1, left // len(shares)), left):
            for share in shares:
                if left > 0:
                    left -= share.grow(min(most, left))
        taken = [share for share in shares if share.end > share.start]
        chosen = {id(share.task) for share in taken}
        self._ready = deque(task for task in self._ready if id(task) not in chosen)
        return taken

    def _run_batch(self, shares: "list[_Share]") -> None:
        sentences = [
            sentence for share in shares for sentence in share.ask.sentences[share.start : share.end]
        ]
        given = None
        if shares[0].ask.edus is not None:
            given = [own for share in shares for own in (share.ask.edus or ())[share.start : share.end]]
        constraints = None
        if any(share.ask.constraints for share in shares):
            constraints = [own for share in shares for own in share.constraints()]
        try:
            readings = self._analyser.analyse(
                sentences, given, trees=shares[0].ask.trees, constraints=constraints
            )
        except Exception as error:
            if len(shares) > 1:  # only the one that is to blame fails
                for share in shares:
                    self._run_batch([share])
                return
            shares[0].task.finish(error)
            self._put_back(shares[0].task, False)
            return
        self._on_batch(len(shares), len(sentences))
        at = 0
        for share in shares:
            n = share.end - share.start
            share.task.readings += readings[at : at + n]
            at += n
            self._put_back(share.task, True)

    def _put_back(self, task: Task, has_more: bool) -> None:
        with self._change:
            if not has_more:
                self._tasks.discard(task)
            elif task.is_cancelled:
                self._drop(task)
            elif task.is_full:
                task.is_paused = True
            else:
                # Who has all readings needs no more of the model: that one is done first.
                is_answered = task.ask is not None and not task.needs_model
                (self._ready.appendleft if is_answered else self._ready.append)(task)
                self._change.notify()

    def _drop(self, task: Task, error: Exception | None = None) -> None:
        self._tasks.discard(task)
        task.finish(error)


@dataclass(slots=True)
class _Share:
    """The sentences of one task in a batch."""

    task: Task
    ask: Ask
    start: int
    end: int = -1

    def __post_init__(self) -> None:
        self.end = self.start

    def constraints(self) -> Sequence[SentenceConstraints | None]:
        """What each of the sentences has to agree with."""
        if self.ask.constraints is None:
            return [None] * (self.end - self.start)
        return self.ask.constraints[self.start : self.end]

    def grow(self, most: int) -> int:
        """Add sentences of up to this many tokens, the first one whatever its length. Returns their tokens."""
        n_tokens = 0
        while self.end < len(self.ask.sentences):
            own = len(self.ask.sentences[self.end])
            if n_tokens + own > most and self.end > self.start:
                break
            n_tokens += own
            self.end += 1
            if n_tokens >= most:
                break
        return n_tokens
