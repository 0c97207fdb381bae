"""How far two annotators of the same documents agree.

F1 is the same whichever of the two is called gold; precision and recall change places.

Kappa is K of Siegel & Castellan (1988), with chance agreement from the labels of both annotators
pooled, over the judgements of Marcu, Amorrortu & Romera (1999), which Carlson, Marcu & Okurowski
(2001) report for RST-DT: a tree over n units is a judgement on each of its n(n+1)/2 possible
spans, and most spans are none. The units are the shortest that either annotator made, so that
different EDUs can be compared. We leave out the root, on which everyone agrees.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.domain.span import Span
from rhetree.metrics.parseval import (
    Labels,
    Level,
    Parseval,
    original_labels,
    regions,
    rst_labels,
    score_labels,
)
from rhetree.metrics.report import check_has_edus, check_has_sentences, check_same_tokens
from rhetree.metrics.segmentation import Segmentation, count_common
from rhetree.metrics.token_trees import TokenTrees


@dataclass(frozen=True, slots=True)
class Judgements:
    """How often the first annotator said one thing and the second another, of the same item."""

    pairs: Mapping[tuple[Hashable, Hashable], int] = field(default_factory=dict, hash=False)

    def __add__(self, other: "Judgements") -> "Judgements":
        return Judgements(dict(Counter(self.pairs) + Counter(other.pairs)))

    @property
    def kappa(self) -> float | None:
        """Agreement above chance; None where nothing was judged, 1.0 where all is agreed."""
        n = sum(self.pairs.values())
        if not n:
            return None
        agreed = sum(count for (first, second), count in self.pairs.items() if first == second)
        if agreed == n:
            return 1.0
        pooled: Counter[Hashable] = Counter()
        for (first, second), count in self.pairs.items():
            pooled[first] += count
            pooled[second] += count
        by_chance = sum((count / (2 * n)) ** 2 for count in pooled.values())
        return (agreed / n - by_chance) / (1 - by_chance)


@dataclass(frozen=True, slots=True)
class TreeAgreement:
    """Parseval of one annotator's trees against the other's."""

    n_trees: int = 0
    rst: Parseval = field(default_factory=Parseval)
    original: Parseval = field(default_factory=Parseval)

    @classmethod
    def total(cls, parts: Sequence["TreeAgreement"]) -> "TreeAgreement":
        """The sum of many."""
        return cls(
            sum(part.n_trees for part in parts),
            Parseval.total([part.rst for part in parts]),
            Parseval.total([part.original for part in parts]),
        )

    def __add__(self, other: "TreeAgreement") -> "TreeAgreement":
        return TreeAgreement.total([self, other])

    def to_dict(self) -> dict[str, object]:
        """``trees`` and both Parsevals, for JSON; ``parseval`` is None where there is no tree."""
        scores = {"rst": self.rst.to_dict(), "original": self.original.to_dict()}
        return {"trees": self.n_trees, "parseval": scores if self.n_trees else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two annotators over the documents that both annotated; the first stands in gold's place."""

    level: Level
    inventory: str | None = None
    """The name of the inventory whose classes were compared; None for relations as they are."""
    n_documents: int = 0
    n_sentences: int = 0
    segmentation: Segmentation = field(default_factory=Segmentation)
    trees: TreeAgreement = field(default_factory=TreeAgreement)
    """All sentences (or documents) for which both have a tree, whatever their EDUs."""
    trees_same_edus: TreeAgreement = field(default_factory=TreeAgreement)
    """Those of them in which both have the same EDUs."""
    edus: Judgements = field(default_factory=Judgements)
    """Of every token but a document's first: does it start an EDU?"""
    spans: Judgements = field(default_factory=Judgements)
    """Of every possible span: is it a unit of the tree?"""
    nuclearity: Judgements = field(default_factory=Judgements)
    """Of every possible span: nucleus, satellite or none?"""
    relations: Judgements = field(default_factory=Judgements)
    """Of every possible span: which relation (``span`` for a nucleus), or none?"""

    def __add__(self, other: "Agreement") -> "Agreement":
        if (self.level, self.inventory) != (other.level, other.inventory):
            raise ValueError("agreement at different levels or over different relations does not add up")
        return Agreement(
            level=self.level,
            inventory=self.inventory,
            n_documents=self.n_documents + other.n_documents,
            n_sentences=self.n_sentences + other.n_sentences,
            segmentation=self.segmentation + other.segmentation,
            trees=self.trees + other.trees,
            trees_same_edus=self.trees_same_edus + other.trees_same_edus,
            edus=self.edus + other.edus,
            spans=self.spans + other.spans,
            nuclearity=self.nuclearity + other.nuclearity,
            relations=self.relations + other.relations,
        )

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON; docs/metrics.md has the keys."""
        return {
            "level": self.level,
            "relations": self.inventory,
            "documents": self.n_documents,
            "sentences": self.n_sentences,
            "segmentation": self.segmentation.to_dict(),
            **self.trees.to_dict(),
            "same_edus": self.trees_same_edus.to_dict(),
            "kappa": {
                "edus": self.edus.kappa,
                "spans": self.spans.kappa,
                "nuclearity": self.nuclearity.kappa,
                "relations": self.relations.kappa,
            },
        }


def agreement(
    a: Iterable[Document],
    b: Iterable[Document],
    *,
    level: Level = "sentence",
    inventory: Inventory | None = None,
) -> Agreement:
    """How far two annotators agree, given their versions of the same documents in the same order.

    Sentences count that both have, trees that both have: so A against B is B against A.
    """
    total = Agreement(level=level, inventory=None if inventory is None else inventory.name)
    for first, second in zip(a, b, strict=True):
        total = total + _agreement_on(first, second, level, inventory)
    return total


def _agreement_on(a: Document, b: Document, level: Level, inventory: Inventory | None) -> Agreement:
    check_same_tokens(a, b, ("A", "B"))
    check_has_edus(a, "A")
    check_has_edus(b, "B")
    sentences = _common_sentences(a, b)
    if a.tokens and level == "sentence" and not (a.sentences or b.sentences):
        check_has_sentences(a, "A")
    name = None if inventory is None else inventory.class_of
    trees_a, trees_b = TokenTrees(a, name), TokenTrees(b, name)
    trees, trees_same_edus = [], []
    judgements = _SpanJudgements()
    for region in sentences if level == "sentence" else regions(a, level):
        splits_a, splits_b = trees_a.at(region), trees_b.at(region)
        if splits_a is None or splits_b is None:
            continue
        labels_a, labels_b = rst_labels(splits_a), rst_labels(splits_b)
        tree = TreeAgreement(
            1,
            score_labels(labels_a, labels_b),
            score_labels(original_labels(splits_a), original_labels(splits_b)),
        )
        trees.append(tree)
        starts_a, starts_b = trees_a.edu_starts(region), trees_b.edu_starts(region)
        if starts_a == starts_b:
            trees_same_edus.append(tree)
        judgements.add(labels_a, labels_b, len({*starts_a, *starts_b}))
    return Agreement(
        level=level,
        inventory=None if inventory is None else inventory.name,
        n_documents=1,
        n_sentences=len(sentences),
        segmentation=_segmentation(a, b, sentences),
        trees=TreeAgreement.total(trees),
        trees_same_edus=TreeAgreement.total(trees_same_edus),
        edus=_edu_judgements(a, b),
        spans=Judgements(judgements.spans),
        nuclearity=Judgements(judgements.nuclearity),
        relations=Judgements(judgements.relations),
    )


class _SpanJudgements:
    """Both annotators' labels of every possible span of a tree; None is no unit."""

    def __init__(self) -> None:
        self.spans: Counter[tuple[Hashable, Hashable]] = Counter()
        self.nuclearity: Counter[tuple[Hashable, Hashable]] = Counter()
        self.relations: Counter[tuple[Hashable, Hashable]] = Counter()

    def add(self, a: Labels, b: Labels, n_units: int) -> None:
        spans = a.keys() | b.keys()
        for span in spans:
            nuclearity_a, relation_a = a.get(span, (None, None))
            nuclearity_b, relation_b = b.get(span, (None, None))
            self.spans[span in a, span in b] += 1
            self.nuclearity[nuclearity_a, nuclearity_b] += 1
            self.relations[relation_a, relation_b] += 1
        # Most spans are units for neither, too many to visit; the root is not judged.
        n_neither = n_units * (n_units + 1) // 2 - 1 - len(spans)
        self.spans[False, False] += n_neither
        self.nuclearity[None, None] += n_neither
        self.relations[None, None] += n_neither


