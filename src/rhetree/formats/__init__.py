"""Treebank files: one module per format, each with a reader, a writer and what it can hold."""

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import TextIO

from rhetree.domain.document import Document
from rhetree.errors import ArgumentError, RhetreeError, TreebankError, UnwritableError
from rhetree.formats.files import STDIN, check_exists, open_source, whole_file, whole_output
from rhetree.formats.format import Format, Layer

_HOMES = {
    "dis": "dis.FORMAT",
    "rs3": "rs3.FORMAT",
    "rs4": "rs4.FORMAT",
    "rsd": "rsd.FORMAT",
    "brackets": "brackets.FORMAT",
    "edus": "edus.FORMAT",
    "conllu": "conllu.CONLLU",
    "tok": "conllu.TOK",
    "json": "json.JSON",
    "jsonl": "json.JSONL",
}
"""The module in this folder, and the name in it, of each format."""
_WRITTEN_ONLY = {"rels": "rels.FORMAT"}


class _Formats(Mapping[str, Format]):
    """Imports the module of a format when that is first asked for: who writes JSON needs no XML."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes

    def __getitem__(self, name: str) -> Format:
        module, _, constant = self._homes[name].partition(".")
        format: Format = getattr(import_module(f"rhetree.formats.{module}"), constant)
        return format

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __contains__(self, name: object) -> bool:
        return name in self._homes


FORMATS: Mapping[str, Format] = _Formats(_HOMES)
"""Every format that is read and written, by its name."""

OUTPUTS: Mapping[str, Format] = _Formats({**_HOMES, **_WRITTEN_ONLY})
"""Every format that is written, by its name."""


def format_of(
    path: Path | str,
    name: str | None = None,
    *,
    argument: str = "format",
    among: Mapping[str, Format] = FORMATS,
) -> Format:
    """The format that is named, or else the one whose ending the file has, the longest that fits.

    :param argument: what the caller's parameter for the name is called, for messages
    :param among: ``FORMATS``, or ``OUTPUTS`` for a file to write
    """
    if name is not None:
        if name.lower().removeprefix(".") not in among:
            raise RhetreeError(f"no format is called {name!r}; expected one of {', '.join(among)}")
        return among[name.lower().removeprefix(".")]
    if Path(path) == STDIN:
        raise ArgumentError(f"no ending tells its format ({', '.join(among)}); name it", path, argument)
    fitting = {
        suffix: format
        for format in among.values()
        for suffix in format.suffixes
        if Path(path).name.lower().endswith(suffix)
    }
    if not fitting:
        endings = ", ".join(suffix for format in among.values() for suffix in format.suffixes)
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
    chosen = format_of(path, format, among=OUTPUTS)
    lost: set[Layer] = set()
    with open_whole(Path(path)) as sink:
        sink.write(chosen.header)
        for number, document in enumerate([documents] if isinstance(documents, Document) else documents):
            if number and not chosen.many:
                raise UnwritableError("it is the second of a file that holds one", document.name, chosen.name)
            lost.update(chosen.losses(document))
            write_one(document, chosen, sink)
    return [layer for layer in Layer if layer in lost]


def write_one(document: Document, format: Format, sink: TextIO) -> None:
    """Append a document to an open file, all of it or nothing."""
    whole = io.StringIO()
    format.write(format.fit(document), whole)
    try:
        sink.write(whole.getvalue())
    except UnicodeEncodeError as error:
        what = f"{error.object[error.start : error.end]!r} is no character"
        raise UnwritableError(what, document.name, format.name) from error


def open_whole(path: Path) -> AbstractContextManager[TextIO]:
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
