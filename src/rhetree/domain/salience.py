"""How much each EDU matters to its text: how far up the tree it is promoted (Marcu 2000).

A node promotes the EDUs that its nuclei promote, so that the root's are the main points of the text. An EDU's
score is how high the highest node is that promotes it. Where a model says how sure it is of a split's label, each
side is a nucleus with some probability, and the score is what one expects of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rhetree.domain.reading import LabelProbs
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree

if TYPE_CHECKING:
    from rhetree.domain.document import Document

Labels = Mapping[Span, LabelProbs]
"""The labels that a model thought of for splits, by the EDUs that are split."""


def salience(document: "Document") -> tuple[float, ...]:
    """The score of each EDU; :meth:`rhetree.Document.salience` describes it."""
    if not document.edus:
        if not document.is_blank:
            raise ValueError("salience needs a tree, and this document has no EDUs; parse it first")
        return ()
    labels = dict(known_labels(document))
    scores: list[float] = []
    for first, tree in document.placed_trees():
        if first == len(scores):
            scores += tree_salience(tree, labels, first)
    if len(scores) < len(document.edus):
        raise ValueError(
            f"salience needs trees, and EDU {len(scores) + 1} is in none; parse the document first"
        )
    return tuple(scores)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node is: how deep, and how many levels above it are expected to promote what it promotes."""

    depth: int = 0
    promoted: float = 0.0

    def below(self, prob: float) -> "_Place":
        """The place of a child that is a nucleus with this probability."""
        return _Place(self.depth + 1, prob * (1 + self.promoted))


def tree_salience(tree: Tree, labels: Labels | None = None, first: int = 0) -> tuple[float, ...]:
    """The score of each EDU of a tree, from 0 to 1.

    A list that is written as splits inside splits, all with the same multinuclear relation, is one node.

    :param labels: for splits by their EDUs, how likely their labels are; others are taken as they stand
    :param first: the number of the tree's first EDU, as labels count them
    """
    labels = labels or {}
    places = {Span(0, tree.n_edus): _Place()}
    parents: dict[Span, tuple[Split, _Place]] = {}
    for split in tree.splits:
        place = places.pop(split.span)
        above, its_place = parents.pop(split.span, (None, place))
        if above is not None and _goes_on(above, split):
            place = its_place
        left, right = _nucleus_probs(split, labels.get(split.span.shift(first), ()))
        for side, prob in ((split.left, left), (split.right, right)):
            places[side] = place.below(prob)
            if len(side) > 1:
                parents[side] = (split, place)
    leaves = [places[Span(edu, edu + 1)] for edu in range(tree.n_edus)]
    deepest = max(leaf.depth for leaf in leaves)
    if not deepest:
        return (1.0,) * len(leaves)
    return tuple((deepest - leaf.depth + leaf.promoted) / deepest for leaf in leaves)


def known_labels(document: "Document") -> Iterator[tuple[Span, LabelProbs]]:
    """The labels that a model thought of, for each split that the document's trees have in common with it."""
    for probs in document.split_probs:
        yield probs.edus, probs.labels
    rows = zip(document.sentence_edus(), document.trees_by_sentence(), document.readings, strict=False)
    for span, tree, readings in rows:
        if span is None or not readings or readings[0].tree is None or readings[0].tree != tree:
            continue
        for split, labels in zip(readings[0].tree.splits, readings[0].label_probs, strict=True):
            yield split.span.shift(span.start), labels


def _goes_on(above: Split, below: Split) -> bool:
    return above.nuclearity == below.nuclearity == "NN" and above.relation == below.relation


def _nucleus_probs(split: Split, labels: LabelProbs) -> tuple[float, float]:
    """The probabilities that the left side and the right side are nuclei."""
    total = sum(prob for _, prob in labels)
    if not total:
        return float(split.nuclearity != "SN"), float(split.nuclearity != "NS")
    left = sum(prob for label, prob in labels if not label.endswith("-SN"))
    right = sum(prob for label, prob in labels if not label.endswith("-NS"))
    return left / total, right / total
