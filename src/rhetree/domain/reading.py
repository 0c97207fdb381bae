"""What a model thinks of a text: how to read a sentence, how to split a document, and how sure it is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from rhetree.domain.annotation import Signal
from rhetree.domain.span import Span, check_tiling
from rhetree.domain.tree import NUCLEARITIES, Tree
from rhetree.errors import counted

LabelProbs = tuple[tuple[str, float], ...]
"""Labels such as ``elaboration-NS`` with their probabilities, best first."""

FineProb = tuple[str, float]
"""A fine relation such as ``adversative-concession`` with the probability of it and of the split's nuclearity."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a sentence: its EDUs, its tree, and the probability of each choice in them."""

    edus: tuple[Span, ...]
    """Spans of tokens, counted from the sentence's first."""
    tree: Tree | None
    """The tree over these EDUs; None if the model only looked for EDUs."""
    log_prob: float
    """Log-probability of the whole reading: the sum over EDU ends, split places and labels."""
    edu_probs: tuple[float, ...]
    """Probability of each EDU's end, given its start; 1 for EDUs that were given."""
    split_probs: tuple[float, ...] = ()
    """Probability of each split's place, given its span; 1 where there was no choice."""
    label_probs: tuple[LabelProbs, ...] = ()
    """The likeliest labels of each split, followed by its own label if that is not among them."""
    fine: tuple[FineProb, ...] = ()
    """The fine relation of each split, within the class of its label; empty if the model does not tell."""
    signals: tuple[Signal, ...] = field(default=(), compare=False)
    """The words that signal this reading's relations, if they were looked for: EDUs and tokens are counted from the
    sentence's first. The document's own ``signals`` are those of its first readings, and files hold only these."""

    def __post_init__(self) -> None:
        for name in ("edus", "edu_probs", "split_probs", "label_probs", "fine", "signals"):
            if type(getattr(self, name)) is not tuple:
                object.__setattr__(self, name, tuple(getattr(self, name)))
        n_edus, n_splits = len(self.edus), 0
        check_tiling(self.edus, self.n_tokens, "EDU")
        if not _LOWEST < self.log_prob <= 0:
            raise ValueError(f"a log-probability is finite and at most 0, got {self.log_prob}")
        if self.tree is not None:
            n_splits = len(self.tree.splits)
            if n_splits + 1 != n_edus:
                raise ValueError(f"the tree has {counted(n_splits + 1, 'EDU')}, but the reading has {n_edus}")
        if len(self.edu_probs) != n_edus:
            raise ValueError(
                f"expected a probability for each of {counted(n_edus, 'EDU')}, got {len(self.edu_probs)}"
            )
        if not len(self.split_probs) == len(self.label_probs) == n_splits:
            raise ValueError(
                f"expected a probability and labels for each of {counted(n_splits, 'split')}, "
                f"got {len(self.split_probs)} and {len(self.label_probs)}"
            )
        if len(self.fine) not in (0, n_splits):
            raise ValueError(
                f"expected a fine relation for each of {counted(n_splits, 'split')}, got {len(self.fine)}"
            )
        _check_probs((*self.edu_probs, *self.split_probs, *(prob for _, prob in self.fine)))
        for labels in self.label_probs:
            _check_label_probs(labels)

    @property
    def n_tokens(self) -> int:
        """Number of tokens in the sentence."""
        return self.edus[-1].end if self.edus else 0

    def map_relations(self, name: Callable[[str], str]) -> "Reading":
        """The same reading with each relation renamed; labels that become the same add up."""
        if self.tree is None:
            return self
        return replace(
            self,
            tree=self.tree.map_relations(name),
            label_probs=tuple(_renamed(labels, name) for labels in self.label_probs),
        )


@dataclass(frozen=True, slots=True)
class SplitProbs:
    """How sure a model is of one split of a document's tree."""

    edus: Span
    """The EDUs that are split: the name of the split."""
    prob: float
    """Probability of the split's place, given its span; 1 where there was no choice."""
    labels: LabelProbs
    """The likeliest labels, followed by the split's own label if that is not among them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(map(tuple, self.labels)))
        _check_probs([self.prob])
        _check_label_probs(self.labels)

    def map_relations(self, name: Callable[[str], str]) -> "SplitProbs":
        """The same with each relation renamed; labels that become the same add up."""
        return replace(self, labels=_renamed(self.labels, name))


_LOWEST = -float("inf")
_ENDINGS = frozenset(f"-{nuclearity}" for nuclearity in NUCLEARITIES)


def _check_probs(probs: Iterable[float]) -> None:
    for prob in probs:
        if not 0 <= prob <= 1:
            raise ValueError(f"a probability lies between 0 and 1, got {prob}")


def _check_label_probs(labels: LabelProbs) -> None:
    best = 1.0
    for label, prob in labels:
        if not 0 <= prob <= best:
            raise ValueError(f"labels have probabilities between 0 and 1, highest first, got {labels}")
        if label[-3:] not in _ENDINGS or len(label) < 4:
            raise ValueError(f"a label is a relation, a hyphen and NS, SN or NN, got {label!r}")
        best = prob


def _renamed(labels: LabelProbs, name: Callable[[str], str]) -> LabelProbs:
    merged: dict[str, float] = {}
    for label, prob in labels:
        renamed = name(label[:-3]) + label[-3:]
        merged[renamed] = min(1.0, merged.get(renamed, 0.0) + prob)
    return tuple(sorted(merged.items(), key=lambda item: -item[1]))
