"""Opens and writes files: errors of the file system become ours, and no file is left half-written."""

import os
import re
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

_XML_ENCODING = re.compile(rb"""<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)""")


def check_exists(path: Path) -> None:
    """Raise :class:`RhetreeError` if there is nothing to read."""
    if path != STDIN and not path.exists():
        raise RhetreeError(f"{path}: no such file or folder")


def check_folder(folder: Path) -> None:
    """Raise :class:`RhetreeError` if no file can be written into a folder, which need not exist yet."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise RhetreeError(f"{folder}: {'' if there == folder else f'{there} is '}a file, not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise RhetreeError(f"{folder}: no files can be written into {'it' if there == folder else there}")


@contextmanager
def open_source(path: Path) -> Iterator[TextIO]:
    """Open a text file, or standard input for ``-``. The text is UTF-8, with or without a byte-order mark."""
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise RhetreeError("-: standard input is closed; name a file")
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")  # type: ignore[union-attr]  # a TextIOWrapper wherever there is a console
            yield sys.stdin
        else:
            with path.open(encoding=_encoding_of(path)) as source:
                yield source
    except UnicodeDecodeError as error:
        raise TreebankError(
            f"not {error.encoding.upper().removesuffix('-SIG')} text; "
            "convert it first, for instance with iconv",
            path,
            _line_of_bad_byte(path, error.encoding),
        ) from error
    except LookupError as error:
        raise TreebankError(f"its encoding is not known: {error}", path) from error
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be read: {error.strerror}") from error


@contextmanager
def whole_output() -> Iterator[TextIO]:
    """Standard output; it receives everything at once, at the end."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as kept:
        yield kept
        kept.seek(0)
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]  # as in open_source
        shutil.copyfileobj(kept, sys.stdout)


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a file for writing. It appears under its name when all is written, or not at all.

    A link is followed. What is there and is no file (a pipe, a device) cannot be replaced and is
    written to as it is.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        # By the name that was given: /dev/stdout leads to pipe:[123], which cannot be opened.
        with _writing(path), path.open("w", encoding="utf-8", newline="\n") as sink:
            yield sink
        return
    target = Path(os.path.realpath(path))
    with _writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with _writing(path), open(handle, "w", encoding="utf-8", newline="\n") as sink:
            yield sink
        with _writing(path):
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)  # mkstemp makes files that only their owner can read
            os.replace(temporary, target)
    except BaseException:
        _remove(temporary)
        raise


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be written: {error.strerror}") from error


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def declared_encoding(start: bytes) -> str:
    """The encoding that the first bytes of an XML file declare; UTF-8 for anything else."""
    declared = _XML_ENCODING.match(start)
    name = declared[1].decode() if declared else "utf-8"
    return "utf-8-sig" if name.lower() in ("utf-8", "utf8") else name


def _encoding_of(path: Path) -> str:
    if not path.is_file():  # a pipe can be read only once
        return "utf-8-sig"
    with path.open("rb") as source:
        return declared_encoding(source.read(200))


def _line_of_bad_byte(path: Path, encoding: str) -> int | None:
    if path == STDIN:
        return None
    with path.open("rb") as source:
        for number, line in enumerate(source, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError:
                return number
    return None
