"""EDU starts, counted in the two ways that the literature reports."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rhetree.domain.document import Document
from rhetree.metrics.counts import Counts


@dataclass(frozen=True, slots=True)
class Segmentation:
    """EDU boundaries, counted both ways."""

    inner: Counts | None = field(default_factory=Counts)
    """The paper's way: boundaries inside gold sentences. None if the sentences are not known."""
    starts: Counts = field(default_factory=Counts)
    """DISRPT's way: every token that starts an EDU, including the first token of a sentence."""

    def __add__(self, other: "Segmentation") -> "Segmentation":
        return Segmentation.total([self, other])

    @classmethod
    def total(cls, parts: Sequence["Segmentation"]) -> "Segmentation":
        """The sum of many; ``inner`` is None if it is None for any of them."""
        inner = [part.inner for part in parts if part.inner is not None]
        return cls(
            Counts.total(inner) if len(inner) == len(parts) else None,
            Counts.total(part.starts for part in parts),
        )

    def to_dict(self) -> dict[str, object]:
        """``inner`` and ``starts``, for JSON."""
        return {
            "inner": None if self.inner is None else self.inner.to_dict(),
            "starts": self.starts.to_dict(),
        }


def score_segmentation(gold: Document, predicted: Document) -> Segmentation:
    """The EDU boundaries of two documents with the same tokens.

    Only gold sentences matter. A predicted EDU that runs over the end of a sentence misses a start,
    but no inner boundary. A document without EDUs predicts nothing.
    """
    gold_starts = {edu.start for edu in gold.edus}
    predicted_starts = {edu.start for edu in predicted.edus}
    starts = count_common(gold_starts, predicted_starts)
    if gold.tokens and not gold.sentences:
        return Segmentation(None, starts)
    edges = {sentence.start for sentence in gold.sentences}
    return Segmentation(count_common(gold_starts - edges, predicted_starts - edges), starts)


def count_common(gold: set[int], predicted: set[int]) -> Counts:
    """The counts of two sets."""
    return Counts(len(gold & predicted), len(predicted), len(gold))
