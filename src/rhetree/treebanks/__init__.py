"""Treebank files: one module per format, each with a reader, a writer and what it can hold."""

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TextIO

from rhetree.domain.document import Document
from rhetree.errors import ArgumentError, RhetreeError, TreebankError, UnwritableError
from rhetree.treebanks import brackets, conllu, dis, edus, json, rs3, rs4, rsd
from rhetree.treebanks.files import STDIN, check_exists, open_source, whole_file, whole_output
from rhetree.treebanks.format import Format, Layer

FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        dis.FORMAT,
        rs3.FORMAT,
        rs4.FORMAT,
        rsd.FORMAT,
        brackets.FORMAT,
        edus.FORMAT,
        conllu.CONLLU,
        conllu.TOK,
        json.JSON,
        json.JSONL,
    )
}
"""Every format by its name."""


def format_of(path: Path | str, name: str | None = None, *, argument: str = "format") -> Format:
    """The format that is named, or else the one whose ending the file has, the longest that fits.

    :param argument: what the caller's parameter for the name is called, for messages
    """
    if name is not None:
        if name.lower().removeprefix(".") not in FORMATS:
            raise RhetreeError(f"no format is called {name!r}; expected one of {', '.join(FORMATS)}")
        return FORMATS[name.lower().removeprefix(".")]
    if Path(path) == STDIN:
        raise ArgumentError(f"no ending tells its format ({', '.join(FORMATS)}); name it", path, argument)
    fitting = {
        suffix: format
        for format in FORMATS.values()
        for suffix in format.suffixes
        if Path(path).name.lower().endswith(suffix)
    }
    if not fitting:
        endings = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
        raise ArgumentError(f"its ending is none of {endings}; name its format", path, argument)
    return fitting[max(fitting, key=len)]


def read(path: Path | str, format: str | None = None, *, lenient: bool = False) -> Iterator[Document]:
    """The documents of a file as they are read; ``-`` is standard input.

    :param format: its name, where the file's ending does not tell
    :param lenient: forgive what the format's reader can forgive, and say so in the log
    """
    check_exists(Path(path))
    if Path(path).is_dir():
        raise RhetreeError(f"{path}: a folder; rhetree.read_corpus reads these")
    return _read(Path(path), format_of(path, format), lenient)


def read_one(path: Path | str, format: str | None = None, *, lenient: bool = False) -> Document:
    """The only document of a file."""
    documents = list(read(path, format, lenient=lenient))
    if len(documents) != 1:
        raise TreebankError(f"expected one document, found {len(documents)}", path)
    return documents[0]


def write(
    documents: Document | Iterable[Document], path: Path | str, format: str | None = None
) -> list[Layer]:
    """Write documents to a file, all of them or none; ``-`` is standard output.

    :return: the layers that some of them have and the format cannot hold
    """
    chosen = format_of(path, format)
    lost: set[Layer] = set()
    with open_sink(Path(path)) as sink:
        for number, document in enumerate([documents] if isinstance(documents, Document) else documents):
            if number and not chosen.many:
                raise UnwritableError("it is the second of a file that holds one", document.name, chosen.name)
            lost.update(chosen.losses(document))
            write_one(document, chosen, sink)
    return [layer for layer in Layer if layer in lost]


def write_one(document: Document, format: Format, sink: TextIO) -> None:
    """Append a document to an open file, all of it or nothing."""
    whole = io.StringIO()
    format.write(document, whole)
    try:
        sink.write(whole.getvalue())
    except UnicodeEncodeError as error:
        what = f"{error.object[error.start : error.end]!r} is no character"
        raise UnwritableError(what, document.name, format.name) from error


def open_sink(path: Path) -> AbstractContextManager[TextIO]:
    """A file that is written whole or not at all, or standard output where the path is ``-``."""
    return whole_output() if path == STDIN else whole_file(path)


def _read(path: Path, format: Format, lenient: bool) -> Iterator[Document]:
    n_documents = 0
    with open_source(path) as source:
        for document in format.read(source, path, lenient=lenient):
            n_documents += 1
            yield document
    if not n_documents:
        raise TreebankError("no document in it", path)
