"""Scores a saved model, or a segmenter followed by a parser, on a corpus.

Exported models run without torch, as they do for users.
"""

from collections.abc import Sequence
from pathlib import Path

from rhetree.corpora.overlap import with_known_text
from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import ModelError, SettingError, TrainingError
from rhetree.learning.scoring import Results, score_pipeline
from rhetree.runtime.loading import load_any
from rhetree.runtime.model import CONFIG, read_config
from rhetree.runtime.pipeline import Edus, Pipeline
from rhetree.runtime.workers import MOST_THREADS


def evaluate_models(
    folder: Path,
    documents: Sequence[Document],
    *,
    segmenter: Path | None = None,
    edus: Edus | None = None,
    threads: int = 0,
    device: str | None = None,
) -> Results:
    """Score the model in a folder on gold documents, with gold EDUs and with the EDUs it finds.

    :param segmenter: folder of another model, which finds the EDUs for the first one to parse
    :param edus: score with gold EDUs only, or with predicted EDUs only; None for both
    :param threads: number of threads; 0 for one per core, or for torch's own choice
    :param device: where torch computes, for models that were not exported
    """
    if not 0 <= threads <= MOST_THREADS:
        raise SettingError(f"threads must be between 0 and {MOST_THREADS}, got {threads}")
    if not any(document.tokens for document in documents):
        raise TrainingError("nothing to evaluate on: the split is empty")
    task = task_of(folder)
    if segmenter is not None:
        if task == "segment":
            raise ModelError(f"{folder}: this model only segments; it cannot parse the segmenter's EDUs")
        if task_of(segmenter) == "parse":
            raise ModelError(f"{segmenter}: this model only parses; it cannot find EDUs")
        task = "joint"
    if edus is not None and task == ("segment" if edus == "gold" else "parse"):
        raise ModelError(
            f"{folder}: this model can only {task}, so it has no scores with {edus} EDUs; "
            f"ask for {'auto' if edus == 'gold' else 'gold'} EDUs"
        )
    if task != "segment" and not any(
        tree is not None for document in documents for tree in document.sentence_trees
    ):
        if task == "parse" or edus == "gold":
            raise TrainingError("nothing to evaluate on: no sentence of the split has a tree")
        edus = "auto"
    model = load_any(folder, threads=threads, device=device)
    first = None if segmenter is None else load_any(segmenter, threads=threads, device=device).network
    pipeline = Pipeline(model.network, model.labels, segmenter=first, search=model.search)
    return score_pipeline(pipeline, documents, task, edus)


def task_of(folder: Path) -> str:
    """The task a model was trained for: segment, parse or joint."""
    task: str = read_config(folder)["recipe"].get("network", {}).get("task", "joint")
    return task


def relations_of(folder: Path) -> Inventory | str | None:
    """The relation classes a model learnt, in the form :func:`~rhetree.read_corpus` takes; None for any."""
    config = read_config(folder)
    known = config.get("data", {}).get("relations")
    if not isinstance(known, dict):
        return known or config["recipe"].get("data", {}).get("relations") or None
    try:
        return Inventory(**known | {"suffixes": tuple(known["suffixes"]), "classes": dict(known["classes"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder / CONFIG}: data.relations is not a valid inventory: {error}") from error


def dev_share_of(folder: Path) -> tuple[float | None, int]:
    """The share of training documents held out to select the model, None if none was, and the seed of the draw."""
    data = read_config(folder)["recipe"].get("data", {})
    return data.get("dev_share") or None, data.get("seed", 1)


def trained_on(folder: Path, documents: Sequence[Document]) -> list[str]:
    """Names of the documents that a model was trained on; none if it does not remember its texts."""
    return with_known_text(documents, set(read_config(folder).get("data", {}).get("texts", ())))
