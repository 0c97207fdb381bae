"""How far two annotators of the same documents agree.

F1 is the same whichever of the two is called gold; precision and recall change places.

Kappa is K of Siegel & Castellan (1988), with chance agreement from the labels of both annotators
pooled, over the judgements of Marcu, Amorrortu & Romera (1999), which Carlson, Marcu & Okurowski
(2001) report for RST-DT: a tree over n units is a judgement on each of its n(n+1)/2 possible
spans, and most spans are not in the tree. The units are the shortest pieces that either annotator
made, so that different EDUs can be compared. We leave out the root, on which everyone agrees.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.domain.span import Span
from rhetree.metrics.comparability import (
    check_has_edus,
    check_has_sentences,
    check_level,
    check_same_tokens,
)
from rhetree.metrics.confusion import Confusion, confuse
from rhetree.metrics.parseval import (
    Labels,
    Level,
    Parseval,
    original_labels,
    regions,
    rst_labels,
    score_labels,
)
from rhetree.metrics.segmentation import Segmentation, count_common
from rhetree.metrics.token_trees import TokenTrees


@dataclass(frozen=True, slots=True)
class Judgements:
    """Number of items for each pair of labels: the first annotator's and the second's."""

    pairs: Mapping[tuple[Hashable, Hashable], int] = field(default_factory=dict, hash=False)

    def __add__(self, other: "Judgements") -> "Judgements":
        return Judgements(dict(Counter(self.pairs) + Counter(other.pairs)))

    @property
    def kappa(self) -> float | None:
        """Agreement above chance; None if nothing was judged, 1.0 if all is agreed."""
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

    def labels(self) -> set[Hashable]:
        """All labels that either annotator used."""
        return {label for pair in self.pairs for label in pair}

    def about(self, label: Hashable) -> "Judgements":
        """The same judgements as answers to one question: is it this label, or any other?"""
        pairs: Counter[tuple[Hashable, Hashable]] = Counter()
        for (first, second), count in self.pairs.items():
            pairs[first == label, second == label] += count
        return Judgements(dict(pairs))


@dataclass(frozen=True, slots=True)
class TreeAgreement:
    """Parseval of one annotator's trees against the other's."""

    n_trees: int = 0
    rst: Parseval = field(default_factory=Parseval)
    original: Parseval = field(default_factory=Parseval)
    confusion: Confusion = field(default_factory=Confusion)
    """The first annotator's relations (rows) and the second's, of the nodes that both have."""

    @classmethod
    def total(cls, parts: Sequence["TreeAgreement"]) -> "TreeAgreement":
        """The sum of many agreements."""
        return cls(
            sum(part.n_trees for part in parts),
            Parseval.total([part.rst for part in parts]),
            Parseval.total([part.original for part in parts]),
            Confusion.total(part.confusion for part in parts),
        )

    def __add__(self, other: "TreeAgreement") -> "TreeAgreement":
        return TreeAgreement.total([self, other])

    def to_dict(self) -> dict[str, object]:
        """``trees`` and both Parsevals, for JSON; ``parseval`` is None if there is no tree."""
        scores = {"rst": self.rst.to_dict(), "original": self.original.to_dict()}
        return {"trees": self.n_trees, "parseval": scores if self.n_trees else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of two annotators on the documents that both annotated; the first counts as gold."""

    level: Level
    inventory: str | None = None
    """Name of the inventory whose classes were compared; None if relations were compared as they are."""
    n_documents: int = 0
    n_sentences: int = 0
    segmentation: Segmentation = field(default_factory=Segmentation)
    trees: TreeAgreement = field(default_factory=TreeAgreement)
    """Over all sentences (or documents) for which both have a tree, whatever their EDUs."""
    trees_same_edus: TreeAgreement = field(default_factory=TreeAgreement)
    """Over those of them in which both have the same EDUs."""
    edus: Judgements = field(default_factory=Judgements)
    """For every token but the first of a document: does it start an EDU?"""
    spans: Judgements = field(default_factory=Judgements)
    """For every possible span: is it a unit of the tree?"""
    nuclearity: Judgements = field(default_factory=Judgements)
    """For every possible span: is it a nucleus, a satellite, or not a unit?"""
    relations: Judgements = field(default_factory=Judgements)
    """For every possible span: which relation has it (``span`` for a nucleus), or is it not a unit?"""

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

    def kappa_by_relation(self) -> dict[str, float | None]:
        """K for each relation alone: is a span's relation this one, or not?"""
        labels = sorted(label for label in self.relations.labels() if isinstance(label, str))
        return {label: self.relations.about(label).kappa for label in labels}

    def to_dict(self, *, per_relation: bool = False, confusion: bool = False) -> dict[str, object]:
        """All scores, for JSON; docs/metrics.md has the keys."""
        record: dict[str, object] = {
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
        if per_relation:
            record["per_relation"] = {
                **{
                    kind: {relation: counts.to_dict() for relation, counts in parseval.by_relation.items()}
                    for kind, parseval in (("rst", self.trees.rst), ("original", self.trees.original))
                },
                "kappa": self.kappa_by_relation(),
            }
        if confusion:
            record["confusion"] = self.trees.confusion.to_dict()
        return record


def agreement(
    a: Iterable[Document],
    b: Iterable[Document],
    *,
    level: Level = "sentence",
    inventory: Inventory | None = None,
) -> Agreement:
    """How far two annotators agree, given their versions of the same documents in the same order.

    Only sentences and trees that both have count, so the order of A and B does not matter.
    """
    total = Agreement(level=level, inventory=None if inventory is None else inventory.name)
    pairs = zip(a, b, strict=True)
    parts = (document_agreement(first, second, level=level, inventory=inventory) for first, second in pairs)
    return sum(parts, start=total)


def document_agreement(
    a: Document, b: Document, *, level: Level = "sentence", inventory: Inventory | None = None
) -> Agreement:
    """How far two annotators agree on one document."""
    check_same_tokens(a, b, ("A", "B"))
    check_has_edus(a, "A")
    check_has_edus(b, "B")
    check_level(a, b, level, ("A", "B"))
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
        nodes_a, nodes_b = original_labels(splits_a), original_labels(splits_b)
        tree = TreeAgreement(
            1,
            score_labels(labels_a, labels_b),
            score_labels(nodes_a, nodes_b),
            confuse(nodes_a, nodes_b),
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
    """Both annotators' labels of every possible span of a tree; None for a span that is not a unit."""

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
        # Most spans are units for neither annotator: too many to visit. The root is not judged.
        n_neither = n_units * (n_units + 1) // 2 - 1 - len(spans)
        self.spans[False, False] += n_neither
        self.nuclearity[None, None] += n_neither
        self.relations[None, None] += n_neither


def _common_sentences(a: Document, b: Document) -> list[Span]:
    """The sentences that both have; those of one if the other knows none."""
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
