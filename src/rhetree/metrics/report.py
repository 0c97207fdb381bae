"""All the scores of a set of documents in one value.

``rhetree score``, evaluation during training and the tables of results all use it. It adds up over
documents, and is written to JSON; all but the counts of single relations is read back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.domain.retokenized import adopt_tokens
from rhetree.errors import MismatchError
from rhetree.metrics.comparability import (
    adopt_sentences,
    check_has_edus,
    check_level,
    check_same_tokens,
)
from rhetree.metrics.confusion import Confusion, confuse
from rhetree.metrics.counts import Counts
from rhetree.metrics.parseval import (
    LEVELS,
    Level,
    Parseval,
    original_labels,
    parses,
    rst_labels,
    score_labels,
)
from rhetree.metrics.segmentation import Segmentation, score_segmentation

UNKNOWN_GENRE = "unknown"

METRICS = (
    "segmentation.inner",
    "segmentation.starts",
    *(
        f"parseval.{kind}.{part}"
        for kind in ("rst", "original")
        for part in ("span", "nuclearity", "relation", "full")
    ),
)
"""The names of all scores: their paths in the JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The counts of some documents, under every convention."""

    n_documents: int = 0
    n_sentences: int = 0
    n_trees: int = 0
    """Number of gold trees that were scored, including sentences of one EDU."""
    segmentation: Segmentation = field(default_factory=Segmentation)
    rst: Parseval = field(default_factory=Parseval)
    """RST-Parseval, as in the paper."""
    original: Parseval = field(default_factory=Parseval)
    """Original Parseval."""
    confusion: Confusion = field(default_factory=Confusion)

    @classmethod
    def total(cls, parts: Iterable["Scores"]) -> "Scores":
        """The sum of many scores."""
        parts = list(parts)
        return cls(
            n_documents=sum(part.n_documents for part in parts),
            n_sentences=sum(part.n_sentences for part in parts),
            n_trees=sum(part.n_trees for part in parts),
            segmentation=Segmentation.total([part.segmentation for part in parts]),
            rst=Parseval.total([part.rst for part in parts]),
            original=Parseval.total([part.original for part in parts]),
            confusion=Confusion.total(part.confusion for part in parts),
        )

    def __add__(self, other: "Scores") -> "Scores":
        return Scores.total([self, other])

    def counts(self, metric: str) -> Counts | None:
        """The counts of one of :data:`METRICS`; None if it was not measured.

        Parsing is not measured without gold trees, inner boundaries not without sentences.
        """
        if metric not in METRICS:
            raise ValueError(f"a metric is one of {', '.join(METRICS)}; got {metric!r}")
        group, _, part = metric.partition(".")
        if group == "segmentation":
            return self.segmentation.inner if part == "inner" else self.segmentation.starts
        if not self.n_trees:
            return None
        kind, _, part = part.partition(".")
        found: Counts = getattr(self.rst if kind == "rst" else self.original, part)
        return found

    def f1(self, metric: str) -> float | None:
        """The F1 of one of :data:`METRICS`, from 0 to 1; None if it was not measured."""
        counts = self.counts(metric)
        return None if counts is None else counts.f1

    def to_dict(self) -> dict[str, Any]:
        """The scores with their counts, for JSON; ``parseval`` is None if gold has no tree."""
        parseval = {"rst": self.rst.to_dict(), "original": self.original.to_dict()}
        return {
            "documents": self.n_documents,
            "sentences": self.n_sentences,
            "trees": self.n_trees,
            "segmentation": self.segmentation.to_dict(),
            "parseval": parseval if self.n_trees else None,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Scores":
        """The scores of a :meth:`to_dict`, without single relations and their confusion."""
        segmentation, parseval = record["segmentation"], record["parseval"] or {}
        inner = segmentation["inner"]
        return cls(
            n_documents=record["documents"],
            n_sentences=record["sentences"],
            n_trees=record["trees"],
            segmentation=Segmentation(
                None if inner is None else Counts.from_dict(inner), Counts.from_dict(segmentation["starts"])
            ),
            rst=Parseval.from_dict(parseval["rst"]) if parseval else Parseval(),
            original=Parseval.from_dict(parseval["original"]) if parseval else Parseval(),
        )


@dataclass(frozen=True, slots=True)
class DocumentScores:
    """The scores of one document."""

    name: str
    genre: str
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All scores of a prediction: those of each document, and their sum (micro average)."""

    level: Level
    inventory: str | None = None
    """Name of the inventory whose classes were compared; None if relations were compared as they are."""
    documents: tuple[DocumentScores, ...]
    total: Scores = field(init=False)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"a level is one of {', '.join(LEVELS)}, got {self.level!r}")
        object.__setattr__(self, "documents", tuple(self.documents))
        object.__setattr__(self, "total", Scores.total(document.scores for document in self.documents))

    def __add__(self, other: "Evaluation") -> "Evaluation":
        if (self.level, self.inventory) != (other.level, other.inventory):
            raise ValueError("scores at different levels or over different relations do not add up")
        return Evaluation(
            level=self.level, inventory=self.inventory, documents=self.documents + other.documents
        )

    def by_genre(self) -> dict[str, Scores]:
        """The sum of each genre, in alphabetical order."""
        genres: dict[str, list[Scores]] = {}
        for document in self.documents:
            genres.setdefault(document.genre, []).append(document.scores)
        return {genre: Scores.total(scores) for genre, scores in sorted(genres.items())}

    def to_dict(
        self,
        *,
        per_document: bool = False,
        per_genre: bool = False,
        per_relation: bool = False,
        confusion: bool = False,
    ) -> dict[str, Any]:
        """The sum, and what else is asked for, for JSON; docs/metrics.md lists the keys."""
        record: dict[str, Any] = {"level": self.level, "relations": self.inventory, **self.total.to_dict()}
        if per_document:
            record["per_document"] = [
                {"name": document.name, "genre": document.genre, **document.scores.to_dict()}
                for document in self.documents
            ]
        if per_genre:
            record["per_genre"] = {genre: scores.to_dict() for genre, scores in self.by_genre().items()}
        if per_relation:
            record["per_relation"] = {
                kind: {relation: counts.to_dict() for relation, counts in parseval.by_relation.items()}
                for kind, parseval in (("rst", self.total.rst), ("original", self.total.original))
            }
        if confusion:
            record["confusion"] = self.total.confusion.to_dict()
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Evaluation":
        """The evaluation of a :meth:`to_dict` with ``per_document``, without single relations."""
        return cls(
            level=record["level"],
            inventory=record["relations"],
            documents=tuple(
                DocumentScores(document["name"], document["genre"], Scores.from_dict(document))
                for document in record["per_document"]
            ),
        )


