"""What pictures show: documents of a file or folder, each alone or beside another analysis of its text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rhetree.corpora.corpus import AS_THEY_ARE, no_such_document, read_corpus
from rhetree.corpora.sentences import with_sentences_by_rule
from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import ArgumentError, MismatchError, TreebankError
from rhetree.formats import read
from rhetree.formats.files import STDIN
from rhetree.jobs.places import check_read_once


@dataclass(frozen=True, slots=True)
class Subject:
    """What one picture shows."""

    document: Document
    against: Document | None = None

    @property
    def sentences_known(self) -> bool:
        return bool(self.document.sentences or (self.against is not None and self.against.sentences))


@dataclass(frozen=True, slots=True)
class Subjects:
    """The documents to draw, and what happened while they were read."""

    all: list[Subject]
    n_left_out: int = 0
    """Number of files that could not be read."""
    n_by_rule: int = 0
    """Number of documents whose sentences were found by rule."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectReader:
    """How to read the documents."""

    format: str | None = None
    """Format of a file; None if its ending tells."""
    document: str | None = None
    """Read only the document of this name."""
    relations: Inventory | None = None
    """Turns every relation into its class."""
    sentences: bool = False
    """Find sentences by rule in documents that have none."""
    lenient: bool = False

    def read(self, path: Path, against: Path | None = None) -> Subjects:
        """Read documents, each with its counterpart in ``against``.

        Documents are paired by name; an only document on both sides, whatever the names.
        """
        check_read_once([path] if against is None else [path, against])
        found = self._read(path)
        subjects = [Subject(document) for document in found.documents]
        if against is not None:
            others = self._read(against, of_any_name=len(subjects) == 1)
            subjects = _pair(found.documents, others.documents, against)
            found = replace(found, notes=(*found.notes, *others.notes))
        n_by_rule = 0
        if self.sentences:
            n_by_rule = sum(not subject.sentences_known for subject in subjects)
            subjects = [_with_sentences(subject) for subject in subjects]
        return Subjects(subjects, found.n_left_out, n_by_rule, found.notes)

    def _read(self, path: Path, of_any_name: bool = False) -> "_Found":
        """Read one side.

        :param of_any_name: take the only document of a file, whatever its name
        """
        found = self._read_folder(path) if path.is_dir() else self._read_file(path, of_any_name)
        if self.relations is None:
            return found
        try:
            classed = [document.map_relations(self.relations.class_of) for document in found.documents]
        except ValueError as error:
            raise MismatchError(f"{path}: {error}") from error
        return replace(found, documents=classed)

    def _read_folder(self, path: Path) -> "_Found":
        corpus = read_corpus(
            path, document=self.document, relations=AS_THEY_ARE, by_rule=False, lenient=self.lenient
        )
        notes = tuple(f"{path}: {note}" for note in corpus.notes)
        return _Found(list(corpus.documents), corpus.n_left_out, notes)

    def _read_file(self, path: Path, of_any_name: bool) -> "_Found":
        documents = self._documents(path)
        if self.document is None or (of_any_name and len(documents) == 1):
            return _Found(documents)
        named = [document for document in documents if document.name == self.document]
        if not named:
            raise no_such_document(path, self.document, [document.name for document in documents])
        return _Found(named)

    def _documents(self, path: Path) -> list[Document]:
        """All documents of a file; standard input is what ``rhetree parse`` writes into a pipe, unless told."""
        if path != STDIN or self.format is not None:
            return list(read(path, self.format, lenient=self.lenient))
        try:
            return list(read(path, "jsonl", lenient=self.lenient))
        except TreebankError as error:
            where = "" if error.line is None else f"line {error.line}: "
            what = f"{where}{error.what}; standard input is read as jsonl, unless you name another format"
            raise ArgumentError(what, path, "format") from error


def quoted(names: Sequence[str]) -> str:
    """The first few names in quotes."""
    few = ", ".join(repr(name) for name in names[:5])
    return few if len(names) <= 5 else f"{few} and {len(names) - 5} more"


@dataclass(frozen=True, slots=True)
class _Found:
    documents: list[Document]
    n_left_out: int = 0
    notes: tuple[str, ...] = ()


def _pair(documents: list[Document], others: list[Document], path: Path) -> list[Subject]:
    if len(documents) == len(others) == 1:
        return [Subject(documents[0], others[0])]
    by_name = {document.name: document for document in others}
    missing = [document.name for document in documents if document.name not in by_name]
    if missing:
        raise MismatchError(f"{path} has no document called {quoted(missing)}")
    return [Subject(document, by_name[document.name]) for document in documents]


def _with_sentences(subject: Subject) -> Subject:
    if subject.sentences_known:
        return subject
    return replace(subject, document=with_sentences_by_rule(subject.document))
