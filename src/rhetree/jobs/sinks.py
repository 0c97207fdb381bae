"""Where documents go: standard output, a file, or a folder with a file for each.

A sink is opened by a ``with`` statement. It writes atomically (a file appears whole, when the sink is
closed or the document is done) or appends document by document; ``resumable_sinks`` has those that
a later run can go on with.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol, TextIO

from rhetree.errors import ArgumentError, RhetreeError
from rhetree.jobs.encoding import Encoding, encode_bytes, encoding_of
from rhetree.jobs.places import STANDARD, names_folder
from rhetree.jobs.records import Record
from rhetree.jobs.resumable_sinks import open_folder, open_lines, resume_lines
from rhetree.jobs.run_file import Settings
from rhetree.jobs.streams import COMPRESSED, check_compression, compressed

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.draw.terminal import Style

IfExists = Literal["refuse", "replace", "resume"]
"""What to do about outputs that are there: an error, write anew, or add what is missing."""


class Sink(Protocol):
    """Takes documents in the order of their records."""

    resumable: bool
    """Whether a later run can go on where this one ends."""

    def has(self, record: Record) -> bool | RhetreeError:
        """Whether an earlier run has written this record, or why it left it out. Ask once for each record, in order."""

    def write(self, document: "Document", record: Record) -> None:
        """Write what became of a record."""

    def leave_out(self, record: Record, problem: str) -> None:
        """Called in place of ``write`` for a record that could not be worked on or written, in its turn."""


def open_sink(
    path: Path,
    format: str | Encoding,
    *,
    if_exists: IfExists = "refuse",
    folder: bool | None = None,
    style: "Style | None" = None,
    settings: Settings = {},  # noqa: B006  # never changed
) -> AbstractContextManager[Sink]:
    """The sink that a path names; errors about it come now, before any work.

    :param format: a key of ``ENCODINGS``, or an encoding
    :param folder: whether the path is a folder; by default what is there or its ending says so
    :param style: what the terminal can show, for the formats ``terminal`` and ``table``
    :param settings: what made the documents; only a run with the same settings can be resumed
    """
    encoding = encoding_of(format)
    if encoding.name == "parquet":
        from rhetree.jobs.tables import check_parquet

        check_parquet()
    if path != STANDARD and (names_folder(path) if folder is None else folder):
        return open_folder(path, encoding, if_exists, settings)
    if path == STANDARD:
        if if_exists == "resume":
            raise RhetreeError("standard output cannot be resumed; name a .jsonl file or a folder")
        return _open_standard_output(encoding, style)
    if path.is_file() and if_exists == "refuse":
        resume = (
            "resume the run that wrote it, "
            if encoding.name == path.suffix.removeprefix(".") == "jsonl"
            else ""
        )
        raise ArgumentError(f"exists already; {resume}name another file, or replace it", path, "overwrite")
    is_packed = path.suffix.lower() in COMPRESSED
    if is_packed:
        check_compression(path)
    if encoding.name == "jsonl" and not is_packed and (path.is_file() or not path.exists()):
        if if_exists == "resume" and path.is_file() and path.stat().st_size:
            return resume_lines(path, encoding, settings)
        return open_lines(path, encoding, settings)
    if if_exists == "resume":
        packed = "a compressed file is written whole and " if is_packed else ""
        raise RhetreeError(f"{path}: {packed}cannot be resumed; only a .jsonl file or a folder can")
    return _open_file(path, encoding, style)


class FreshSink:
    """A sink that no run can go on with, so that nothing is there before."""

    resumable = False

    def has(self, record: Record) -> bool:  # noqa: ARG002
        return False

    def leave_out(self, record: Record, problem: str) -> None:
        """Nothing is kept of such records."""


class StreamSink(FreshSink):
    """An open stream to which one document after the other is written."""

    def __init__(self, stream: BinaryIO, encoding: Encoding, *, flushes: bool = True) -> None:
        """Write to a stream.

        :param flushes: whether whoever reads the stream gets each document as soon as it is there
        """
        self._stream = stream
        self._encoding = encoding
        self._flushes = flushes
        stream.write(encoding.header.encode("utf-8"))

    def write(self, document: "Document", record: Record) -> None:
        self._stream.write(encode_bytes(document, self._encoding, record.extra, first=False))
        if self._flushes:
            self._stream.flush()


class SingleSink(FreshSink):
    """Keeps the only document, for a format that holds one; whoever opened the sink writes it at the end."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.data: bytes | None = None

    def write(self, document: "Document", record: Record) -> None:
        data = encode_bytes(document, self._encoding, record.extra)
        if self.data is not None:
            raise RhetreeError(
                f"{self._encoding.name} holds one document a file, and {record.document.name} is the second; "
                "name a folder, or use a format that holds several, such as jsonl"
            )
        self.data = data


