"""One training run from recipe to model directory: what is read, checked, learnt and kept.

A run lives in a folder of its own:

    recipe.toml              the settings, every one of them
    log.jsonl                a line a step and an evaluation, to be plotted
    checkpoint.safetensors   where training is
    model/                   the best model so far
"""

import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from rhetree.domain.document import Document
from rhetree.errors import RhetreeError, SettingError, TrainingError
from rhetree.learning import scoring
from rhetree.learning.checkpoint import has_checkpoint, read_position
from rhetree.learning.embeddings import make_embedder
from rhetree.learning.loop import Evaluated, Step, train
from rhetree.learning.model import save_model
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.processes import Processes
from rhetree.learning.recipe import DataConfig, Recipe
from rhetree.learning.settings import as_toml
from rhetree.learning.targets import (
    SentenceExample,
    dependency_relations_of,
    labels_of,
    sentence_examples,
)
from rhetree.treebanks.corpus import read_corpus
from rhetree.treebanks.files import whole_file

LOG = "log.jsonl"
MODEL = "model"
RECIPE = "recipe.toml"


@dataclass(frozen=True, slots=True)
class Data:
    """What a run learns from and chooses on."""

    train: tuple[Document, ...]
    dev: tuple[Document, ...]
    notes: tuple[str, ...] = ()
    """What was assumed in reading them."""

    def fingerprint(self) -> str:
        """A hash of what is learnt from, so that a model can say what it saw."""
        sha256 = hashlib.sha256()
        for document in self.train:
            forms = [token.form for token in document.tokens]
            layers = (document.name, forms, document.sentences, document.edus, document.sentence_trees)
            sha256.update(repr(layers).encode())
        return sha256.hexdigest()


def read_data(config: DataConfig) -> Data:
    """The documents of a recipe, checked so far as can be before hours are spent."""
    if not config.corpus:
        raise SettingError("data.corpus names no folder; give one with --set data.corpus=FOLDER")
    corpus = read_corpus(
        Path(config.corpus),
        sentences=Path(config.sentences) if config.sentences else None,
        relations=config.relations or None,
    ).split_by_sentence()
    if config.dev_share:
        corpus = corpus.hold_out(config.dev_share, config.seed)
    data = Data(corpus.split(config.train), corpus.split(config.dev), corpus.notes)
    for name, documents in ((config.train, data.train), (config.dev, data.dev)):
        if not any(document.tokens for document in documents):
            raise TrainingError(f"{config.corpus}: split {name!r} is empty; there is nothing to learn from")
    return data


def run(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    processes: Processes | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Data | Step | Evaluated]:
    """Train what the recipe says in this folder, yielding what was read, then what happens.

    :param progress: told now and then of how many of all sentences the encoder's features are there
    """
    processes = processes or Processes()
    data = read_data(recipe.data)
    yield data
    examples = sentence_examples(data.train)
    labels = check_labels(recipe, examples, sentence_examples(data.dev))
    dependency_relations = check_syntax(recipe, examples)
    select = scoring.check_select(recipe.train.select, recipe.network.task)
    n_done = steps_done(folder, recipe, resume)

    torch.manual_seed(recipe.train.seed)
    torch.set_num_threads(recipe.train.threads or torch.get_num_threads())
    embedder = make_embedder(recipe.network.embedding, [example.tokens for example in examples])
    if processes.is_first:
        _start_folder(folder, recipe, n_done)
    sentences = [
        document.forms_of(sentence)
        for document in (*data.train, *data.dev)
        for sentence in document.sentences
    ]
    embedder.keep_features(
        sentences, progress=None if progress is None else lambda n_there: progress(n_there, len(sentences))
    )
    network = DiscourseNetwork(recipe.network, embedder, labels, dependency_relations)

    def keep(scores: Mapping[str, float]) -> None:
        save_model(folder / MODEL, network, recipe, _about(recipe, data, scores))

    events = train(
        network,
        examples,
        train=recipe.train,
        optimizer=recipe.optimizer,
        select=select,
        evaluate=lambda: scoring.score(network, data.dev).named(),
        keep=keep,
        folder=folder,
        depths=network.pretrained_depths(),
        settings=recipe.fixed(),
        resume=resume,
        processes=processes,
    )
    for event in events:
        if processes.is_first:
            _log(folder, event)
        yield event


