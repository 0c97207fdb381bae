"""Scores of a saved model, or of two in a row, on a corpus."""

from collections.abc import Sequence
from pathlib import Path

import torch

from rhetree.domain.document import Document
from rhetree.errors import ModelError, TrainingError
from rhetree.learning.model import Model, load_model
from rhetree.learning.scoring import Results, score, score_pipeline
from rhetree.learning.torch_network import TorchNetwork
from rhetree.runtime.pipeline import Pipeline


def evaluate_models(
    folder: Path, documents: Sequence[Document], *, segmenter: Path | None = None, threads: int = 0
) -> Results:
    """What the model of a folder scores on gold documents, with their EDUs and without.

    :param segmenter: another model, to find the EDUs that the first one parses
    :param threads: of torch; 0 for as many as there are cores
    """
    torch.set_num_threads(threads or torch.get_num_threads())
    if not any(document.tokens for document in documents):
        raise TrainingError("there is nothing to evaluate on: the split is empty")
    model = load_model(folder)
    if segmenter is None:
        return score(model.network, documents)
    first = load_model(segmenter)
    _check_tasks(model, folder, first, segmenter)
    pipeline = Pipeline(
        TorchNetwork(model.network), model.network.labels, segmenter=TorchNetwork(first.network)
    )
    return score_pipeline(pipeline, documents)


def _check_tasks(parser: Model, parser_folder: Path, segmenter: Model, segmenter_folder: Path) -> None:
    if parser.recipe.network.task == "segment":
        raise ModelError(f"{parser_folder}: this model only segments; a parser is needed after a segmenter")
    if segmenter.recipe.network.task == "parse":
        raise ModelError(f"{segmenter_folder}: this model only parses; it cannot find EDUs")
