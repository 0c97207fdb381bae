"""Our own ``.json`` (one document) and ``.jsonl`` (one a line): every layer, to the character.

What stands in them is :mod:`~rhetree.treebanks.record`'s business; here is what can go wrong
with JSON itself: names that occur twice, numbers that are none, nesting without end.
"""

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, TextIO

from rhetree.domain.document import Document
from rhetree.errors import TreebankError
from rhetree.treebanks.format import Format, Layer, blame
from rhetree.treebanks.record import Record, from_record, to_record

_MAX_DIGITS = 18
_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that some readers take for the end of a line, in the spelling that none does."""


def schema() -> dict[str, Any]:
    """The JSON Schema of one document."""
    source = resources.files("rhetree.treebanks") / "schema" / "document.schema.json"
    loaded: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return loaded


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:  # noqa: ARG001
    """The document of a ``.json`` file; there is nothing in it that could be forgiven."""
    text = source.read()
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        hint = "; several documents, one a line, are .jsonl" if error.msg == "Extra data" else ""
        what = f"not JSON: {error.msg} at character {error.colno} of the line{hint}"
        raise TreebankError(what, path, error.lineno) from error
    except ValueError as error:
        raise TreebankError(str(error), path) from error
    with blame(path):
        yield from_record(value)


def read_lines(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:  # noqa: ARG001
    """The documents of a ``.jsonl`` file as they come; blank lines do not count."""
    for number, line in enumerate(source, start=1):
        if not line.strip():
            continue
        value = decode_line(line, path, number)
        with blame(path, number):
            document = from_record(value)
        yield document


def decode_line(line: str, path: Path, number: int) -> Any:
    """The value of one line; ``path`` and ``number`` are for messages."""
    try:
        return _decode(line)
    except json.JSONDecodeError as error:
        hint = "; a document over several lines is .json" if line.strip() == "{" else ""
        what = f"not JSON: {error.msg} at character {error.colno}{hint}"
        raise TreebankError(what, path, number) from error
    except ValueError as error:
        raise TreebankError(str(error), path, number) from error


def write(document: Document, sink: TextIO) -> None:
    """The document with one key a line, and one sentence, split or unit a line."""
    lines = []
    for key, value in to_record(document).items():
        if isinstance(value, list) and value:
            items = ",\n".join(f"  {_encode(item)}" for item in value)
            lines.append(f" {_encode(key)}: [\n{items}\n ]")
        else:
            lines.append(f" {_encode(key)}: {_encode(value)}")
    sink.write("{\n" + ",\n".join(lines) + "\n}\n")


def write_line(document: Document, sink: TextIO) -> None:
    """The document as one line."""
    sink.write(f"{_encode(to_record(document))}\n")


JSON = Format(name="json", suffixes=(".json",), read=read, write=write, holds=frozenset(Layer))
JSONL = Format(
    name="jsonl",
    suffixes=(".jsonl",),
    read=read_lines,
    write=write_line,
    holds=frozenset(Layer),
    many=True,
)


def _encode(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    for character, spelled in _LINE_ENDS.items():
        text = text.replace(character, spelled)
    return text


def _decode(text: str) -> Any:
    """The value of a JSON text; ``ValueError`` for what JSON leaves to its readers."""
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_int=_integer, parse_constant=_no_constant)
        if _HALF_A_PAIR.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError("nested too deep to be a document") from error
    except UnicodeEncodeError as error:
        raise ValueError("half of a surrogate pair is no character") from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> Record:
    record: Record = {}
    for name, value in pairs:
        if name in record:
            raise ValueError(f"the key {name[:40]!r} occurs twice")
        record[name] = value
    return record


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(
            f"the number {digits[:10]}... has {len(digits)} digits, expected at most {_MAX_DIGITS}"
        )
    return int(digits)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
