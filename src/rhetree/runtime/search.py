"""How a model's readings are searched for, where it says so in its ``config.json``.

A search that follows several hypotheses finds readings that are likelier than the one of most likely choices. But a
reading with more EDUs makes more choices, so its probability is a product of more factors, and the likeliest reading has
too few EDUs. What each EDU is worth mends that. ``benchmarks/search.py`` measures both settings.
"""

from dataclasses import dataclass

from rhetree.errors import ModelError
from rhetree.runtime.model_files import Settings

_WIDEST = 64
"""Most hypotheses that a model may ask for: they take time and memory."""
_HIGHEST = 10.0


@dataclass(frozen=True, slots=True)
class Search:
    """How to find the best reading of a sentence; by default each choice is the most likely one."""

    width: int = 1
    """Number of hypotheses to follow at a time."""
    per_edu: float = 0.0
    """What each EDU adds to the log-probability of a reading when the best one is chosen."""

    def __post_init__(self) -> None:
        if isinstance(self.width, bool) or not isinstance(self.width, int):
            raise ValueError(f"width: expected a whole number, got {self.width!r:.80}")
        if self.width < 1:
            raise ValueError(f"width: expected a number from 1 on, got {self.width!r:.80}")
        if isinstance(self.per_edu, bool) or not isinstance(self.per_edu, (int, float)):
            raise ValueError(f"per_edu: expected a number, got {self.per_edu!r:.80}")
        if not 0 <= self.per_edu <= _HIGHEST:
            raise ValueError(f"per_edu: expected a number from 0 to {_HIGHEST}, got {self.per_edu!r:.80}")

    @classmethod
    def from_settings(cls, settings: Settings) -> "Search":
        """The search of a model's ``config.json``."""
        try:
            found = cls(**settings.values)
            if found.width > _WIDEST:
                raise ValueError(f"width: expected a number up to {_WIDEST}, got {found.width!r:.80}")
            return found
        except (TypeError, ValueError) as error:
            raise ModelError(f"{settings.where}: expected width and per_edu: {error}") from error


GREEDY = Search()
"""Each choice is the most likely one."""
