"""What stands on the word vectors as graphs: the states of a sentence, a decoder's step, and labels.

What is left to :mod:`rhetree.runtime.onnx_network` is to look up spans and to compare a decoder's
query with the places it may point to.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto
from torch import Tensor, nn

from rhetree.learning.graphs import Graph, compare, trace
from rhetree.learning.networks.classifier import Biaffine, LabelClassifier
from rhetree.learning.networks.decoder import Decoder
from rhetree.learning.networks.encoder import BiGRU, Encoder, SelfAttention, States
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.networks.pointer import Pointer
from rhetree.learning.networks.segmenter import PointerSegmenter


def states_graph(network: DiscourseNetwork) -> ModelProto:
    """From word vectors to all that decoders begin with.

    Inputs are ``vectors`` ``(batch, longest, width)`` and ``lengths``; outputs ``states`` ``(batch,
    longest, width)``, for each decoder ``…_hidden`` ``(layers, batch, width)``, and ``…_keys`` ``(batch,
    longest, width)`` where its pointer makes something of the states first.
    """
    encoder, width = network.encoder, network.embedder.width
    graph = Graph({"vectors": (np.float32, ["batch", "longest", width]), "lengths": (np.int64, ["batch"])})
    example = _example(width)
    if isinstance(encoder.layers, BiGRU):
        _bigru(graph, encoder.layers)
    elif isinstance(encoder.layers, SelfAttention):
        graph.include(trace(_Traced(encoder), example, ["states", "final"], ("batch", "longest")))
    else:
        _mean(graph)
    with torch.inference_mode():
        states: States = encoder.eval()(**example)
    outputs: dict[str, Sequence[str | int]] = {"states": ["batch", "longest", encoder.width]}
    expected = {"states": states.tokens}
    for name, decoder, pointer in _decoders(network):
        _start(graph, decoder, f"{name}_hidden")
        outputs[f"{name}_hidden"] = [decoder.layers, "batch", decoder.width]
        if pointer.key is not None:
            _keys(graph, pointer, f"{name}_keys")
            outputs[f"{name}_keys"] = ["batch", "longest", pointer.key.out_features]
        with torch.inference_mode():
            expected[f"{name}_hidden"] = decoder.start(states.final)
            if pointer.key is not None:
                expected[f"{name}_keys"] = pointer.prepare(states.tokens)
    model = graph.finish(outputs)
    compare(model, example, expected)
    return model


def step_graphs(network: DiscourseNetwork) -> dict[str, ModelProto]:
    """For each decoder a graph from its ``inputs`` ``(k, width)`` and ``hidden`` state to the one after.

    Outputs are ``after`` ``(layers, k, width)``, ``queries`` ``(k, width)`` for the pointer, and for an
    additive one its ``score`` ``(width,)``.
    """
    return {name: _step(decoder, pointer) for name, decoder, pointer in _decoders(network)}


def labels_graph(classifier: LabelClassifier) -> ModelProto:
    """From vectors of the ``left`` and the ``right`` parts of splits ``(splits, width)`` to ``log_probs``."""
    width = classifier.label.left.in_features
    graph = Graph({side: (np.float32, ["splits", width]) for side in ("left", "right")})
    if classifier.nuclearity is None:
        _biaffine(graph, classifier.label, "log_probs")
    else:
        relations = graph.add("Unsqueeze", _biaffine(graph, classifier.label), graph.constant([2]))
        nuclearities = graph.add("Unsqueeze", _biaffine(graph, classifier.nuclearity), graph.constant([1]))
        # In the order of the labels: nuclearities vary faster.
        both = graph.add("Add", relations, nuclearities)
        graph.add("Flatten", both, name="log_probs")
    model = graph.finish({"log_probs": ["splits", len(classifier.labels)]})
    example = {side: _wave(3, width) * sign for side, sign in (("left", 1), ("right", -2))}
    with torch.inference_mode():
        compare(model, example, {"log_probs": classifier.eval()(**example)})
    return model


def _decoders(network: DiscourseNetwork) -> list[tuple[str, Decoder, Pointer]]:
    found = []
    if isinstance(network.segmenter, PointerSegmenter):
        found.append(("segmenter", network.segmenter.decoder, network.segmenter.pointer))
    if network.parser is not None:
        found.append(("parser", network.parser.decoder, network.parser.pointer))
    return found


class _Traced(nn.Module):
    """Tensors out, where an encoder gives an object."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, vectors: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        states = self.encoder(vectors, lengths)
        return states.tokens, states.final


