"""Scores of a document's tree by where its nodes lie: inside a sentence, inside a paragraph, or across paragraphs."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import chain

from rhetree.domain.document import Document
from rhetree.domain.relations import Inventory
from rhetree.metrics.parseval import Labels, Parseval, original_labels, parses, score_labels

PLACES = ("in sentences", "in paragraphs", "across paragraphs")
"""Where a node lies: inside one sentence; inside one paragraph, with words of several sentences; elsewhere."""

ABOVE = "above sentences"
"""Both of the latter."""


def score_places(
    gold: Iterable[Document], predicted: Iterable[Document], inventory: Inventory | None = None
) -> dict[str, Parseval]:
    """Original Parseval of nodes by place, of documents that are given in the same order.

    Sentences and paragraphs are those of gold. A document whose layout is not known is one paragraph.
    """
    name = None if inventory is None else inventory.class_of
    found: dict[str, list[Parseval]] = {place: [] for place in (*PLACES, ABOVE)}
    for wanted, own in zip(gold, predicted, strict=True):
        trees = parses(wanted, own, "document", name)
        place_of = _places(wanted)
        sides = [
            original_labels(chain.from_iterable(splits))
            for splits in ([tree.gold for tree in trees], [tree.predicted for tree in trees])
        ]
        for place in (*PLACES, ABOVE):
            first, second = (_at(labels, place, place_of) for labels in sides)
            found[place].append(score_labels(first, second))
    return {place: Parseval.total(parts) for place, parts in found.items()}


def _at(labels: Labels, place: str, place_of: Callable[[int, int], str]) -> Labels:
    return {
        span: label
        for span, label in labels.items()
        if place == (own := place_of(*span)) or (place == ABOVE and own != PLACES[0])
    }


def _places(document: Document) -> Callable[[int, int], str]:
    sentences = [sentence.start for sentence in document.sentences]
    blocks = document.sentence_blocks() or [0] * len(sentences)

    def place_of(start: int, end: int) -> str:
        first, last = (bisect_right(sentences, token) - 1 for token in (start, end - 1))
        if first == last:
            return PLACES[0]
        return PLACES[1] if blocks[first] == blocks[last] else PLACES[2]

    return place_of