def evaluate(
    gold: Iterable[Document],
    predicted: Iterable[Document],
    *,
    level: Level = "sentence",
    inventory: Inventory | None = None,
) -> Evaluation:
    """Score predicted documents against gold ones, given in the same order.

    Gold whose sentences are not known is scored by the sentences of the prediction. A document that
    has trees of sentences only cannot be scored at the level of documents.

    :param level: score the tree of each sentence, or the tree of each document
    :param inventory: compare the classes of relations instead of the relations
    """
    documents = []
    for number, (wanted, found) in enumerate(zip_longest(gold, predicted), start=1):
        if wanted is None or found is None:
            longer = "gold" if found is None else "predicted"
            raise MismatchError(f"only {longer} has a document {number}; pair documents by name first")
        if wanted.name and found.name and wanted.name != found.name:
            raise MismatchError(
                f"document {number} is {found.name!r}, expected {wanted.name!r}; pair documents by name first"
            )
        genre = wanted.metadata.get("genre", UNKNOWN_GENRE)
        scores = score_document(wanted, found, level=level, inventory=inventory)
        documents.append(DocumentScores(wanted.name, genre, scores))
    return Evaluation(
        level=level, inventory=None if inventory is None else inventory.name, documents=tuple(documents)
    )


def score_document(
    gold: Document, predicted: Document, *, level: Level = "sentence", inventory: Inventory | None = None
) -> Scores:
    """All scores of one document; see :func:`evaluate`."""
    gold = adopt_tokens(gold, predicted)
    check_same_tokens(gold, predicted)
    check_has_edus(gold, "gold")
    check_level(gold, predicted, level)
    if level == "sentence":
        gold = adopt_sentences(gold, [predicted])
    trees = parses(gold, predicted, level, None if inventory is None else inventory.class_of)
    # Spans are named by tokens of the document, so all its trees can be compared at once.
    gold_splits = list(chain.from_iterable(tree.gold for tree in trees))
    predicted_splits = list(chain.from_iterable(tree.predicted for tree in trees))
    gold_nodes, predicted_nodes = original_labels(gold_splits), original_labels(predicted_splits)
    return Scores(
        n_documents=1,
        n_sentences=len(gold.sentences),
        n_trees=len(trees),
        segmentation=score_segmentation(gold, predicted),
        rst=score_labels(rst_labels(gold_splits), rst_labels(predicted_splits)),
        original=score_labels(gold_nodes, predicted_nodes),
        confusion=confuse(gold_nodes, predicted_nodes),
    )


def pair_by_name(
    gold: Iterable[Document], predicted: Iterable[Document]
) -> tuple[list[Document], list[Document]]:
    """Both lists in the order of gold; ``MismatchError`` lists the names that only one of them has."""
    wanted, found = by_name(gold, "gold"), by_name(predicted, "predicted")
    problems = []
    if missing := [name for name in wanted if name not in found]:
        problems.append(f"not predicted: {_some(missing)}")
    if unknown := [name for name in found if name not in wanted]:
        problems.append(f"not in gold: {_some(unknown)}")
    if problems:
        raise MismatchError(f"documents are paired by name, and some have no partner; {'; '.join(problems)}")
    return list(wanted.values()), [found[name] for name in wanted]


def _some(names: list[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def by_name(documents: Iterable[Document], whose: str) -> dict[str, Document]:
    """Documents by name; ``MismatchError`` if two have the same name."""
    named: dict[str, Document] = {}
    for document in documents:
        if named.setdefault(document.name, document) is not document:
            raise MismatchError(
                f"two {whose} documents are called {document.name!r}, so they cannot be paired by name"
            )
    return named
