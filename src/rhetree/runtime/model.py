"""A model that runs without torch: the exported part of a model directory.

    config.json           format and version, settings, labels, where it came from, its scores; under
                          "runtime" what is needed to run it, and how large each file is
    encoder.onnx          from pieces of words to states, where an encoder reads the words
    tokenizer.json        its pieces
    words.json            without an encoder: the words that have a vector, which is in weights below
    states.onnx           from word vectors to states, where there is such a layer
    decoder.safetensors   everything else
    MODEL_CARD.md         what people should know of it, if someone wrote it
    weights.safetensors   every weight as it was trained, in models that can be trained further

``rhetree.learning.export`` writes it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rhetree.errors import ModelError
from rhetree.runtime.layers import Spans, Weights
from rhetree.runtime.network import Network
from rhetree.runtime.onnx_network import Decoder, OnnxNetwork, Parser, Segmenter
from rhetree.runtime.words import EncodedWords, TabledWords, Words

FORMAT = "rhetree-model"
VERSION = 1
CONFIG = "config.json"
ENCODER = "encoder.onnx"
STATES = "states.onnx"
DECODER = "decoder.safetensors"
TOKENIZER = "tokenizer.json"
WORDS = "words.json"
TABLE = "words"
"""The name of the table of vectors among the decoder's weights."""


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
    threads = threads or _n_cores()
    try:
        _check_files(folder, settings["files"])
        weights = Weights(_read_weights(folder / DECODER))
        network = OnnxNetwork(
            _words(folder, settings["words"], weights, threads),
            _session(folder / STATES, threads) if settings["has_states_graph"] else None,
            _segmenter(settings["segmenter"], weights),
            _parser(settings["parser"], weights),
        )
        return RuntimeModel(network, tuple(config["labels"]), config, folder)
    except (KeyError, TypeError) as error:
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
            f"{path}: model format version {config.get('version')}, this Rhetree reads {VERSION}; "
            "install the version that wrote it, or train again"
        )
    return config


def _check_files(folder: Path, sizes: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        path = folder / name
        try:
            found = path.stat().st_size
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror}; is the model complete?") from error
        if found != size:
            raise ModelError(f"{path}: has {found} bytes, not {size}; it may be cut off, copy it again")


def _words(folder: Path, settings: Mapping[str, Any], weights: Weights, threads: int) -> Words:
    if settings["kind"] == "table":
        words = json.loads((folder / WORDS).read_text(encoding="utf-8"))
        return TabledWords(words, weights.array(TABLE), lower_case=settings["lower_case"])
    # Sentences are shared out among threads, so that each call of the graph has one for itself.
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
    return EncodedWords(pieces, _session(folder / ENCODER, 1), threads)


def _segmenter(settings: Mapping[str, Any] | None, weights: Weights) -> Segmenter | None:
    if settings is None:
        return None
    return Segmenter(_decoder("segmenter", settings, weights), settings["input"] == "state")


def _parser(settings: Mapping[str, Any] | None, weights: Weights) -> Parser | None:
    if settings is None:
        return None
    return Parser(
        _decoder("parser", settings, weights),
        Spans(settings["span"], settings["partial_tree"]),
        weights.biaffine("classifier.label"),
        weights.biaffine("classifier.nuclearity") if settings["separate"] else None,
    )


def _decoder(name: str, settings: Mapping[str, Any], weights: Weights) -> Decoder:
    return Decoder(
        weights.gru(f"{name}.decoder.gru", settings["layers"]),
        weights.optional_linear(f"{name}.decoder.project"),
        weights.pointer(f"{name}.pointer", sees_both_sides=settings["boundary"] == "both-sides"),
    )


def _read_weights(path: Path) -> dict[str, np.ndarray]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error


def _session(path: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Graphs are optimised when they are exported; what is left to do is to unfold weights of half precision.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # Threads that wait by turning in circles would take the cores from the other graph and from NumPy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # each of the library's errors is a class of its own
        raise ModelError(f"{path}: ONNX Runtime {onnxruntime.__version__} cannot read it: {error}") from error


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
