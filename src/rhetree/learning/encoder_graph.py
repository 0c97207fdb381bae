"""A pretrained encoder as a graph, with the operators that ONNX Runtime is fastest at."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from onnx import ModelProto
from torch import Tensor, nn

from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.graphs import compare, optimise, quiet, trace


def encoder_graph(embedder: TransformerEmbedder) -> ModelProto:
    """From ``ids`` of pieces ``(rows, length)``, without padding, to ``states`` ``(rows, length, width)``.

    Attention, normalisation and activation are single operators where the encoder is of a known make.
    """
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    pieces = _Pieces(embedder).eval()
    inputs = {"ids": torch.arange(14).reshape(2, 7) % embedder.pieces.n_pieces}
    with _attention_in_steps(embedder.encoder):
        traced = trace(pieces, inputs, ["states"], ("rows", "length"))
    config: Any = embedder.encoder.config
    options = FusionOptions("bert")
    # Projections stay products with a matrix, which can be quantised; tables of words too.
    options.use_multi_head_attention = True
    options.enable_embed_layer_norm = False
    with quiet():
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
        compare(graph, inputs, {"states": pieces(**inputs)})
    return graph


class _Pieces(nn.Module):
    """An embedder up to the states of pieces."""

    def __init__(self, embedder: TransformerEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor) -> Tensor:
        states = self.embedder.encode_ids(ids, None)
        mixed: Tensor = states.squeeze(2) if self.embedder.mix is None else self.embedder.mix(states)
        return mixed


@contextmanager
def _attention_in_steps(encoder: Any) -> Iterator[None]:
    """The form of attention that fusions know, for as long as it takes to trace it."""
    before = encoder.config._attn_implementation
    encoder.set_attn_implementation("eager")
    try:
        yield
    finally:
        encoder.set_attn_implementation(before)
