"""The heavy parts of a network as ONNX graphs, with the operators that ONNX Runtime is fastest at."""

import logging
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import ModelProto, TensorProto, helper, numpy_helper
from torch import Tensor, nn

from rhetree.errors import ModelError
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.networks.encoder import BiGRU, Encoder

OPSET = 17
"""New enough for layer normalisation as one operator."""
_IR_VERSION = 8
_TOLERANCE = 1e-3
"""Between states of torch and of a graph in full precision; what is seen is a hundredth of that."""


def encoder_graph(embedder: TransformerEmbedder) -> ModelProto:
    """From ``ids`` of pieces ``(rows, length)``, without padding, to ``states`` ``(rows, length, width)``.

    Attention, normalisation and activation are single operators where the encoder is of a known make.
    """
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    pieces = _Pieces(embedder).eval()
    ids = torch.arange(14).reshape(2, 7) % embedder.pieces.n_pieces
    with _attention_in_steps(embedder.encoder):
        traced = _trace(pieces, {"ids": ids}, {"states": ("rows", "length")}, ("rows", "length"))
    config: Any = embedder.encoder.config
    options = FusionOptions("bert")
    # Projections stay products with a matrix, which can be quantised; tables of words too.
    options.use_multi_head_attention = True
    options.enable_embed_layer_norm = False
    with _quiet():
        fused = optimizer.optimize_model(
            traced,
            "bert",
            num_heads=getattr(config, "num_attention_heads", 0),
            hidden_size=embedder.width,
            optimization_options=options,
            opt_level=0,
        ).model
    graph = optimise(fused)
    with torch.inference_mode():
        _compare(graph, {"ids": ids.numpy()}, [pieces(ids)])
    return graph


def states_graph(encoder: Encoder, input_width: int) -> ModelProto | None:
    """From word ``vectors`` ``(batch, longest, width)`` and ``lengths`` to ``states`` and the ``final`` ones.

    None where an encoder does nothing.
    """
    if encoder.layers is None:
        return None
    vectors = torch.linspace(-1, 1, 2 * 5 * input_width).sin().reshape(2, 5, input_width)
    lengths = torch.tensor([3, 5], dtype=torch.int32)
    vectors[0, 3:] = 0
    if isinstance(encoder.layers, BiGRU):
        graph = _bigru(encoder.layers, input_width)
    else:
        graph = optimise(
            _trace(
                _States(encoder).eval(),
                {"vectors": vectors, "lengths": lengths},
                {"states": ("batch", "longest"), "final": ("layers", "batch")},
                ("batch", "longest"),
            )
        )
    with torch.inference_mode():
        states = encoder.eval()(vectors, lengths.long())
    _compare(graph, {"vectors": vectors.numpy(), "lengths": lengths.numpy()}, [states.tokens, states.final])
    return graph


