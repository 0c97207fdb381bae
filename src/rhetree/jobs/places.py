"""Names that users give for inputs and outputs: a file, a folder, or ``-``."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rhetree.errors import RhetreeError

STANDARD = Path("-")
"""Standard input, or standard output."""

_NO_FILE_NAME = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^\.+')


def names_folder(path: Path) -> bool:
    """Whether an output is a folder: it is one already, or its name has no ending and is no pipe or device."""
    if path == STANDARD or path.is_dir():
        return path != STANDARD
    return not path.suffix and (path.is_file() or not path.exists())


def file_name(name: str) -> str:
    """A document's name as a file name, short enough to leave room for an ending within 255 bytes."""
    data = _NO_FILE_NAME.sub("_", name).encode("utf-8", "replace")
    return data[:200].decode("utf-8", "ignore") or "document"


def files_in(folder: Path) -> Iterator[Path]:
    """The files in a folder and its subfolders, sorted, without hidden ones."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(place, name)


def is_inside(path: Path, place: Path) -> bool:
    """Whether a path is a place or lies in it, links followed."""
    whole, target = Path(os.path.realpath(path)), Path(os.path.realpath(place))
    return whole == target or target in whole.parents


def check_read_once(paths: Sequence[Path]) -> None:
    """Raise :class:`RhetreeError` if standard input is named twice."""
    if paths.count(STANDARD) > 1:
        raise RhetreeError("-: standard input can be read only once")


class FreePaths:
    """Gives each document a path of its own, however many have the same name."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}
        """The last number that was given to a name."""

    def take(self, path: Path) -> bool:
        """Take a path; False if it was taken before."""
        key = os.path.normcase(path)
        is_free = key not in self._taken
        self._taken.add(key)
        return is_free

    def free(self, path: Path) -> Path:
        """Take this path, or the first free one of ``NAME-2``, ``NAME-3`` and so on."""
        name, key = path.name, os.path.normcase(path)
        count = self._counts.get(key, 1)
        while not self.take(path):
            count += 1
            path = path.with_name(f"{name}-{count}")
        self._counts[key] = count
        return path
