"""A model that joins sentences into documents and runs without torch.

    config.json        format and version, settings, labels, where it came from, its scores; under "runtime" what is needed
                       to run it, and how large each file is
    encoder.onnx       from pieces of words to states
    tokenizer.json     its pieces
    units.onnx         from what is known of EDUs to their states
    splits.onnx        from these states to what EDUs contribute to the scores of splits
    labels.onnx        the same for labels
    scores.safetensors the weights that make scores of it
    MODEL_CARD.md      what people should know of it, if someone wrote it

``rhetree.learning.documents.export`` writes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.errors import ModelError
from rhetree.runtime.document_network import OnnxDocumentNetwork, Scored
from rhetree.runtime.document_scorer import TABLES, PairScorer
from rhetree.runtime.document_search import DocumentNetwork, find_joints
from rhetree.runtime.document_units import units_of
from rhetree.runtime.identity import identify
from rhetree.runtime.model import (
    CONFIG,
    DOCUMENT_TASK,
    ENCODER,
    LABELS,
    LONGEST_WINDOW,
    TOKENIZER,
    n_cores,
    read_config,
)
from rhetree.runtime.model_files import Settings, check_sizes, read_text
from rhetree.runtime.workers import Workers

UNITS = "units.onnx"
SPLITS = "splits.onnx"
SCORES = "scores.safetensors"


@dataclass(frozen=True, slots=True, eq=False)
class DocumentModel:
    """A network that joins sentences, and what is known of it."""

    network: DocumentNetwork
    labels: tuple[str, ...]
    about: Mapping[str, Any]
    """All of ``config.json``."""
    folder: Path
    identity: str
    """Its name and the beginning of its hash."""


def is_document_model(folder: Path) -> bool:
    """Whether the model in a folder joins sentences."""
    network = read_config(folder)["recipe"].get("network")
    return isinstance(network, dict) and network.get("task") == DOCUMENT_TASK


def expect_document_model(folder: Path) -> None:
    """Raise :class:`ModelError` if the model in a folder does not join sentences."""
    if not is_document_model(folder):
        raise ModelError(
            f"{folder}: this model finds trees of sentences; expected one that joins sentences into documents"
        )


def load_document_model(folder: Path, *, threads: int = 0) -> DocumentModel:
    """The exported model of a directory.

    :param threads: to compute with; 0 for as many as there are cores
    """
    config = read_config(folder)
    expect_document_model(folder)
    if "runtime" not in config:
        raise ModelError(
            f"{folder}: has no exported graphs; make them with: rhetree export {folder} -o FOLDER"
        )
    runtime = Settings(config["runtime"], f"{folder / CONFIG}: runtime")
    check_sizes(folder, runtime.values.get("files"))
    labels = tuple(config["labels"])
    network = _network(folder, runtime, threads)
    if network.label.scorer.n_scores != len(labels) or network.split.scorer.n_scores != 1:
        raise ModelError(f"{folder / SCORES}: its weights do not fit the {len(labels)} labels of {CONFIG}")
    try:
        _try_out(network)
    except (ValueError, IndexError) as error:
        raise ModelError(f"{folder}: {CONFIG} and the files beside it do not fit: {error}") from error
    return DocumentModel(network, labels, config, folder, identify(folder, config))


def _network(folder: Path, settings: Settings, threads: int) -> OnnxDocumentNetwork:
    from rhetree.runtime.onnx_runtime import read_graph
    from rhetree.runtime.pieces import WordPieces

    words = settings.section("words")
    path = folder / TOKENIZER
    try:
        pieces = WordPieces(
            read_text(path),
            pad_id=words.number("pad_id", 0, 2**31 - 1),
            window=words.number("window", 8, LONGEST_WINDOW),
            max_pieces=words.number("max_pieces", 1, LONGEST_WINDOW),
            piece=words.choice("piece", ("first", "last")),
            overlap=words.number("overlap", 0, LONGEST_WINDOW),
        )
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error
    except RecursionError as error:
        raise ModelError(f"{path}: its JSON is nested too deeply") from error
    arrays = read_arrays(folder / SCORES)
    split, label = (
        Scored(read_graph(folder / file, ["states"]), _scorer(arrays, name, folder / SCORES))
        for name, file in (("split", SPLITS), ("label", LABELS))
    )
    encoder = read_graph(folder / ENCODER, ["ids"])
    encoder.run(None, {"ids": np.array([[pieces.largest_id, words.values["pad_id"]]])})
    units = read_graph(folder / UNITS, ["vectors"])
    return OnnxDocumentNetwork(pieces, encoder, units, split, label, Workers(threads or n_cores()))


def read_arrays(path: Path) -> dict[str, Any]:
    """The weights of a file of :data:`SCORES`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error


def _scorer(arrays: Mapping[str, Any], name: str, path: Path) -> PairScorer:
    try:
        return PairScorer({table: arrays[f"{name}.{table}"] for table in TABLES})
    except KeyError as error:
        raise ModelError(f"{path}: there are no {error}") from error
    except ValueError as error:
        raise ModelError(f"{path}: {name}: {error}") from error


def _try_out(network: OnnxDocumentNetwork) -> None:
    """Read a small document, so that files that do not fit are found when a model is loaded."""
    text = Document.from_sentences([["Cats", "sleep", "."], ["Dogs", "bark", "."]])
    document = Document(
        text=text.text, tokens=text.tokens, sentences=text.sentences, edus=(Span(0, 3), Span(3, 6))
    )
    units = units_of(document, [Tree(), Tree()])
    read = network.read(tuple(token.form for token in document.tokens), units)
    joints = find_joints(read, units)
    if not np.isfinite(read.label_log_probs(joints.places)).all() or not np.isfinite(joints.probs).all():
        raise ValueError("its scores are not numbers")
