"""The values that jobs pass along: a source that holds documents, what is found in it, and a record for each document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rhetree.domain.document import Document
from rhetree.jobs.places import STANDARD, file_name
from rhetree.jobs.remote import size_of_url
from rhetree.jobs.streams import without_compression

if TYPE_CHECKING:
    from rhetree.runtime.pipeline import Edus


@dataclass(frozen=True, slots=True)
class Source:
    """Something that holds documents: a file, a pipe, standard input, or a text."""

    path: Path
    """The file; for a text, what the text is called."""
    kind: str | None = None
    """The kind of file, a key of ``KINDS``; None leaves it to the first line."""
    home: Path = Path()
    """The folders between the one that the user named and the file."""
    text: str | None = None
    """The text itself, if it is not in a file."""
    by_line: bool = False
    """Whether each line of a text is a document of its own."""
    text_field: str | None = None
    """The key or column of the text; None is the usual one, and leaves room for documents in our JSON."""
    id_field: str | None = None
    """The key or column of the document's name; None is the usual one, which may be missing."""
    url: str | None = None
    """Where the file is, if not on a disk of this machine; ``path`` is then for names and messages alone."""
    lenient: bool = False
    """Whether small mistakes are forgiven, with a warning for each."""

    @property
    def name(self) -> str:
        """What to call a document that has no name of its own."""
        if self.text is not None:
            return self.path.name
        return "stdin" if self.path == STANDARD else encodable(without_compression(self.path).stem)

    @property
    def n_bytes(self) -> int | None:
        """Its size; None if that is not known."""
        if self.text is not None:
            return len(self.text.encode("utf-8"))
        if self.url is not None:
            return size_of_url(self.url)
        return self.path.stat().st_size if self.path.is_file() else None


@dataclass(frozen=True, slots=True)
class Found:
    """A document as a reader found it."""

    document: Document
    stem: str
    """What its output file is called, before characters that no file name can have are replaced."""
    line: int | None = None
    has_gold: bool = False
    """Whether its EDUs are to be kept unless the caller says otherwise."""
    lacks_sentences: bool = False
    """Whether its kind of file has none, so that they are to be found."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields of its record that are no part of the document: values that JSON can hold."""


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One document to work on, and where it came from."""

    document: Document
    """As it was read: text alone, or tokens in sentences."""
    stem: Path
    """The path of its output below a folder, without an ending."""
    edus: "Edus" = "auto"
    """Whether its own EDUs are kept ("gold") or new ones are found ("auto")."""
    at: int = 0
    """Bytes of all sources that had been read after this record."""
    path: Path = STANDARD
    """The file that it came from, for messages."""
    line: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields that it came with and that go into the output as they are."""


def record_of(document: Document) -> Record:
    """The record of a document that came from no file."""
    return Record(document, Path(file_name(document.name)))


def encodable(name: str) -> str:
    """The name of a file as text: bytes that are not UTF-8 become question marks."""
    return name.encode("utf-8", "replace").decode("utf-8")
