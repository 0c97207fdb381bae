"""A model's folder and its settings, read without trusting whoever made them.

Only plain files inside the folder are opened, and each is looked at before it is read: a pipe would never end, a
link could lead anywhere. Settings are checked where they are taken, so that a wrong one is found when the model is
loaded and not while it parses.
"""

import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError

MOST_CONFIG_BYTES = 4 * 2**20
MOST_JSON_BYTES = 256 * 2**20
"""The largest tokenizer or list of words to read; the largest in use have a tenth of that."""


def check_folder(folder: Path) -> None:
    """Raise :class:`ModelError` where a folder holds anything but plain files, folders, and links to such inside it."""
    try:
        home = folder.resolve()
        for path in sorted(folder.iterdir()):
            target = path.resolve()
            if not target.is_relative_to(home):
                raise ModelError(
                    f"{path}: is a link that leaves the model's folder; put a copy of the file in its place"
                )
            kind = path.stat().st_mode
            if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
                raise ModelError(f"{path}: is not a plain file; a model's folder holds nothing else")
    except (OSError, RuntimeError) as error:  # a link to itself is a RuntimeError before Python 3.13
        raise ModelError(f"{folder}: cannot be read: {error}") from error


def check_sizes(folder: Path, sizes: object) -> None:
    """Raise :class:`ModelError` where a listed file is not in the folder, or is of another size.

    :param sizes: of each file, in bytes, by its name
    """
    if not isinstance(sizes, Mapping):
        raise ModelError(f"{folder}: expected the files with their sizes under runtime.files, got {sizes!r}")
    for name, size in sizes.items():
        if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
            raise ModelError(f"{folder}: runtime.files has {name!r}; expected names of files in this folder")
        path = folder / name
        try:
            found = path.stat().st_size
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
        if found != size:
            raise ModelError(f"{path}: has {found} bytes, not {size}; it may be cut off, copy it again")


def read_text(path: Path, most_bytes: int = MOST_JSON_BYTES) -> str:
    """The text of a file of a model."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise ModelError(f"{path}: is not a plain file; a model's folder holds nothing else")
        if about.st_size > most_bytes:
            raise ModelError(f"{path}: has {about.st_size} bytes; at most {most_bytes} are read")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: not UTF-8: {error}") from error


def read_json(path: Path, most_bytes: int = MOST_JSON_BYTES) -> Any:
    """What a JSON file of a model says."""
    try:
        return json.loads(read_text(path, most_bytes))
    except ValueError as error:
        raise ModelError(f"{path}: not JSON: {error}") from error
    except RecursionError as error:
        raise ModelError(f"{path}: its JSON is nested too deeply") from error


@dataclass(frozen=True, slots=True)
class Settings:
    """A section of a model's ``config.json``; each value is checked as it is taken."""

    values: Mapping[str, Any]
    where: str
    """The file and the section, for messages."""

    @classmethod
    def of(cls, value: object, where: str) -> "Settings":
        """The section that this is; :class:`ModelError` where it is none."""
        if not isinstance(value, Mapping):
            raise ModelError(f"{where}: expected a section of settings, got {_short(value)}")
        return cls(value, where)

    def section(self, name: str) -> "Settings":
        """A section within this one."""
        return Settings.of(self._get(name), f"{self.where}.{name}")

    def section_or_none(self, name: str) -> "Settings | None":
        """A section within this one, or None where the model has no such part."""
        return None if self._get(name) is None else self.section(name)

    def number(self, name: str, least: int, most: int) -> int:
        """A whole number within these limits."""
        value = self._get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ModelError(
                f"{self.where}.{name}: expected a whole number from {least} to {most}, got {_short(value)}"
            )
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise ModelError(f"{self.where}.{name}: expected true or false, got {_short(value)}")
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """One of some words."""
        value = self._get(name)
        if not isinstance(value, str) or value not in choices:
            raise ModelError(
                f"{self.where}.{name}: expected one of {', '.join(choices)}, got {_short(value)}"
            )
        return value

    def _get(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError as error:
            raise ModelError(f"{self.where}: {name} is missing") from error


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
