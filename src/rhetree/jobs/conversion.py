"""Converts files of one format into files of another, and goes on after a bad one.

A plan says which files there are and where they go; carrying it out gives an outcome for each file
as it is done. What the target format cannot hold is counted, or refused on request.
"""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Literal, TextIO

from rhetree.corpora.gold import GoldFiles
from rhetree.domain.binarize import unbinarize
from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import ArgumentError, RhetreeError, UnwritableError
from rhetree.formats import FORMATS, OUTPUTS, format_of, open_whole, read, write_one
from rhetree.formats.files import check_exists, check_folder
from rhetree.formats.format import Format, Layer, layers_of, stem
from rhetree.jobs.places import STANDARD, FreePaths, check_read_once, file_name, files_in, names_folder


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
        """The changed document; :class:`RhetreeError` if it cannot be changed like this."""
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
                what = "its sentences are not known, so none has a tree; take them from files that have them"
                raise ArgumentError(what, document.name or "document", "sentences")
            document = document.split_by_sentence()
        return document

    def losses(self, document: Document) -> list[Layer]:
        """The layers that are lost without being asked for: those that refer to a tree that is taken apart."""
        if not self.by_sentence:
            return []
        dropped = {Layer.SECONDARY_EDGES, Layer.SIGNALS} | ({Layer.NARY} if self.shape != "binary" else set())
        return [layer for layer in Layer if layer in dropped & layers_of(document)]


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file to convert, and its output's path without an ending."""

    path: Path
    format: Format
    output: Path


