"""From a trained document network to a model directory that runs without torch (``runtime.document_model``)."""

from copy import deepcopy
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import onnx
import torch
from onnx import ModelProto
from safetensors.torch import save_file
from torch import Tensor, nn

from rhetree.learning.documents.loading import load_network
from rhetree.learning.documents.network import DocumentNetwork, PairScorer
from rhetree.learning.documents.recipe import DocumentRecipe
from rhetree.learning.export.bigru_operator import BiGruOperator
from rhetree.learning.export.graphs import trace
from rhetree.learning.export.precision import Precision, halve
from rhetree.learning.model import new_directory, write_config, write_weights
from rhetree.learning.training.settings import as_dict
from rhetree.runtime import document_model as runtime
from rhetree.runtime.document_units import N_FLAGS
from rhetree.runtime.model import FORMAT, LABELS, VERSION

CARD = "MODEL_CARD.md"


def export_documents(
    source: Path,
    target: Path,
    *,
    precision: Precision = "int8",
    weights: bool = False,
    card: str | None = None,
) -> None:
    """Write a model that runs without torch; an existing directory is replaced.

    :param source: the directory of a trained model
    :param precision: number format of the encoder
    :param weights: whether to add the trained weights, so that the model can be trained further
    :param card: the text of its ``MODEL_CARD.md``
    """
    network, recipe, about = load_network(source)
    graphs, scores = document_graphs(network), score_tables(network)
    with new_directory(target) as folder:
        words = network.embedder.export(folder, precision)
        for file, graph in graphs.items():
            onnx.save(graph if precision == "fp32" else halve(graph), folder / file)
        save_file(scores, folder / runtime.SCORES)
        (folder / runtime.SCORES).chmod(0o644)  # safetensors makes files readable by their owner only
        if weights:
            network.embedder.save_assets(folder)
            write_weights(folder, network)
        if card is not None:
            (folder / CARD).write_text(card, encoding="utf-8")
        sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir()) if path.name != CARD}
        own = metadata.version("rhetree")
        version = {"format": FORMAT, "version": VERSION, "rhetree": own, "requires_rhetree": f">={own}"}
        config = {
            **version,
            **{key: value for key, value in about.items() if key not in version},
            "labels": network.labels,
            "recipe": as_dict(_without_folders(recipe)),
            "runtime": {
                "precision": precision,
                "onnxruntime": metadata.version("onnxruntime"),
                "words": {**words, "overlap": network.config.overlap},
                "files": sizes,
            },
        }
        write_config(folder, config)
        runtime.load_document_model(folder, threads=1)


def _without_folders(recipe: DocumentRecipe) -> DocumentRecipe:
    """The recipe with names in place of paths, which mean nothing on another machine."""
    embedding = recipe.network.embedding
    teachers = tuple(Path(folder).name for folder in recipe.distillation.teachers)
    texts = tuple(Path(text).name for text in recipe.distillation.texts)
    return replace(
        recipe,
        data=replace(recipe.data, corpus=Path(recipe.data.corpus).name),
        network=replace(recipe.network, embedding=replace(embedding, path=Path(embedding.path).name)),
        train=replace(recipe.train, start=Path(recipe.train.start).name),
        distillation=replace(recipe.distillation, teachers=teachers, texts=texts),
    )


def document_graphs(network: DocumentNetwork) -> dict[str, ModelProto]:
    """All graphs but the encoder's, by their files."""
    return {
        runtime.UNITS: units_graph(network),
        runtime.SPLITS: roles_graph(network.splitter),
        LABELS: roles_graph(network.labeller),
    }


def score_tables(network: DocumentNetwork) -> dict[str, Tensor]:
    """The weights that make scores of what the graphs say, by their names in the file."""
    return {
        f"{name}.{table}": tensor
        for name, scorer in (("split", network.splitter), ("label", network.labeller))
        for table, tensor in scorer.tables().items()
    }


def units_graph(network: DocumentNetwork) -> ModelProto:
    """The graph from ``vectors`` of EDUs ``(n, input width)`` to their ``states`` ``(n, width)``."""
    units = _Units(network)
    width = 3 * network.embedder.width + N_FLAGS
    examples = ({"vectors": torch.arange(float(n * width)).sin().reshape(n, width)} for n in (3, 5))
    example, other = examples
    with torch.inference_mode():
        expected = units(**other)
    units.network.add_module("reader", BiGruOperator(units.network.reader))
    return trace(units, example, other, expected)


def roles_graph(scorer: PairScorer) -> ModelProto:
    """The graph from ``states`` of EDUs to the ``roles`` that they contribute."""
    width = scorer.roles.in_features
    example, other = ({"states": torch.arange(float(n * width)).sin().reshape(n, width)} for n in (2, 3))
    return trace(_Roles(scorer), example, other)


class _Units(nn.Module):
    def __init__(self, network: DocumentNetwork) -> None:
        super().__init__()
        self.network = deepcopy(network).eval()  # a layer of it is replaced

    def forward(self, vectors: Tensor) -> dict[str, Tensor]:
        return {"states": self.network.read(vectors)}


class _Roles(nn.Module):
    def __init__(self, scorer: PairScorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, states: Tensor) -> dict[str, Tensor]:
        return {"roles": self.scorer.roles(states)}
