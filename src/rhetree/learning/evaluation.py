"""Scores of a saved model, or of two in a row, on a corpus.

Exported models are run as users run them, without torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.errors import ModelError, SettingError, TrainingError
from rhetree.learning.scoring import Results, score_pipeline
from rhetree.runtime.model import is_exported, load_runtime
from rhetree.runtime.network import Network
from rhetree.runtime.pipeline import Edus, Pipeline


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
    :param threads: to compute with; 0 for as many as there are cores
    """
    if threads < 0:
        raise SettingError(f"threads is at least 0, got {threads}")
    if not any(document.tokens for document in documents):
        raise TrainingError("there is nothing to evaluate on: the split is empty")
    model = _load(folder, threads)
    if segmenter is None:
        return score_pipeline(Pipeline(model.network, model.labels), documents, model.task, edus)
    first = _load(segmenter, threads)
    if model.task == "segment":
        raise ModelError(f"{folder}: this model only segments; a parser is needed after a segmenter")
    if first.task == "parse":
        raise ModelError(f"{segmenter}: this model only parses; it cannot find EDUs")
    pipeline = Pipeline(model.network, model.labels, segmenter=first.network)
    return score_pipeline(pipeline, documents, edus=edus)


@dataclass(frozen=True, slots=True)
class _Loaded:
    network: Network
    labels: tuple[str, ...]
    task: str


def _load(folder: Path, threads: int) -> _Loaded:
    """A model by its exported graphs where it has them, by torch otherwise."""
    if is_exported(folder):
        exported = load_runtime(folder, threads=threads)
        return _Loaded(exported.network, exported.labels, exported.task)
    import torch

    from rhetree.learning.model import load_model
    from rhetree.learning.torch_network import TorchNetwork

    torch.set_num_threads(threads or torch.get_num_threads())
    model = load_model(folder)
    return _Loaded(TorchNetwork(model.network), model.network.labels, model.recipe.network.task)
