"""Where ``rhetree parse`` and ``rhetree segment`` write: standard output, a file, or a folder."""

import argparse
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TextIO

from rhetree.cli.parsed_formats import (
    MANY,
    drawn,
    encode,
    ending_of,
    sentence_file,
    sentence_files,
    write_sentences,
)
from rhetree.cli.text_inputs import Record
from rhetree.errors import FileError, RhetreeError

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.draw.terminal import Style

STDOUT = Path("-")


class Output(Protocol):
    """Takes what was parsed, in order."""

    can_go_on: bool
    """Whether a later run can go on where this one ends."""

    def has(self, record: Record) -> bool:
        """Whether an earlier run has written this record; asked of each once, in order."""

    def write(self, document: "Document", record: Record) -> None:
        """Write what became of a record."""


def add_output_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """The arguments for what is written."""
    add = parser.add_argument
    add(
        "--format",
        choices=formats,
        help="default: by the ending of OUT; without OUT a drawing on a terminal, and jsonl into a pipe or file",
    )
    add(
        "-o",
        "--output",
        action=_OutputAction,
        metavar="OUT",
        help="a file, a folder with a file for each document, or -",
    )
    parser.set_defaults(to_folder=False)
    add("--overwrite", action="store_true", help="replace what is there")
    add(
        "--resume",
        action="store_true",
        help="go on where a run was interrupted: with a .jsonl file, or with the documents that a folder lacks",
    )


class _OutputAction(argparse.Action):
    """Notes the slash at the end of a folder's name, which a path does not keep; knows standard output."""

    def __call__(self, _parser: object, namespace: argparse.Namespace, value: Any, *_: object) -> None:
        namespace.output = STDOUT if value == "/dev/stdout" else Path(value)
        namespace.to_folder = value.endswith(("/", os.sep))


def open_output(args: argparse.Namespace, formats: tuple[str, ...]) -> AbstractContextManager[Output]:
    """The output that the arguments ask for."""
    path: Path = args.output or STDOUT
    to_folder = path != STDOUT and (args.to_folder or path.is_dir() or not (path.suffix or path.exists()))
    format = args.format or _format(path, to_folder, formats)
    if args.resume and args.overwrite:
        raise RhetreeError("--resume keeps what is there, --overwrite replaces it; choose one")
    if path == STDOUT:
        if args.resume:
            raise RhetreeError("--resume needs -o with a .jsonl file or a folder to go on with")
        return _standard_output(format)
    if to_folder:
        return _folder(path, format, resume=args.resume, overwrite=args.overwrite)
    if path.is_file() and not args.overwrite and not args.resume:
        more = "; --resume goes on with it" if format == "jsonl" else ""
        raise RhetreeError(f"{path}: exists already; name another, or replace it with --overwrite{more}")
    if format == "jsonl" and (path.is_file() or not path.exists()):
        return _json_lines(path, resume=args.resume)
    if args.resume:
        raise RhetreeError(f"--resume goes on with a .jsonl file or a folder, and {path} is neither")
    return _whole_file(path, format)


def _format(path: Path, to_folder: bool, formats: tuple[str, ...]) -> str:
    if path == STDOUT:
        return "terminal" if sys.stdout.isatty() else "jsonl"
    if to_folder:
        raise RhetreeError(f"-o {path}: a folder; name what to write into it with --format")
    ending = path.suffix.lower().removeprefix(".")
    for format in formats:
        if ending_of(format) == ending:
            return format
    endings = ", ".join(f".{ending_of(format)}" for format in formats)
    raise RhetreeError(f"-o {path}: its ending is none of {endings}; say --format")


# --- the outputs ------------------------------------------------------------------------------


class _Stream:
    """An open file that takes one document after the other."""

    can_go_on = False

    def __init__(self, sink: TextIO, format: str) -> None:
        self._sink = sink
        self._format = format

    def has(self, record: Record) -> bool:  # noqa: ARG002
        return False

    def write(self, document: "Document", record: Record) -> None:  # noqa: ARG002
        self._sink.write(encode(document, self._format))
        self._sink.flush()


class _Single:
    """Keeps one document, for a format that holds no more; it is written when there is no second one."""

    can_go_on = False

    def __init__(self, format: str) -> None:
        self._format = format
        self.text: str | None = None

    def has(self, record: Record) -> bool:  # noqa: ARG002
        return False

    def write(self, document: "Document", record: Record) -> None:
        text = encode(document, self._format)
        if self.text is not None:
            raise RhetreeError(
                f"{self._format} holds one document a file, and {record.document.name} is the second; "
                "name a folder with -o FOLDER, or use --format jsonl"
            )
        self.text = text


class _Drawing:
    """Draws one document below the other, each under its name where there are several."""

    can_go_on = False

    def __init__(self, sink: TextIO, style: "Style") -> None:
        self._sink = sink
        self._style = style
        self._first: tuple[str, list[str]] | None = None
        """Waits until it is known whether there is a second one."""
        self._n_documents = 0

    def has(self, record: Record) -> bool:  # noqa: ARG002
        return False

    def write(self, document: "Document", record: Record) -> None:  # noqa: ARG002
        lines = list(drawn(document, self._style))
        self._n_documents += 1
        if self._n_documents == 1:
            self._first = document.name, lines
            return
        if self._first is not None:
            self._print([self._first[0], *self._first[1]])
            self._first = None
        self._print(["", document.name, *lines])

    def finish(self) -> None:
        if self._first is not None:
            self._print(self._first[1])

    def _print(self, lines: list[str]) -> None:
        self._sink.writelines(f"{line}\n" for line in lines)
        self._sink.flush()


