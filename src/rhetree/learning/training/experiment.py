"""One training run, from recipe to model directory: reads the data, checks it and trains."""

import hashlib
import platform
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from rhetree.corpora.corpus import AS_THEY_ARE, read_corpus
from rhetree.corpora.overlap import text_hash
from rhetree.domain.document import Document
from rhetree.domain.relations import INVENTORIES, Inventory, label_parts
from rhetree.errors import ArgumentError, SettingError, TrainingError
from rhetree.learning import scoring
from rhetree.learning.devices import choose_device
from rhetree.learning.embeddings import make_embedder
from rhetree.learning.model import save_model
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.targets import (
    SentenceExample,
    dependency_relations_of,
    labels_of,
    sentence_examples,
)
from rhetree.learning.training import distillation, run_folder
from rhetree.learning.training.commit import source_commit
from rhetree.learning.training.loop import Evaluated, Step, train
from rhetree.learning.training.processes import Processes
from rhetree.learning.training.recipe import DataConfig, Recipe
from rhetree.learning.training.start import Start, open_start, start_from, started_embedder

if TYPE_CHECKING:
    from rhetree.learning.documents.recipe import DocumentRecipe


@dataclass(frozen=True, slots=True)
class Data:
    """The documents of a run: ``train`` to learn from, ``dev`` to select the best model."""

    train: tuple[Document, ...]
    dev: tuple[Document, ...]
    inventory: Inventory | None = None
    """Inventory of the trees' relation classes; None if relations are kept as in the files."""
    notes: tuple[str, ...] = ()
    """Assumptions made while reading."""


def read_data(config: DataConfig, *, by_sentence: bool = True) -> Data:
    """Read a recipe's documents, and find mistakes now rather than after hours of training.

    :param by_sentence: whether documents get one tree a sentence, or keep their own
    """
    if not config.corpus:
        raise SettingError("data.corpus is empty; name a folder with --set data.corpus=FOLDER")
    if not Path(config.corpus).exists():
        raise SettingError(
            f"{config.corpus}: no such file or folder; name the treebank with --set data.corpus=FOLDER"
        )
    try:
        corpus = read_corpus(
            Path(config.corpus),
            split=(config.train, config.dev),
            trees=config.trees or None,
            sentences=Path(config.sentences) if config.sentences else None,
            relations=config.relations or None,
            dev_share=config.dev_share or None,
            seed=config.seed,
            lenient=config.lenient,
        )
    except ArgumentError as error:
        if error.argument != "dev_share":
            raise
        raise SettingError(f"{error}, such as a tenth with --set data.dev_share=0.1") from error
    corpus = corpus.split_by_sentence() if by_sentence else corpus
    data = Data(corpus.split(config.train), corpus.split(config.dev), corpus.inventory, corpus.notes)
    for name, documents in ((config.train, data.train), (config.dev, data.dev)):
        if not any(document.tokens for document in documents):
            raise TrainingError(f"{config.corpus}: split {name!r} is empty")
    return data


def fingerprint(documents: Sequence[Document]) -> str:
    """A hash of documents: tokens, sentences, EDUs and trees."""
    sha256 = hashlib.sha256()
    for document in documents:
        forms = [token.form for token in document.tokens]
        trees = document.sentence_trees if document.tree is None else document.tree
        layers = (document.name, forms, document.sentences, document.edus, trees)
        sha256.update(repr(layers).encode())
    return sha256.hexdigest()