def _bigru(graph: Graph, layers: BiGRU) -> None:
    """One operator a layer, which honours lengths: padding is never read, and zeros are written for it."""
    lengths = graph.add("Cast", "lengths", to=TensorProto.INT32)
    directions, side_by_side, flat = map(graph.constant, ([-2], [0, 0, -1], [0, -1]))

    def merge(both: str, shape: str, name: str = "") -> str:
        """Directions, the last axis but one, as one vector or as their sum."""
        if layers.is_sum:
            return graph.add("ReduceSum", both, directions, name=name, keepdims=0)
        return graph.add("Reshape", both, shape, name=name)

    inputs = graph.add("Transpose", "vectors", perm=[1, 0, 2])
    finals, read = [], ""
    for number, pair in enumerate(_pairs(layers)):
        if number:
            inputs = graph.add("Reshape", graph.add("Transpose", read, perm=[0, 2, 1, 3]), side_by_side)
        weights = (np.stack(both) for both in zip(*map(_gru_weights, pair), strict=True))
        read, ends = graph.add_many(  # (longest, 2, batch, width), (2, batch, width)
            "GRU",
            inputs,
            *map(graph.constant, weights),
            lengths,
            names=[f"read_{number}", f"ends_{number}"],
            direction="bidirectional",
            hidden_size=pair[0].hidden_size,
            linear_before_reset=1,
        )
        final = merge(graph.add("Transpose", ends, perm=[1, 0, 2]), flat)
        finals.append(graph.add("Unsqueeze", final, graph.constant([0])))
    merge(graph.add("Transpose", read, perm=[2, 0, 1, 3]), side_by_side, name="states")
    graph.add("Concat", *finals, name="final", axis=0)


def _mean(graph: Graph) -> None:
    """Where nothing stands between word vectors and states; a sentence's state is their mean."""
    graph.add("Identity", "vectors", name="states")
    total = graph.add("ReduceSum", "vectors", graph.constant([1]), keepdims=0)
    lengths = graph.add("Unsqueeze", graph.add("Cast", "lengths", to=TensorProto.FLOAT), graph.constant([1]))
    graph.add("Unsqueeze", graph.add("Div", total, lengths), graph.constant([0]), name="final")


def _start(graph: Graph, decoder: Decoder, name: str) -> None:
    """The state before the first step, from ``final``."""
    if decoder.project is None:
        graph.add("Identity", "final", name=name)
        return
    last = graph.add("Gather", "final", graph.constant(np.array(-1)), axis=0)
    projected = graph.add("Tanh", graph.linear(last, decoder.project))
    by_layer = graph.add("Reshape", projected, graph.constant([-1, decoder.layers, decoder.width]))
    graph.add("Transpose", by_layer, name=name, perm=[1, 0, 2])


def _keys(graph: Graph, pointer: Pointer, name: str) -> None:
    """What an additive pointer makes of ``states``."""
    if pointer.key is None:
        raise ValueError("this pointer takes states as they are")
    states = "states"
    if pointer.sees_both_sides:
        moved = graph.add("Pad", states, graph.constant([0, -1, 0, 0, 1, 0]))
        states = graph.add("Concat", states, moved, axis=2)
    product = graph.linear(states, pointer.key)
    graph.add("Identity", product, name=name)


