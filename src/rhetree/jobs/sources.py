"""Where documents come from: finding the sources that a path names, and reading their records."""

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rhetree.errors import ArgumentError, FileError, RhetreeError
from rhetree.formats.format import complain
from rhetree.jobs.places import STANDARD, file_name, files_in, is_inside
from rhetree.jobs.readers import KINDS, WITHOUT_EDUS, sniff
from rhetree.jobs.records import Found, Record, Source
from rhetree.jobs.remote import files_below, open_url
from rhetree.jobs.run_file import run_file_of
from rhetree.jobs.streams import Stream, decode, whole, without_compression
from rhetree.jobs.treebank_readers import tokenize_again

if TYPE_CHECKING:
    from rhetree.runtime.pipeline import Edus


def text_sources(texts: Sequence[str]) -> list[Source]:
    """A source for each text: ``text``, or ``text-1``, ``text-2`` and so on."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise RhetreeError(
                "the text has characters that are not Unicode; put it into a UTF-8 file"
            ) from error
    names = ["text"] if len(texts) == 1 else [f"text-{number}" for number in range(1, len(texts) + 1)]
    return [Source(Path(name), "txt", text=text) for name, text in zip(names, texts, strict=True)]


def find_sources(path: Path, kind: str | None = None, *, output: Path | None = None) -> list[Source]:
    """The sources that a path names: one for a file, a pipe or ``-``, one per file for a folder.

    :param kind: what the files hold, a key of ``KINDS``; by default their endings say so
    :param output: where results will go; what lies there is no input
    """
    if path == STANDARD:
        return [Source(path, kind)]
    if not path.is_dir():
        return [Source(path, kind or _kind_of(path))]
    if output is not None and output.is_dir() and output.samefile(path):
        raise RhetreeError(f"-o {output}: the folder that is read; name another folder")
    found = [
        file
        for file in files_in(path)
        if (kind is not None or _ending(file) in KINDS)
        and not (output is not None and (is_inside(file, output) or is_inside(file, run_file_of(output))))
    ]
    if not found:
        ending = "" if kind is not None else f" ends in .{', .'.join(KINDS)}"
        raise RhetreeError(f"{path}: no file in it{ending}")
    return [Source(file, kind or _kind_of(file), file.relative_to(path).parent) for file in found]


def find_remote_sources(url: str, kind: str | None = None) -> list[Source]:
    """The sources that a URL names: one for a file, one per file for a folder.

    :param kind: as above
    """
    below = files_below(url)
    if not below:
        path = Path(url)
        if kind is None and _ending(path) not in KINDS:
            raise ArgumentError(
                f"its ending is none of .{', .'.join(KINDS)}; say what it holds", path, "kind"
            )
        return [Source(path, kind or _ending(path), url=url)]
    found = [Path(name) for name in below if kind is not None or _ending(Path(name)) in KINDS]
    if not found:
        raise RhetreeError(f"{url}: no file in it ends in .{', .'.join(KINDS)}")
    top = url.rstrip("/")
    return [
        Source(Path(top, name), kind or _ending(name), name.parent, url=f"{top}/{name.as_posix()}")
        for name in found
    ]


class Records:
    """The records of all sources, in order."""

    def __init__(self, sources: Sequence[Source], *, edus: "Edus | None" = None) -> None:
        """Say what to read.

        :param edus: "gold" keeps the EDUs that documents have, "auto" has them found anew; None
            keeps those that were given to be kept
        """
        self.sources = sources
        self.edus = edus
        sizes = [source.n_bytes for source in sources]
        self.n_bytes = None if None in sizes else sum(size or 0 for size in sizes)
        """Size of all sources together; None if that is not known."""
        self._n_read = 0

    def __iter__(self) -> "Iterator[Record | RhetreeError]":
        """The records, and in place of each bad one what is wrong with it."""
        for source in self.sources:
            try:
                yield from self._records(source)
            except RhetreeError as error:
                yield error
            except OSError as error:
                yield FileError(f"cannot be read: {error.strerror}", source.path)

    def _records(self, source: Source) -> "Iterator[Record | RhetreeError]":
        n_before = self._n_read
        with _open(source) as file:
            stream, kind = Stream(file, source.path), source.kind
            if kind is None:
                stream.lines, kind = sniff(stream.lines)
            if kind in WITHOUT_EDUS and self.edus == "gold":
                raise FileError("a text has no EDUs to keep, and gold EDUs were asked for", source.path)
            for found in KINDS[kind](stream, source):
                self._n_read = n_before + stream.n_read
                yield found if isinstance(found, RhetreeError) else self._record(found, source)
        self._n_read = n_before + (source.n_bytes or 0)

    def _record(self, found: Found, source: Source) -> "Record | RhetreeError":
        """The record of a document, or an error if the document cannot be parsed as it is."""
        document = found.document
        edus = self.edus or ("gold" if found.has_gold else "auto")
        if found.lacks_sentences:
            from rhetree.text import add_sentences

            document = add_sentences(document, at_edus=edus == "gold" and bool(document.edus))
        if document.edus and not document.sentences:  # as in JSON that was made of a file without sentences
            try:
                document = tokenize_again(document)
            except ValueError as error:
                return FileError(str(error), source.path, found.line)
        if document.tokens and not document.sentences:
            what = "tokens without sentences; expected a list of tokens for each sentence"
        elif edus == "gold" and not document.edus and document.text:
            what = "it has no EDUs to keep, and gold EDUs were asked for"
            if self.edus is None:
                what = "'edus' is empty; leave it out to have EDUs found"
        elif edus == "gold" and None in document.sentence_edus():
            number = document.sentence_edus().index(None) + 1
            what = f"an EDU crosses the edge of sentence {number}; expected whole EDUs in each sentence"
            if source.lenient:
                from rhetree.corpora.sentences import cut_at_sentences

                complain(f"{what}; it is cut there", source.path, found.line, lenient=True)
                document, what = cut_at_sentences(document), ""
        else:
            what = ""
        if what:
            return FileError(what, source.path, found.line)
        stem = source.home / file_name(found.stem)
        return Record(document, stem, edus, self._n_read, source.path, found.line, found.extra)


def text_of(source: Source) -> str:
    """All of a source as text, however it is compressed and encoded."""
    with _open(source) as file:
        return decode(whole(Stream(file, source.path), source.path), source.path)


def check_output_is_no_source(output: Path, sources: Iterable[Source]) -> None:
    """Raise :class:`RhetreeError` if the output is a file that is read."""
    if not output.is_file():
        return
    for source in sources:
        if source.text is None and source.path.is_file() and source.path.samefile(output):
            raise RhetreeError(f"-o {output}: is read as well; name another file")


def _kind_of(path: Path) -> str | None:
    ending = _ending(path)
    if ending in KINDS:
        return ending
    if not path.is_file():  # a pipe has no ending, but a first line
        return None
    raise ArgumentError(f"its ending is none of .{', .'.join(KINDS)}; say what it holds", path, "kind")


def _ending(path: Path) -> str:
    """The ending that tells what a file holds: ``jsonl`` for ``a.jsonl.gz``, ``edus`` for ``a.edus.txt``."""
    plain = without_compression(path)
    if plain.name.lower().endswith(".edus.txt"):
        return "edus"
    return plain.suffix.lower().removeprefix(".")


def _open(source: Source) -> AbstractContextManager[BinaryIO]:
    if source.text is not None:
        return io.BytesIO(source.text.encode("utf-8"))
    if source.path == STANDARD:
        if sys.stdin is None:
            raise RhetreeError("-: standard input is closed; name a file")
        return nullcontext(sys.stdin.buffer)
    if source.url is not None:
        return open_url(source.url)
    return source.path.open("rb")
