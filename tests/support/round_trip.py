"""Formats in memory: what one writes, and what it reads of that."""

import io
from pathlib import Path


def written(format, *documents):
    sink = io.StringIO()
    for document in documents:
        format.write(document, sink)
    return sink.getvalue()


def read_all(format, text, name="doc", lenient=False):
    path = Path(name + format.suffixes[0])
    return list(format.read(io.StringIO(text), path, lenient=lenient))
