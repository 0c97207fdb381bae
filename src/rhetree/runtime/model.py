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
    fine.onnx         fine relations of splits, if it knows them
    signals.onnx      words that signal a split's relation, if it finds them
    MODEL_CARD.md     what people should know of it, if someone wrote it
    weights.safetensors, … as it was trained, in models that can be trained further

``rhetree.learning.export`` writes it.
"""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rhetree.domain.relations import label_parts
from rhetree.errors import ModelError
from rhetree.runtime.calibration import CalibratedNetwork, Temperatures
from rhetree.runtime.heads import Heads, load_heads
from rhetree.runtime.identity import identify
from rhetree.runtime.model_files import (
    MOST_CONFIG_BYTES,
    Settings,
    check_folder,
    check_sizes,
    read_json,
    read_text,
)
from rhetree.runtime.network import Floats, Network
from rhetree.runtime.onnx_network import OnnxNetwork, ParserGraphs, SegmenterGraphs
from rhetree.runtime.pointer import Pointer
from rhetree.runtime.search import GREEDY, Search
from rhetree.runtime.spans import SpanRepresentation
from rhetree.runtime.trial import try_out
from rhetree.runtime.words import FIRST, EncodedWords, TabledWords, Words
from rhetree.runtime.workers import Workers

FORMAT = "rhetree-model"
VERSION = 1
TASKS = ("segment", "parse", "joint")
DOCUMENT_TASK = "document"
"""The task of a model of another kind: it joins sentences."""
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
_STEP = ["inputs", "hidden"]
"""What a step of a decoder reads."""
LONGEST_WINDOW = 2**17
"""Pieces in a window or a word: no encoder reads more."""
_MOST_REQUIREMENT = 200
"""Characters of ``requires_rhetree``; Python reads no numbers of more than 4,300 digits."""


@dataclass(frozen=True, slots=True, eq=False)
class RuntimeModel:
    """A network ready to run, and what is known of it."""

    network: Network
    labels: tuple[str, ...]
    """What the network's labels are called; none where it only segments."""
    about: Mapping[str, Any]
    """All of ``config.json``."""
    folder: Path
    identity: str
    """Its name and the beginning of its hash."""
    heads: Heads = field(default_factory=Heads)
    """What it can tell beside EDUs and trees."""
    search: Search = GREEDY
    """How its readings are searched for."""

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.identity.rpartition(" ")[0]

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
    if "runtime" not in config:
        raise ModelError(
            f"{folder}: has no exported graphs; make them with: rhetree export {folder} -o FOLDER"
        )
    if isinstance(network := config["recipe"].get("network"), dict) and network.get("task") == DOCUMENT_TASK:
        raise ModelError(
            f"{folder}: this model joins sentences into documents, and one that finds trees of sentences is expected; "
            "give it as the model for documents"
        )
    Settings.of(config["recipe"].get("network"), f"{folder / CONFIG}: recipe.network").choice("task", TASKS)
    runtime = Settings(config["runtime"], f"{folder / CONFIG}: runtime")
    check_sizes(folder, runtime.values.get("files"))
    with ThreadPoolExecutor(1) as beside:  # reading all of its files takes a while
        identity = beside.submit(identify, folder, config)
        try:
            network = _calibrated(_network(folder, runtime, threads), runtime)
            heads = load_heads(folder, runtime, config["labels"])
            search = Search.from_settings(runtime.section("search")) if "search" in runtime.values else GREEDY
        except ModelError:
            identity.result()  # that a file was changed says more than what does not work because of that
            raise
    model = RuntimeModel(network, tuple(config["labels"]), config, folder, identity.result(), heads, search)
    try:
        try_out(model.network, model.labels, model.task, model.heads)
    except ModelError as error:
        raise ModelError(f"{folder}: {CONFIG} and the files beside it do not fit: {error}") from error
    return model


def is_exported(folder: Path) -> bool:
    """Whether a model directory has what :func:`load_runtime` needs."""
    return "runtime" in read_config(folder)


def read_config(folder: Path) -> dict[str, Any]:
    """The ``config.json`` of a model directory, of the version that this Rhetree reads."""
    path = folder / CONFIG
    if not path.exists():
        raise ModelError(f"{folder}: not a model directory: there is no {CONFIG}")
    check_folder(folder)
    config = read_json(path, MOST_CONFIG_BYTES)
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ModelError(f'{path}: not a model of Rhetree; expected "format": "{FORMAT}"')
    if config.get("version") != VERSION:
        raise ModelError(
            f"{path}: model format version {config.get('version')!r}, this Rhetree reads {VERSION}; "
            "install the version that wrote it, or train again"
        )
    _check_requirement(config, path)
    _check_config(config, path)
    return config


def _check_requirement(config: Mapping[str, Any], path: Path) -> None:
    """A model may say which versions of Rhetree it runs with, as a package says it of its dependencies."""
    if "requires_rhetree" not in config:
        return
    from importlib.metadata import version

    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    required = config["requires_rhetree"]
    try:
        if not isinstance(required, str) or len(required) > _MOST_REQUIREMENT:
            raise InvalidSpecifier(required)  # a list of them is one to packaging, but not to pip
        allowed = SpecifierSet(required)
    except InvalidSpecifier as error:
        raise ModelError(
            f'{path}: expected versions such as ">=0.1,<1" under "requires_rhetree", got {required!r:.80}'
        ) from error
    own = version("rhetree")
    if not allowed.contains(own, prereleases=True):
        raise ModelError(
            f"{path.parent}: this model runs with rhetree{required}, and this is {own}; "
            f"install it with: pip install 'rhetree{required}'"
        )


