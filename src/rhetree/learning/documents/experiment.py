"""One training run of a document network, from recipe to model directory."""

from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from rhetree.errors import SettingError, TrainingError
from rhetree.learning.documents.distillation import folders, teach
from rhetree.learning.documents.network import DocumentNetwork
from rhetree.learning.documents.recipe import DocumentRecipe
from rhetree.learning.documents.scoring import SCORES, score_documents
from rhetree.learning.documents.targets import DocumentExample, document_examples, labels_of
from rhetree.learning.embeddings import make_embedder
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.model import save_model
from rhetree.learning.training import run_folder
from rhetree.learning.training.commit import source_commit
from rhetree.learning.training.distillation import fingerprint as fingerprint_of_files
from rhetree.learning.training.experiment import Data, about_run, fingerprint, read_data
from rhetree.learning.training.loop import Evaluated, Step, train
from rhetree.learning.training.start import Start, check_fit, copy_weights, open_start, started_embedder

_BY_LABEL = {"labeller.from_sum.weight": 0, "labeller.from_sum.bias": 0, "labeller.from_product.weight": 0}
"""The weights of a network that belong to one of its labels, and the axis of the labels."""


def run(
    recipe: DocumentRecipe, folder: Path, *, resume: bool = False
) -> Generator[Data | Step | Evaluated, None, None]:
    """Train by a recipe in this folder (see ``run_folder``). Yields the data, then each step and evaluation."""
    select = recipe.train.select or "full"
    if select not in SCORES:
        raise SettingError(f"train.select must be one of {', '.join(SCORES)} for documents, got {select!r}")
    start, old = _open_start(recipe) if recipe.train.start else (None, None)
    data = read_data(recipe.data, by_sentence=False)
    examples, dev = document_examples(data.train), document_examples(data.dev)
    labels = check_labels(recipe, examples, dev, start)
    if start is not None:
        data = replace(data, notes=(*data.notes, *start.notes(labels)))
    yield data
    learnt_from = fingerprint(data.train)
    contents = f"{learnt_from} {fingerprint(data.dev)}"
    if recipe.distillation.teachers:
        texts = recipe.distillation.texts
        contents += f" {fingerprint_of_files(folders(recipe.distillation), texts)}"
    commit = source_commit()  # now: the checkout may change while training runs
    with run_folder.locked(folder):
        n_done = run_folder.steps_done(folder, recipe, contents, resume=resume)
        torch.manual_seed(recipe.train.seed)
        torch.set_num_threads(recipe.train.threads or torch.get_num_threads())
        if recipe.distillation.teachers:
            examples = teach(recipe.distillation, examples, labels, threads=recipe.train.threads)
            torch.manual_seed(recipe.train.seed)
        network = _new_network(recipe, labels, old)
        run_folder.start(folder, recipe, n_done)

        def keep(scores: Mapping[str, float]) -> None:
            about = about_run(recipe.data, data, scores, sha256=learnt_from, commit=commit, start=start)
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


def check_labels(
    recipe: DocumentRecipe,
    train: list[DocumentExample],
    dev: list[DocumentExample],
    start: Start | None = None,
) -> tuple[str, ...]:
    """The labels to learn; an error if there are no documents with trees, or dev has unseen labels.

    :param start: the model to start from, whose labels are kept if it knows all that train has
    """
    for name, examples in ((recipe.data.train, train), (recipe.data.dev, dev)):
        if not any(example.above for example in examples):
            raise TrainingError(
                f"{recipe.data.corpus}: split {name!r} has no document with one tree over several sentences"
            )
    labels = labels_of(train)
    if start is not None:
        labels = start.labels_for(labels)
    unseen = sorted({label for example in dev for label in example.above.values()} - set(labels))
    if unseen and recipe.data.unseen_labels == "refuse":
        raise TrainingError(
            f"split {recipe.data.dev!r} has labels that {recipe.data.train!r} lacks: "
            f"{', '.join(unseen)}; set data.unseen_labels=ignore to train without them"
        )
    return labels


def _open_start(recipe: DocumentRecipe) -> tuple[Start, DocumentNetwork]:
    """The model to start from, after a look at whether a network of these settings can start from it."""
    from rhetree.learning.documents.restoration import load_trainable  # which needs the library onnx

    start = open_start(recipe.train.start)
    old = load_trainable(start.folder)
    check_fit(recipe.network, old.config, start.name)
    return start, old


def _new_network(
    recipe: DocumentRecipe, labels: tuple[str, ...], old: DocumentNetwork | None
) -> DocumentNetwork:
    """The network to train, with the weights of the one to start from, if there is one."""
    config = recipe.network
    if old is None:
        return DocumentNetwork(config, _suited(make_embedder(config.embedding, [])), labels)
    network = DocumentNetwork(config, _suited(started_embedder(config.embedding, old.embedder)), labels)
    copy_weights(network, old, _BY_LABEL, labels, old.labels)
    return network


def _suited(embedder: Embedder) -> TransformerEmbedder:
    if not isinstance(embedder, TransformerEmbedder):
        raise SettingError("network.embedding.kind must be 'transformer' for documents")
    encoder: Any = embedder.encoder
    if embedder.config.attention_dropout and hasattr(encoder, "set_attn_implementation"):
        # With dropout, over windows of 512 pieces on a CPU, torch's fused attention takes twice the time of plain
        # products; without, it takes 0.7 of their time for the whole step.
        encoder.set_attn_implementation("eager")
    return embedder