class _JsonLines:
    """A file to which each document is added as soon as it is there, so that a later run can go on."""

    can_go_on = True

    def __init__(self, path: Path, file: BinaryIO, earlier: Iterator[bytes]) -> None:
        self._path = path
        self._file = file
        self._earlier = earlier
        """The lines of an earlier run that are still to be compared."""
        self._n_lines = 0

    def has(self, record: Record) -> bool:
        line = next(self._earlier, None)
        if line is None:
            return False
        self._n_lines += 1
        name = record.document.name
        start = _start_of_line(name)
        if line.endswith(b"\n"):
            if line.startswith(start):
                return True
        elif line[: len(start)] == start[: len(line)]:
            self._take_away(line)
            return False
        found = line[:60].decode("utf-8", "replace")
        raise FileError(
            f"expected what rhetree parse writes for {name!r}, found {found!r}; --resume goes on where a run "
            "with the same inputs ended, --overwrite replaces the file",
            self._path,
            self._n_lines,
        )

    def _take_away(self, half_line: bytes) -> None:
        """Remove the line that was being written when an earlier run was stopped, which is the last one."""
        with _writing(self._path):
            self._file.truncate(self._file.tell() - len(half_line))
        self._earlier = iter(())

    def finish(self) -> None:
        if next(self._earlier, None) is not None:
            raise FileError("holds more than the inputs; a run with other inputs wrote it", self._path)

    def write(self, document: "Document", record: Record) -> None:  # noqa: ARG002
        line = encode(document, "jsonl").encode("utf-8")
        with _writing(self._path):
            self._file.write(line)
            self._file.flush()


class _Folder:
    """A file for each document, which is there whole or not at all."""

    can_go_on = True

    def __init__(self, folder: Path, format: str, *, resume: bool, overwrite: bool) -> None:
        self._folder = folder
        self._format = format
        self._resume = resume
        self._overwrite = overwrite
        self._taken: set[str] = set()
        self._waiting: deque[Path] = deque()
        """Where the records go that were asked about and are not written yet."""

    def has(self, record: Record) -> bool:
        path = self._free(self._folder / record.stem)
        if self._resume and path.exists():
            return True
        files = sentence_files(path.parent) if self._format == "dis" else [path]
        if not self._resume and not self._overwrite and any(file.exists() for file in files):
            raise RhetreeError(
                f"{files[0]}: exists already; name another folder, replace what is there with --overwrite, "
                "or keep it with --resume"
            )
        self._waiting.append(path)
        return False

    def write(self, document: "Document", record: Record) -> None:  # noqa: ARG002
        from rhetree.treebanks.files import whole_file

        path = self._waiting.popleft()
        if self._format == "dis":
            write_sentences(document, path.parent)
            return
        text = encode(document, self._format)
        with whole_file(path) as sink:
            sink.write(text)

    def _free(self, stem: Path) -> Path:
        """A path of its own for each document, however many have the same name."""
        name, count = stem.name, 1
        while os.path.normcase(path := self._path(stem)) in self._taken:
            count += 1
            stem = stem.with_name(f"{name}-{count}")
        self._taken.add(os.path.normcase(path))
        return path

    def _path(self, stem: Path) -> Path:
        """The document's file, or that of its first sentence."""
        if self._format == "dis":
            return sentence_file(stem, 1)
        return stem.with_name(f"{stem.name}.{ending_of(self._format)}")


@contextmanager
def _standard_output(format: str) -> Iterator[Output]:
    if format == "terminal":
        from rhetree.cli.drawing import terminal_style

        drawing = _Drawing(sys.stdout, terminal_style())
        yield drawing
        drawing.finish()
        return
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]  # a TextIOWrapper wherever there is a console
    if format in MANY:
        yield _Stream(sys.stdout, format)
        return
    single = _Single(format)
    yield single
    sys.stdout.write(single.text or "")


@contextmanager
def _whole_file(path: Path, format: str) -> Iterator[Output]:
    from rhetree.treebanks.files import whole_file

    if format not in MANY:
        single = _Single(format)
        yield single
        if single.text is not None:
            with whole_file(path) as sink:
                sink.write(single.text)
        return
    with whole_file(path) as sink:
        if format != "terminal":
            yield _Stream(sink, format)
            return
        from rhetree.draw.terminal import Style

        drawing = _Drawing(sink, Style())
        yield drawing
        drawing.finish()


@contextmanager
def _json_lines(path: Path, *, resume: bool) -> Iterator[Output]:
    with _writing(path), ExitStack() as opened:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = opened.enter_context(path.open("ab" if resume else "wb"))
        earlier = opened.enter_context(path.open("rb")) if resume else ()
        files = opened.pop_all()
    with files:
        # A generator is at its end once and for all; an open file is not, when more is added to it.
        lines = _JsonLines(path, file, (line for line in earlier))
        yield lines
        lines.finish()


def _start_of_line(name: str) -> bytes:
    """What the line of a document begins with: all up to its text or metadata."""
    from rhetree.domain.document import Document

    return encode(Document(name=name, text=""), "jsonl").partition('"text": ')[0].encode("utf-8")


@contextmanager
def _folder(folder: Path, format: str, *, resume: bool, overwrite: bool) -> Iterator[Output]:
    from rhetree.treebanks.files import check_folder

    check_folder(folder)
    yield _Folder(folder, format, resume=resume, overwrite=overwrite)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be written: {error.strerror}") from error