def run(
    recipe: "Recipe | DocumentRecipe",
    folder: Path,
    *,
    resume: bool = False,
    processes: Processes | None = None,
    device: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[Data | Step | Evaluated, None, None]:
    """Train by a recipe in this folder (see ``run_folder``). Yields the data, then each step and evaluation.

    :param device: such as ``cuda``; None for a GPU if there is one, else the CPU
    :param progress: called now and then while the encoder's features are computed, with the number of
        sentences done and the number of all sentences
    """
    processes = processes or Processes()
    if not isinstance(recipe, Recipe):
        from rhetree.learning.documents.experiment import run as run_documents

        if processes.n > 1 or device not in (None, "cpu"):
            raise SettingError("a network for documents is trained on the CPU, in one process")
        yield from run_documents(recipe, folder, resume=resume)
        return
    place = choose_device(device)
    start = open_start(recipe.train.start) if recipe.train.start else None
    data = read_data(recipe.data)
    examples = sentence_examples(data.train)
    labels = check_labels(recipe, examples, sentence_examples(data.dev), start)
    if start is not None and labels:
        data = replace(data, notes=(*data.notes, *start.notes(labels)))
    yield data
    dependency_relations = check_syntax(recipe, examples)
    select = scoring.check_select(recipe.train.select, recipe.network.task)
    learnt_from, contents = fingerprint(data.train), _contents(data, recipe)
    n_gold = len(examples)
    commit = source_commit()  # now: the checkout may change while training runs
    sentences: list[Sequence[str]] = [
        document.forms_of(sentence)
        for document in (*data.train, *data.dev)
        for sentence in document.sentences
    ]
    with run_folder.locked(folder) if processes.is_first else nullcontext():
        # Only in the first process: by now it may have begun to write.
        n_done = run_folder.steps_done(folder, recipe, contents, resume=resume) if processes.is_first else 0
        torch.manual_seed(recipe.train.seed)
        torch.set_num_threads(recipe.train.threads or torch.get_num_threads())
        if recipe.distillation.teachers:
            threads = recipe.train.threads
            examples = distillation.teach(
                recipe.distillation, examples, labels, threads=threads, processes=processes
            )
            sentences += [example.tokens for example in examples[n_gold:]]
            torch.manual_seed(recipe.train.seed)
        beginning = None if start is None else start.load(recipe.network)
        if beginning is None:
            embedder = make_embedder(recipe.network.embedding, [example.tokens for example in examples])
        else:
            embedder = started_embedder(recipe.network.embedding, beginning.network.embedder)
        embedder.to(place)
        if processes.is_first:
            run_folder.start(folder, recipe, n_done)
        embedder.keep_features(
            sentences,
            progress=None if progress is None else lambda n_there: progress(n_there, len(sentences)),
        )
        network = DiscourseNetwork(recipe.network, embedder, labels, dependency_relations).to(place)
        if beginning is not None:
            start_from(network, beginning)

        def keep(scores: Mapping[str, float]) -> None:
            about = about_run(recipe.data, data, scores, sha256=learnt_from, commit=commit, start=start)
            save_model(folder / run_folder.MODEL, network, recipe, about)

        for event in train(
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
            data=contents,
            resume=resume,
            processes=processes,
        ):
            if processes.is_first:
                run_folder.log(folder, event)
            yield event
    if processes.is_first and not (folder / run_folder.MODEL).is_dir():
        raise TrainingError(
            f"{folder}: this run has finished, but its model is gone; start a new run in another folder"
        )


def check_labels(
    recipe: Recipe,
    train: Sequence[SentenceExample],
    dev: Sequence[SentenceExample],
    start: Start | None = None,
) -> tuple[str, ...]:
    """The labels to learn; an error if trees are needed and there are none, or dev has unseen labels.

    :param start: the model to start from, whose labels are kept if it knows all that train has
    """
    if recipe.network.task == "segment":
        return ()
    labels = labels_of(train)
    for name, examples in ((recipe.data.train, train), (recipe.data.dev, dev)):
        if not any(example.tree and example.tree.splits for example in examples):
            raise TrainingError(
                f"{recipe.data.corpus}: split {name!r} has no trees; "
                "set network.task=segment, or use a corpus with trees"
            )
    if start is not None:
        labels = start.labels_for(labels)
    unseen = sorted(set(labels_of(dev)) - set(labels))
    if recipe.network.classifier.separate:  # any relation can be combined with any nuclearity
        seen = {part for label in labels for part in enumerate(label_parts(label))}
        unseen = [label for label in unseen if not seen.issuperset(enumerate(label_parts(label)))]
    if unseen and recipe.data.unseen_labels == "refuse":
        raise TrainingError(
            f"split {recipe.data.dev!r} has labels that {recipe.data.train!r} lacks: "
            f"{', '.join(unseen)}; set data.unseen_labels=ignore to train without them"
        )
    return labels


def check_syntax(recipe: Recipe, train: Sequence[SentenceExample]) -> tuple[str, ...]:
    """The dependency relations to learn; an error if the recipe needs them and there are none."""
    if not recipe.network.loss.syntax:
        return ()
    relations = dependency_relations_of(train)
    if not relations:
        raise TrainingError(
            f"{recipe.data.corpus}: split {recipe.data.train!r} has no sentence with heads and dependency "
            "relations; set network.loss.syntax=0, or use a corpus of CoNLL-U files with syntax"
        )
    return relations


def _contents(data: Data, recipe: Recipe) -> str:
    """A hash of the train and dev data, with syntax if it is learnt."""
    parts = [fingerprint(data.train), fingerprint(data.dev)]
    if recipe.network.loss.syntax:
        syntax = repr([document.syntax for document in data.train])
        parts.append(hashlib.sha256(syntax.encode()).hexdigest())
    if recipe.distillation.teachers:
        parts.append(distillation.fingerprint(recipe.distillation.teachers, recipe.distillation.texts))
    return " ".join(parts)


def about_run(
    config: DataConfig,
    data: Data,
    scores: Mapping[str, float],
    *,
    sha256: str,
    commit: str | None,
    start: Start | None = None,
) -> dict[str, object]:
    """What a model remembers of its training: dev scores, data and versions."""
    texts = [text_hash(document) for document in data.train]
    return {
        "scores": {"dev": dict(scores)},
        "data": {
            "corpus": Path(config.corpus).name,
            "documents": len(data.train),
            "sentences": sum(len(document.sentences) for document in data.train),
            "sha256": sha256,
            "relations": _relations(data.inventory),
            "texts": texts if start is None else sorted({*texts, *start.texts}),
        },
        "versions": {
            "python": platform.python_version(),
            "transformers": metadata.version("transformers"),
            **({} if commit is None else {"commit": commit}),
        },
    }


def _relations(inventory: Inventory | None) -> object:
    """The relation classes for ``config.json``: the inventory's name, or its contents if it came from a file."""
    if inventory is None:
        return AS_THEY_ARE
    return inventory.name if INVENTORIES.get(inventory.name) == inventory else asdict(inventory)
