"""From files of one format to files of another, going on after a bad one.

A plan says which files there are and where they go; carrying it out gives an outcome for each of
them as it is done. What the target format cannot hold is counted, or refused where that is asked.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Literal, TextIO

from rhetree.domain.binarize import unbinarize
from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import RhetreeError, UnwritableError
from rhetree.treebanks import FORMATS, format_of, open_sink, read, write_one
from rhetree.treebanks.files import STDIN, check_exists
from rhetree.treebanks.format import Format, Layer, stem

_NO_FILE_NAME = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^\.+')


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What happens to each document on its way."""

    relations: Inventory | None = None
    """Turns every relation into its class."""
    shape: Literal["nary", "binary"] | None = None
    """Makes one unit of each chain of a multinuclear relation, or drops the n-ary shape."""
    by_sentence: bool = False
    """Puts one tree per sentence in place of the document's."""

    def apply(self, document: Document) -> Document:
        """The changed document; :class:`RhetreeError` where it cannot be changed so."""
        try:
            if self.relations is not None:
                document = document.map_relations(self.relations.class_of)
            if self.shape == "binary":
                document = replace(document, nary=None)
            if self.shape == "nary" and document.tree is not None and document.nary is None:
                document = replace(document, nary=unbinarize(document.tree))
        except ValueError as error:
            raise RhetreeError(f"{document.name}: {error}") from error
        if self.by_sentence:
            if not document.sentences:
                raise RhetreeError(f"{document.name}: its sentences are not known, so none has a tree")
            document = document.split_by_sentence()
        return document


@dataclass(frozen=True, slots=True)
class Source:
    """A file to convert, and its output's path without an ending."""

    path: Path
    format: Format
    output: Path


@dataclass(slots=True)
class Outcome:
    """What became of one file."""

    source: Path
    n_documents: int = 0
    losses: Counter[Layer] = field(default_factory=Counter)
    """For each layer that was not kept the number of documents that had it."""
    error: RhetreeError | None = None
    """Why the rest of the file was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which files are converted, to what and how."""

    sources: tuple[Source, ...]
    output: Path
    format: Format
    to_folder: bool
    """Whether each file has its output in a folder, or all documents go into one file."""
    changes: Changes = Changes()
    lenient: bool = False
    strict: bool = False
    """Refuse documents that would lose a layer."""
    overwrite: bool = False

    def carry_out(self) -> Iterator[Outcome]:
        """Convert the files one after the other; an only file's error is raised.

        Of a bad file among others nothing is written to a folder but whole documents; one file
        for all keeps what came before its mistake.
        """
        return self._to_folder() if self.to_folder else self._to_file()

    def _to_file(self) -> Iterator[Outcome]:
        if self.output != STDIN:
            self._check_free(self.output)
        n_documents = 0
        with open_sink(self.output) as sink:
            for source in self.sources:
                outcome = Outcome(source.path)
                try:
                    for document in self._documents(source):
                        if n_documents and not self.format.many:
                            what = "a file holds one document, and this is the second; name a folder instead"
                            raise UnwritableError(what, document.name, self.format.name)
                        self._write(document, sink, outcome)
                        n_documents += 1
                except RhetreeError as error:
                    self._note(error, outcome)
                yield outcome
            if not n_documents:
                raise RhetreeError(f"{self.output}: nothing to write, since no file could be converted")

    def _to_folder(self) -> Iterator[Outcome]:
        taken: set[str] = set()
        for source in self.sources:
            outcome = Outcome(source.path)
            try:
                for documents, path in self._outputs(source):
                    self._check_free(path, taken)
                    written = Outcome(path)
                    with open_sink(path) as sink:
                        for document in documents:
                            self._write(document, sink, written)
                    outcome.n_documents += written.n_documents
                    outcome.losses.update(written.losses)
            except RhetreeError as error:
                self._note(error, outcome)
            yield outcome

    def _outputs(self, source: Source) -> Iterator[tuple[Iterator[Document], Path]]:
        """The documents of a file with the file that each goes to, several to one where it can hold them."""
        documents = self._documents(source)
        if self.format.many:
            yield documents, self._with_ending(source.output)
            return
        first, second = next(documents), next(documents, None)
        if second is None:
            yield iter([first]), self._with_ending(source.output)
            return
        folder = source.output if len(self.sources) > 1 else self.output
        for document in chain((first, second), documents):
            yield iter([document]), self._with_ending(folder / file_name(document.name))

    def _documents(self, source: Source) -> Iterator[Document]:
        for original in read(source.path, source.format.name, lenient=self.lenient):
            document = self.changes.apply(original)
            losses = self.format.losses(document) if self.strict else []
            if losses:
                names = ", ".join(layer.value for layer in losses)
                raise UnwritableError(f"it would lose {names}", document.name, self.format.name)
            yield document

    def _write(self, document: Document, sink: TextIO, outcome: Outcome) -> None:
        write_one(document, self.format, sink)
        outcome.n_documents += 1
        outcome.losses.update(self.format.losses(document))

    def _note(self, error: RhetreeError, outcome: Outcome) -> None:
        if len(self.sources) == 1:
            raise error
        outcome.error = error

    def _with_ending(self, path: Path) -> Path:
        return path.with_name(path.name + self.format.suffixes[0])

    def _check_free(self, path: Path, taken: set[str] | None = None) -> None:
        if taken is not None:
            name = os.path.normcase(path)
            if name in taken:
                raise RhetreeError(f"{path}: written already, from another document of the same name")
            taken.add(name)
        if path.exists() and not self.overwrite:
            raise RhetreeError(f"{path}: exists already; say that it may be overwritten, or name another")


