"""What ``rhetree parse`` and ``rhetree segment`` read: texts, files, folders and standard input.

A bad record does not end the reading: readers give its error in its place, and the caller decides.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from rhetree.domain.document import Document
from rhetree.errors import FileError, RhetreeError

if TYPE_CHECKING:
    from rhetree.runtime.pipeline import Edus

Kind = Literal["txt", "jsonl", "json", "conllu"]

KINDS: tuple[Kind, ...] = ("txt", "jsonl", "json", "conllu")
STDIN = Path("-")

_LOOKS_LIKE_A_FILE = re.compile(
    r"\S+\.\w{1,8}|(/|\./|\.\./|~/|[A-Za-z]:\\).*|\S*[/\\]\S*|.*\.(txt|jsonl?|conllu)", re.S
)
"""What nobody would write as a text: ``story.txt``, ``texts/story``, ``/data/my story``."""
_JSON = re.compile(rb'\{\s*("[^"]*"\s*:|"[^"\s]*"?\s*\Z|\}?\s*\Z)')
"""An object up to its first key, or cut off before that. Texts may begin with a brace, even with ``{"``."""
_CONLLU_ROW = re.compile(rb"[0-9][0-9.-]*(\t[^\t]*){9}")
_CONLLU_COMMENTS = (b"# newdoc", b"# sent_id", b"# global.")
_SAYS_LITTLE = re.compile(rb"(\xef\xbb\xbf)?\s*(\{?\s*|#.*)", re.S)
"""A line after which one has to look at the next: blank, a comment, or the brace that opens an object."""


@dataclass(frozen=True, slots=True)
class Record:
    """A document to parse."""

    document: Document
    """As it was read: text alone, or tokens in sentences."""
    stem: Path
    """What its file in a folder is called, without an ending, and below which folders."""
    edus: "Edus"
    at: int
    """How many bytes of all inputs were read when this one was."""
    path: Path
    """Where it was read, for messages."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Something that holds documents."""

    path: Path
    kind: Kind | None
    """None where the first line tells."""
    home: Path = Path()
    """The folders between the one that was named and the file."""
    text: str | None = None
    """For a text from the command line, whose path is what it is called."""


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments for what is read."""
    add = parser.add_argument
    add(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help="a text, a file (.txt, .jsonl, .json, .conllu), a folder of these, or - for standard input, which "
        "is also read where there is no INPUT",
    )
    add("--text", action="append", default=[], help="a text, whatever it looks like")
    add("--from", dest="kind", choices=KINDS, help="what files hold, whatever their ending")
    add("--lines", action="store_true", help="each line of a text is a document of its own")


class Inputs:
    """The records of all inputs, in order."""

    def __init__(self, sources: list[Source], *, edus: "Edus | None" = None, by_line: bool = False) -> None:
        """Say what to read.

        :param edus: whether records keep the EDUs that they come with; None leaves it to the record
        :param by_line: each line of a text is a document
        """
        self.sources = sources
        self.edus = edus
        self.by_line = by_line
        sizes = [_size(source) for source in sources]
        self.n_bytes = None if None in sizes else sum(size or 0 for size in sizes)
        """Of all inputs together, where that is known."""
        self._read = 0

    def records(self) -> "Iterator[Record | RhetreeError]":
        """The records, and in place of each bad one what is wrong with it."""
        for source in self.sources:
            try:
                yield from self._records(source)
            except RhetreeError as error:
                yield error
            except OSError as error:
                yield FileError(f"cannot be read: {error.strerror}", source.path)

    def _records(self, source: Source) -> "Iterator[Record | RhetreeError]":
        if source.text is not None:
            self._read += len(source.text)
            yield from self._texts(source, [source.text.encode("utf-8")])
            return
        with _open(source.path) as stream:
            lines, kind = _told_apart(self._counted(stream), source)
            if kind == "txt":
                yield from self._texts(source, lines)
            elif kind == "json":
                yield from self._json(source, lines)
            elif kind == "jsonl":
                yield from self._json_lines(source, lines)
            else:
                yield from self._conllu(source, lines)

    def _counted(self, stream: BinaryIO) -> Iterator[bytes]:
        for line in stream:
            self._read += len(line)
            yield line

    def _texts(self, source: Source, lines: Iterable[bytes]) -> "Iterator[Record | RhetreeError]":
        name = source.path.name if source.text is not None else _stem(source.path)
        if self.edus == "gold":
            raise FileError("a text has no EDUs to be kept, which --edus gold asks for", source.path)
        if not self.by_line:
            text = _decode(b"".join(lines), source.path).removeprefix("\ufeff")
            yield self._text(text, name, source)
            return
        for number, line in enumerate(lines, start=1):
            try:
                text = _decode(line, source.path, number).removeprefix("\ufeff").strip()
            except FileError as error:
                yield error
                continue
            if text:
                yield self._text(text, f"{name}-{number}", source, number)

    def _text(self, text: str, name: str, source: Source, line: int | None = None) -> Record:
        from rhetree.treebanks.convert import file_name

        document = Document(name=_encodable((source.home / name).as_posix()), text=text)
        return Record(document, source.home / file_name(name), "auto", self._read, source.path, line)

    def _json(self, source: Source, lines: Iterable[bytes]) -> "Iterator[Record | RhetreeError]":
        import io

        from rhetree.treebanks.json import read

        text = _decode(b"".join(lines), source.path).removeprefix("\ufeff")
        (document,) = read(io.StringIO(text), source.path)
        yield self._checked(document, source, None)

    def _json_lines(self, source: Source, lines: Iterable[bytes]) -> "Iterator[Record | RhetreeError]":
        from rhetree.treebanks.format import blame
        from rhetree.treebanks.json import decode_line
        from rhetree.treebanks.record import from_record

        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                text = _decode(line, source.path, number).removeprefix("\ufeff")
                value = decode_line(text, source.path, number)
                with blame(source.path, number):
                    document = from_record(value)
            except RhetreeError as error:
                yield error
                continue
            # Who writes the short form with EDUs wants these.
            gives_edus = "tokens" in value and "edus" in value
            yield self._checked(document, source, number, "gold" if gives_edus else "auto")

    def _conllu(self, source: Source, lines: Iterable[bytes]) -> "Iterator[Record | RhetreeError]":
        import io

        from rhetree.treebanks.conllu import CONLLU

        path = Path(_encodable(str(source.path)))  # gives its name to a document that has none
        for count, (first, part) in enumerate(_documents(lines), start=1):
            try:
                text = _decode(part, source.path, first).removeprefix("\ufeff")
                stream = io.StringIO(text, newline=None)
                for document in CONLLU.read(stream, path):
                    if count > 1 and document.name == _stem(source.path):
                        document = replace(document, name=f"{document.name}-{count}")
                    yield self._checked(document, source, first)
            except FileError as error:
                line = None if error.line is None else error.line + first - 1
                yield type(error)(error.what, source.path, line)

    def _checked(
        self, document: Document, source: Source, line: int | None, own: "Edus" = "auto"
    ) -> "Record | RhetreeError":
        """The record of a document, unless it cannot be parsed as it is."""
        from rhetree.treebanks.convert import file_name

        edus = self.edus or own
        if document.tokens and not document.sentences:
            what = "tokens without sentences; expected a list of tokens for each sentence"
        elif edus == "gold" and not document.edus and document.text:
            what = "no EDUs in it to be kept, which --edus gold asks for"
            if self.edus is None:
                what = "'edus' without any EDU; leave it out, or say --edus auto, to have them found"
        elif edus == "gold" and None in document.sentence_edus():
            number = document.sentence_edus().index(None) + 1
            what = f"an EDU crosses the edge of sentence {number}; expected whole EDUs in each"
        else:
            stem = source.home / file_name(document.name)
            return Record(document, stem, edus, self._read, source.path, line)
        return FileError(what, source.path, line)


def choose_sources(args: argparse.Namespace) -> list[Source]:
    """What the arguments name; :class:`RhetreeError` for a file that is not there."""
    arguments: list[str] = args.inputs
    if not arguments and not args.text:
        if sys.stdin is None or sys.stdin.isatty():
            raise RhetreeError("nothing to read: give a text, name files or folders, or pipe something in")
        arguments = ["-"]
    if arguments.count("-") > 1:
        raise RhetreeError("-: standard input can be read only once")
    texts = [*(text for text in arguments if text != "-" and not os.path.exists(text)), *args.text]  # noqa: PTH110  # a text may be no path at all
    names = iter(["text"] if len(texts) == 1 else [f"text-{number}" for number in range(1, len(texts) + 1)])
    sources: list[Source] = []
    for argument in arguments:
        if argument == "-":
            sources.append(Source(STDIN, args.kind))
        elif os.path.exists(argument):  # noqa: PTH110
            sources += _of_path(Path(argument), args)
        else:
            _check_is_text(argument)
            sources.append(Source(Path(next(names)), "txt", text=argument))
    sources += (Source(Path(next(names)), "txt", text=text) for text in args.text)
    for source in sources:
        _check_characters(source)
    if args.lines and not any(source.kind in ("txt", None) for source in sources):
        raise RhetreeError("--lines is for texts, and there is none among the inputs")
    return sources


def _check_is_text(argument: str) -> None:
    if _LOOKS_LIKE_A_FILE.fullmatch(argument):
        raise RhetreeError(f"{argument}: no such file or folder; if it is a text, say --text {argument!r}")


def _check_characters(source: Source) -> None:
    try:
        (source.text or "").encode("utf-8")
    except UnicodeEncodeError as error:
        raise RhetreeError("the text on the command line is not UTF-8; put it into a file") from error


def _of_path(path: Path, args: argparse.Namespace) -> Iterator[Source]:
    if not path.is_dir():
        yield Source(path, _kind_of(path, args.kind))
        return
    from rhetree.treebanks.convert import files_in

    output: Path | None = args.output
    endings = tuple(f".{kind}" for kind in KINDS)
    found = [
        file
        for file in files_in(path)
        if (args.kind is not None or file.suffix.lower() in endings)
        and not (output is not None and _is_below(file, output))
    ]
    if output is not None and output.is_dir() and output.samefile(path):
        raise RhetreeError(f"-o {output}: what is read from and what is written to; name another folder")
    if not found:
        ending = "" if args.kind is not None else f" ends in {', '.join(endings)}"
        raise RhetreeError(f"{path}: no file in it{ending}")
    for file in found:
        yield Source(file, _kind_of(file, args.kind), file.relative_to(path).parent)


def _is_below(file: Path, output: Path) -> bool:
    """Whether a file is the output, or in it: no input, when a run goes on."""
    whole = Path(os.path.realpath(file))
    target = Path(os.path.realpath(output))
    return whole == target or target in whole.parents


def _kind_of(path: Path, named: Kind | None) -> Kind | None:
    ending = path.suffix.lower().removeprefix(".")
    for kind in KINDS:
        if named == kind or (named is None and ending == kind):
            return kind
    if not path.is_file():  # a pipe has no ending, but a first line
        return None
    raise RhetreeError(f"{path}: its ending is none of .{', .'.join(KINDS)}; say what it holds with --from")


def _told_apart(lines: Iterator[bytes], source: Source) -> tuple[Iterator[bytes], Kind]:
    """The lines, and what they hold: a pipe tells by how it begins, unless that was said."""
    if source.kind is not None:
        return lines, source.kind
    head = []
    for line in lines:
        head.append(line)
        if not _SAYS_LITTLE.fullmatch(line):
            break
    start = b"".join(head).removeprefix(b"\xef\xbb\xbf").lstrip()
    kind: Kind = "txt"
    if _JSON.match(start):
        kind = "json" if start.partition(b"\n")[0].strip() == b"{" else "jsonl"
    elif start.startswith(_CONLLU_COMMENTS) or _CONLLU_ROW.fullmatch(start.rstrip().rpartition(b"\n")[2]):
        kind = "conllu"
    return chain(head, lines), kind


def _documents(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The parts of a CoNLL-U file with a document each, and the number of the first line of each."""
    part: list[bytes] = []
    first = number = 1
    after_blank = True
    for number, line in enumerate(lines, start=1):
        is_blank = not line.strip()
        if after_blank and part and line.startswith(b"# newdoc"):
            yield first, b"".join(part)
            part, first = [], number
        part.append(line)
        after_blank = is_blank
    if part:
        yield first, b"".join(part)


def _open(path: Path) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb")


def _stem(path: Path) -> str:
    return "stdin" if path == STDIN else _encodable(path.stem)


def _encodable(name: str) -> str:
    """The name of a file as text: what in it is not UTF-8 becomes a question mark."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _size(source: Source) -> int | None:
    if source.text is not None:
        return len(source.text)
    return source.path.stat().st_size if source.path.is_file() else None


def _decode(data: bytes, path: Path, first_line: int = 1) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        what = "not UTF-8 text; convert it first, for instance with iconv"
        raise FileError(what, path, line) from error
