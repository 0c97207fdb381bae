"""Making ONNX graphs: by hand, or by tracing what torch does; and making sure that they do the same."""

import logging
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from torch import Tensor, nn

from rhetree.errors import ModelError

OPSET = 17
"""New enough for layer normalisation as one operator."""
_IR_VERSION = 8
_TOLERANCE = 1e-3
"""Between torch and a graph in full precision; what is seen is a hundredth of that."""

Axes = Sequence[str | int]


class Graph:
    """A graph in the making: values have names, and operators are added in the order they run in."""

    def __init__(self, inputs: Mapping[str, tuple[type[np.generic], Axes]]) -> None:
        """Begin with these inputs: their numbers and axes."""
        self._inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), axes)
            for name, (kind, axes) in inputs.items()
        ]
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, NDArray[Any]] = {}

    def add(self, kind: str, *inputs: str, name: str = "", **settings: Any) -> str:
        """Add an operator; the name of its output."""
        (output,) = self.add_many(kind, *inputs, names=[name or f"{kind}_{len(self._nodes)}"], **settings)
        return output

    def add_many(self, kind: str, *inputs: str, names: Sequence[str], **settings: Any) -> Sequence[str]:
        """Add an operator with several outputs."""
        self._nodes.append(helper.make_node(kind, inputs, names, **settings))
        return names

    def constant(self, value: Tensor | NDArray[Any] | Sequence[int]) -> str:
        """A number or array that does not change."""
        name = f"constant_{len(self._constants)}"
        array = value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
        self._constants[name] = np.ascontiguousarray(array)
        return name

    def linear(self, inputs: str, layer: nn.Linear) -> str:
        """``x W + b`` of any number of rows."""
        product = self.add("MatMul", inputs, self.constant(layer.weight.T))
        return product if layer.bias is None else self.add("Add", product, self.constant(layer.bias))

    def include(self, model: ModelProto) -> None:
        """All operators of another graph, which has the same inputs."""
        self._nodes.extend(model.graph.node)
        self._constants |= {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}

    def finish(self, outputs: Mapping[str, Axes]) -> ModelProto:
        """The graph with these outputs, all of floating point."""
        graph = helper.make_graph(
            self._nodes,
            "rhetree",
            self._inputs,
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, axes) for name, axes in outputs.items()],
            [numpy_helper.from_array(value, name) for name, value in self._constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        return optimise(helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION))


def trace(
    module: nn.Module, inputs: Mapping[str, Tensor], outputs: Sequence[str], axes: tuple[str, ...]
) -> ModelProto:
    """What a module does as a graph.

    :param axes: names of the first axes of all inputs, which may be of any length
    """
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), torch.no_grad(), quiet():
        warnings.simplefilter("ignore")  # of tracing, which is meant; what is traced is compared
        path = Path(folder) / "graph.onnx"
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            path,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: dict(enumerate(axes[: value.ndim])) for name, value in inputs.items()},
            opset_version=OPSET,
            dynamo=False,
        )
        return onnx.load(path)


def optimise(model: ModelProto) -> ModelProto:
    """What ONNX Runtime would make of a graph when it loads it, done once and for all."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.onnx"
        options.optimized_model_filepath = str(path)
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        optimised = onnx.load(path)
    # It names all that this version knows of, which an older one might refuse.
    used = {node.domain for node in optimised.graph.node}
    needed = [opset for opset in optimised.opset_import if opset.domain in used]
    del optimised.opset_import[:]
    optimised.opset_import.extend(needed)
    optimised.ir_version = _IR_VERSION
    return optimised


def compare(model: ModelProto, inputs: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Refuse a graph that does not compute what torch does."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    arrays = {name: value.numpy() for name, value in inputs.items()}
    for name, found in zip(expected, session.run(list(expected), arrays), strict=True):
        wanted = expected[name].numpy()
        if found.shape != wanted.shape or not np.allclose(found, wanted, atol=_TOLERANCE, rtol=0.01):
            raise ModelError(
                f"this network cannot be exported: its graph does not compute what torch does ({name}); "
                "evaluate the model as it is, which needs torch"
            )


@contextmanager
def quiet() -> Iterator[None]:
    """Without what exporters and optimisers log about their own insides."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
