"""From an exported model back to a network that can be trained, for models without ``weights.safetensors``.

Nobody writes down where the exporter puts a weight: it transposes, reorders and joins them. So a network of the
same settings is exported whose weights are numbers that name them, which shows where each of them goes, and the
model's own graphs have the weights at the same places.
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from rhetree.errors import ModelError
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.hugging_face import build_encoder
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.export.encoder_graph import encoder_graph
from rhetree.learning.export.full_precision import full_constants
from rhetree.learning.export.network_graphs import network_graphs
from rhetree.learning.model import WEIGHTS, Model, load_model, load_recipe
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.runtime.model import CONFIG, ENCODER, TOKENIZER, read_config
from rhetree.runtime.model_files import check_sizes, read_text

Graphs: TypeAlias = Mapping[str, onnx.ModelProto]
Constants: TypeAlias = Mapping[str, Mapping[str, NDArray[np.float32]]]

_ADVICE = "start from the folder of a training run, or from a model that was exported with --weights"
_BASE = 2**14
_PRIMES = (16381, 16369)
"""Two remainders name a weight among as many weights as their product."""
_FOLDED = "embedder.encoder.embeddings.token_type_embeddings.weight"
"""BERT's embedding of segments: an exported graph has it in the embeddings of positions."""


def load_trainable(folder: Path) -> Model:
    """The model in a directory as it was trained, or restored from its graphs if its weights are not there."""
    return load_model(folder) if (folder / WEIGHTS).exists() else restore_model(folder)


def restore_model(folder: Path) -> Model:
    """A network with the weights of an exported model's graphs, ready to predict or to be trained."""
    config = read_config(folder)
    recipe = load_recipe(folder)
    graphs = read_graphs(folder, config)
    embedder = restore_embedder(folder, config, recipe.network.embedding, graphs)
    try:
        network = DiscourseNetwork(recipe.network, embedder, config["labels"])
    except ValueError as error:
        raise misfit(folder, error) from error
    fill(network, constants_of(graphs, folder), lambda: constants_of(_graphs(network), folder), folder)
    about = {key: value for key, value in config.items() if key not in ("recipe", "labels", "runtime")}
    return Model(network.eval(), recipe, about)


def read_graphs(folder: Path, config: Mapping[str, Any]) -> Graphs:
    """The graphs of an exported model, by their files, if they have the weights of a network with an encoder."""
    if "runtime" not in config:
        raise ModelError(f"{folder}: has neither {WEIGHTS} nor exported graphs; is it complete?")
    if config["runtime"].get("words", {}).get("kind") != "pieces":
        raise ModelError(
            f"{folder}: only the weights of a model with an encoder can be restored from its graphs; {_ADVICE}"
        )
    check_sizes(folder, config["runtime"].get("files"))
    return {path.name: _read_graph(path) for path in sorted(folder.glob("*.onnx"))}


def restore_embedder(
    folder: Path, config: Mapping[str, Any], settings: EmbeddingConfig, graphs: Graphs
) -> TransformerEmbedder:
    """An embedder like that of an exported model, whose weights are still to be filled in."""
    description = _describe_bert(graphs.get(ENCODER), folder / ENCODER, config["runtime"]["words"])
    try:
        return TransformerEmbedder(settings, build_encoder(description), read_text(folder / TOKENIZER))
    except ValueError as error:
        raise misfit(folder, error) from error


def misfit(folder: Path, error: ValueError) -> ModelError:
    """What to raise if the settings of a model and its encoder make no network."""
    return ModelError(f"{folder}: {CONFIG} and {ENCODER} do not fit: {error}")


