"""The graph of an int8 encoder, rewritten for several sentences of equal length, each with its own scales.

A product of whole numbers has one scale and one zero point for all of its rows. So that these stay the sentence's own,
each group of *evening, quantisation, and the products of the result* becomes the body of a ``Scan`` over the sentences
of the batch: the same operators on the same numbers, hence the same bits as alone, with the weights in the cache from
the second sentence on. The rest of the graph treats rows apart by itself.

The graph is rewritten as bytes of Protocol Buffers, of which few fields matter here, because the package that edits
graphs is not needed to run them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MODEL_GRAPH = 7
_GRAPH_NODE = 1
_NODE_INPUT, _NODE_OUTPUT, _NODE_KIND = 1, 2, 4
_FLOAT = 1
_KIND_OF_INT, _KIND_OF_GRAPH = 2, 5


@dataclass(frozen=True, slots=True)
class _Node:
    data: bytes
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def for_batches(model: bytes) -> bytes | None:
    """The graph that takes sentences of equal length together; None if it has no products of whole numbers."""
    parts: list[bytes] = []
    is_changed = False
    for field, value, whole in _fields(model):
        if field == _MODEL_GRAPH:
            graph = _rewrite(value)
            is_changed = graph is not None
            parts.append(whole if graph is None else _field(_MODEL_GRAPH, graph))
        else:
            parts.append(whole)
    return b"".join(parts) if is_changed else None


def _rewrite(graph: bytes) -> bytes | None:
    nodes: list[_Node] = []
    rest: list[bytes] = []
    for field, value, whole in _fields(graph):
        if field == _GRAPH_NODE:
            nodes.append(_read_node(value))
        else:
            rest.append(whole)
    readers: dict[str, list[_Node]] = {}
    for node in nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node)
    done: set[int] = set()
    written: list[bytes] = []
    for node in nodes:
        group = _group(node, readers)
        if group:
            written.append(_scan(group))
            done |= {id(member) for member in group}
        elif id(node) not in done:
            written.append(node.data)
    if not done:
        return None
    return b"".join([*(_field(_GRAPH_NODE, data) for data in written), *rest])


def _group(even: _Node, readers: dict[str, list[_Node]]) -> list[_Node]:
    """The nodes from an evening to the products of its result; empty if the node is no such evening."""
    if even.kind != "Mul":
        return []
    following = readers.get(even.outputs[0], [])
    if [node.kind for node in following] != ["DynamicQuantizeLinear"]:
        return []
    products = readers.get(following[0].outputs[0], [])
    if not products or any(node.kind != "MatMulIntegerToFloat" for node in products):
        return []
    return [even, following[0], *products]


def _scan(group: list[_Node]) -> bytes:
    even, _, *products = group
    x = even.inputs[0]
    own = {x: f"{x}:one"} | {name: f"{name}:one" for node in group for name in node.outputs}
    outputs = [node.outputs[0] for node in products]
    body = [_field(_GRAPH_NODE, _renamed(node, own)) for node in group]
    body.append(_field(2, b"one sentence"))
    body.append(_field(11, _float_value(own[x])))
    body += [_field(12, _float_value(own[name])) for name in outputs]
    attributes = [
        _field(1, b"body") + _field(6, b"".join(body)) + _number(20, _KIND_OF_GRAPH),
        _field(1, b"num_scan_inputs") + _number(3, 1) + _number(20, _KIND_OF_INT),
    ]
    return b"".join(
        [
            _field(_NODE_INPUT, x.encode()),
            *(_field(_NODE_OUTPUT, name.encode()) for name in outputs),
            _field(_NODE_KIND, b"Scan"),
            *(_field(5, attribute) for attribute in attributes),
        ]
    )


def _renamed(node: _Node, names: dict[str, str]) -> bytes:
    parts = []
    for field, value, whole in _fields(node.data):
        if field in (_NODE_INPUT, _NODE_OUTPUT):
            name = value.decode()
            parts.append(_field(field, names.get(name, name).encode()))
        else:
            parts.append(whole)
    return b"".join(parts)


def _float_value(name: str) -> bytes:
    """A value of numbers of any shape."""
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, _FLOAT)))


def _read_node(data: bytes) -> _Node:
    inputs, outputs, kind = [], [], ""
    for field, value, _ in _fields(data):
        if field == _NODE_INPUT:
            inputs.append(value.decode())
        elif field == _NODE_OUTPUT:
            outputs.append(value.decode())
        elif field == _NODE_KIND:
            kind = value.decode()
    return _Node(data, kind, tuple(inputs), tuple(outputs))


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """The fields of a message: number, content if it is bytes, and the field as it stands."""
    at, end = 0, len(message)
    while at < end:
        start = at
        key, at = _varint(message, at)
        kind, content = key & 7, b""
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _BYTES:
            length, at = _varint(message, at)
            content = message[at : at + length]
            at += length
        elif kind in (_FIXED32, _FIXED64):
            at += 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"a field of kind {kind}")
        yield key >> 3, content, message[start:at]


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _encoded(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _field(number: int, content: bytes) -> bytes:
    return _encoded(number << 3 | _BYTES) + _encoded(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _encoded(number << 3 | _VARINT) + _encoded(value)
