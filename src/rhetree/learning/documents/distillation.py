"""Learning from teachers (Hinton et al. 2015): document models whose mean says how likely each split and label is.

A network comes to spans by its own mistakes, so which spans it will ask about is not known before. A teacher therefore
reads each document once, and scores spans from what it has read while the student is trained.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rhetree.errors import TrainingError
from rhetree.formats import read
from rhetree.learning.documents.network import TorchDocumentNetwork
from rhetree.learning.documents.targets import DocumentExample, Lesson, document_example
from rhetree.runtime.document_model import load_document_model
from rhetree.runtime.document_search import ReadDocument
from rhetree.runtime.document_units import Units
from rhetree.runtime.installed import find_model
from rhetree.runtime.model import ENCODER
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pointer import log_softmax
from rhetree.runtime.steps import finish

Reader = Callable[[tuple[str, ...], Units], ReadDocument]
"""Reads the words and units of a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDistillationConfig:
    """Learning from other models; without teachers this section has no effect."""

    teachers: tuple[str, ...] = ()
    """Document models to learn from, by the mean of their scores: installed ones by name, or folders. They must have
    the new model's labels. Exported ones are faster and take less memory."""
    texts: tuple[str, ...] = ()
    """Further files of documents with one tree each, which a model parsed: for example JSON lines of ``rhetree parse
    --level document``. There the student learns the teachers' scores alone. They should not be documents of dev."""
    share: float = 0.5
    """Weight of the teachers on a gold document; the gold answer has the rest."""

    def __post_init__(self) -> None:
        if self.texts and not self.teachers:
            raise ValueError("texts need teachers, from whose scores to learn")
        if not 0 <= self.share <= 1:
            raise ValueError(f"share must be between 0 and 1, got {self.share}")


class MeanRead:
    """A document as several networks have read it: the geometric mean of their distributions.

    Copies of the reads are asked: what one computes for its answers, many times what it has read, is not kept.
    """

    def __init__(self, reads: Sequence[ReadDocument]) -> None:
        self._reads = tuple(reads)

    def split_scores(self, places: Ints) -> Floats:
        """How well to split at each of these places, ``(p,)``."""
        return _mean([copy(read).split_scores(places) for read in self._reads])

    def label_log_probs(self, places: Ints) -> Floats:
        """Log-probabilities of labels, ``(p, labels)``."""
        return log_softmax(_mean([copy(read).label_log_probs(places) for read in self._reads]))


def teach(
    config: DocumentDistillationConfig,
    examples: Sequence[DocumentExample],
    labels: Sequence[str],
    *,
    threads: int = 0,
) -> list[DocumentExample]:
    """The examples with what the teachers read in them, followed by those of the texts.

    :param labels: the student's labels; the teachers must have the same
    """
    readers = [_reader(folder, labels, threads) for folder in folders(config)]

    def taught(example: DocumentExample, share: float) -> DocumentExample:
        reads = [reader(example.tokens, example.units) for reader in readers]
        return replace(example, lesson=Lesson(MeanRead(reads), share))

    return [
        *(taught(example, config.share) for example in examples),
        *(taught(example, 1.0) for example in _text_examples(config, labels)),
    ]


def _text_examples(config: DocumentDistillationConfig, labels: Sequence[str]) -> list[DocumentExample]:
    """The documents of the texts; those of one EDU are left out, since there is nothing to join."""
    found = []
    for path in config.texts:
        for document in read(path):
            if len(document.edus) < 2:
                continue
            example = document_example(document)
            if example is None:
                raise TrainingError(
                    f"{path}: {document.name!r} has no tree over whole sentences; "
                    "texts to learn from are documents that `rhetree parse --level document` wrote"
                )
            unknown = sorted(set(example.labels) - {"", *labels})
            if unknown:
                raise TrainingError(
                    f"{path}: {document.name!r} has labels that the new model lacks: {', '.join(unknown)}; "
                    "parse the texts with a model of the same corpus"
                )
            found.append(example)
    return found


def folders(config: DocumentDistillationConfig) -> list[Path]:
    """The folders of the teachers."""
    return [find_model(teacher) for teacher in config.teachers]


def _reader(folder: Path, labels: Sequence[str], threads: int) -> Reader:
    # Not above: it reads recipes, and the settings of this module are a part of these.
    from rhetree.learning.documents.loading import load_network

    if (folder / ENCODER).exists():
        model = load_document_model(folder, threads=threads)
        _check_labels(folder, model.labels, labels)
        exported = model.network
        return lambda tokens, units: finish(exported.read_in_steps(tokens, units))
    network, _, _ = load_network(folder)
    _check_labels(folder, network.labels, labels)
    return TorchDocumentNetwork(network).read


def _check_labels(folder: Path, own: Sequence[str], labels: Sequence[str]) -> None:
    if tuple(own) != tuple(labels):
        odd = ", ".join(sorted(set(own) ^ set(labels))) or "none, but their order differs"
        raise TrainingError(
            f"{folder}: the labels of this teacher differ from the new model's; only one side has: {odd}"
        )


def _mean(found: Sequence[Floats]) -> Floats:
    mean: Floats = np.mean(found, axis=0, dtype=np.float32)
    return mean
