"""Opening and writing files: the errors of the file system in our words, and no half-written file."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rhetree.errors import RhetreeError, TreebankError

STDIN = Path("-")
"""Standard input, or standard output."""


def check_exists(path: Path) -> None:
    """Raise :class:`RhetreeError` where there is nothing to read."""
    if path != STDIN and not path.exists():
        raise RhetreeError(f"{path}: no such file or folder")


def check_folder(folder: Path) -> None:
    """Raise :class:`RhetreeError` where no file can be put into a folder, which need not be there yet."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise RhetreeError(f"{folder}: {'' if there == folder else f'{there} is '}a file, not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise RhetreeError(f"{folder}: no files can be written into {'it' if there == folder else there}")


@contextmanager
def open_source(path: Path) -> Iterator[TextIO]:
    """The text of a file, or of standard input where the path is ``-``; UTF-8, with or without BOM."""
    try:
        if path == STDIN:
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")  # type: ignore[union-attr]  # a TextIOWrapper wherever there is a console
            yield sys.stdin
        else:
            with path.open(encoding="utf-8-sig") as source:
                yield source
    except UnicodeDecodeError as error:
        raise TreebankError(
            "not UTF-8 text; convert it first, for instance with iconv", path, _line_of_bad_byte(path)
        ) from error
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be read: {error.strerror}") from error


@contextmanager
def whole_output() -> Iterator[TextIO]:
    """Standard output, which gets nothing before all is written."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as kept:
        yield kept
        kept.seek(0)
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]  # as in open_source
        shutil.copyfileobj(kept, sys.stdout)


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A file to write that appears under its name when all is written, and otherwise not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as sink:
            yield sink
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # mkstemp makes files that only their owner can read
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise RhetreeError(f"{path}: cannot be written: {error.strerror}") from error
    except BaseException:
        _remove(temporary)
        raise


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _line_of_bad_byte(path: Path) -> int | None:
    if path == STDIN:
        return None
    with path.open("rb") as source:
        for number, line in enumerate(source, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None
