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
from rhetree.learning.documents.network import TorchDocumentNetwork
from rhetree.learning.documents.targets import DocumentExample, Lesson
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
    share: float = 0.5
    """Weight of the teachers; the gold answer has the rest."""

    def __post_init__(self) -> None:
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
    """The examples with what the teachers read in them.

    :param labels: the student's labels; the teachers must have the same
    """
    readers = [_reader(folder, labels, threads) for folder in folders(config)]
    return [
        replace(
            example,
            lesson=Lesson(MeanRead([read(example.tokens, example.units) for read in readers]), config.share),
        )
        for example in examples
    ]


def folders(config: DocumentDistillationConfig) -> list[Path]:
    """The folders of the teachers."""
    return [find_model(teacher) for teacher in config.teachers]


def _reader(folder: Path, labels: Sequence[str], threads: int) -> Reader:
    # Not above: it reads recipes, and the settings of this module are a part of these.
    from rhetree.learning.documents.experiment import load_network

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