def _read_graph(path: Path) -> onnx.ModelProto:
    try:
        return onnx.load(path, load_external_data=False)  # a stranger's graph may name any file
    except (OSError, DecodeError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error


def _describe_bert(graph: onnx.ModelProto | None, path: Path, words: Mapping[str, Any]) -> str:
    """The configuration of the encoder, read off its graph, as :func:`build_encoder` takes it."""
    nodes = [] if graph is None else list(graph.graph.node)
    attentions = [node for node in nodes if node.op_type == "MultiHeadAttention"]
    norms = [node for node in nodes if node.op_type == "LayerNormalization"]
    places = [node for node in nodes if node.op_type == "Slice"]
    inner = [node for node in nodes if node.op_type in ("Gelu", "BiasGelu")]
    tables = [node for node in nodes if node.op_type == "Gather"]
    known = attentions and places and tables
    if graph is None or not known or len(inner) != len(attentions) or len(norms) != 2 * len(attentions) + 1:
        raise ModelError(
            f"{path}: not the graph of a BERT encoder as rhetree export writes it, and the weights of no other "
            f"can be restored; {_ADVICE}"
        )
    try:
        shapes = {name: value.shape for name, value in full_constants(graph).items()}
        n_pieces, width = shapes[tables[0].input[0].removesuffix(".whole")]
        feed_forward = max(shape[1] for shape in shapes.values() if len(shape) == 2 and shape[0] == width)
        settings = {
            "model_type": "bert",
            "vocab_size": n_pieces,
            "hidden_size": width,
            "num_hidden_layers": len(attentions),
            "num_attention_heads": _attribute(attentions[0], "num_heads"),
            "intermediate_size": feed_forward,
            "max_position_embeddings": shapes[places[0].input[0]][0],
            "layer_norm_eps": _attribute(norms[0], "epsilon"),
            "pad_token_id": words["pad_id"],
        }
    except (LookupError, TypeError, ValueError, StopIteration) as error:
        raise ModelError(f"{path}: its weights cannot be restored: {error!r:.200}; {_ADVICE}") from error
    return json.dumps(settings)


def _attribute(node: onnx.NodeProto, name: str) -> Any:
    return next(onnx.helper.get_attribute_value(one) for one in node.attribute if one.name == name)


def constants_of(graphs: Graphs, folder: Path) -> Constants:
    """The floating-point constants of graphs, by their files and names."""
    found = {}
    for file, graph in graphs.items():
        try:
            found[file] = full_constants(graph)
        except (LookupError, TypeError, ValueError) as error:
            raise ModelError(f"{folder / file}: its constants cannot be read: {error!r:.200}") from error
    return found


def fill(network: torch.nn.Module, stored: Constants, export: Callable[[], Constants], folder: Path) -> None:
    """Give a network the weights that a model has stored.

    :param stored: the arrays of the model's files
    :param export: makes the same arrays of the network's own weights
    """
    weights = {name: weight for name, weight in network.named_parameters() if name != _FOLDED}
    sizes = [weight.numel() for weight in weights.values()]
    if sum(sizes) > math.prod(_PRIMES):
        raise ModelError(f"{folder}: has too many weights to be restored; {_ADVICE}")
    values = np.full(sum(sizes), np.nan, dtype=np.float32)
    for file, places in _places(network, weights, export).items():
        found = stored.get(file, {})
        for name, numbers in places.items():
            if name not in found or found[name].shape != numbers.shape:
                raise _unlike(folder / file, name)
            there = numbers >= 0
            values[numbers[there]] = found[name][there]
    parts = np.split(values, np.cumsum(sizes)[:-1])
    with torch.no_grad():
        for (name, weight), part in zip(weights.items(), parts, strict=True):
            if np.isnan(part).any():
                raise ModelError(f"{folder}: {name} cannot be restored from the graphs; {_ADVICE}")
            weight.copy_(torch.from_numpy(part).view_as(weight))


def _places(
    network: torch.nn.Module, weights: Mapping[str, torch.nn.Parameter], export: Callable[[], Constants]
) -> dict[str, dict[str, NDArray[np.int64]]]:
    """For each file its arrays, and for each number in an array which weight it is; -1 for none.

    A weight's place among all weights is told by its remainders by two primes, one export for each. Remainders
    become numbers so small that nothing overflows, between 2**-18 and 2**-17, where floating-point numbers are
    exact. By primes, because constants of the same numbers would become one.
    """
    before = {name: weight.detach().clone() for name, weight in weights.items()}
    folded = dict(network.named_parameters()).get(_FOLDED)
    remainders = []
    with torch.no_grad():
        if folded is not None:
            folded.zero_()
        for prime in _PRIMES:
            start = 0
            for weight in weights.values():
                own = torch.arange(start, start + weight.numel()) % prime
                weight.copy_(((own + _BASE) / 2.0**32).view_as(weight))
                start += weight.numel()
            remainders.append(export())
        for name, weight in weights.items():
            weight.copy_(before[name])
    first, second = remainders
    return {
        file: {
            name: numbers
            for name, value in constants.items()
            if name in second[file] and ((numbers := _numbers(value, second[file][name])) >= 0).any()
        }
        for file, constants in first.items()
    }


def _graphs(network: DiscourseNetwork) -> Graphs:
    embedder = network.embedder
    encoder = {ENCODER: encoder_graph(embedder)} if isinstance(embedder, TransformerEmbedder) else {}
    return encoder | network_graphs(network)


def _numbers(*remainders: NDArray[np.float32]) -> NDArray[np.int64]:
    """The numbers with these remainders, by the Chinese remainder theorem; -1 where there are none."""
    first, second = (np.asarray(one, dtype=np.float64) * 2.0**32 - _BASE for one in remainders)
    known = (first == np.rint(first)) & (second == np.rint(second))
    known &= (first >= 0) & (first < _PRIMES[0]) & (second >= 0) & (second < _PRIMES[1])
    r, s = (np.where(known, one, 0).astype(np.int64) for one in (first, second))
    numbers = r + _PRIMES[0] * ((s - r) * pow(_PRIMES[0], -1, _PRIMES[1]) % _PRIMES[1])
    return np.where(known, numbers, -1)


def _unlike(path: Path, name: str) -> ModelError:
    return ModelError(
        f"{path}: has no {name} as this version of Rhetree, torch and ONNX Runtime would export it, so its weights "
        f"cannot be restored; {_ADVICE}"
    )
