"""What goes back to the client: a document by itself, several in a list, or one per line as they are done.

One document is answered with its content, in its own media type: what ``rhetree parse -o FILE`` would write. Of
several, each is an object: the document itself if JSON was asked for, else ``{"id", "format", "content"}``, or
``{"id", "error"}`` in the place of one that failed.
"""

import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rhetree.jobs.encoding import ENCODINGS
from rhetree.serve.failures import Failure

NDJSON = "application/x-ndjson"
MEDIA_TYPES = {
    "json": "application/json",
    "jsonl": NDJSON,
    "svg": "image/svg+xml",
    "html": "text/html",
    "png": "image/png",
    "rs3": "application/xml",
    "rs4": "application/xml",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
"""Media types of formats; all others are plain text."""
BINARY = frozenset(name for name, encoding in ENCODINGS.items() if encoding.binary)
"""Formats that are not text."""


@dataclass(frozen=True, slots=True)
class Content:
    """A document in some format."""

    id: str
    format: str
    data: str | bytes

    def alone(self) -> bytes:
        """The answer, if it is the only one."""
        return self.data.encode("utf-8") if isinstance(self.data, str) else self.data

    def item(self) -> bytes:
        """One of several: an object in JSON, on one line."""
        if self.format == "jsonl":
            return self.alone().rstrip(b"\n")
        record = {"id": self.id, "format": self.format}
        if self.format in BINARY:
            return to_json(record | {"content": b64encode(self.alone()).decode(), "encoding": "base64"})
        return to_json(record | {"content": self.alone().decode("utf-8")})


def media_type(format: str) -> str:
    """The media type of a format."""
    return MEDIA_TYPES.get(format, "text/plain")


def failed_item(id: str, failure: Failure) -> bytes:
    """The object in the place of a document that failed."""
    return to_json({"id": id, **failure.to_dict()})


def to_json(value: Any) -> bytes:
    """A value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


def as_list(items: Iterable[bytes]) -> bytes:
    """All items in one object."""
    return b'{"documents": [' + b", ".join(items) + b"]}\n"
