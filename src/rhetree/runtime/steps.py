"""Long work in steps, so that whoever runs it can do something else in between, or stop."""

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")

Steps = Generator[None, None, Result]
"""Work that pauses after each step, and returns its result after the last."""


def finish(steps: Steps[Result]) -> Result:
    """Take all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
