"""Documents in the records of other people: JSON objects, and rows of tables.

One field holds the text, another the name of the document. All other fields pass through a job: they
are not read, and stand in the output as they were, under ``extra``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rhetree.domain.document import Document
from rhetree.errors import ArgumentError, FileError
from rhetree.jobs.records import Found, Source, encodable

TEXT = "text"
"""The field of the text, unless the user names another."""
ID = "id"
"""The field of the name, unless the user names another."""


def find_in_object(value: object, source: Source, line: int | None = None) -> Found:
    """The document of a JSON object: a text with other fields, or a document in our own JSON.

    :param line: its line; None for a file that is one object
    """
    from rhetree.domain.record import KEYS, NAME
    from rhetree.domain.record_reader import from_record
    from rhetree.domain.values import show
    from rhetree.formats.format import blame

    if not isinstance(value, dict):
        raise FileError(f"expected an object, found {show(value)}", source.path, line)
    if source.text_field is not None or not _is_document(value):
        return find_in_row(value, source, line)
    if value.get("format") == NAME:
        own, extra = value, value.get("extra", {})
    else:
        own = {key: item for key, item in value.items() if key in KEYS}
        extra = {key: item for key, item in value.items() if key not in own and key != _id_field(source)}
        own[ID] = _name(value, source, line)
    with blame(source.path, line):
        document = from_record(own)
    # Whoever writes tokens with EDUs beside them wants these.
    has_gold = "tokens" in own and "edus" in own
    return Found(document, document.name, line, has_gold=has_gold, extra=extra)


def find_in_row(row: Mapping[str, Any], source: Source, line: int | None = None) -> Found:
    """The document of a record with a text in one of its fields."""
    from rhetree.domain.values import show

    text_field = source.text_field or TEXT
    if text_field not in row:
        raise missing_field(text_field, row, source, line)
    text = row[text_field]
    if not isinstance(text, str):
        what = f"expected a string in the field {text_field!r}, found {show(text)}"
        raise FileError(what, source.path, line)
    name = _name(row, source, line)
    extra = {key: value for key, value in row.items() if key not in (text_field, _id_field(source))}
    metadata: dict[str, str] = {}
    if source.text_field is None and _is_metadata(extra.get("metadata")):
        metadata = extra.pop("metadata")  # as in our own JSON
    return Found(Document(name=name, text=text, metadata=metadata), name, line, extra=extra)


def missing_field(field: str, there: Iterable[str], source: Source, line: int | None = None) -> ArgumentError:
    """The error about a field that a record or a table lacks."""
    is_text = field == (source.text_field or TEXT)
    found = ", ".join(repr(name[:40]) for name in list(there)[:20]) or "none"
    what = f"no field {field!r} (found {found}); name the field of the {'text' if is_text else 'id'}"
    path = source.path if line is None else f"{source.path}:{line}"
    return ArgumentError(what, path, "text_field" if is_text else "id_field")


def _id_field(source: Source) -> str:
    return source.id_field or ID


def _name(row: Mapping[str, Any], source: Source, line: int | None) -> str:
    """The name of a document: its id, or else that of its file with the line or row."""
    from rhetree.domain.values import show

    if source.id_field is not None and source.id_field not in row:
        raise missing_field(source.id_field, row, source, line)
    name = row.get(_id_field(source))
    if name is None:
        own = source.name if line is None else f"{source.name}-{line}"
        return encodable((source.home / own).as_posix())
    if type(name) is int:
        return str(name)
    if isinstance(name, str):
        return name
    what = f"expected a string or a whole number in the field {_id_field(source)!r}, found {show(name)}"
    raise FileError(what, source.path, line)


def _is_document(value: Mapping[str, Any]) -> bool:
    """Whether an object is a document in our own JSON; others may have fields of the same names."""
    from rhetree.domain.record import NAME

    return value.get("format") == NAME or any(
        isinstance(value.get(key), list) for key in ("tokens", "sentences")
    )


def _is_metadata(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
