"""Making ONNX graphs, by torch's own exporter or by hand, and checking that they compute what torch does."""

import logging
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from torch import Tensor, nn

from rhetree.errors import ModelError
from rhetree.runtime.onnx_runtime import onnxruntime

OPSET = 17
"""New enough for layer normalisation as one operator."""
_IR_VERSION = 8
_TOLERANCE = 1e-3
"""The largest difference allowed between torch and a graph in full precision; usual is a hundredth of it."""

Axes = Sequence[str | int]


class Graph:
    """A graph that is written by hand: values have names, and operators are added in the order they run in."""

    def __init__(self, inputs: Mapping[str, tuple[type[np.generic], Axes]]) -> None:
        """Begin a graph with these inputs, each with its type and axes."""
        self._inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), axes)
            for name, (kind, axes) in inputs.items()
        ]
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, NDArray[Any]] = {}

    def add(self, kind: str, *inputs: str, name: str = "", **settings: Any) -> str:
        """Add an operator and return the name of its output."""
        output = name or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **settings))
        return output

    def constant(self, value: Tensor | NDArray[Any] | Sequence[int]) -> str:
        """Add a constant and return its name."""
        name = f"constant_{len(self._constants)}"
        array = value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
        self._constants[name] = np.ascontiguousarray(array)
        return name

    def linear(self, inputs: str, layer: nn.Linear) -> str:
        """Add a linear layer and return the name of its output."""
        product = self.add("MatMul", inputs, self.constant(layer.weight.T))
        return product if layer.bias is None else self.add("Add", product, self.constant(layer.bias))

    def finish(self, outputs: Mapping[str, Axes]) -> ModelProto:
        """Finish the graph with these outputs, all of floating point."""
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
    module: nn.Module,
    example: Mapping[str, Tensor],
    other: Mapping[str, Tensor],
    expected: Mapping[str, Tensor] | None = None,
) -> ModelProto:
    """Make a graph of what a module computes, by torch's own exporter.

    The module takes named tensors and returns named tensors, which become the graph's inputs and
    outputs. Axes whose sizes differ between the two examples may be of any size, and axes that change
    alike are taken for the same. A graph that does not compute what torch does on the second is refused.

    :param expected: the outputs for the second example, if the module only stands for another one
    """
    named = _Outputs(module.eval())
    with torch.inference_mode():
        found, others = module(**example), module(**other)
    sizes = {**example, **found}
    axes = {name: _any_size(sizes[name], value) for name, value in {**other, **others}.items()}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), torch.no_grad(), quiet():
        path = Path(folder) / "graph.onnx"
        warnings.simplefilter("ignore")  # about tracing as such; what is traced is compared below
        torch.onnx.export(
            named,
            tuple(example.values()),
            path,
            input_names=list(example),
            output_names=list(found),
            dynamic_axes=axes,
            opset_version=OPSET,
            do_constant_folding=False,  # ONNX Runtime does it, and keeps the names of outputs
            dynamo=False,
        )
        model = onnx.load(path)
    del model.graph.output[:]  # the exporter does not know all sizes
    model.graph.output.extend(
        helper.make_tensor_value_info(
            name, TensorProto.FLOAT, [axes[name].get(axis, size) for axis, size in enumerate(value.shape)]
        )
        for name, value in found.items()
    )
    graph = optimise(model)
    compare(graph, other, expected or others)
    return graph


class _Outputs(nn.Module):
    """A module that returns the values of what another returns by name."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.module(*inputs).values())


def _any_size(one: Tensor, other: Tensor) -> dict[int, str]:
    """A name for each axis whose size varies.

    ONNX Runtime may reuse memory among axes of the same name, so only axes of the same sizes share one.
    """
    sizes = zip(one.shape, other.shape, strict=True)
    return {axis: f"any_{size}_{another}" for axis, (size, another) in enumerate(sizes) if size != another}


def optimise(model: ModelProto) -> ModelProto:
    """Make the optimisations that ONNX Runtime would make each time it loads a graph."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.onnx"
        options.optimized_model_filepath = str(path)
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        optimised = onnx.load(path)
    # It lists all operator sets that this version knows, which an older one might refuse.
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
        wanted = expected[name].detach().numpy()
        if found.shape != wanted.shape or not np.allclose(found, wanted, atol=_TOLERANCE, rtol=0.01):
            raise ModelError(
                f"this network cannot be exported: its graph does not compute what torch does ({name}); "
                "evaluate the model as it is, which needs torch"
            )


@contextmanager
def quiet() -> Iterator[None]:
    """Silence what exporters and optimisers log about their own insides."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
