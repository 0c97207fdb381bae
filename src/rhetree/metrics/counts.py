"""Matched, predicted and gold items, and the precision, recall and F1 that follow from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items were predicted, how many there are in gold, and how many are in both.

    Counts add up: the score of a corpus is the score of the sum (micro average).
    Where nothing was to be found and nothing was found, every score is 1.0. Where only one of
    the two is empty, every score is 0.0: silence earns no precision, and a guess where nothing
    was to be found earns no recall.
    """

    matched: int = 0
    predicted: int = 0
    gold: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.matched <= min(self.predicted, self.gold):
            raise ValueError(
                f"matched lies between 0 and what is predicted and gold, got {self.matched} of "
                f"{self.predicted} predicted and {self.gold} gold"
            )

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.matched + other.matched, self.predicted + other.predicted, self.gold + other.gold)

    @classmethod
    def total(cls, parts: Iterable["Counts"]) -> "Counts":
        """The sum of many."""
        return sum(parts, cls())

    @property
    def is_empty(self) -> bool:
        """Whether nothing was to be found and nothing was found."""
        return not self.predicted and not self.gold

    @property
    def precision(self) -> float:
        """The share of what was predicted that is right."""
        return self._share(self.predicted)

    @property
    def recall(self) -> float:
        """The share of what was to be found that was found."""
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
        """What :meth:`to_dict` made."""
        return cls(record["matched"], record["predicted"], record["gold"])

    def _share(self, of: int) -> float:
        if self.is_empty:
            return 1.0
        return self.matched / of if of else 0.0
