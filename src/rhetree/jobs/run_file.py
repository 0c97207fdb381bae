"""The file beside an output that says what made it, so that a resumed run never mixes with another.

Its first line has the settings of the run, each further line the name and the hash of an input, and
what was wrong with it if it was left out. A line is written before the output that it belongs to: after
a crash the file may know one document that the output lacks, and never the reverse.
"""

import json
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from rhetree.errors import ArgumentError, RhetreeError
from rhetree.jobs.encoding import encode_bytes
from rhetree.jobs.records import Record

FORMAT = "rhetree-run"
VERSION = 1

Settings = Mapping[str, str | int]
"""Whatever changes the output of a run: the command, the model, its options."""

_N_DIGITS = 16


def run_file_of(output: Path, format: str | None = None) -> Path:
    """The run file of an output: beside a file, and hidden in a folder, which is moved and copied as a whole.

    :param format: what is written into the folder; None for a file
    """
    return output.with_name(f"{output.name}.run") if format is None else output / f".{format}.run"


class RunFile:
    """An open run file, to which inputs are added as they are done."""

    def __init__(self, path: Path, *, is_new: bool) -> None:
        self.path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("wb" if is_new else "ab", buffering=0)

    def add(self, name: str, record: Record, problem: str | None = None) -> None:
        """Add an input whose output will be written next, or say why it has none."""
        known = [name, hash_of(record)]
        write_whole(self._file, _line(known if problem is None else [*known, problem]), self.path)

    def cut(self, n_bytes: int) -> None:
        """Forget all inputs that come later in the file."""
        with writing(self.path):
            os.truncate(self.path, n_bytes)

    def close(self) -> None:
        self._file.close()

    def start(self, settings: Settings, *, replaces: bool = False) -> "EarlierRun":
        """Write the first line. Returns what the file tells now.

        :param replaces: whether the run replaces files of others that lie in its way
        """
        header = {"format": FORMAT, "version": VERSION, "settings": dict(settings), "replaces": replaces}
        line = _line(header)
        write_whole(self._file, line, self.path)
        return EarlierRun(self.path, header, len(line))


@dataclass(frozen=True, slots=True)
class Input:
    """A record that a run has finished, or was about to finish."""

    name: str
    hash: str
    end: int
    """Where its line ends in the run file, in bytes."""
    problem: str | None = None
    """Why it was left out, if it was."""


class EarlierRun:
    """What a run file tells of the run that wrote it."""

    def __init__(self, path: Path, header: Mapping[str, Any], n_bytes: int) -> None:
        self.path = path
        self.settings: Settings = header["settings"]
        self.replaces = bool(header.get("replaces"))
        self.n_header_bytes = n_bytes
        """Size of the first line."""

    def inputs(self) -> Generator[Input, None, None]:
        """The inputs in order; half a line at the end is left out."""
        n_bytes = self.n_header_bytes
        with self.path.open("rb") as lines:
            lines.seek(n_bytes)
            for line in lines:
                value = _decoded(line)
                if not isinstance(value, list) or list(map(type, value)) not in ([str] * 2, [str] * 3):
                    return
                n_bytes += len(line)
                yield Input(value[0], value[1], n_bytes, *value[2:])

    def check_same(self, settings: Settings, output: Path) -> None:
        """Raise :class:`ArgumentError` if a run with these settings cannot go on with the output."""
        names = [*self.settings, *(name for name in settings if name not in self.settings)]
        differing = [
            f"{name} was {_told(self.settings, name)} and is now {_told(settings, name)}"
            for name in names
            if self.settings.get(name) != settings.get(name)
        ]
        if differing:
            what = (
                f"cannot be resumed, since the run that began it was another: {'; '.join(differing)}. "
                "Resume it as it was begun, name another output, or replace it"
            )
            raise ArgumentError(what, output, "overwrite")


def read_run(path: Path) -> EarlierRun | None:
    """What a run file tells; None if there is none, or none that was begun properly."""
    try:
        with path.open("rb") as lines:
            line = lines.readline()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be read: {error.strerror}") from error
    header = _decoded(line)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        return None
    if header.get("version") != VERSION or not isinstance(header.get("settings"), dict):
        raise RhetreeError(
            f"{path}: written by another version of Rhetree; resume the run with that version, or start anew"
        )
    return EarlierRun(path, header, len(line))


def hash_of(record: Record) -> str:
    """The beginning of a hash of all that a record's output depends on."""
    content = encode_bytes(record.document, "jsonl", record.extra) + record.edus.encode()
    return sha256(content).hexdigest()[:_N_DIGITS]


def write_whole(file: BinaryIO, data: bytes, path: Path) -> None:
    """Write to a file that is not buffered: a full disk may take a part of it, and then refuses the rest."""
    rest = memoryview(data)
    with writing(path):
        while rest:
            rest = rest[file.write(rest) :]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be written: {error.strerror}") from error


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _decoded(line: bytes) -> Any:
    if not line.endswith(b"\n"):
        return None
    try:
        return json.loads(line)
    except ValueError:
        return None


def _told(settings: Settings, name: str) -> str:
    return str(settings[name]) if name in settings else "not known"
