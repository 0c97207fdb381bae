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
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from rhetree.runtime.onnx_runtime import onnxruntime

Precision = Literal["fp32", "fp16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
"""As trained; weights of 16 bits, computed with in 32; whole numbers of 8 bits."""

Array = NDArray[np.float32]

_LARGEST_WEIGHT = 64
_LARGEST_PIECE = 127
_SMALLEST = 1e-5
"""The least scale of a column, so that a column of zeros is not divided by zero."""
_SMALL = 1000
"""Weights of fewer numbers, and tables of fewer rows, stay as they are."""


def lower_precision(
    model: ModelProto, precision: Precision, samples: Sequence[NDArray[np.int64]]
) -> ModelProto:
    """The graph of an encoder in this precision.

    :param samples: rows of pieces, ``(1, length)``, to see which columns are large
    """
    if precision == "fp32":
        return model
    return halve(model) if precision == "fp16" else _quantise(model, _largest(model, samples))


def halve(model: ModelProto) -> ModelProto:
    """A graph with weights of half the size, which are unfolded when it is loaded."""
    editor = _Editor(model)
    for name, tensor in list(editor.constants.items()):
        if tensor.data_type == TensorProto.FLOAT and np.prod(tensor.dims) >= _SMALL:
            half = editor.constant(f"{name}.half", numpy_helper.to_array(tensor).astype(np.float16))
            editor.add("Cast", [half], [name], to=TensorProto.FLOAT)
            del editor.constants[name]
    editor.nodes += editor.model.graph.node
    return editor.finish()


class _Editor:
    """A copy of a graph to be filled with other nodes and constants."""

    def __init__(self, model: ModelProto) -> None:
        self.model = ModelProto()
        self.model.CopyFrom(model)
        self.nodes: list[NodeProto] = []
        self.constants = {tensor.name: tensor for tensor in self.model.graph.initializer}

    def array(self, name: str) -> Array | None:
        """A constant matrix of full precision; None for anything else."""
        tensor = self.constants.get(name)
        if tensor is None or tensor.data_type != TensorProto.FLOAT or len(tensor.dims) != 2:
            return None
        return numpy_helper.to_array(tensor)

    def products(self) -> dict[str, list[Array]]:
        """For each value that is multiplied with constant matrices these matrices."""
        found: dict[str, list[Array]] = {}
        for node in self.model.graph.node:
            matrix = self.array(node.input[1]) if node.op_type == "MatMul" else None
            if matrix is not None:
                found.setdefault(node.input[0], []).append(matrix)
        return found

    def biases(self) -> dict[str, NodeProto]:
        """For each value to which a constant vector is added, and nothing else done, the node that adds it."""
        readers: dict[str, list[NodeProto]] = {}
        for node in self.model.graph.node:
            for name in node.input:
                readers.setdefault(name, []).append(node)
        return {
            name: nodes[0] for name, nodes in readers.items() if len(nodes) == 1 and self._is_bias(nodes[0])
        }

    def _is_bias(self, node: NodeProto) -> bool:
        tensor = self.constants.get(node.input[1]) if node.op_type == "Add" else None
        return tensor is not None and len(tensor.dims) == 1

    def add(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **settings: Any) -> None:
        self.nodes.append(helper.make_node(kind, inputs, outputs, **settings))

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants[name] = numpy_helper.from_array(value, name)
        return name

    def finish(self) -> ModelProto:
        """The graph, without constants that nobody uses any more."""
        graph = self.model.graph
        used = {name for node in self.nodes for name in node.input} | {out.name for out in graph.output}
        del graph.node[:], graph.initializer[:]
        graph.node.extend(self.nodes)
        graph.initializer.extend(self.constants[name] for name in sorted(used & self.constants.keys()))
        return self.model


_WHERE = {"MatMul": 1, "Gather": 0}
"""Which input of an operator is a weight."""


def _quantise(model: ModelProto, largest: dict[str, Array]) -> ModelProto:
    editor = _Editor(_with_biases_apart(model))
    # What the columns of each input of products are divided by.
    even = {x: np.sqrt(np.maximum(columns, _SMALLEST)) for x, columns in largest.items()}
    biases = editor.biases()
    seen: set[str] = set()
    for node in editor.model.graph.node:
        if node.op_type == "Add" and node.output[0] in seen:
            continue  # done with the product before it
        name = node.input[_WHERE[node.op_type]] if node.op_type in _WHERE else ""
        matrix = editor.array(name)
        if matrix is None or (node.op_type == "Gather" and len(matrix) < _SMALL):
            editor.nodes.append(node)
        elif node.op_type == "Gather":
            _quantise_table(editor, node, matrix)
        else:
            x = node.input[0]
            if x not in seen:
                seen.add(x)
                editor.add("Mul", [x, editor.constant(f"{x}.shares", 1 / even[x])], [f"{x}.even"])
                editor.add("DynamicQuantizeLinear", [f"{x}.even"], [f"{x}.whole", f"{x}.scale", f"{x}.zero"])
            bias = biases.get(node.output[0])
            _quantise_product(editor, node, matrix * even[x][:, None], bias)
            if bias is not None:
                seen.add(bias.output[0])
    return editor.finish()


def _with_biases_apart(model: ModelProto) -> ModelProto:
    """The graph with biases added before attention and activation, not by them.

    Products of whole numbers add them at no cost, which these do not.
    """
    editor = _Editor(model)
    for node in editor.model.graph.node:
        values = {"BiasGelu": 1, "MultiHeadAttention": 3}.get(node.op_type, 0)
        tensor = editor.constants.get(node.input[values]) if values and len(node.input) > values else None
        if tensor is not None:
            name = node.input[values]
            for number, part in enumerate(np.split(numpy_helper.to_array(tensor), values)):
                bias = editor.constant(f"{name}.{number}", part)
                apart = f"{node.output[0]}.input.{number}"
                editor.add("Add", [node.input[number], bias], [apart])
                node.input[number] = apart
            node.input[values] = ""
            if node.op_type == "BiasGelu":
                node.op_type = "Gelu"
                del node.input[values]
        editor.nodes.append(node)
    return editor.finish()


def _quantise_product(editor: _Editor, node: NodeProto, weight: Array, bias: NodeProto | None) -> None:
    x, name = node.input
    scale = np.abs(weight).max(axis=0) / np.float32(_LARGEST_WEIGHT)
    scale[scale == 0] = 1
    whole = editor.constant(f"{name}.whole", np.rint(weight / scale).astype(np.int8))
    scales = editor.constant(f"{name}.scale", scale)
    editor.add(
        "MatMulIntegerToFloat",
        [f"{x}.whole", whole, f"{x}.scale", scales, f"{x}.zero", "", bias.input[1] if bias else ""],
        list((bias or node).output),
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
    editor = _Editor(model)
    watched, names = editor.model, list(editor.products())
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
