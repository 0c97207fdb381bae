"""What all integrations share: the error about a package that is missing, and a parser that is loaded once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from rhetree.errors import MissingExtraError

if TYPE_CHECKING:
    from rhetree.runtime.parser import Parser

_loading = Lock()


@contextmanager
def needs(package: str, extra: str) -> Iterator[None]:
    """Say which extra to install where a tool's package is missing.

    :param package: the name that is imported, up to its first dot
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingExtraError(f"rhetree with {extra}", extra) from error


def shared_parser(model: str | Path | None = None) -> "Parser":
    """The parser of a model, loaded once in a process; None is the default model."""
    with _loading:  # two threads at once would load it twice
        return _load(model)


@lru_cache(maxsize=4)
def _load(model: str | Path | None) -> "Parser":
    from rhetree.runtime.parser import load

    return load(model)