def _step(decoder: Decoder, pointer: Pointer) -> ModelProto:
    width, input_width = decoder.width, decoder.gru.input_size
    graph = Graph(
        {"inputs": (np.float32, ["k", input_width]), "hidden": (np.float32, [decoder.layers, "k", width])}
    )
    first = graph.constant([0])
    inputs = graph.add("Unsqueeze", "inputs", first)  # one step
    after = []
    for number in range(decoder.layers):
        weights = (array[None] for array in _gru_weights(decoder.gru, number))
        before = graph.add("Gather", "hidden", graph.constant([number]), axis=0)
        _, inputs = graph.add_many(
            "GRU",
            inputs,
            *map(graph.constant, weights),
            "",
            before,
            names=["", f"after_{number}"],
            hidden_size=width,
            linear_before_reset=1,
        )
        after.append(inputs)
    graph.add("Concat", *after, name="after", axis=0)
    state = graph.add("Squeeze", inputs, first)
    queries = state if pointer.query is None else graph.linear(state, pointer.query)
    graph.add("Identity", queries, name="queries")
    query_width = width if pointer.query is None else pointer.query.out_features
    outputs: dict[str, Sequence[str | int]] = {
        "after": [decoder.layers, "k", width],
        "queries": ["k", query_width],
    }
    if pointer.score is not None:
        graph.add("Identity", graph.constant(pointer.score.weight[0]), name="score")
        outputs["score"] = [query_width]
    model = graph.finish(outputs)
    example = {"inputs": _wave(3, input_width), "hidden": _wave(decoder.layers, 3, width)}
    with torch.inference_mode():
        states, hidden = decoder.eval()(example["inputs"].unsqueeze(1), example["hidden"])
        expected = {"after": hidden, "queries": states[:, 0]}
        if pointer.query is not None:
            expected["queries"] = pointer.query(states[:, 0])
    compare(model, example, expected)
    return model


def _biaffine(graph: Graph, layer: Biaffine, name: str = "") -> str:
    """The paper's equations 3 and 4: log-probabilities of classes, ``(splits, classes)``."""
    width, n_classes, _ = layer.both.shape
    left = graph.add("Elu", graph.linear("left", layer.left))
    right = graph.add("Elu", graph.linear("right", layer.right))
    related = graph.add("MatMul", left, graph.constant(layer.both.flatten(1)))
    related = graph.add("Reshape", related, graph.constant([-1, n_classes, width]))
    column = graph.add("Unsqueeze", right, graph.constant([2]))
    scores = graph.add("Squeeze", graph.add("MatMul", related, column), graph.constant([2]))
    alone = graph.add("Add", graph.linear(left, layer.left_alone), graph.linear(right, layer.right_alone))
    return graph.add("LogSoftmax", graph.add("Add", scores, alone), name=name, axis=1)


def _pairs(layers: BiGRU) -> list[tuple[nn.GRU, nn.GRU]]:
    both: Any = zip(layers.layers.rightward, layers.layers.leftward, strict=True)
    return list(both)


def _gru_weights(gru: nn.GRU, layer: int = 0) -> tuple[NDArray[np.float32], ...]:
    """For the input, for the state before, and biases of both; gates in ONNX's order: update, reset, new."""
    weights = dict(gru.named_parameters())

    def reorder(name: str) -> NDArray[np.float32]:
        gates = weights[f"{name}_l{layer}"].detach().cpu().numpy()
        reset, update, new = gates.reshape(3, gru.hidden_size, *gates.shape[1:])
        return np.concatenate([update, reset, new])

    biases = np.concatenate([reorder("bias_ih"), reorder("bias_hh")])
    return reorder("weight_ih"), reorder("weight_hh"), biases


def _example(width: int) -> dict[str, Tensor]:
    """Two sentences, one shorter than the other."""
    vectors = _wave(2, 5, width)
    vectors[0, 3:] = 0
    return {"vectors": vectors, "lengths": torch.tensor([3, 5])}


def _wave(*shape: int) -> Tensor:
    """Numbers to try a graph with."""
    return torch.arange(float(np.prod(shape))).sin().reshape(shape)
