"""From a trained network to a model directory that runs without torch (:mod:`rhetree.runtime.model`).

Encoder, states, decoders and classifier become ONNX graphs, in the precision that is asked for.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import onnx

from rhetree.errors import ModelError
from rhetree.learning.export.network_graphs import network_graphs
from rhetree.learning.export.precision import Precision, halve
from rhetree.learning.model import Model, load_model, new_directory, write_config, write_weights
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.training.recipe import Recipe
from rhetree.learning.training.settings import as_dict
from rhetree.runtime import model as runtime
from rhetree.runtime.document_model import is_document_model
from rhetree.runtime.identity import HASHES, file_hash

CARD = "MODEL_CARD.md"


def export_model(
    source: Model | Path,
    target: Path,
    *,
    precision: Precision = "int8",
    weights: bool = False,
    card: str | None = None,
) -> None:
    """Write a model that runs without torch; an existing directory is replaced.

    :param source: a model, or the directory of one
    :param precision: number format of the encoder; see :data:`rhetree.learning.export.precision.PRECISIONS`
    :param weights: whether to add the trained weights, so that the model can be trained further
    :param card: the text of its ``MODEL_CARD.md``
    """
    if isinstance(source, Path) and is_document_model(source):
        from rhetree.learning.documents.export import export_documents

        export_documents(source, target, precision=precision, weights=weights, card=card)
        return
    model = load_model(source) if isinstance(source, Path) else source
    network = model.network.eval()
    name = f"{source}: " if isinstance(source, Path) else ""
    if isinstance(network.segmenter, CrfTagger):
        raise ModelError(
            f"{name}a CRF tagger has no exported form; rhetree parse and evaluate run the model as it is, with torch"
        )
    with new_directory(target) as folder:
        words = _export_words(folder, network, precision, name)
        for file, graph in network_graphs(network).items():
            # Half precision is enough to store weights wherever the encoder is coarser.
            onnx.save(graph if precision == "fp32" else halve(graph), folder / file)
        if weights:
            network.embedder.save_assets(folder)
            write_weights(folder, network)
        if card is not None:
            (folder / CARD).write_text(card, encoding="utf-8")
        # People may add to the card.
        files = [path for path in sorted(folder.iterdir()) if path.name != CARD]
        settings = {
            "precision": precision,
            "onnxruntime": metadata.version("onnxruntime"),
            "words": words,
            "segmenter": None if network.segmenter is None else network.segmenter.settings(),
            "parser": _parser_settings(network),
            "files": {path.name: path.stat().st_size for path in files},
            HASHES: {path.name: file_hash(path).hex() for path in files},
        }
        write_config(folder, _config(model, settings))
        runtime.load_runtime(folder, threads=1)


def _export_words(
    folder: Path, network: DiscourseNetwork, precision: Precision, source: str
) -> dict[str, Any]:
    try:
        return network.embedder.export(folder, precision)
    except NotImplementedError as error:
        kind = network.config.embedding.kind
        raise ModelError(
            f"{source}{kind} embeddings have no exported form; rhetree parse and evaluate run the model as it is, with torch"
        ) from error


def _parser_settings(network: DiscourseNetwork) -> dict[str, Any] | None:
    parser, classifier = network.parser, network.classifier
    if parser is None or classifier is None:
        return None
    own = {} if classifier.spans.kind == parser.represent.kind else {"label_span": classifier.spans.kind}
    return {**parser.settings(), **own}


def _config(model: Model, settings: Mapping[str, Any]) -> dict[str, Any]:
    own = metadata.version("rhetree")
    about = {
        "format": runtime.FORMAT,
        "version": runtime.VERSION,
        "rhetree": own,
        "requires_rhetree": f">={own}",
    }
    return {
        **about,
        **{key: value for key, value in model.about.items() if key not in about},
        "labels": model.network.labels,
        "recipe": as_dict(_without_folders(model.recipe)),
        "runtime": settings,
    }


def _without_folders(recipe: Recipe) -> Recipe:
    """The recipe with names in place of paths, which mean nothing on another machine."""
    embedding = recipe.network.embedding
    network = replace(
        recipe.network, embedding=replace(embedding, path=embedding.path and embedding.folder.name)
    )
    data = replace(recipe.data, corpus=Path(recipe.data.corpus).name)
    distillation = replace(
        recipe.distillation,
        teachers=tuple(Path(folder).name for folder in recipe.distillation.teachers),
        texts=tuple(Path(text).name for text in recipe.distillation.texts),
    )
    train = replace(recipe.train, start=Path(recipe.train.start).name)
    return replace(recipe, data=data, network=network, train=train, distillation=distillation)
