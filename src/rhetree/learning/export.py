"""From a trained network to a model directory that runs without torch (:mod:`rhetree.runtime.model`).

Encoder, states, decoders and classifier become ONNX graphs, in the precision that is asked for.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import onnx
import torch
from safetensors.torch import save_file
from torch import Tensor

from rhetree.errors import ModelError
from rhetree.learning.embeddings.hugging_face import facts_of
from rhetree.learning.embeddings.random import RandomEmbedder
from rhetree.learning.embeddings.static import StaticEmbedder
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.encoder_graph import encoder_graph
from rhetree.learning.model import Model, load_model, new_directory, write_config, write_weights
from rhetree.learning.network_graphs import labels_graph, states_graph, step_graphs
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.precision import Precision, halve, lower_precision
from rhetree.learning.recipe import Recipe
from rhetree.learning.samples import SAMPLES
from rhetree.learning.settings import as_dict
from rhetree.runtime import model as runtime
from rhetree.runtime.words import FIRST, UNKNOWN

CARD = "MODEL_CARD.md"


def export_model(
    source: Model | Path,
    target: Path,
    *,
    precision: Precision = "int8",
    weights: bool = False,
    card: str | None = None,
) -> None:
    """Write a model so that it runs without torch, in place of a directory that is there.

    :param source: a model, or the directory of one
    :param precision: of the encoder; see :data:`rhetree.learning.precision.PRECISIONS`
    :param weights: keep the weights as trained too, so that the model can be trained further
    :param card: the text of its ``MODEL_CARD.md``
    """
    model = load_model(source) if isinstance(source, Path) else source
    network = model.network.eval()
    _check_exportable(network, source)
    with new_directory(target) as folder:
        words = _write_words(folder, network, precision)
        for name, graph in _graphs(network).items():
            # Half precision is enough to store weights wherever the encoder is coarser.
            onnx.save(graph if precision == "fp32" else halve(graph), folder / name)
        if weights:
            network.embedder.save_assets(folder)
            write_weights(folder, network)
        if card is not None:
            (folder / CARD).write_text(card, encoding="utf-8")
        sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
        settings = {
            "precision": precision,
            "onnxruntime": metadata.version("onnxruntime"),
            "words": words,
            **_decoder_settings(network),
            # People may add to the card.
            "files": {name: size for name, size in sizes.items() if name != CARD},
        }
        write_config(folder, _config(model, settings))
        runtime.load_runtime(folder, threads=1)


def _check_exportable(network: DiscourseNetwork, source: Model | Path) -> None:
    name = f"{source}: " if isinstance(source, Path) else ""
    if isinstance(network.segmenter, CrfTagger):
        raise ModelError(f"{name}a CRF tagger has no exported form; evaluate the model as it is, with torch")
    if not isinstance(network.embedder, TransformerEmbedder | StaticEmbedder | RandomEmbedder):
        kind = network.config.embedding.kind
        raise ModelError(
            f"{name}{kind} embeddings have no exported form; evaluate the model as it is, with torch"
        )


def _write_words(folder: Path, network: DiscourseNetwork, precision: Precision) -> dict[str, Any]:
    """Write what turns words into vectors, and say how it is used."""
    embedder = network.embedder
    if isinstance(embedder, StaticEmbedder | RandomEmbedder):
        words = json.dumps(embedder.vocabulary.words, ensure_ascii=False)
        (folder / runtime.WORDS).write_text(words, encoding="utf-8")
        kind = torch.float32 if precision == "fp32" else torch.float16
        path = folder / runtime.VECTORS
        save_file({runtime.TABLE: _table(embedder).detach().cpu().to(kind).contiguous()}, path)
        path.chmod(0o644)  # safetensors writes for the owner alone
        return {"kind": "table", "lower_case": isinstance(embedder, RandomEmbedder) and embedder.lower_case}
    if not isinstance(embedder, TransformerEmbedder):
        raise TypeError(f"not an embedder that can be exported: {type(embedder)}")
    samples = [embedder.pieces.batch([sentence]).ids[:1] for sentence in SAMPLES]
    onnx.save(lower_precision(encoder_graph(embedder), precision, samples), folder / runtime.ENCODER)
    (folder / runtime.TOKENIZER).write_text(embedder.tokenizer, encoding="utf-8")
    facts = facts_of(embedder.encoder)
    return {
        "kind": "pieces",
        "pad_id": facts.pad_id,
        "window": min(embedder.config.window, facts.max_length),
        "max_pieces": embedder.config.max_pieces,
        "piece": embedder.config.piece,
    }


def _graphs(network: DiscourseNetwork) -> dict[str, onnx.ModelProto]:
    """All graphs but the encoder's, by their files."""
    files = {"segmenter": runtime.SEGMENTER, "parser": runtime.PARSER}
    graphs = {files[name]: graph for name, graph in step_graphs(network).items()}
    if network.classifier is not None:
        graphs[runtime.LABELS] = labels_graph(network.classifier)
    return {runtime.STATES: states_graph(network), **graphs}


def _table(embedder: StaticEmbedder | RandomEmbedder) -> Tensor:
    """One vector a row: none, unknown, then the words in the order of the vocabulary."""
    if isinstance(embedder, RandomEmbedder):
        return embedder.vectors.weight
    table = torch.zeros(len(embedder.vocabulary), embedder.width)
    table[UNKNOWN] = embedder.unknown.detach()
    if embedder.trained is not None:
        table[FIRST : FIRST + embedder.n_trained] = embedder.trained.detach()
    table[FIRST + embedder.n_trained :] = embedder.table[FIRST:]
    return table


def _decoder_settings(network: DiscourseNetwork) -> dict[str, Any]:
    config = network.config
    segmenter, parser = config.segmenter, config.parser
    return {
        "segmenter": None
        if network.segmenter is None
        else {"layers": segmenter.layers, "boundary": segmenter.boundary, "input": segmenter.input},
        "parser": None
        if network.parser is None
        else {
            "layers": parser.layers,
            "boundary": parser.boundary,
            "span": parser.span,
            "partial_tree": parser.partial_tree,
        },
    }


def _config(model: Model, settings: Mapping[str, Any]) -> dict[str, Any]:
    about = {"format": runtime.FORMAT, "version": runtime.VERSION, "rhetree": metadata.version("rhetree")}
    return {
        **about,
        **{key: value for key, value in model.about.items() if key not in about},
        "labels": model.network.labels,
        "recipe": as_dict(_without_folders(model.recipe)),
        "runtime": settings,
    }


def _without_folders(recipe: Recipe) -> Recipe:
    """Where the data and the encoder were says nothing elsewhere; their names do."""
    embedding = recipe.network.embedding
    network = replace(
        recipe.network, embedding=replace(embedding, path=embedding.path and embedding.folder.name)
    )
    data = replace(recipe.data, corpus=Path(recipe.data.corpus).name)
    return replace(recipe, data=data, network=network)
