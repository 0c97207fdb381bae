"""How a model's readings are searched for, where it says so in its ``config.json``.

A search that follows several hypotheses finds readings that are likelier than the one of most likely choices. But a
reading with more EDUs makes more choices, so its probability is a product of more factors, and the likeliest reading has
too few EDUs. That is mended by what each EDU adds, and by a tree that counts for less than the EDUs that it stands on.
``benchmarks/search.py`` measures these settings.
"""

from dataclasses import dataclass

from rhetree.errors import ModelError
from rhetree.runtime.beam import Scores
from rhetree.runtime.model_files import Settings
from rhetree.runtime.network import Ints

_WIDEST = 64
"""Most hypotheses that a model may ask for: they take time and memory."""
_LIMITS = {"per_edu": (0.0, 10.0), "tree": (0.01, 1.0)}
"""The smallest and the largest value of each weight. Without any weight all trees of the same EDUs would be as good."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to find the best reading of a sentence; by default each choice is the most likely one."""

    width: int = 1
    """Number of hypotheses to follow at a time."""
    per_edu: float = 0.0
    """What each EDU adds to the log-probability of a reading when the best one is chosen."""
    tree: float = 1.0
    """What the log-probability of a reading's tree counts then, where that of its EDUs counts 1."""

    def __post_init__(self) -> None:
        if isinstance(self.width, bool) or not isinstance(self.width, int):
            raise ValueError(f"width: expected a whole number, got {self.width!r:.80}")
        if self.width < 1:
            raise ValueError(f"width: expected a number from 1 on, got {self.width!r:.80}")
        for name, (least, most) in _LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f"{name}: expected a number, got {value!r:.80}")
            if not least <= value <= most:
                raise ValueError(f"{name}: expected a number from {least:g} to {most:g}, got {value!r:.80}")

    def value(self, edus: Scores, trees: Scores, n_edus: Ints) -> Scores:
        """How good readings are, the best of a sentence to be chosen.

        :param edus: the log-probabilities of their EDUs
        :param trees: those of their trees
        :param n_edus: how many EDUs they have
        """
        return edus + self.tree * trees + self.per_edu * n_edus

    @classmethod
    def from_settings(cls, settings: Settings) -> "Search":
        """The search of a model's ``config.json``."""
        try:
            found = cls(**settings.values)
            if found.width > _WIDEST:
                raise ValueError(f"width: expected a number up to {_WIDEST}, got {found.width!r:.80}")
            return found
        except (TypeError, ValueError) as error:
            raise ModelError(f"{settings.where}: expected width, per_edu and tree: {error}") from error


GREEDY = Search()
"""Each choice is the most likely one."""
