"""A model that runs without torch: the exported part of a model directory.

    config.json       format and version, settings, labels, where it came from, its scores; under
                      "runtime" what is needed to run it, and how large each file is
    encoder.onnx      from pieces of words to states, where an encoder reads the words
    tokenizer.json    its pieces
    words.json        without an encoder: the words that have a vector
    words.safetensors and their vectors
    states.onnx       from word vectors to what decoders begin with
    segmenter.onnx    a step of the segmenter's decoder
    parser.onnx       a step of the parser's decoder
    labels.onnx       labels of splits
    MODEL_CARD.md     what people should know of it, if someone wrote it
    weights.safetensors, … as it was trained, in models that can be trained further

``rhetree.learning.export`` writes it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rhetree.domain.relations import label_parts
from rhetree.errors import ModelError
from rhetree.runtime.layers import Pointer, Spans
from rhetree.runtime.network import Floats, Network
from rhetree.runtime.onnx_network import Graph, OnnxNetwork, Parser, Segmenter
from rhetree.runtime.words import EncodedWords, TabledWords, Words
from rhetree.runtime.workers import Workers

FORMAT = "rhetree-model"
VERSION = 1
TASKS = ("segment", "parse", "joint")
CONFIG = "config.json"
ENCODER = "encoder.onnx"
STATES = "states.onnx"
SEGMENTER = "segmenter.onnx"
PARSER = "parser.onnx"
LABELS = "labels.onnx"
TOKENIZER = "tokenizer.json"
WORDS = "words.json"
VECTORS = "words.safetensors"
TABLE = "vectors"
"""The name of the table in this file."""


@dataclass(frozen=True, slots=True, eq=False)
class RuntimeModel:
    """A network ready to run, and what is known of it."""

    network: Network
    labels: tuple[str, ...]
    """What the network's labels are called; none where it only segments."""
    about: Mapping[str, Any]
    """All of ``config.json``."""
    folder: Path

    @property
    def task(self) -> str:
        """What the network was trained for: segment, parse or joint."""
        task: str = self.about["recipe"]["network"]["task"]
        return task


def load_runtime(folder: Path, *, threads: int = 0) -> RuntimeModel:
    """The exported model of a directory.

    :param threads: to compute with; 0 for as many as there are cores
    """
    config = read_config(folder)
    settings = config.get("runtime")
    if settings is None:
        raise ModelError(
            f"{folder}: has no exported graphs; make them with: rhetree export {folder} -o FOLDER"
        )
    workers = Workers(threads or _n_cores())
    try:
        _check_files(folder, settings["files"])
        network = OnnxNetwork(
            _words(folder, settings["words"], workers),
            _graph(folder / STATES),
            _segmenter(folder, settings["segmenter"]),
            _parser(folder, settings["parser"]),
            workers,
        )
        labels = tuple(config["labels"])
        if network.n_labels not in (None, len(labels)):
            raise ModelError(f"{folder}: {CONFIG} has {len(labels)} labels, {LABELS} {network.n_labels}")
        model = RuntimeModel(network, labels, config, folder)
        if model.task not in TASKS:
            raise ModelError(
                f"{folder}: {CONFIG} has the task {model.task!r}, expected one of {', '.join(TASKS)}"
            )
        return model
    except (AttributeError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder}: {CONFIG} and the files beside it do not fit: {error!r} is missing or wrong"
        ) from error


def is_exported(folder: Path) -> bool:
    """Whether a model directory has what :func:`load_runtime` needs."""
    return "runtime" in read_config(folder)


def read_config(folder: Path) -> dict[str, Any]:
    """The ``config.json`` of a model directory, of the version that this Rhetree reads."""
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{folder}: not a model directory: {CONFIG} {error.strerror}") from error
    except ValueError as error:
        raise ModelError(f"{path}: not JSON: {error}") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ModelError(f'{path}: not a model of Rhetree; expected "format": "{FORMAT}"')
    if config.get("version") != VERSION:
        raise ModelError(
            f"{path}: model format version {config.get('version')!r}, this Rhetree reads {VERSION}; "
            "install the version that wrote it, or train again"
        )
    _check_config(config, path)
    return config


def _check_config(config: Mapping[str, Any], path: Path) -> None:
    """Whatever task a model has, these are there."""
    recipe, labels, data = config.get("recipe"), config.get("labels"), config.get("data", {})
    if not isinstance(recipe, dict) or not all(isinstance(table, dict) for table in recipe.values()):
        raise ModelError(f'{path}: expected sections of settings under "recipe", got {recipe!r}')
    if not isinstance(data, dict):
        raise ModelError(f'{path}: expected facts about the data under "data", got {data!r}')
    try:
        for label in labels:  # type: ignore[union-attr]  # what is no list is the TypeError below
            label_parts(label)
    except (AttributeError, TypeError, ValueError) as error:
        raise ModelError(
            f'{path}: expected labels such as cause-NS under "labels", got {labels!r}'
        ) from error


def _check_files(folder: Path, sizes: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        path = folder / name
        try:
            found = path.stat().st_size
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
        if found != size:
            raise ModelError(f"{path}: has {found} bytes, not {size}; it may be cut off, copy it again")


def _words(folder: Path, settings: Mapping[str, Any], workers: Workers) -> Words:
    if settings["kind"] == "table":
        words = json.loads((folder / WORDS).read_text(encoding="utf-8"))
        return TabledWords(words, _read_table(folder / VECTORS), lower_case=settings["lower_case"])
    from rhetree.runtime.pieces import WordPieces

    try:
        pieces = WordPieces(
            (folder / TOKENIZER).read_text(encoding="utf-8"),
            pad_id=settings["pad_id"],
            window=settings["window"],
            max_pieces=settings["max_pieces"],
            piece=settings["piece"],
        )
    except ValueError as error:
        raise ModelError(f"{folder / TOKENIZER}: {error}") from error
    return EncodedWords(pieces, _graph(folder / ENCODER), workers)


def _segmenter(folder: Path, settings: Mapping[str, Any] | None) -> Segmenter | None:
    if settings is None:
        return None
    return Segmenter(
        _graph(folder / SEGMENTER),
        Pointer(settings["boundary"] == "both-sides"),
        reads_states=settings["input"] == "state",
    )


def _parser(folder: Path, settings: Mapping[str, Any] | None) -> Parser | None:
    if settings is None:
        return None
    return Parser(
        _graph(folder / PARSER),
        Pointer(settings["boundary"] == "both-sides"),
        Spans(settings["span"], settings["partial_tree"]),
        _graph(folder / LABELS),
    )


def _read_table(path: Path) -> Floats:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        table: Floats = load_file(path)[TABLE].astype("float32")
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error
    return table


def _graph(path: Path) -> Graph:
    """A graph that runs in the thread that calls it: work is shared out by sentences, which costs less."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Graphs are optimised when they are exported; what is left to do is to unfold weights of half precision.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # each of the library's errors is a class of its own
        raise ModelError(f"{path}: ONNX Runtime {onnxruntime.__version__} cannot read it: {error}") from error


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
