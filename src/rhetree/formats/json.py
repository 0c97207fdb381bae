"""Our own ``.json`` (one document) and ``.jsonl`` (one document per line), which hold every layer.

:mod:`~rhetree.domain.record` knows their content. This module deals with JSON itself and what
can be wrong with it: repeated keys, NaN, endless nesting.
"""

import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TextIO

from rhetree.domain.document import Document
from rhetree.domain.record import Record
from rhetree.domain.record_reader import from_record
from rhetree.domain.record_writer import to_record
from rhetree.errors import TreebankError
from rhetree.formats.format import Format, Layer, blame

_MAX_DIGITS = 4000
"""A little less than Python itself refuses to read."""
_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_HUGE = re.compile(r"[0-9][eE]\+?[0-9]{3}|[0-9]{300}")
"""A number that may be more than a float can hold."""
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that some programs take for the end of a line, and how to escape them."""


def schema() -> dict[str, Any]:
    """The JSON Schema of one document."""
    source = resources.files("rhetree.formats") / "schema" / "document.schema.json"
    loaded: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return loaded


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:  # noqa: ARG001
    """Read the document of a ``.json`` file; ``lenient`` changes nothing."""
    value = decode_file(source.read(), path)
    with blame(path):
        yield from_record(value)


def decode_file(text: str, path: Path) -> Any:
    """Decode the text of a ``.json`` file; ``path`` is for messages."""
    try:
        return decode(text)
    except json.JSONDecodeError as error:
        hint = "; a file with one document per line ends in .jsonl" if error.msg == "Extra data" else ""
        what = f"not JSON: {error.msg} at character {error.colno} of the line{hint}"
        raise TreebankError(what, path, error.lineno) from error
    except ValueError as error:
        raise TreebankError(str(error), path) from error


def read_lines(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:  # noqa: ARG001
    """Read the documents of a ``.jsonl`` file one by one; blank lines are skipped, ``lenient`` changes nothing."""
    for number, line in enumerate(source, start=1):
        if not line.strip():
            continue
        value = decode_line(line, path, number)
        with blame(path, number):
            document = from_record(value)
        yield document


def decode(text: str) -> Any:
    """Decode a JSON text.

    ``ValueError`` for what the standard leaves open and we refuse: repeated keys, NaN, numbers and nesting without
    limit, halves of surrogate pairs.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_int=_integer, parse_constant=_no_constant)
        if _HALF_A_PAIR.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        if _HUGE.search(text) and not _is_finite(value):
            raise ValueError("a number in it is too large")
    except RecursionError as error:
        raise ValueError("nested too deeply for a document") from error
    except UnicodeEncodeError as error:
        raise ValueError("half of a surrogate pair is not a character") from error
    return value


def decode_line(line: str, path: Path, number: int) -> Any:
    """Decode one line; ``path`` and ``number`` are for messages."""
    try:
        return decode(line)
    except json.JSONDecodeError as error:
        hint = "; a file with one document over several lines ends in .json" if line.strip() == "{" else ""
        what = f"not JSON: {error.msg} at character {error.colno}{hint}"
        raise TreebankError(what, path, number) from error
    except ValueError as error:
        raise TreebankError(str(error), path, number) from error


def write(
    document: Document,
    sink: TextIO,
    extra: Mapping[str, Any] | None = None,
    *,
    edu_texts: bool = False,
) -> None:
    """Write the document with each key, sentence, split and unit on a line of its own.

    :param extra: fields that are no part of the document, values that JSON can hold
    :param edu_texts: whether to add the text of each EDU
    """
    lines = []
    for key, value in to_record(document, extra, edu_texts=edu_texts).items():
        if isinstance(value, list) and value:
            items = ",\n".join(f"  {_encode(item)}" for item in value)
            lines.append(f" {_encode(key)}: [\n{items}\n ]")
        else:
            lines.append(f" {_encode(key)}: {_encode(value)}")
    sink.write("{\n" + ",\n".join(lines) + "\n}\n")


def write_line(
    document: Document,
    sink: TextIO,
    extra: Mapping[str, Any] | None = None,
    *,
    edu_texts: bool = False,
) -> None:
    """Write the document on one line; the arguments are those of :func:`write`."""
    sink.write(f"{_encode(to_record(document, extra, edu_texts=edu_texts))}\n")


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


def _is_finite(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


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
