"""Scores a parser of sentences together with a model that joins them, on trees of whole documents."""

from collections.abc import Sequence
from pathlib import Path

from rhetree.corpora.sentences import cut_at_sentences
from rhetree.domain.document import Document
from rhetree.errors import TrainingError
from rhetree.learning.scoring import Results
from rhetree.metrics.report import evaluate
from rhetree.runtime.parser import load
from rhetree.runtime.pipeline import Edus


def evaluate_documents(
    model: str | Path | None,
    documents: Sequence[Document],
    *,
    document_model: str | Path | None = None,
    edus: Edus | None = None,
    threads: int = 0,
    device: str | None = None,
) -> Results:
    """Score on gold documents with trees of their own, with gold EDUs and with the EDUs that the model finds.

    :param document_model: the model that joins sentences; None is the one for the default model
    :param edus: score with gold EDUs only, or with predicted EDUs only; None for both
    """
    if not any(document.tree is not None for document in documents):
        raise TrainingError("nothing to evaluate on: no document of the split has a tree of its own")
    parser = load(model, threads=threads, device=device, document_model=document_model)
    settings: list[Edus] = ["auto", "gold"] if edus is None else [edus]
    given = {"auto": list(documents), "gold": [cut_at_sentences(document) for document in documents]}
    predictions = {
        setting: tuple(parser.parse_documents(given[setting], edus=setting, level="document"))
        for setting in settings
    }
    scored = {setting: evaluate(documents, found, level="document") for setting, found in predictions.items()}
    return Results(scored.get("auto"), scored.get("gold"), predictions)
