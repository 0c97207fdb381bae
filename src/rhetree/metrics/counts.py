"""Matched, predicted and gold items, and the precision, recall and F1 that follow from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of predicted items, of gold items, and of items in both.

    Counts add up: the score of a corpus is the score of the sum (micro average). If nothing was to
    be found and nothing was predicted, every score is 1.0. If only one of the two is empty, every
    score is 0.0: predicting nothing earns no precision, and finding all of nothing earns no recall.
    """

    matched: int = 0
    predicted: int = 0
    gold: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.matched <= min(self.predicted, self.gold):
            raise ValueError(
                f"matched items are among the predicted and the gold ones, got {self.matched} matched of "
                f"{self.predicted} predicted and {self.gold} gold"
            )

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.matched + other.matched, self.predicted + other.predicted, self.gold + other.gold)

    @classmethod
    def total(cls, parts: Iterable["Counts"]) -> "Counts":
        """The sum of many counts."""
        return sum(parts, cls())

    @property
    def is_empty(self) -> bool:
        """Whether nothing was to be found and nothing was predicted."""
        return not self.predicted and not self.gold

    @property
    def precision(self) -> float:
        """The share of the predicted items that are in gold."""
        return self._share(self.predicted)

    @property
    def recall(self) -> float:
        """The share of the gold items that were predicted."""
        return self._share(self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 1.0 if self.is_empty else 2 * self.matched / (self.predicted + self.gold)

    def to_dict(self) -> dict[str, float | int]:
        """Scores from 0 to 1 and the counts behind them, for JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "matched": self.matched,
            "predicted": self.predicted,
            "gold": self.gold,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Counts":
        """The counts of a :meth:`to_dict`."""
        return cls(record["matched"], record["predicted"], record["gold"])

    def _share(self, of: int) -> float:
        if self.is_empty:
            return 1.0
        return self.matched / of if of else 0.0
