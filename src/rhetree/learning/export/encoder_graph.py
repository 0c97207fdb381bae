"""The graph of a pretrained encoder, with the operators that ONNX Runtime is fastest at.

BERT's graph is written by hand, with attention as one operator; torch's exporter makes the others.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import ModelProto, TensorProto
from torch import Tensor, nn

from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.export.graphs import Graph, compare, trace
from rhetree.learning.export.precision import Precision, lower_precision
from rhetree.learning.export.samples import SAMPLES


def write_encoder(embedder: TransformerEmbedder, path: Path, precision: Precision) -> None:
    """Write the encoder's graph in this precision."""
    samples = [embedder.pieces.batch([sentence]).ids[:1] for sentence in SAMPLES]
    onnx.save(lower_precision(encoder_graph(embedder), precision, samples), path)


def encoder_graph(embedder: TransformerEmbedder) -> ModelProto:
    """The graph from ``ids`` of pieces ``(rows, length)``, without padding, to ``states`` ``(rows, length, width)``."""
    pieces = _Pieces(embedder).eval()
    example, other = (
        {"ids": torch.arange(rows * length).reshape(rows, length) % embedder.pieces.n_pieces}
        for rows, length in ((2, 5), (3, 7))
    )
    if not _is_bert(embedder.encoder.config):
        return trace(pieces, example, other)
    graph = _bert(embedder)
    with torch.inference_mode():
        compare(graph, other, pieces(**other))
    return graph


class _Pieces(nn.Module):
    """The part of an embedder that computes the states of pieces."""

    def __init__(self, embedder: TransformerEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        states = self.embedder.as_kept(self.embedder.encode_ids(ids, None))
        return {"states": states.squeeze(2) if self.embedder.mix is None else self.embedder.mix(states)}


def _is_bert(config: Any) -> bool:
    return bool(
        config.model_type == "bert"
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") == "absolute"
    )


def _bert(embedder: TransformerEmbedder) -> ModelProto:
    """The encoder of Devlin et al. (2019), with each normalisation after its sublayer."""
    encoder: Any = embedder.encoder
    config = encoder.config
    graph = Graph({"ids": (np.int64, ["rows", "length"])})

    def normalise(values: str, layer: nn.LayerNorm) -> str:
        weights = (graph.constant(layer.weight), graph.constant(layer.bias))
        return graph.add("LayerNormalization", values, *weights, axis=-1, epsilon=layer.eps)

    tables = encoder.embeddings
    length = graph.add("Shape", "ids", start=1)
    # All pieces belong to the first of BERT's two segments, so its embedding is added to the positions.
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
        shares = embedder.mix.weights()
        weighted = [
            graph.add("Mul", one, graph.constant(share)) for one, share in zip(layers, shares, strict=True)
        ]
        graph.add("Sum", *weighted, name="states")
    return graph.finish({"states": ["rows", "length", embedder.width]})
