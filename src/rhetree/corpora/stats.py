"""Statistics of a treebank: its documents, sentences and EDUs, and the labels inside sentences."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rhetree.domain.document import Document


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Counts over documents. Adding two of them gives the counts of both corpora together."""

    documents: int = 0
    sentences: int = 0
    one_edu: int = 0
    """Sentences that are one EDU."""
    with_tree: int = 0
    """Sentences of several EDUs that are spanned exactly by one node."""
    without_tree: int = 0
    """The other sentences: no node spans exactly them."""
    crossed: int = 0
    """Sentences without a tree because an EDU crosses their edge."""
    edus: int = 0
    tokens: int = 0
    labels: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How often each label, such as ``elaboration-NS``, occurs inside sentence trees, most frequent first."""

    def __post_init__(self) -> None:
        by_count = sorted(self.labels.items(), key=lambda item: (-item[1], item[0]))
        object.__setattr__(self, "labels", dict(by_count))

    def __add__(self, other: "CorpusStats") -> "CorpusStats":
        return CorpusStats(
            documents=self.documents + other.documents,
            sentences=self.sentences + other.sentences,
            one_edu=self.one_edu + other.one_edu,
            with_tree=self.with_tree + other.with_tree,
            without_tree=self.without_tree + other.without_tree,
            crossed=self.crossed + other.crossed,
            edus=self.edus + other.edus,
            tokens=self.tokens + other.tokens,
            labels=Counter(self.labels) + Counter(other.labels),
        )

    def as_dict(self) -> dict[str, Any]:
        """The counts by name, for JSON."""
        return asdict(self)


def count_document(document: Document) -> CorpusStats:
    """The counts of one document."""
    one_edu = with_tree = crossed = 0
    labels: Counter[str] = Counter()
    for edus, tree in zip(document.sentence_edus(), document.trees_by_sentence(), strict=True):
        if edus is None:
            crossed += bool(document.edus)
        elif len(edus) == 1:
            one_edu += 1
        elif tree is not None:
            with_tree += 1
            labels.update(split.label for split in tree.splits)
    return CorpusStats(
        documents=1,
        sentences=len(document.sentences),
        one_edu=one_edu,
        with_tree=with_tree,
        without_tree=len(document.sentences) - one_edu - with_tree,
        crossed=crossed,
        edus=len(document.edus),
        tokens=len(document.tokens),
        labels=labels,
    )


def count(documents: Iterable[Document]) -> CorpusStats:
    """The counts of all these documents."""
    return sum(map(count_document, documents), start=CorpusStats())