@dataclass(slots=True)
class Outcome:
    """What became of one file."""

    source: Path
    n_documents: int = 0
    n_files: int = 0
    """Files written into a folder."""
    losses: Counter[Layer] = field(default_factory=Counter)
    """Number of documents that lost each layer."""
    notes: list[str] = field(default_factory=list)
    """What did not quite fit when sentences were taken from another file."""
    error: RhetreeError | None = None
    """Why the rest of the file was left out."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A document as it will be written, and the layers that it loses."""

    document: Document
    losses: list[Layer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which files are converted, to what and how."""

    sources: tuple[PlannedFile, ...]
    output: Path
    format: Format
    to_folder: bool
    """Whether each file has its output in a folder, or all documents go into one file."""
    changes: Changes = Changes()
    gold: GoldFiles | None = None
    """Where gold sentences and tokens come from; None keeps those of the documents."""
    lenient: bool = False
    strict: bool = False
    """Refuse documents that would lose a layer."""
    overwrite: bool = False

    def carry_out(self) -> Iterator[Outcome]:
        """Convert the files one after the other.

        An error in one of several files is part of its outcome; if there is only one file and
        nothing of it can be written, the error is raised. What came before a mistake is written,
        in whole documents.
        """
        return self._to_folder() if self.to_folder else self._to_file()

    def _to_file(self) -> Iterator[Outcome]:
        if self.output != STANDARD:
            self._check_free(self.output)
        n_documents = 0
        with open_whole(self.output) as sink:
            sink.write(self.format.header)
            for source in self.sources:
                outcome = Outcome(source.path)
                try:
                    for ready in self._documents(source, outcome):
                        if n_documents and not self.format.many:
                            what = "a file holds one document, and this is the second; name a folder instead"
                            raise UnwritableError(what, ready.document.name, self.format.name)
                        self._write(ready, sink, outcome)
                        n_documents += 1
                except RhetreeError as error:
                    if len(self.sources) == 1 and not (n_documents and self.format.many):
                        raise
                    outcome.error = error
                yield outcome
            if not n_documents:
                raise RhetreeError(f"{self.output}: nothing to write, since no file could be converted")

    def _to_folder(self) -> Iterator[Outcome]:
        check_folder(self.output)
        taken = FreePaths()
        for source in self.sources:
            outcome = Outcome(source.path)
            try:
                for documents, path in self._outputs(source, outcome):
                    self._check_free(path, taken)
                    written = Outcome(path)
                    with open_whole(path) as sink:
                        self._write_until_error(documents, sink, written)
                    outcome.n_files += 1
                    outcome.n_documents += written.n_documents
                    outcome.losses.update(written.losses)
                    if written.error is not None:
                        raise written.error
            except RhetreeError as error:
                if len(self.sources) == 1 and not outcome.n_files:
                    raise
                outcome.error = error
            yield outcome

    def _outputs(self, source: PlannedFile, outcome: Outcome) -> Iterator[tuple[Iterator[_Ready], Path]]:
        """The output files of an input file, each with its documents: all in one if the format allows it."""
        documents = self._documents(source, outcome)
        if self.format.many:
            yield documents, self._with_ending(source.output)
            return
        first, second, error = next(documents), None, None
        try:
            second = next(documents, None)
        except RhetreeError as problem:
            error = problem  # of a second document, which the first one does not wait for
        if second is None and error is None:
            yield iter([first]), self._with_ending(source.output)
            return
        folder = source.output if len(self.sources) > 1 else self.output
        for ready in chain((first,) if second is None else (first, second), documents):
            yield iter([ready]), self._with_ending(folder / file_name(ready.document.name))
        if error is not None:
            raise error

    def _documents(self, source: PlannedFile, outcome: Outcome) -> Iterator[_Ready]:
        for original in read(source.path, source.format.name, lenient=self.lenient):
            whole = self._with_gold(original, source, outcome)
            document = self.changes.apply(whole)
            # To write and read again takes time: only where it is likely that all comes back, or has to be known.
            looks_again = self.strict or source.format is self.format
            losses = [
                *self.changes.losses(whole),
                *lost_layers(document, self.format, looks_again=looks_again),
            ]
            if losses and self.strict:
                names = ", ".join(layer.value for layer in losses)
                raise UnwritableError(f"it would lose {names}", document.name, self.format.name)
            yield _Ready(document, losses)

    def _write_until_error(self, documents: Iterator[_Ready], sink: TextIO, outcome: Outcome) -> None:
        """Write all documents, or those before the first that is bad; without any there is no file."""
        sink.write(self.format.header)
        try:
            for ready in documents:
                self._write(ready, sink, outcome)
        except RhetreeError as error:
            if not outcome.n_documents:
                raise
            outcome.error = error

    def _write(self, ready: _Ready, sink: TextIO, outcome: Outcome) -> None:
        write_one(ready.document, self.format, sink)
        outcome.n_documents += 1
        outcome.losses.update(ready.losses)

    def _with_gold(self, document: Document, source: PlannedFile, outcome: Outcome) -> Document:
        if self.gold is None:
            return document
        try:
            aligned = self.gold.complete(document, source.path)
        except RhetreeError as error:
            if not self.lenient:
                raise
            outcome.notes.append(f"gold sentences left out: {error}")
            return document
        outcome.notes += (f"{source.path}: {note}" for note in aligned.notes)
        return aligned.document

    def _with_ending(self, path: Path) -> Path:
        return path.with_name(path.name + self.format.suffixes[0])

    def _check_free(self, path: Path, taken: FreePaths | None = None) -> None:
        if taken is not None and not taken.take(path):
            raise RhetreeError(f"{path}: written already, from another document of the same name")
        if path.exists() and not self.overwrite:
            raise ArgumentError("exists already; name another, or allow to replace it", path, "overwrite")


def make_plan(
    inputs: Sequence[Path],
    output: Path,
    from_format: str | None = None,
    to_format: str | None = None,
    *,
    changes: Changes = Changes(),
    sentences: Path | None = None,
    lenient: bool = False,
    strict: bool = False,
    overwrite: bool = False,
) -> Plan:
    """Plan the conversion of files, and of folders with their subfolders.

    The output is a folder if it is one already or its name has no ending; otherwise it is a file.

    :param sentences: a folder of Penn Treebank or CoNLL-U files with gold sentences and tokens
    """
    check_read_once(inputs)
    to_folder = names_folder(output)
    if to_folder and to_format is None:
        raise ArgumentError("a folder; name the format of the files in it", output, "to_format")
    format = format_of(output, to_format, argument="to_format", among=OUTPUTS)
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
        gold=None if sentences is None else GoldFiles(sentences, lenient=lenient),
        lenient=lenient,
        strict=strict,
        overwrite=overwrite,
    )


def lost_layers(document: Document, format: Format, *, looks_again: bool) -> list[Layer]:
    """The layers of a document that a format does not hold.

    :param looks_again: whether to write and read the document, since a format may hold a part of a layer, such as
        paragraphs in .dis: if all comes back, nothing is lost
    """
    losses = format.losses(document)
    if losses and looks_again and _comes_back(document, format):
        return []
    # A lost tree takes its shape along, which need not be said.
    return [layer for layer in losses if layer != Layer.NARY or Layer.TREE not in losses]


def _comes_back(document: Document, format: Format) -> bool:
    """Whether a document is the same once it was written and read."""
    text = io.StringIO()
    try:
        format.write(format.fit(document), text)
        text.seek(0)
        again = list(format.read(text, Path(f"document{format.suffixes[0]}")))
    except RhetreeError:
        return False
    return [replace(one, name=document.name) for one in again] == [document]


def _sources(path: Path, output: Path, name: str | None) -> Iterator[PlannedFile]:
    check_exists(path)
    if not path.is_dir():
        format = format_of(path, name, argument="from_format")
        yield PlannedFile(path, format, output / stem(path, format.suffixes))
        return
    formats = list(FORMATS.values()) if name is None else [format_of(path, name)]
    endings = tuple(suffix for format in formats for suffix in format.suffixes)
    found = [file for file in files_in(path) if file.name.lower().endswith(endings)]
    if not found:
        raise RhetreeError(f"{path}: no file in it ends in {', '.join(endings)}")
    for file in found:
        format = format_of(file, name)
        yield PlannedFile(file, format, output / file.relative_to(path).parent / stem(file, format.suffixes))
