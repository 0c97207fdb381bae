"""Graphs of encoders with smaller numbers: half the size, or a quarter of it and several times the speed.

int8 is the arithmetic of whole numbers that processors are fast at. A weight becomes 7 bits, with a
scale for each column (8 bits would overflow on processors without instructions for them), and what it is
multiplied with 8 bits, with one scale that is computed as it comes. Rows go through the encoder one at a
time (:mod:`rhetree.runtime.words`), so that this scale is the sentence's own. Some columns are always
much larger than others and would leave those no bits: they are made even first, and the rows of the
weights that they meet as much larger (SmoothQuant, Xiao et al. 2023). Tables of pieces become 8 bits,
with a scale for each piece.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

Precision = Literal["fp32", "fp16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
"""As trained; weights of 16 bits, computed with in 32; whole numbers of 8 bits."""

Array = NDArray[np.float32]

_LARGEST_WEIGHT = 64
_LARGEST_PIECE = 127
_SMALLEST = 1e-5
"""Of a column that is all zeros, so that nothing is divided by zero."""
_SMALL_TABLE = 1000
"""Tables of fewer rows, such as those of positions, stay as they are."""


def lower_precision(
    model: ModelProto, precision: Precision, samples: Sequence[NDArray[np.int64]]
) -> ModelProto:
    """The graph of an encoder in this precision.

    :param samples: rows of pieces, ``(1, length)``, to see which columns are large
    """
    if precision == "fp32":
        return model
    lowered = ModelProto()
    lowered.CopyFrom(model)
    editor = _Editor(lowered.graph)
    if precision == "fp16":
        _halve(editor)
    else:
        _quantise(editor, _largest(model, samples))
    editor.finish()
    return lowered


class _Editor:
    """Puts nodes and constants in place of others."""

    def __init__(self, graph: GraphProto) -> None:
        self.graph = graph
        self.nodes: list[NodeProto] = []
        self.constants = {tensor.name: tensor for tensor in graph.initializer}

    def array(self, name: str) -> Array | None:
        """A constant matrix of full precision; None for anything else."""
        tensor = self.constants.get(name)
        if tensor is None or tensor.data_type != TensorProto.FLOAT or len(tensor.dims) != 2:
            return None
        return numpy_helper.to_array(tensor)

    def products(self) -> dict[str, list[Array]]:
        """For each value that is multiplied with constant matrices these matrices."""
        found: dict[str, list[Array]] = {}
        for node in self.graph.node:
            matrix = self.array(node.input[1]) if node.op_type == "MatMul" else None
            if matrix is not None:
                found.setdefault(node.input[0], []).append(matrix)
        return found

    def add(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **settings: Any) -> None:
        self.nodes.append(helper.make_node(kind, inputs, outputs, **settings))

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants[name] = numpy_helper.from_array(value, name)
        return name

    def finish(self) -> None:
        """Write the graph, without constants that nobody uses any more."""
        used = {name for node in self.nodes for name in node.input}
        del self.graph.node[:], self.graph.initializer[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(self.constants[name] for name in sorted(used & self.constants.keys()))


def _halve(editor: _Editor) -> None:
    for node in editor.graph.node:
        name = node.input[_WHERE[node.op_type]] if node.op_type in _WHERE else ""
        matrix = editor.array(name)
        if matrix is None:
            editor.nodes.append(node)
            continue
        half = editor.constant(f"{name}.half", matrix.astype(np.float16))
        (output,) = node.output
        if node.op_type == "Gather":
            editor.add("Gather", [half, node.input[1]], [f"{output}.half"], axis=0)
            editor.add("Cast", [f"{output}.half"], [output], to=TensorProto.FLOAT)
        else:
            # Done once, when the graph is loaded.
            editor.add("Cast", [half], [f"{output}.weight"], to=TensorProto.FLOAT)
            editor.add("MatMul", [node.input[0], f"{output}.weight"], [output])


_WHERE = {"MatMul": 1, "Gather": 0}
"""Which input of an operator is a weight."""


def _quantise(editor: _Editor, largest: dict[str, Array]) -> None:
    even = {x: np.sqrt(np.maximum(columns, _SMALLEST)) for x, columns in largest.items()}
    """What the columns of each input of products are divided by."""
    seen: set[str] = set()
    for node in editor.graph.node:
        name = node.input[_WHERE[node.op_type]] if node.op_type in _WHERE else ""
        matrix = editor.array(name)
        if matrix is None or (node.op_type == "Gather" and len(matrix) < _SMALL_TABLE):
            editor.nodes.append(node)
        elif node.op_type == "Gather":
            _quantise_table(editor, node, matrix)
        else:
            x = node.input[0]
            if x not in seen:
                seen.add(x)
                editor.add("Mul", [x, editor.constant(f"{x}.shares", 1 / even[x])], [f"{x}.even"])
                editor.add("DynamicQuantizeLinear", [f"{x}.even"], [f"{x}.whole", f"{x}.scale", f"{x}.zero"])
            _quantise_product(editor, node, matrix * even[x][:, None])


def _quantise_product(editor: _Editor, node: NodeProto, weight: Array) -> None:
    x, name = node.input
    scale = np.abs(weight).max(axis=0) / np.float32(_LARGEST_WEIGHT)
    scale[scale == 0] = 1
    whole = editor.constant(f"{name}.whole", np.rint(weight / scale).astype(np.int8))
    scales = editor.constant(f"{name}.scale", scale)
    editor.add(
        "MatMulIntegerToFloat",
        [f"{x}.whole", whole, f"{x}.scale", scales, f"{x}.zero"],
        list(node.output),
        domain="com.microsoft",
    )


def _quantise_table(editor: _Editor, node: NodeProto, table: Array) -> None:
    name, ids = node.input
    (output,) = node.output
    scale = np.abs(table).max(axis=1, keepdims=True) / np.float32(_LARGEST_PIECE)
    scale[scale == 0] = 1
    whole = editor.constant(f"{name}.whole", np.rint(table / scale).astype(np.int8))
    scales = editor.constant(f"{name}.scale", scale)
    editor.add("Gather", [whole, ids], [f"{output}.whole"], axis=0)
    editor.add("Gather", [scales, ids], [f"{output}.scale"], axis=0)
    editor.add("Cast", [f"{output}.whole"], [f"{output}.number"], to=TensorProto.FLOAT)
    editor.add("Mul", [f"{output}.number", f"{output}.scale"], [output])


def _largest(model: ModelProto, samples: Sequence[NDArray[np.int64]]) -> dict[str, Array]:
    """For each input of products with a constant matrix how large each of its columns gets."""
    watched = ModelProto()
    watched.CopyFrom(model)
    names = list(_Editor(watched.graph).products())
    outputs = {output.name for output in watched.graph.output}
    watched.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names if name not in outputs
    )
    session = onnxruntime.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    largest: dict[str, Array] = {}
    for ids in samples:
        for name, value in zip(names, session.run(names, {"ids": ids}), strict=True):
            columns = np.abs(value).reshape(-1, value.shape[-1]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, 0), columns)
    return largest
