"""Scores of a saved model, or of two in a row, on a corpus.

Exported models are run as users run them, without torch.
"""

from collections.abc import Sequence
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import ModelError, SettingError, TrainingError
from rhetree.learning.scoring import Results, score_pipeline
from rhetree.runtime.model import CONFIG, is_exported, load_runtime, read_config
from rhetree.runtime.network import Network
from rhetree.runtime.pipeline import Edus, Pipeline
from rhetree.runtime.workers import MOST_THREADS


def evaluate_models(
    folder: Path,
    documents: Sequence[Document],
    *,
    segmenter: Path | None = None,
    edus: Edus | None = None,
    threads: int = 0,
) -> Results:
    """What the model of a folder scores on gold documents, with their EDUs and without.

    :param segmenter: another model, to find the EDUs that the first one parses
    :param edus: only with gold EDUs, or only with those that are found; None for both
    :param threads: to compute with; 0 for one a core, or with torch for as many as it takes by itself
    """
    if not 0 <= threads <= MOST_THREADS:
        raise SettingError(f"threads lies within 0 and {MOST_THREADS}, got {threads}")
    if not any(document.tokens for document in documents):
        raise TrainingError("there is nothing to evaluate on: the split is empty")
    task = task_of(folder)
    if segmenter is not None:
        if task == "segment":
            raise ModelError(f"{folder}: this model only segments; a parser is needed after a segmenter")
        if task_of(segmenter) == "parse":
            raise ModelError(f"{segmenter}: this model only parses; it cannot find EDUs")
        task = "joint"
    if edus is not None and task == ("segment" if edus == "gold" else "parse"):
        raise ModelError(
            f"{folder}: this model can {task} alone, so it has no scores with {edus} EDUs; ask for the others"
        )
    if task != "segment" and not any(
        tree is not None for document in documents for tree in document.sentence_trees
    ):
        if task == "parse" or edus == "gold":
            raise TrainingError("there is nothing to evaluate on: the split has no trees of sentences")
        edus = "auto"
    network, labels = _load(folder, threads)
    first = None if segmenter is None else _load(segmenter, threads)[0]
    return score_pipeline(Pipeline(network, labels, segmenter=first), documents, task, edus)


def task_of(folder: Path) -> str:
    """What a model was trained for: segment, parse or joint."""
    task: str = read_config(folder)["recipe"].get("network", {}).get("task", "joint")
    return task


def relations_of(folder: Path) -> Inventory | str | None:
    """The classes of relations that a model learnt, as :func:`~rhetree.read_corpus` takes them; None for any."""
    config = read_config(folder)
    known = config.get("data", {}).get("relations")
    if not isinstance(known, dict):
        return known or config["recipe"].get("data", {}).get("relations") or None
    try:
        return Inventory(**known | {"suffixes": tuple(known["suffixes"]), "classes": dict(known["classes"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder / CONFIG}: its relations are no inventory: {error}") from error


def _load(folder: Path, threads: int) -> tuple[Network, tuple[str, ...]]:
    """The network and the labels of a model, by its exported graphs where it has them, by torch otherwise."""
    if is_exported(folder):
        exported = load_runtime(folder, threads=threads)
        return exported.network, exported.labels
    import torch

    from rhetree.learning.model import load_model
    from rhetree.learning.torch_network import TorchNetwork

    torch.set_num_threads(threads or torch.get_num_threads())
    model = load_model(folder)
    return TorchNetwork(model.network), model.network.labels