def optimise(graph: ModelProto) -> ModelProto:
    """What ONNX Runtime would make of a graph when it loads it, done once and for all."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.onnx"
        options.optimized_model_filepath = str(path)
        onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
        optimised = onnx.load(path)
    # It names all that this version knows of, which an older one might refuse.
    used = {node.domain for node in optimised.graph.node}
    needed = [opset for opset in optimised.opset_import if opset.domain in used]
    del optimised.opset_import[:]
    optimised.opset_import.extend(needed)
    optimised.ir_version = _IR_VERSION
    return optimised


class _Pieces(nn.Module):
    """An embedder up to the states of pieces."""

    def __init__(self, embedder: TransformerEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor) -> Tensor:
        states = self.embedder.encode_ids(ids, None)
        mixed: Tensor = states.squeeze(2) if self.embedder.mix is None else self.embedder.mix(states)
        return mixed


class _States(nn.Module):
    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, vectors: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        states = self.encoder(vectors, lengths)
        return states.tokens, states.final


def _trace(
    module: nn.Module,
    inputs: dict[str, Tensor],
    outputs: dict[str, tuple[str, ...]],
    axes: tuple[str, ...],
) -> ModelProto:
    """A module as a graph.

    :param outputs: for each the names of its first axes
    :param axes: of the inputs
    """
    names = {name: dict(enumerate(axes[: value.ndim])) for name, value in inputs.items()}
    names |= {name: dict(enumerate(own)) for name, own in outputs.items()}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), torch.no_grad(), _quiet():
        warnings.simplefilter("ignore")  # of tracing, which is meant; what is traced is compared
        path = Path(folder) / "graph.onnx"
        torch.onnx.export(
            module,
            tuple(inputs.values()),
            path,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=names,
            opset_version=OPSET,
            dynamo=False,
        )
        return onnx.load(path)


def _bigru(layers: BiGRU, input_width: int) -> ModelProto:
    """One operator a layer, which honours lengths: padding is never read, and zeros are written for it."""
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {}

    def add(kind: str, inputs: Sequence[str], outputs: Sequence[str], **settings: Any) -> None:
        nodes.append(helper.make_node(kind, inputs, outputs, **settings))

    def merge(both: str, merged: str, shape: str) -> None:
        """Directions, which are the last axis but one, into the last axis or into their sum."""
        if layers.is_sum:
            add("ReduceSum", [both, "directions"], [merged], keepdims=0)
        else:
            add("Reshape", [both, shape], [merged])

    both_ways: Any = zip(layers.layers.rightward, layers.layers.leftward, strict=True)
    pairs: list[tuple[nn.GRU, nn.GRU]] = list(both_ways)
    width = pairs[0][0].hidden_size
    add("Transpose", ["vectors"], ["inputs_0"], perm=[1, 0, 2])
    finals = []
    for number, pair in enumerate(pairs):
        weights = [f"{name}_{number}" for name in ("input_weights", "state_weights", "biases")]
        constants |= zip(weights, map(np.stack, zip(*map(_gru_weights, pair), strict=True)), strict=True)
        add(
            "GRU",
            [f"inputs_{number}", *weights, "lengths"],
            [f"read_{number}", f"ends_{number}"],  # (longest, 2, batch, width), (2, batch, width)
            direction="bidirectional",
            hidden_size=width,
            linear_before_reset=1,
        )
        if number + 1 < len(pairs):
            add("Transpose", [f"read_{number}"], [f"both_{number}"], perm=[0, 2, 1, 3])
            add("Reshape", [f"both_{number}", "side_by_side"], [f"inputs_{number + 1}"])
        add("Transpose", [f"ends_{number}"], [f"both_ends_{number}"], perm=[1, 0, 2])
        merge(f"both_ends_{number}", f"end_{number}", "flat")
        add("Unsqueeze", [f"end_{number}", "first"], [f"final_{number}"])
        finals.append(f"final_{number}")
    add("Transpose", [f"read_{len(pairs) - 1}"], ["both"], perm=[2, 0, 1, 3])
    merge("both", "states", "side_by_side")
    add("Concat", finals, ["final"], axis=0)
    constants["side_by_side"] = np.array([0, 0, -1])
    constants["flat"] = np.array([0, -1])
    constants["directions"] = np.array([-2])
    constants["first"] = np.array([0])
    used = {name for node in nodes for name in node.input}
    state_width = width * (1 if layers.is_sum else 2)
    graph = helper.make_graph(
        nodes,
        "states",
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", "longest", input_width]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
        ],
        [
            helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "longest", state_width]),
            helper.make_tensor_value_info("final", TensorProto.FLOAT, [len(pairs), "batch", state_width]),
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items() if name in used],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return model


def _gru_weights(gru: nn.GRU) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of one direction, gates in ONNX's order: update, reset, new."""

    def reorder(tensor: Tensor) -> np.ndarray:
        reset, update, new = tensor.detach().cpu().numpy().reshape(3, gru.hidden_size, -1)
        return np.concatenate([update, reset, new])

    weights = dict(gru.named_parameters())
    biases = [reorder(weights[f"bias_{kind}_l0"])[:, 0] for kind in ("ih", "hh")]
    return reorder(weights["weight_ih_l0"]), reorder(weights["weight_hh_l0"]), np.concatenate(biases)


def _compare(graph: ModelProto, inputs: dict[str, np.ndarray], expected: Sequence[Tensor]) -> None:
    """Refuse a graph that does not compute what torch does."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    for found, wanted in zip(session.run(None, inputs), expected, strict=True):
        if found.shape != wanted.shape or not np.allclose(found, wanted.numpy(), atol=_TOLERANCE, rtol=0.01):
            raise ModelError(
                "this encoder cannot be exported: its graph does not compute what torch does; "
                "evaluate the model as it is, which needs torch"
            )


@contextmanager
def _attention_in_steps(encoder: Any) -> Iterator[None]:
    """The form of attention that fusions know, for as long as it takes to trace it."""
    before = encoder.config._attn_implementation
    encoder.set_attn_implementation("eager")
    try:
        yield
    finally:
        encoder.set_attn_implementation(before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what exporters and optimisers log about their own insides."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
