"""One way to read a sentence, and how sure a model is of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from rhetree.domain.span import Span, check_tiling
from rhetree.domain.tree import NUCLEARITIES, Tree

LabelProbs = tuple[tuple[str, float], ...]
"""Labels such as ``elaboration-NS`` with their probabilities, best first."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The EDUs and the tree of a sentence with the probability of each choice in them."""

    edus: tuple[Span, ...]
    """Spans of the sentence's tokens, counted from its first."""
    tree: Tree | None
    """Over these EDUs; None where only EDUs were looked for."""
    log_prob: float
    """Of the whole: the sum over EDU ends, split places and labels."""
    edu_probs: tuple[float, ...]
    """Of each EDU's end, given where it starts; 1 for EDUs that were given."""
    split_probs: tuple[float, ...] = ()
    """Of each split's place, given its span; 1 where there was no choice."""
    label_probs: tuple[LabelProbs, ...] = ()
    """For each split the likeliest labels and, after them, its own where it is none of these."""

    def __post_init__(self) -> None:
        for name in ("edus", "edu_probs", "split_probs", "label_probs"):
            if type(getattr(self, name)) is not tuple:
                object.__setattr__(self, name, tuple(getattr(self, name)))
        n_edus, n_splits = len(self.edus), 0
        check_tiling(self.edus, self.n_tokens, "EDU")
        if not _LOWEST < self.log_prob <= 0:
            raise ValueError(f"a log-probability is at most 0, got {self.log_prob}")
        if self.tree is not None:
            n_splits = len(self.tree.splits)
            if n_splits + 1 != n_edus:
                raise ValueError(f"the tree has {n_splits + 1} EDUs, but there are {n_edus}")
        if len(self.edu_probs) != n_edus:
            raise ValueError(f"{len(self.edu_probs)} probabilities for {n_edus} EDUs")
        if not len(self.split_probs) == len(self.label_probs) == n_splits:
            raise ValueError(
                f"{len(self.split_probs)} probabilities of places and {len(self.label_probs)} "
                f"of labels for {n_splits} splits"
            )
        for prob in self.edu_probs + self.split_probs:
            if not 0 <= prob <= 1:
                raise ValueError(f"a probability lies within 0 and 1, got {prob}")
        for labels in self.label_probs:
            best = 1.0
            for label, prob in labels:
                if not 0 <= prob <= best:
                    raise ValueError(f"probabilities of labels lie within 0 and 1, best first, got {labels}")
                if label[-3:] not in _ENDINGS or len(label) < 4:
                    raise ValueError(f"a label is a relation, a hyphen and NS, SN or NN, got {label!r}")
                best = prob

    @property
    def n_tokens(self) -> int:
        """Tokens in the sentence."""
        return self.edus[-1].end if self.edus else 0

    def map_relations(self, name: Callable[[str], str]) -> "Reading":
        """The same reading with each relation renamed; labels that become one add up."""
        if self.tree is None:
            return self
        label_probs = []
        for labels in self.label_probs:
            merged: dict[str, float] = {}
            for label, prob in labels:
                renamed = name(label[:-3]) + label[-3:]
                merged[renamed] = min(1.0, merged.get(renamed, 0.0) + prob)
            label_probs.append(tuple(sorted(merged.items(), key=lambda item: -item[1])))
        return replace(self, tree=self.tree.map_relations(name), label_probs=tuple(label_probs))


_LOWEST = -float("inf")
_ENDINGS = frozenset(f"-{nuclearity}" for nuclearity in NUCLEARITIES)
