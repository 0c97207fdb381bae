"""The weights of an exported graph at full precision: undoes what :mod:`rhetree.learning.export.precision` did.

Rounding is not undone: a weight comes back as the number that the graph computes with.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, numpy_helper

Array = NDArray[np.float32]


def full_constants(model: ModelProto) -> dict[str, Array]:
    """The floating-point constants of a graph under the names that they had before its precision was lowered."""
    stored: dict[str, NDArray[Any]] = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer
    }
    found = {
        tensor.name: stored[tensor.name]
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT
    }
    for name, value in stored.items():
        if name.endswith(".half"):
            found[name.removesuffix(".half")] = value.astype(np.float32)
    for node in model.graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            name, x = node.input[1].removesuffix(".whole"), node.input[0].removesuffix(".whole")
            # The columns of the input were divided by what the rows of the weight were multiplied with.
            shares = stored[f"{x}.shares"][:, None]
            found[name] = stored[f"{name}.whole"] * stored[f"{name}.scale"] * shares
        elif node.op_type == "Gather" and node.input[0].endswith(".whole"):
            name = node.input[0].removesuffix(".whole")
            found[name] = stored[f"{name}.whole"] * stored[f"{name}.scale"]
    return found | _joined(found)


def _joined(found: dict[str, Array]) -> dict[str, Array]:
    """The biases that were taken apart: ``x`` from ``x.0``, ``x.1`` and so on."""
    parts: dict[str, list[tuple[int, Array]]] = {}
    for name, value in found.items():
        whole, _, number = name.rpartition(".")
        if number.isdecimal() and value.ndim == 1 and whole not in found:
            parts.setdefault(whole, []).append((int(number), value))
    return {
        name: np.concatenate([value for _, value in sorted(own, key=lambda part: part[0])])
        for name, own in parts.items()
    }
