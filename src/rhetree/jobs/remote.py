"""Files that are not on this machine's disk: ``s3://``, ``gs://`` and whatever else fsspec knows.

A URL is a string here, never a :class:`~pathlib.Path`, which would take one of its slashes.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, BinaryIO, ParamSpec, TypeVar, cast

from rhetree.errors import MissingExtraError, RhetreeError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://\S+")

P = ParamSpec("P")
R = TypeVar("R")


def is_url(name: str) -> bool:
    """Whether a name is that of a file somewhere else; ``C:\\x`` is none."""
    return _URL.fullmatch(name) is not None


def file_system(url: str) -> tuple[Any, str]:
    """The file system that a URL names, and the path inside it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{url}: reading and writing URLs", "ray") from error
    try:
        system, path = url_to_fs(url)
    except ImportError as error:  # fsspec names the package: "Install s3fs to access S3"
        raise RhetreeError(f"{url}: {error}") from error
    except ValueError as error:
        raise RhetreeError(f"{url}: no kind of storage that is known here: {error}") from error
    return system, path.rstrip("/")


def _naming(work: Callable[P, R]) -> Callable[P, R]:
    """Turn whatever a file system raises into an error that names the URL; each has its own."""

    @wraps(work)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return work(*args, **kwargs)
        except RhetreeError:
            raise
        except FileNotFoundError as error:
            raise RhetreeError(f"{args[0]}: no such file or folder") from error
        except Exception as error:
            raise RhetreeError(f"{args[0]}: cannot be read: {type(error).__name__}: {error}") from error

    return named


@_naming
def open_url(url: str) -> BinaryIO:
    """Open a file for reading."""
    system, path = file_system(url)
    return cast(BinaryIO, system.open(path, "rb"))


@_naming
def size_of_url(url: str) -> int | None:
    """Size of a file in bytes, if its storage tells."""
    system, path = file_system(url)
    size = system.size(path)
    return None if size is None else int(size)


@_naming
def files_below(url: str) -> list[str]:
    """The files in a folder and its subfolders, sorted, without hidden ones, by their paths below it; none for a file."""
    system, top = file_system(url)
    if not system.exists(top):
        raise FileNotFoundError
    if not system.isdir(top):
        return []
    below = (str(path)[len(top) :].strip("/") for path in system.find(top))
    return sorted(path for path in below if not any(part.startswith(".") for part in path.split("/")))
