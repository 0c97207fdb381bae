"""Gold document -> what the document network learns: for any span, where to split it and with which label.

Each place between two EDUs is where exactly one split of the gold tree lies. Of the candidates of a span, the right one is
that whose gold split is highest. This holds for spans that are not in the gold tree as well, so the network can learn from
its own mistakes; and a gold tree whose nodes cross a sentence's edge becomes the nearest tree that keeps sentences whole.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rhetree.corpora.sentences import cut_at_sentences
from rhetree.domain.document import Document
from rhetree.runtime.document_search import ReadDocument
from rhetree.runtime.document_units import Candidates, Units, units_of
from rhetree.runtime.network import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What teachers say of a document (see ``documents.distillation``)."""

    read: ReadDocument
    share: float
    """Weight of the teachers; the gold answer has the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentExample:
    """A document to learn from."""

    name: str
    tokens: tuple[str, ...]
    units: Units
    rank: Ints
    """For the place before each EDU, where its split comes in the pre-order of the gold tree; ``(n,)``."""
    labels: tuple[str, ...]
    """The label of the split at each place; empty at the first."""
    candidates: Candidates
    above: Mapping[tuple[int, int], str]
    """The labels of the gold nodes that have EDUs of more than one sentence."""
    lesson: Lesson | None = None
    """None to learn from gold alone."""

    def best(self, places: Ints) -> int:
        """The number of the candidate with the highest gold split."""
        return int(np.argmin(self.rank[places]))

    def gold_spans(self) -> list[tuple[int, int]]:
        """The spans that the best splits lead to, from the whole document down to single EDUs."""
        n = len(self.units)
        waiting, found = [(0, n)] if n > 1 else [], []
        while waiting:
            start, end = waiting.pop()
            found.append((start, end))
            places = self.candidates.of(start, end)
            middle = int(places[self.best(places)])
            waiting += [span for span in ((middle, end), (start, middle)) if span[1] - span[0] > 1]
        return found


def document_example(document: Document) -> DocumentExample | None:
    """The example of a gold document; None if it has no tree, or an EDU crosses the edge of a sentence."""
    if document.tree is None or not document.sentences or len(document.edus) < 2:
        return None
    if cut_at_sentences(document) is not document:
        return None
    units = units_of(document, document.trees_by_sentence())
    rank = np.zeros(len(units), dtype=np.int64)
    labels = [""] * len(units)
    for number, split in enumerate(document.tree.splits):
        rank[split.split] = number
        labels[split.split] = split.label
    above = {
        (split.start, split.end): split.label
        for split in document.tree.splits
        if units.is_above(split.start, split.end)
    }
    forms = tuple(token.form for token in document.tokens)
    return DocumentExample(document.name, forms, units, rank, tuple(labels), Candidates(units), above)


def document_examples(documents: Iterable[Document]) -> list[DocumentExample]:
    """The examples of those documents that can be learnt from."""
    found = map(document_example, documents)
    return [example for example in found if example is not None]


def labels_of(examples: Sequence[DocumentExample]) -> tuple[str, ...]:
    """All labels, sorted."""
    return tuple(sorted({label for example in examples for label in example.labels if label}))
