"""Documents of a request's body. A name in a body is only a name: nothing here opens a file."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rhetree.domain.document import Document
from rhetree.domain.record_reader import from_record
from rhetree.domain.relations import INVENTORIES, Inventory
from rhetree.errors import RhetreeError, TreebankError
from rhetree.formats import FORMATS, format_of
from rhetree.jobs.places import file_name
from rhetree.runtime.pipeline import Edus
from rhetree.serve.failures import Failure, bad_request, failure_of, long_text, many_documents
from rhetree.serve.requests import File
from rhetree.serve.settings import ServeSettings


@dataclass(frozen=True, slots=True)
class Given:
    """A document of a request, or why it cannot be used."""

    number: int
    """Its place in the request, counted from 0."""
    document: Document
    edus: Edus = "auto"
    """Whether its own EDUs are kept ("gold")."""
    failure: Failure | None = None
    constraints: dict[str, Any] | None = None
    """What its EDUs and trees have to agree with."""


def read_texts(
    inputs: Iterable[str | dict[str, Any]], edus: Edus | None, settings: ServeSettings
) -> Iterator[Given]:
    """The documents to parse.

    A text that is too long refuses the request; another bad document is a failure in its own place.
    """
    for number, item in enumerate(inputs):
        if isinstance(item, str):
            given = Given(number, Document(text=item), edus or "auto")
        else:
            own = edus or ("gold" if "tokens" in item and "edus" in item else "auto")
            try:
                given = Given(number, _from_record(item, f"document {number + 1}"), own)
            except RhetreeError as error:
                given = Given(number, Document(name=_name_of(item)), failure=failure_of(error))
        _check_length(len(given.document.text), settings)
        yield given


def read_annotated(item: File | dict[str, Any], where: str, settings: ServeSettings) -> list[Document]:
    """The documents of a file, or the one in our JSON.

    :param where: what to call it in messages
    """
    if not isinstance(item, File):
        if "content" in item:
            raise bad_request(f"{where}: a file has 'content', 'format' and perhaps 'name', as strings")
        document = _from_record(item, where)
        _check_length(len(document.text), settings)
        return [document]
    _check_length(len(item.content), settings)
    format = format_of("", item.format)
    name = file_name(item.name) if item.name else where
    # The readers use the path for names and messages only.
    path = Path(name if name.lower().endswith(format.suffixes) else f"{name}{format.suffixes[0]}")
    content = io.StringIO(item.content.removeprefix("\ufeff"), newline=None)
    documents = list(FORMATS[format.name].read(content, path))
    if not documents:
        raise TreebankError("no document in it", path)
    check_number(len(documents), settings)
    return documents


def check_number(n_documents: int, settings: ServeSettings) -> None:
    """Raise the failure of a request with too many documents."""
    if n_documents > settings.documents:
        raise many_documents(n_documents, settings)


def inventory_of(name: str | None) -> Inventory | None:
    """The inventory of this name; None for relations as they are."""
    if name is None:
        return None
    if name not in INVENTORIES:
        raise bad_request(f"relations: expected one of {', '.join(INVENTORIES)}, found {name[:40]!r}")
    return INVENTORIES[name]


def _from_record(record: dict[str, Any], where: str) -> Document:
    try:
        return from_record({"id": "", **record})
    except ValueError as error:
        raise TreebankError(str(error), where) from error


def _name_of(record: dict[str, Any]) -> str:
    name = record.get("id")
    return name if isinstance(name, str) else ""


def _check_length(n_characters: int, settings: ServeSettings) -> None:
    if n_characters > settings.text_characters:
        raise long_text(n_characters, settings)
