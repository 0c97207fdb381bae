"""Ctrl-C at a good moment: what has been worked out is written before a job ends."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def hears_interrupts() -> bool:
    """Whether Ctrl-C raises ``KeyboardInterrupt`` here: in the main thread, with Python's own handler."""
    return _is_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back until a block of :func:`open_to_interrupts`, or the end of this one.

    A second Ctrl-C is let through anywhere. Does nothing outside of the main thread, or if the
    program has a handler of its own.
    """
    if not hears_interrupts():
        yield
        return
    keeper = _Keeper()
    signal.signal(signal.SIGINT, keeper)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    keeper.release()


@contextmanager
def open_to_interrupts() -> Iterator[None]:
    """Let Ctrl-C through here, also one that was held back before: nothing is lost by it."""
    keeper = signal.getsignal(signal.SIGINT)
    if not isinstance(keeper, _Keeper) or not _is_main_thread():
        yield
        return
    keeper.is_open = True
    try:
        keeper.release()
        yield
    finally:
        keeper.is_open = False


@contextmanager
def born_deaf() -> Iterator[None]:
    """Start processes in this block that never hear Ctrl-C, not even while they import."""
    if not _is_main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Keeper:
    """The handler of Ctrl-C while it is held back."""

    def __init__(self) -> None:
        self.is_open = False
        self._n_signals = 0
        self._is_waiting = False

    def __call__(self, *_: object) -> None:
        self._n_signals += 1
        self._is_waiting = True
        if self.is_open or self._n_signals > 1:
            self.release()

    def release(self) -> None:
        """Raise ``KeyboardInterrupt`` if one was held back."""
        if self._is_waiting:
            self._is_waiting = False
            raise KeyboardInterrupt


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