def _common_sentences(a: Document, b: Document) -> list[Span]:
    """The sentences of both; those of one where the other does not know its own."""
    if not a.sentences or not b.sentences:
        return list(a.sentences or b.sentences)
    return sorted(set(a.sentences) & set(b.sentences))


def _segmentation(a: Document, b: Document, sentences: list[Span]) -> Segmentation:
    starts_a, starts_b = {edu.start for edu in a.edus}, {edu.start for edu in b.edus}
    starts = count_common(starts_a, starts_b)
    if a.tokens and not (a.sentences or b.sentences):
        return Segmentation(None, starts)
    inside = {token for sentence in sentences for token in range(sentence.start + 1, sentence.end)}
    return Segmentation(count_common(starts_a & inside, starts_b & inside), starts)


def _edu_judgements(a: Document, b: Document) -> Judgements:
    starts_a, starts_b = {edu.start for edu in a.edus[1:]}, {edu.start for edu in b.edus[1:]}
    n_either = len(starts_a | starts_b)
    pairs: dict[tuple[Hashable, Hashable], int] = {
        (True, True): len(starts_a & starts_b),
        (True, False): len(starts_a - starts_b),
        (False, True): len(starts_b - starts_a),
        (False, False): max(0, len(a.tokens) - 1) - n_either,
    }
    return Judgements(pairs)