class TerminalSink(FreshSink):
    """Draws one document below the other, as trees or as a table, each under its name if there are several."""

    def __init__(self, stream: TextIO, encoding: Encoding, style: "Style | None") -> None:
        from rhetree.draw.alternatives import draw_document
        from rhetree.draw.table import draw_table
        from rhetree.draw.terminal import Style

        self._stream = stream
        self._draw = draw_table if encoding.name == "table" else draw_document
        self._style = style or Style()
        self._first: tuple[str, list[str]] | None = None
        """Waits until it is known whether there is a second one."""
        self._n_documents = 0

    def write(self, document: "Document", record: Record) -> None:  # noqa: ARG002
        lines = list(self._draw(document, self._style)) if document.tokens else []
        self._n_documents += 1
        if self._n_documents == 1:
            self._first = document.name, lines
            return
        if self._first is not None:
            self._print([self._first[0], *self._first[1]])
            self._first = None
        self._print(["", document.name, *lines])

    def finish(self) -> None:
        """Draw the only document, without its name."""
        if self._first is not None:
            self._print(self._first[1])

    def _print(self, lines: list[str]) -> None:
        self._stream.writelines(f"{line}\n" for line in lines)
        self._stream.flush()


@contextmanager
def _open_standard_output(encoding: Encoding, style: "Style | None") -> Iterator[Sink]:
    if not encoding.many:
        single = SingleSink(encoding)
        yield single
        sys.stdout.flush()
        sys.stdout.buffer.write(single.data or b"")
        return
    with _open_stream(sys.stdout, encoding, style) as sink:
        yield sink


@contextmanager
def _open_file(path: Path, encoding: Encoding, style: "Style | None") -> Iterator[Sink]:
    from rhetree.formats.files import whole_file

    if not encoding.many:
        single = SingleSink(encoding)
        yield single
        if single.data is not None:
            with whole_file(path) as file, _packed(file, path) as packed:
                packed.buffer.write(single.data)
        return
    with (
        whole_file(path) as file,
        _packed(file, path) as packed,
        _open_stream(packed, encoding, style) as sink,
    ):
        yield sink


@contextmanager
def _packed(file: TextIO, path: Path) -> Iterator[TextIO]:
    """The file, or a stream that compresses what goes into it."""
    if path.suffix.lower() not in COMPRESSED:
        yield file
        return
    with (
        compressed(file.buffer, path) as stream,
        TextIOWrapper(stream, encoding="utf-8", newline="\n") as packed,
    ):
        yield packed


@contextmanager
def _open_stream(stream: TextIO, encoding: Encoding, style: "Style | None") -> Iterator[Sink]:
    """A sink for many documents in one stream."""
    stream.flush()  # what follows may go to its buffer
    if encoding.name in ("terminal", "table"):
        drawn = TerminalSink(stream, encoding, style)
        yield drawn
        drawn.finish()
    elif encoding.name == "parquet":
        from rhetree.jobs.tables import ParquetSink

        with closing(ParquetSink(stream.buffer)) as rows:
            yield rows
    else:
        # A file appears when it is whole; compressed data would be larger if each document were flushed.
        yield StreamSink(stream.buffer, encoding, flushes=stream is sys.stdout)
