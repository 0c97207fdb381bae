"""What an earlier run has finished, so that a run that was interrupted can go on."""

import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from rhetree.domain.document import Document
from rhetree.errors import ArgumentError, FileError, RhetreeError
from rhetree.jobs.encoding import encode_bytes
from rhetree.jobs.records import Record
from rhetree.jobs.run_file import EarlierRun, Input, RunFile, hash_of, writing


class Ledger(Protocol):
    """Knows which records an earlier run has finished."""

    def has(self, record: Record) -> bool | RhetreeError:
        """Whether an earlier run has written this record, or why it left it out. Asked once for each record, in order."""

    def finish(self) -> None:
        """Called after the last record; raises if the earlier run had other inputs."""


class NewRun:
    """The ledger of a run that starts anew."""

    def has(self, record: Record) -> bool:  # noqa: ARG002
        return False

    def finish(self) -> None:
        """Nothing was there before."""


class EarlierLines:
    """The documents in a ``.jsonl`` file, compared with the records one by one.

    The file must hold the first of the records, in order, each made of the same input, and nothing
    else; records that the run file says were left out have no line. Half a line at its end is what a
    killed run was writing; it is removed. So is a last line whose input the run file does not know.
    """

    def __init__(self, path: Path, run: EarlierRun, run_file: RunFile) -> None:
        self._path = path
        self._run_file = run_file
        self._lines = self._read()
        self._inputs = run.inputs()
        self._n_lines = self._n_bytes = 0
        """How much of the file has been compared."""
        self._n_run_bytes = run.n_header_bytes
        self._is_over = False
        """Whether all that the earlier run has finished has been compared."""

    def has(self, record: Record) -> bool | RhetreeError:
        if self._is_over:
            return False
        known = next(self._inputs, None)
        if known is not None and known.problem is not None:
            self._check_same(record, known)
            self._n_run_bytes = known.end
            return FileError(known.problem, record.path, record.line)
        line = next(self._lines, None)
        if line is None:
            return self._end()
        start = _start_of_line(record.document.name)
        if line.endswith(b"\n") and line.startswith(start):
            return self._is_same(record, known, line)
        if not line.endswith(b"\n") and line[: len(start)] == start[: len(line)]:
            return self._end()
        found = line[:60].decode("utf-8", "replace")
        raise FileError(
            f"expected the document {record.document.name!r}, found {found!r}; only a run with the same inputs "
            "can be resumed",
            self._path,
            self._n_lines + 1,
        )

    def finish(self) -> None:
        if not self._is_over and next(self._lines, None) is not None:
            raise FileError(
                "it has more documents than the inputs; only a run with the same inputs can be resumed",
                self._path,
            )

    def _is_same(self, record: Record, known: Input | None, line: bytes) -> bool:
        number = self._n_lines + 1
        if known is None:
            if next(self._lines, None) is not None:
                what = (
                    f"{self._run_file.path} does not know what this line and those below were made of; "
                    "remove them, or start anew"
                )
                raise FileError(what, self._path, number)
            return self._end()
        self._check_same(record, known)
        self._n_lines, self._n_run_bytes = number, known.end
        self._n_bytes += len(line)
        return True

    def _check_same(self, record: Record, known: Input) -> None:
        if (known.name, known.hash) != (record.document.name, hash_of(record)):
            what = (
                f"the document {record.document.name!r} was made of another input than there is now under "
                "this name; only a run with the same inputs can be resumed"
            )
            raise FileError(what, self._path, self._n_lines + 1)

    def _end(self) -> bool:
        """Remove what an interruption left behind the last finished document."""
        self._lines.close()
        self._inputs.close()
        self._is_over = True
        with writing(self._path):
            os.truncate(self._path, self._n_bytes)
        self._run_file.cut(self._n_run_bytes)
        return False

    def _read(self) -> Generator[bytes, None, None]:
        with suppress(FileNotFoundError), self._path.open("rb") as lines:
            yield from lines


class EarlierFiles:
    """The files of a folder: a record is finished if its file is there, since files appear whole."""

    def __init__(self, run: EarlierRun, run_file: RunFile) -> None:
        self._hashes: dict[str, str] = {}
        self._replaces = run.replaces
        end = run.n_header_bytes
        for known in run.inputs():
            self._hashes[known.name] = known.hash
            end = known.end
        run_file.cut(end)

    def has(self, record: Record, name: str, path: Path) -> bool:
        """Whether an earlier run has written this record.

        :param name: what the record is called in the run file
        :param path: the file that is written last for it
        """
        if not path.exists():
            return False
        if name not in self._hashes:
            if self._replaces:
                return False
            what = (
                "was written by another run, or by a version of Rhetree that kept no account of it; remove it, "
                "name another folder, or replace what is there"
            )
            raise ArgumentError(what, path, "overwrite")
        if self._hashes[name] != hash_of(record):
            what = (
                "was made of another input than there is now under this name; remove it to have it made anew, "
                "name another folder, or replace what is there"
            )
            raise ArgumentError(what, path, "overwrite")
        return True


def _start_of_line(name: str) -> bytes:
    """What a document's line begins with: all up to its text or metadata."""
    return encode_bytes(Document(name=name, text=""), "jsonl").partition(b'"text": ')[0]
