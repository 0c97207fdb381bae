"""One training run of a document network, from recipe to model directory."""

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import torch

from rhetree.errors import ModelError, SettingError, TrainingError
from rhetree.learning.documents.network import DocumentNetwork
from rhetree.learning.documents.recipe import DocumentRecipe
from rhetree.learning.documents.scoring import SCORES, score_documents
from rhetree.learning.documents.targets import DocumentExample, document_examples, labels_of
from rhetree.learning.embeddings import load_embedder, make_embedder
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.model import fill, read_weights, save_model
from rhetree.learning.training import run_folder
from rhetree.learning.training.commit import source_commit
from rhetree.learning.training.experiment import Data, about_run, fingerprint, read_data
from rhetree.learning.training.loop import Evaluated, Step, train
from rhetree.learning.training.settings import build
from rhetree.runtime.model import read_config


def run(
    recipe: DocumentRecipe, folder: Path, *, resume: bool = False
) -> Generator[Data | Step | Evaluated, None, None]:
    """Train by a recipe in this folder (see ``run_folder``). Yields the data, then each step and evaluation."""
    select = recipe.train.select or "full"
    if select not in SCORES:
        raise SettingError(f"train.select must be one of {', '.join(SCORES)} for documents, got {select!r}")
    if recipe.train.start:
        raise SettingError("train.start is for networks of sentences; leave it empty for documents")
    data = read_data(recipe.data, by_sentence=False)
    yield data
    examples, dev = document_examples(data.train), document_examples(data.dev)
    labels = check_labels(recipe, examples, dev)
    learnt_from = fingerprint(data.train)
    contents = f"{learnt_from} {fingerprint(data.dev)}"
    commit = source_commit()  # now: the checkout may change while training runs
    with run_folder.locked(folder):
        n_done = run_folder.steps_done(folder, recipe, contents, resume=resume)
        torch.manual_seed(recipe.train.seed)
        torch.set_num_threads(recipe.train.threads or torch.get_num_threads())
        network = DocumentNetwork(recipe.network, _embedder(recipe), labels)
        run_folder.start(folder, recipe, n_done)

        def keep(scores: Mapping[str, float]) -> None:
            about = about_run(recipe.data, data, scores, sha256=learnt_from, commit=commit)
            save_model(folder / run_folder.MODEL, network, recipe, about)

        for event in train(
            network,
            examples,
            train=recipe.train,
            optimizer=recipe.optimizer,
            select=select,
            evaluate=lambda: score_documents(network, dev),
            keep=keep,
            folder=folder,
            depths=network.pretrained_depths(),
            settings=recipe.fixed(),
            data=contents,
            resume=resume,
        ):
            run_folder.log(folder, event)
            yield event


def load_network(folder: Path) -> tuple[DocumentNetwork, DocumentRecipe, dict[str, Any]]:
    """The network of a model directory, its recipe, and what else ``config.json`` says."""
    config = read_config(folder)
    try:
        recipe = build(DocumentRecipe, config["recipe"])
    except SettingError as error:
        raise ModelError(f"{folder / 'config.json'}: {error}") from error
    embedder = load_embedder(recipe.network.embedding, folder)
    network = DocumentNetwork(recipe.network, embedder, config["labels"])  # type: ignore[arg-type]  # the settings allow no other kind
    fill(network, read_weights(folder), folder)
    return network, recipe, {key: value for key, value in config.items() if key not in ("recipe", "labels")}


def check_labels(
    recipe: DocumentRecipe, train: list[DocumentExample], dev: list[DocumentExample]
) -> tuple[str, ...]:
    """The labels to learn; an error if there are no documents with trees, or dev has unseen labels."""
    for name, examples in ((recipe.data.train, train), (recipe.data.dev, dev)):
        if not any(example.above for example in examples):
            raise TrainingError(
                f"{recipe.data.corpus}: split {name!r} has no document with one tree over several sentences"
            )
    labels = labels_of(train)
    unseen = sorted({label for example in dev for label in example.above.values()} - set(labels))
    if unseen and recipe.data.unseen_labels == "refuse":
        raise TrainingError(
            f"split {recipe.data.dev!r} has labels that {recipe.data.train!r} lacks: "
            f"{', '.join(unseen)}; set data.unseen_labels=ignore to train without them"
        )
    return labels


def _embedder(recipe: DocumentRecipe) -> TransformerEmbedder:
    embedder = make_embedder(recipe.network.embedding, [])
    if not isinstance(embedder, TransformerEmbedder):
        raise SettingError("network.embedding.kind must be 'transformer' for documents")
    encoder: Any = embedder.encoder
    if hasattr(encoder, "set_attn_implementation"):
        # On a CPU, over windows of 512 pieces, torch's fused attention takes twice the time of plain products.
        encoder.set_attn_implementation("eager")
    return embedder
