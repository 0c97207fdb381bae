"""A pretrained encoder as a graph, with the operators that ONNX Runtime is fastest at.

Encoders of BERT's make are put together by hand, with attention as one operator; others are traced.
"""

from typing import Any

import numpy as np
import torch
from onnx import ModelProto, TensorProto
from torch import Tensor, nn

from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.graphs import Graph, compare, optimise, trace


def encoder_graph(embedder: TransformerEmbedder) -> ModelProto:
    """From ``ids`` of pieces ``(rows, length)``, without padding, to ``states`` ``(rows, length, width)``."""
    pieces = _Pieces(embedder).eval()
    inputs = {"ids": torch.arange(14).reshape(2, 7) % embedder.pieces.n_pieces}
    if _is_bert(embedder.encoder.config):
        graph = _bert(embedder)
    else:
        graph = optimise(trace(pieces, inputs, ["states"], ("rows", "length")))
    with torch.inference_mode():
        compare(graph, inputs, {"states": pieces(**inputs)})
    return graph


class _Pieces(nn.Module):
    """An embedder up to the states of pieces."""

    def __init__(self, embedder: TransformerEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor) -> Tensor:
        states = self.embedder.as_kept(self.embedder.encode_ids(ids, None))
        mixed: Tensor = states.squeeze(2) if self.embedder.mix is None else self.embedder.mix(states)
        return mixed


def _is_bert(config: Any) -> bool:
    return bool(
        config.model_type == "bert"
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") == "absolute"
    )


def _bert(embedder: TransformerEmbedder) -> ModelProto:
    """Devlin et al. (2019), each normalisation after its sublayer."""
    encoder: Any = embedder.encoder
    config = encoder.config
    graph = Graph({"ids": (np.int64, ["rows", "length"])})

    def normalise(values: str, layer: nn.LayerNorm) -> str:
        weights = (graph.constant(layer.weight), graph.constant(layer.bias))
        return graph.add("LayerNormalization", values, *weights, axis=-1, epsilon=layer.eps)

    tables = encoder.embeddings
    length = graph.add("Shape", "ids", start=1)
    # Each piece is of the first of two texts; that is a part of where it stands.
    places = graph.constant(tables.position_embeddings.weight + tables.token_type_embeddings.weight[0])
    zero = graph.constant([0])
    own_places = graph.add("Slice", places, zero, length, zero)
    pieces = graph.add("Gather", graph.constant(tables.word_embeddings.weight), "ids", axis=0)
    states = normalise(graph.add("Add", pieces, own_places), tables.LayerNorm)
    layers = [states]
    for layer in encoder.encoder.layer:
        attention = layer.attention.self
        projections = (attention.query, attention.key, attention.value)
        products = [graph.add("MatMul", states, graph.constant(one.weight.T)) for one in projections]
        context = graph.add(
            "MultiHeadAttention",
            *products,
            graph.constant(torch.cat([one.bias for one in projections])),
            num_heads=config.num_attention_heads,
            domain="com.microsoft",
        )
        output = layer.attention.output
        states = normalise(graph.add("Add", graph.linear(context, output.dense), states), output.LayerNorm)
        inner = graph.add("MatMul", states, graph.constant(layer.intermediate.dense.weight.T))
        bias = graph.constant(layer.intermediate.dense.bias)
        active = graph.add("BiasGelu", inner, bias, domain="com.microsoft")
        output = layer.output
        states = normalise(graph.add("Add", graph.linear(active, output.dense), states), output.LayerNorm)
        layers.append(states)
    if embedder.config.rounds_features:
        half = [graph.add("Cast", one, to=TensorProto.FLOAT16) for one in layers]
        layers = [graph.add("Cast", one, to=TensorProto.FLOAT) for one in half]
    if embedder.mix is None:
        graph.add("Identity", layers[-1], name="states")
    else:
        shares = embedder.mix.gamma * embedder.mix.scalars.softmax(dim=0)
        weighted = [
            graph.add("Mul", one, graph.constant(share)) for one, share in zip(layers, shares, strict=True)
        ]
        graph.add("Sum", *weighted, name="states")
    return graph.finish({"states": ["rows", "length", embedder.width]})