def make_plan(
    inputs: Sequence[Path],
    output: Path,
    from_format: str | None = None,
    to_format: str | None = None,
    *,
    changes: Changes = Changes(),  # noqa: B008  # frozen
    lenient: bool = False,
    strict: bool = False,
    overwrite: bool = False,
) -> Plan:
    """A plan for files and folders, these with all that is in them and in their folders.

    The output is a folder where there is one, or where its name has no ending; otherwise a file.
    """
    to_folder = output != STDIN and (output.is_dir() or not output.suffix)
    if to_folder and to_format is None:
        raise RhetreeError(f"{output}: a folder; name the format that the files in it get")
    format = format_of(output, to_format)
    sources = [source for path in inputs for source in _sources(path, output, from_format)]
    if len(sources) > 1 and not to_folder and not format.many:
        raise RhetreeError(
            f"{output}: {format.name} holds one document a file, found {len(sources)} files; name a folder instead"
        )
    return Plan(
        sources=tuple(sources),
        output=output,
        format=format,
        to_folder=to_folder,
        changes=changes,
        lenient=lenient,
        strict=strict,
        overwrite=overwrite,
    )


def file_name(name: str) -> str:
    """A document's name as a file can have it."""
    return _NO_FILE_NAME.sub("_", name)[:200] or "document"


def _sources(path: Path, output: Path, name: str | None) -> Iterator[Source]:
    check_exists(path)
    if not path.is_dir():
        format = format_of(path, name)
        yield Source(path, format, output / stem(path, format.suffixes))
        return
    formats = list(FORMATS.values()) if name is None else [format_of(path, name)]
    endings = tuple(suffix for format in formats for suffix in format.suffixes)
    found = [file for file in _files(path) if file.name.lower().endswith(endings)]
    if not found:
        raise RhetreeError(f"{path}: no file in it ends in {', '.join(endings)}")
    for file in found:
        format = format_of(file, name)
        yield Source(file, format, output / file.relative_to(path).parent / stem(file, format.suffixes))


def _files(folder: Path) -> Iterator[Path]:
    """The files in a folder and its folders, in order, without hidden ones."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(place, name)