def check_labels(
    recipe: Recipe, train: Sequence[SentenceExample], dev: Sequence[SentenceExample]
) -> tuple[str, ...]:
    """The labels to learn; an error where trees are wanted and there are none, or dev has others."""
    if recipe.network.task == "segment":
        return ()
    labels = labels_of(train)
    for name, examples in ((recipe.data.train, train), (recipe.data.dev, dev)):
        if not any(example.tree and example.tree.splits for example in examples):
            raise TrainingError(
                f"{recipe.data.corpus}: split {name!r} has no trees to learn or choose by; "
                "set network.task=segment, or read a corpus with trees"
            )
    unseen = sorted(set(labels_of(dev)) - set(labels))
    if unseen and recipe.data.unseen_labels == "refuse":
        raise TrainingError(
            f"split {recipe.data.dev!r} has labels that {recipe.data.train!r} never shows: "
            f"{', '.join(unseen)}; set data.unseen_labels=ignore to train without them"
        )
    return labels


def check_syntax(recipe: Recipe, train: Sequence[SentenceExample]) -> tuple[str, ...]:
    """The dependency relations to learn; an error where they are wanted and there are none."""
    if not recipe.network.loss.syntax:
        return ()
    relations = dependency_relations_of(train)
    if not relations:
        raise TrainingError(
            f"{recipe.data.corpus}: split {recipe.data.train!r} has no sentence with heads and dependency "
            "relations; set network.loss.syntax=0, or read a corpus of CoNLL-U files that have them"
        )
    return relations


def steps_done(folder: Path, recipe: Recipe, resume: bool) -> int:
    """After how many steps a run goes on here; an error where it cannot. Nothing is written."""
    if resume:
        return read_position(folder, recipe.fixed()).step if has_checkpoint(folder) else 0
    if (folder / LOG).exists():
        raise TrainingError(f"{folder} holds a run already; go on with --resume, or choose another folder")
    return 0


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; one that a killed run did not finish is left out."""
    path = folder / LOG
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise RhetreeError(f"{path}: not a log of training: {error}") from error


def _start_folder(folder: Path, recipe: Recipe, n_done: int) -> None:
    with whole_file(folder / RECIPE) as sink:
        sink.write(as_toml(recipe))
    if (folder / LOG).exists():
        # What a killed run did after its checkpoint will be done, and logged, again.
        lines = [line for line in read_log(folder) if line["step"] <= n_done]
        with whole_file(folder / LOG) as sink:
            sink.writelines(json.dumps(line) + "\n" for line in lines)


def _log(folder: Path, event: Step | Evaluated) -> None:
    kind = "step" if isinstance(event, Step) else "dev"
    line = json.dumps({"kind": kind, **asdict(event)})
    try:
        with (folder / LOG).open("a", encoding="utf-8") as sink:
            sink.write(line + "\n")
    except OSError as error:
        raise RhetreeError(f"{folder / LOG}: cannot be written: {error.strerror}") from error


def _about(recipe: Recipe, data: Data, scores: Mapping[str, float]) -> dict[str, object]:
    return {
        "scores": {"dev": dict(scores)},
        "data": {
            "corpus": Path(recipe.data.corpus).name,
            "documents": len(data.train),
            "sentences": sum(len(document.sentences) for document in data.train),
            "sha256": data.fingerprint(),
        },
        "versions": {
            "python": platform.python_version(),
            "transformers": metadata.version("transformers"),
        },
    }
