"""One value with all the scores of a set of documents, however it came about.

``rhetree score``, evaluation while training and the tables of results all use it. It adds up over
documents, and goes to JSON and, as far as counts go, back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.errors import MismatchError
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
"""The names of all scores: their places in the JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What was counted in some documents, under every convention."""

    n_documents: int = 0
    n_sentences: int = 0
    n_trees: int = 0
    """Gold's trees that were scored, one-EDU sentences included."""
    segmentation: Segmentation = field(default_factory=Segmentation)
    rst: Parseval = field(default_factory=Parseval)
    """RST-Parseval, the paper's."""
    original: Parseval = field(default_factory=Parseval)
    """Original Parseval."""
    confusion: Confusion = field(default_factory=Confusion)

    @classmethod
    def total(cls, parts: Iterable["Scores"]) -> "Scores":
        """The sum of many."""
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
        """The counts of one of :data:`METRICS`; None where it was not measured.

        Parsing is not measured without gold trees, inner boundaries not without gold sentences.
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
        """The F1 of one of :data:`METRICS`, from 0 to 1; None where it was not measured."""
        counts = self.counts(metric)
        return None if counts is None else counts.f1

    def to_dict(self) -> dict[str, Any]:
        """The scores with their counts, for JSON; ``parseval`` is None where gold has no tree."""
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
        """What :meth:`to_dict` made; single relations and their confusion do not come back."""
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
    """All scores of a prediction: each document's, and their sum (micro average)."""

    level: Level
    inventory: str | None = None
    """The name of the inventory whose classes were compared; None for relations as they are."""
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
        """The sum for each genre, in alphabetical order."""
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
        """The sum and what else was asked for, for JSON; docs/metrics.md has the keys."""
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
        """What :meth:`to_dict` made with ``per_document``, but for single relations."""
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

    :param level: score the trees of sentences, or one tree a document
    :param inventory: compare the classes of relations in place of the relations
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
    """All scores of one document."""
    check_same_tokens(gold, predicted, ("gold", "the prediction"))
    check_has_edus(gold, "gold")
    if level == "sentence":
        check_has_sentences(gold, "gold")
    trees = parses(gold, predicted, level, None if inventory is None else inventory.class_of)
    # Spans are named by the document's tokens, so those of all its trees can be compared at once.
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
    """Both lists in gold's order; ``MismatchError`` lists the names that only one of them has."""
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
    """Documents under their names; ``MismatchError`` where two share one."""
    named: dict[str, Document] = {}
    for document in documents:
        if named.setdefault(document.name, document) is not document:
            raise MismatchError(
                f"two {whose} documents are called {document.name!r}, so they cannot be paired by name"
            )
    return named


def check_same_tokens(gold: Document, predicted: Document, whose: tuple[str, str]) -> None:
    """Raise ``MismatchError`` at the first token that differs; ``whose`` says what to call the two."""
    forms, found_forms = [t.form for t in gold.tokens], [t.form for t in predicted.tokens]
    if forms == found_forms:
        return
    name = gold.name or predicted.name or "document"
    for number, (wanted, found) in enumerate(zip(forms, found_forms, strict=False), start=1):
        if wanted != found:
            raise MismatchError(
                f"{name}: token {number} is {found!r} in {whose[1]}, expected {wanted!r} as in {whose[0]}; "
                "trees are compared over the same tokens only"
            )
    common = min(len(forms), len(found_forms))
    longer, shorter = whose if len(forms) > common else whose[::-1]
    extra = max(forms, found_forms, key=len)[common]
    raise MismatchError(
        f"{name}: {shorter} ends after token {common}, expected token {common + 1}, {extra!r}, as in {longer}; "
        "trees are compared over the same tokens only"
    )


def check_has_edus(document: Document, whose: str) -> None:
    """Raise ``MismatchError`` where a document with tokens is not segmented."""
    if document.tokens and not document.edus:
        raise MismatchError(
            f"{document.name or 'document'}: it has no EDUs in {whose}; expected some to compare"
        )


def check_has_sentences(document: Document, whose: str) -> None:
    """Raise ``MismatchError`` where a document's sentences are not known."""
    if document.tokens and not document.sentences:
        raise MismatchError(
            f"{document.name or 'document'}: it has no sentences in {whose}; compare trees of whole documents "
            "(level 'document'), or read it with its CoNLL-U file"
        )
