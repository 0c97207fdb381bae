"""Documents as rows of a table, one for each EDU, in ``.csv`` and ``.parquet`` files.

:mod:`~rhetree.domain.rows` says what the columns mean.
"""

import csv
import io
from dataclasses import astuple
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from rhetree.domain.rows import COLUMNS, EduRow, edu_rows
from rhetree.errors import MissingExtraError
from rhetree.jobs.sinks import FreshSink

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.jobs.records import Record

GROUP = 50_000
"""Rows of a row group of Parquet: few enough to keep in memory, enough to be compressed and read fast."""

_TEXTS = ("document", "text", "role", "relation")
_REALS = ("edu_probability", "relation_probability")


def encode_csv(document: "Document") -> str:
    """The rows of a document, without the header. Probabilities have six digits, as in JSON."""
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for row in edu_rows(document):
        writer.writerow(f"{cell:.6g}" if isinstance(cell, float) else cell for cell in astuple(row))
    return rows.getvalue()


def encode_parquet(document: "Document") -> bytes:
    """A file of one document."""
    whole = io.BytesIO()
    sink = ParquetSink(whole)
    sink.add(document)
    sink.close()
    return whole.getvalue()


def check_parquet() -> None:
    """Raise :class:`MissingExtraError` if Parquet cannot be written here."""
    _pyarrow("pyarrow.parquet")


class ParquetSink(FreshSink):
    """A Parquet file that gets the rows of all documents, a group at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._arrow = _pyarrow("pyarrow")
        self._schema = self._arrow.schema([(name, self._type(name)) for name in COLUMNS])
        self._file = _pyarrow("pyarrow.parquet").ParquetWriter(stream, self._schema, compression="zstd")
        self._rows: list[EduRow] = []

    def write(self, document: "Document", record: "Record") -> None:  # noqa: ARG002
        self.add(document)

    def add(self, document: "Document") -> None:
        """Add the rows of a document."""
        self._rows += edu_rows(document)
        if len(self._rows) >= GROUP:
            self._write_group()

    def close(self) -> None:
        """Write the rows that are left, and the end of the file."""
        if self._rows:
            self._write_group()
        self._file.close()

    def _write_group(self) -> None:
        columns = zip(*map(astuple, self._rows), strict=True)
        arrays = [
            self._arrow.array(column, kind) for column, kind in zip(columns, self._schema.types, strict=True)
        ]
        self._file.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()

    def _type(self, column: str) -> Any:
        if column in _TEXTS:
            return self._arrow.string()
        return self._arrow.float64() if column in _REALS else self._arrow.int64()


def _pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError("writing Parquet", "parquet") from error
