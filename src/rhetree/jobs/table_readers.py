"""Readers of tables with a document in each row: CSV and Parquet."""

import csv
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from itertools import chain
from math import isfinite
from typing import Any

from rhetree.errors import FileError, MissingExtraError, RhetreeError
from rhetree.jobs import streams
from rhetree.jobs.fields import TEXT, find_in_row, missing_field
from rhetree.jobs.records import Found, Source
from rhetree.jobs.streams import Stream, decode

_ROWS_AT_ONCE = 256
"""Rows of a Parquet file that are in memory as Python values at a time."""


def read_csv(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The rows of a table below its header; commas, semicolons, tabs or bars separate the columns."""
    first, lines = _first(lines)
    header = first.decode("utf-8", "replace")
    return _read_rows(lines, source, max(",;\t|", key=_without_quoted(header).count))


def read_tsv(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The same with columns separated by tabs."""
    return _read_rows(lines, source, "\t")


def read_parquet(stream: Stream, source: Source) -> Iterator[Found | RhetreeError]:
    """The rows of a Parquet file, of which one group at a time is in memory."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{source.path}: reading Parquet files", "parquet") from error
    if not stream.file.seekable():
        raise FileError("a Parquet file cannot be read from a pipe; name the file", source.path)
    try:
        table = ParquetFile(stream.file)
        _check_columns(table.schema_arrow.names, source)
        n_rows, n_bytes, number = table.metadata.num_rows, source.n_bytes or 0, 0
        for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE):
            for row in batch.to_pylist():
                number += 1
                if number > n_rows:
                    raise FileError(f"says that it has {n_rows} rows, and has more", source.path)
                stream.n_skimmed = n_bytes * number // n_rows
                yield _found({name: _plain(value) for name, value in row.items()}, source, number)
    except (ArrowException, OSError, ValueError) as error:
        raise FileError(f"not a Parquet file that can be read: {error}", source.path) from error


def _read_rows(lines: Iterable[bytes], source: Source, delimiter: str) -> Iterator[Found | RhetreeError]:
    csv.field_size_limit(
        max(csv.field_size_limit(), streams.MOST_BYTES)
    )  # for all of Python, hence never less
    bad: list[FileError] = []
    rows = csv.reader(_decoded(lines, source, bad), delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            bad.clear()  # one complaint about a row is enough
            yield FileError(f"not CSV: {error}; a quote inside a quoted field is doubled", source.path, line)
            continue
        if row is None:
            break
        if bad:
            yield from bad
            if columns is None:  # without a header nothing can be told of the rows
                return
            bad.clear()
        elif not row:
            continue
        elif columns is None:
            columns = row
            _check_columns(columns, source, line)
        elif len(row) != len(columns):
            what = f"{len(row)} fields, expected {len(columns)} as in the header"
            yield FileError(what, source.path, line)
        else:
            yield _found(dict(zip(columns, row, strict=True)), source, line)
    if columns is None and not bad:
        raise FileError("no header; expected a line with the names of the columns", source.path)


def _found(row: Mapping[str, Any], source: Source, number: int) -> Found | RhetreeError:
    try:
        return find_in_row(row, source, number)
    except RhetreeError as error:
        return error


def _decoded(lines: Iterable[bytes], source: Source, bad: list[FileError]) -> Iterator[str]:
    """The lines as text. What is wrong with a line is told when the row that it belongs to is complete."""
    for number, line in enumerate(lines, start=1):
        try:
            yield decode(line, source.path, number)
        except FileError as error:
            bad.append(error)
            yield line.decode("utf-8", "replace")


def _first(lines: Iterable[bytes]) -> tuple[bytes, Iterable[bytes]]:
    """The first line that is not blank, and all lines."""
    rest = iter(lines)
    head: list[bytes] = []
    for line in rest:
        head.append(line)
        if line.strip():
            break
    return head[-1] if head else b"", chain(head, rest)


def _without_quoted(header: str) -> str:
    return "".join(header.split('"')[::2])


def _check_columns(columns: Sequence[str], source: Source, line: int | None = None) -> None:
    for column in columns:
        if columns.count(column) > 1:
            raise FileError(f"two columns are called {column!r}", source.path, line)
    for field in (source.text_field or TEXT, source.id_field):
        if field is not None and field not in columns:
            raise missing_field(field, columns, source, line)


def _plain(value: Any) -> Any:
    """A value of a Parquet file as JSON can hold it: dates in ISO form, bytes in Base64, NaN as null."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    return str(value)