def _check_config(config: Mapping[str, Any], path: Path) -> None:
    """Whatever task a model has, these are there, and nobody who reads them needs to look at their kind again."""
    recipe, labels, data = config.get("recipe"), config.get("labels"), config.get("data", {})
    if not isinstance(recipe, dict) or not all(isinstance(table, dict) for table in recipe.values()):
        raise ModelError(f'{path}: expected sections of settings under "recipe", got {recipe!r:.200}')
    Settings.of(recipe.get("network", {}).get("embedding", {}), f"{path}: recipe.network.embedding")
    if not isinstance(data, dict):
        raise ModelError(f'{path}: expected facts about the data under "data", got {data!r:.200}')
    Settings.of(config.get("versions", {}), f"{path}: versions")
    Settings.of(config.get("runtime", {}), f"{path}: runtime")
    for split, scores in Settings.of(config.get("scores", {}), f"{path}: scores").values.items():
        for name, score in Settings.of(scores, f"{path}: scores.{split}").values.items():
            if isinstance(score, bool) or not isinstance(score, (int, float)):
                raise ModelError(f"{path}: scores.{split}.{name}: expected a number, got {score!r:.80}")
    try:
        for label in labels:  # type: ignore[union-attr]  # what is no list is the TypeError below
            label_parts(label)
            label.encode("utf-8")  # half of a surrogate pair could never be written
    except (AttributeError, TypeError, ValueError) as error:
        raise ModelError(
            f'{path}: expected labels such as cause-NS under "labels", got {labels!r:.200}'
        ) from error
    if len(set(labels)) < len(labels):  # type: ignore[arg-type]  # it is a list of strings by now
        raise ModelError(f'{path}: each label is there once under "labels", got {labels!r:.200}')


def _network(folder: Path, settings: Settings, threads: int) -> Network:
    from rhetree.runtime.onnx_runtime import read_graph

    workers = Workers(threads or n_cores())
    segmenter, parser = settings.section_or_none("segmenter"), settings.section_or_none("parser")
    return OnnxNetwork(
        _words(folder, settings.section("words"), workers),
        read_graph(folder / STATES, ["vectors", "lengths"]),
        None
        if segmenter is None
        else SegmenterGraphs(
            read_graph(folder / SEGMENTER, _STEP),
            Pointer.from_settings(segmenter),
            reads_states=segmenter.choice("input", ("state", "embedding")) == "state",
        ),
        None
        if parser is None
        else ParserGraphs(
            read_graph(folder / PARSER, _STEP),
            Pointer.from_settings(parser),
            SpanRepresentation.from_settings(parser),
            read_graph(folder / LABELS, ["left", "right"]),
            SpanRepresentation.from_settings(
                parser, "label_span" if "label_span" in parser.values else "span"
            ),
        ),
        workers,
    )


def _calibrated(network: Network, settings: Settings) -> Network:
    if "temperatures" not in settings.values:
        return network
    return CalibratedNetwork(network, Temperatures.from_settings(settings.section("temperatures")))


def _words(folder: Path, settings: Settings, workers: Workers) -> Words:
    if settings.choice("kind", ("table", "pieces")) == "table":
        return _tabled_words(folder, lower_case=settings.flag("lower_case"))
    from rhetree.runtime.onnx_runtime import read_batch_graph, read_graph
    from rhetree.runtime.pieces import WordPieces

    path = folder / TOKENIZER
    try:
        pieces = WordPieces(
            read_text(path),
            pad_id=settings.number("pad_id", 0, 2**31 - 1),
            window=settings.number("window", 8, LONGEST_WINDOW),
            max_pieces=settings.number("max_pieces", 1, LONGEST_WINDOW),
            piece=settings.choice("piece", ("first", "last", "mean")),
        )
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error
    except RecursionError as error:
        raise ModelError(f"{path}: its JSON is nested too deeply") from error
    graph = read_graph(folder / ENCODER, ["ids"])
    graph.run(None, {"ids": np.array([[pieces.largest_id, settings.values["pad_id"]]])})
    return EncodedWords(pieces, graph, workers, partial(read_batch_graph, folder / ENCODER))


def _tabled_words(folder: Path, *, lower_case: bool) -> Words:
    words, table = read_json(folder / WORDS), _read_table(folder / VECTORS)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"{folder / WORDS}: expected a list of words")
    if table.ndim != 2 or len(table) != FIRST + len(words):
        raise ModelError(
            f"{folder / VECTORS}: has the shape {table.shape}; expected {FIRST + len(words)} vectors, "
            f"{FIRST} more than {WORDS} has words"
        )
    return TabledWords(words, table, lower_case=lower_case)


def _read_table(path: Path) -> Floats:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        table: Floats = load_file(path)[TABLE].astype("float32")
    except (OSError, SafetensorError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error
    except KeyError as error:
        raise ModelError(f"{path}: there are no {error}; expected a table called {TABLE!r}") from error
    return table


def n_cores() -> int:
    """The number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
