"""The two forms of Parseval for discourse trees, over spans of tokens.

RST-Parseval (Marcu 2000), which the paper uses, counts both children of every split: 2(n-1) spans
for n EDUs, with leaves, without the root. A child's nuclearity is N or S. Its relation is ``span``
if it is the nucleus of a mononuclear relation, and otherwise the relation.

Original Parseval (Morey et al. 2017) counts the n-1 internal nodes, with the root, without leaves.
Each has the nuclearity (NS, SN, NN) and relation of its own split.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split
from rhetree.metrics.counts import Counts
from rhetree.metrics.token_trees import TokenTrees

Level = Literal["sentence", "document"]
"""Whether to compare the tree of each sentence, or the tree of the whole document."""

LEVELS: tuple[Level, ...] = get_args(Level)

SPAN = "span"
"""The relation of a nucleus to its satellite in RST-Parseval."""

Labels = dict[tuple[int, int], tuple[str, str]]
"""Nuclearity and relation of each span of tokens."""


@dataclass(frozen=True, slots=True)
class Parseval:
    """Matching spans (S), those with the same nuclearity (N), the same relation (R), and both (Full)."""

    span: Counts = field(default_factory=Counts)
    nuclearity: Counts = field(default_factory=Counts)
    relation: Counts = field(default_factory=Counts)
    """Whatever the nuclearity."""
    full: Counts = field(default_factory=Counts)
    by_relation: Mapping[str, Counts] = field(default_factory=dict, hash=False)
    """``relation`` for each label alone; the labels add up to it."""

    def __add__(self, other: "Parseval") -> "Parseval":
        return Parseval.total([self, other])

    @classmethod
    def total(cls, parts: Sequence["Parseval"]) -> "Parseval":
        """The sum of many scores."""
        by_relation: dict[str, list[Counts]] = {}
        for part in parts:
            for relation, counts in part.by_relation.items():
                by_relation.setdefault(relation, []).append(counts)
        return cls(
            Counts.total(part.span for part in parts),
            Counts.total(part.nuclearity for part in parts),
            Counts.total(part.relation for part in parts),
            Counts.total(part.full for part in parts),
            {relation: Counts.total(counts) for relation, counts in sorted(by_relation.items())},
        )

    def to_dict(self) -> dict[str, object]:
        """``span``, ``nuclearity``, ``relation`` and ``full``, for JSON."""
        return {
            "span": self.span.to_dict(),
            "nuclearity": self.nuclearity.to_dict(),
            "relation": self.relation.to_dict(),
            "full": self.full.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Parseval":
        """The scores of a :meth:`to_dict`, without single relations."""
        span, nuclearity, relation, full = (
            Counts.from_dict(record[part]) for part in ("span", "nuclearity", "relation", "full")
        )
        return cls(span, nuclearity, relation, full)


@dataclass(frozen=True, slots=True)
class Parses:
    """The gold and the predicted tree of the same tokens, as splits over tokens."""

    gold: list[Split]
    predicted: list[Split]


def parses(
    gold: Document,
    predicted: Document,
    level: Level = "sentence",
    name: Callable[[str], str] | None = None,
) -> list[Parses]:
    """Each gold tree with the predicted tree of its tokens; relations are renamed by ``name``.

    Sentences without a gold tree are left out. The predicted tree is the node that spans exactly
    the tokens of the gold tree, whatever the predicted sentences. If there is none, nothing was predicted.
    """
    gold_trees, predicted_trees = TokenTrees(gold, name), TokenTrees(predicted, name)
    found = []
    for region in regions(gold, level):
        splits = gold_trees.at(region)
        if splits is not None:
            found.append(Parses(splits, predicted_trees.at(region) or []))
    return found


def regions(document: Document, level: Level) -> list[Span]:
    """The token spans whose trees are compared."""
    if level not in LEVELS:
        raise ValueError(f"a level is one of {', '.join(LEVELS)}, got {level!r}")
    if level == "sentence":
        return list(document.sentences)
    return [Span(0, len(document.tokens))] if document.tokens else []


def rst_labels(splits: Iterable[Split]) -> Labels:
    """The labelled spans that RST-Parseval counts: both children of each split."""
    labels: Labels = {}
    for split in splits:
        left, right = split.nuclearity
        is_multinuclear = left == right
        labels[split.start, split.split] = (
            left,
            split.relation if is_multinuclear or left == "S" else SPAN,
        )
        labels[split.split, split.end] = (
            right,
            split.relation if is_multinuclear or right == "S" else SPAN,
        )
    return labels


def original_labels(splits: Iterable[Split]) -> Labels:
    """The labelled spans that original Parseval counts: the internal nodes."""
    return {(split.start, split.end): (split.nuclearity, split.relation) for split in splits}


def score_labels(gold: Labels, predicted: Labels) -> Parseval:
    """Compare two sets of labelled spans."""
    n_gold, n_predicted = len(gold), len(predicted)
    n_span = n_nuclearity = n_full = 0
    right: Counter[str] = Counter()
    for span, (nuclearity, relation) in predicted.items():
        wanted = gold.get(span)
        if wanted is None:
            continue
        n_span += 1
        same_relation = wanted[1] == relation
        if same_relation:
            right[relation] += 1
        if wanted[0] == nuclearity:
            n_nuclearity += 1
            n_full += same_relation
    gold_relations = Counter(relation for _, relation in gold.values())
    predicted_relations = Counter(relation for _, relation in predicted.values())
    return Parseval(
        Counts(n_span, n_predicted, n_gold),
        Counts(n_nuclearity, n_predicted, n_gold),
        Counts(sum(right.values()), n_predicted, n_gold),
        Counts(n_full, n_predicted, n_gold),
        {
            relation: Counts(right[relation], predicted_relations[relation], gold_relations[relation])
            for relation in sorted(gold_relations.keys() | predicted_relations.keys())
        },
    )
