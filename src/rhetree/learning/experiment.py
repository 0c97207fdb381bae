"""One training run from recipe to model directory: what is read, checked and learnt."""

import hashlib
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import torch

from rhetree.domain.document import Document
from rhetree.domain.relations import INVENTORIES, Inventory, label_parts
from rhetree.errors import SettingError, TrainingError
from rhetree.learning import run_folder, scoring
from rhetree.learning.embeddings import make_embedder
from rhetree.learning.loop import Evaluated, Step, train
from rhetree.learning.model import save_model
from rhetree.learning.networks.joint import DiscourseNetwork
from rhetree.learning.processes import Processes
from rhetree.learning.recipe import DataConfig, Recipe
from rhetree.learning.targets import (
    SentenceExample,
    dependency_relations_of,
    labels_of,
    sentence_examples,
)
from rhetree.treebanks.corpus import AS_THEY_ARE, read_corpus


@dataclass(frozen=True, slots=True)
class Data:
    """What a run learns from and chooses on."""

    train: tuple[Document, ...]
    dev: tuple[Document, ...]
    inventory: Inventory | None = None
    """Whose classes the trees have; None where relations are as the files have them."""
    notes: tuple[str, ...] = ()
    """What was assumed in reading them."""


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
    data = Data(corpus.split(config.train), corpus.split(config.dev), corpus.inventory, corpus.notes)
    for name, documents in ((config.train, data.train), (config.dev, data.dev)):
        if not any(document.tokens for document in documents):
            raise TrainingError(f"{config.corpus}: split {name!r} is empty; there is nothing to learn from")
    return data


def fingerprint(documents: Sequence[Document]) -> str:
    """A hash of what can be learnt from documents."""
    sha256 = hashlib.sha256()
    for document in documents:
        forms = [token.form for token in document.tokens]
        layers = (document.name, forms, document.sentences, document.edus, document.sentence_trees)
        sha256.update(repr(layers).encode())
    return sha256.hexdigest()


def run(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    processes: Processes | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Data | Step | Evaluated]:
    """Train what the recipe says in this folder (see ``run_folder``), yielding what was read, then what happens.

    :param progress: told now and then of how many of all sentences the encoder's features are there
    """
    processes = processes or Processes()
    data = read_data(recipe.data)
    yield data
    examples = sentence_examples(data.train)
    labels = check_labels(recipe, examples, sentence_examples(data.dev))
    dependency_relations = check_syntax(recipe, examples)
    select = scoring.check_select(recipe.train.select, recipe.network.task)
    learnt_from, contents = fingerprint(data.train), _contents(data, recipe)
    commit = source_commit()  # of the code that runs, not of what it has become when there is a model
    sentences = [
        document.forms_of(sentence)
        for document in (*data.train, *data.dev)
        for sentence in document.sentences
    ]
    with run_folder.locked(folder) if processes.is_first else nullcontext():
        # Not in the other processes, which may come here when the first one has begun to write.
        n_done = run_folder.steps_done(folder, recipe, contents, resume=resume) if processes.is_first else 0
        torch.manual_seed(recipe.train.seed)
        torch.set_num_threads(recipe.train.threads or torch.get_num_threads())
        embedder = make_embedder(recipe.network.embedding, [example.tokens for example in examples])
        if processes.is_first:
            run_folder.start(folder, recipe, n_done)
        embedder.keep_features(
            sentences,
            progress=None if progress is None else lambda n_there: progress(n_there, len(sentences)),
        )
        network = DiscourseNetwork(recipe.network, embedder, labels, dependency_relations)

        def keep(scores: Mapping[str, float]) -> None:
            about = _about(recipe, data, scores, sha256=learnt_from, commit=commit)
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
            f"{folder}: this run is over, but its model is gone; start afresh in another folder"
        )


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
    if recipe.network.classifier.separate:  # any relation can get any nuclearity
        seen = {part for label in labels for part in enumerate(label_parts(label))}
        unseen = [label for label in unseen if not seen.issuperset(enumerate(label_parts(label)))]
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


def _contents(data: Data, recipe: Recipe) -> str:
    """A hash of all that a run learns from and chooses on."""
    parts = [fingerprint(data.train), fingerprint(data.dev)]
    if recipe.network.loss.syntax:
        syntax = repr([document.syntax for document in data.train])
        parts.append(hashlib.sha256(syntax.encode()).hexdigest())
    return " ".join(parts)


def _about(
    recipe: Recipe, data: Data, scores: Mapping[str, float], *, sha256: str, commit: str | None
) -> dict[str, object]:
    return {
        "scores": {"dev": dict(scores)},
        "data": {
            "corpus": Path(recipe.data.corpus).name,
            "documents": len(data.train),
            "sentences": sum(len(document.sentences) for document in data.train),
            "sha256": sha256,
            "relations": _relations(data.inventory),
        },
        "versions": {
            "python": platform.python_version(),
            "transformers": metadata.version("transformers"),
            **({} if commit is None else {"commit": commit}),
        },
    }


def source_commit() -> str | None:
    """The commit that this code is of, where it lies in a checkout; ``+`` where it was changed since."""
    checkout = Path(__file__).parents[3]
    if not (checkout / ".git").exists():
        return None
    command = ["git", "-C", str(checkout), "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _relations(inventory: Inventory | None) -> object:
    """What to say of relation classes, so that they are found again: a name, or what a file had."""
    if inventory is None:
        return AS_THEY_ARE
    return inventory.name if INVENTORIES.get(inventory.name) == inventory else asdict(inventory)
