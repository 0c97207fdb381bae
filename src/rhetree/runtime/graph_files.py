"""Looks through an ONNX file before ONNX Runtime does, and refuses what our own graphs never have.

A graph may come from a stranger. It must be whole in its file, since weights in another file could be any file of the
machine, and it must end: without loops, branches and functions each node runs at most once. The file is a Protocol
Buffers message (``onnx.proto``), of which we read just the fields that can hold a node or a tensor; the library
``onnx`` is for training only.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

from rhetree.errors import ModelError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""How a field is written; the other ways are out of use."""

_MODEL, _GRAPH, _NODE, _ATTRIBUTE, _TENSOR, _SPARSE = (
    "model",
    "graph",
    "node",
    "attribute",
    "tensor",
    "sparse",
)
_INSIDE = {
    _MODEL: {7: _GRAPH},
    _GRAPH: {1: _NODE, 5: _TENSOR, 15: _SPARSE},
    _NODE: {5: _ATTRIBUTE},
    _ATTRIBUTE: {5: _TENSOR, 10: _TENSOR, 22: _SPARSE, 23: _SPARSE},
    _SPARSE: {1: _TENSOR, 2: _TENSOR},
    _TENSOR: {},
}
"""The messages inside each message, by the number of their field."""

_LOOPS = (
    "has loops, branches or functions, so that it may never end; graphs that rhetree export makes have none"
)
_ELSEWHERE = "keeps weights in other files, which are not read; export the model again"
_REFUSED = {
    (_MODEL, 25): _LOOPS,  # functions
    (_ATTRIBUTE, 6): _LOOPS,  # a graph inside a node: Loop, Scan, If
    (_ATTRIBUTE, 11): _LOOPS,
    (_TENSOR, 13): _ELSEWHERE,  # external_data
}
_DATA_LOCATION = 14
"""The field of a tensor that is 0 if its data are in the file."""


def check_graph(path: Path) -> None:
    """Raise :class:`ModelError` for a graph that is not whole in its file, or may never end."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            _check(content)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
    except ValueError as error:
        what = "the file is empty; copy it again" if not path.stat().st_size else str(error)
        raise ModelError(f"{path}: {what}") from error


def _check(content: mmap.mmap) -> None:
    waiting = [(_MODEL, 0, len(content))]
    while waiting:
        kind, start, end = waiting.pop()
        for number, value, inner in _fields(content, start, end):
            refusal = _REFUSED.get((kind, number))
            if refusal is None and kind == _TENSOR and number == _DATA_LOCATION and value:
                refusal = _ELSEWHERE
            if refusal is not None:
                raise ValueError(refusal)
            if number in _INSIDE[kind] and inner is not None:
                waiting.append((_INSIDE[kind][number], *inner))


def _fields(content: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """The fields of a message: number, value (0 if it is no whole number), and where its bytes are if it has any."""
    while at < end:
        tag, at = _varint(content, at, end)
        kind, value, inner = tag & 7, 0, None
        if kind == _VARINT:
            value, at = _varint(content, at, end)
        elif kind == _BYTES:
            size, at = _varint(content, at, end)
            inner = (at, at + size)
            at += size
        elif kind in (_FIXED32, _FIXED64):
            at += 4 if kind == _FIXED32 else 8
        else:
            raise ValueError("is no ONNX graph; export the model again")
        if at > end:
            raise ValueError("is no ONNX graph, or is cut off; copy it again")
        yield tag >> 3, value, inner


def _varint(content: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, and where it ends."""
    value = shift = 0
    while at < end and shift < 70:
        byte = content[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError("is no ONNX graph, or is cut off; copy it again")
