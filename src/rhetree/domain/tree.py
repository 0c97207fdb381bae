"""Binary discourse trees, flat: the n-1 splits of n EDUs in pre-order.

This is what a top-down parser emits, what files store and what metrics count. Nothing here
recurses, so a tree may be as deep as a text is long.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from rhetree.domain.span import Span

Nuclearity = Literal["NS", "SN", "NN"]
"""Which side of a split is nucleus (N) and which satellite (S), left before right."""

NUCLEARITIES: tuple[Nuclearity, ...] = get_args(Nuclearity)


@dataclass(frozen=True, slots=True)
class Split:
    """EDUs ``start..end`` parted before EDU ``split``, and how the two parts relate."""

    start: int
    split: int
    end: int
    nuclearity: Nuclearity
    relation: str

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.split < self.end:
            raise ValueError(
                f"a split needs 0 <= start < split < end, got {self.start}, {self.split}, {self.end}"
            )
        if self.nuclearity not in NUCLEARITIES:
            raise ValueError(f"nuclearity is one of NS, SN, NN, got {self.nuclearity!r}")
        if not self.relation or not isinstance(self.relation, str):
            raise ValueError(f"a split needs a relation's name, got {self.relation!r}")

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def left(self) -> Span:
        return Span(self.start, self.split)

    @property
    def right(self) -> Span:
        return Span(self.split, self.end)

    @property
    def label(self) -> str:
        """Relation and nuclearity in one, as classifiers learn it: ``elaboration-NS``."""
        return f"{self.relation}-{self.nuclearity}"

    def shift(self, by: int) -> "Split":
        """The same split with its EDUs counted from elsewhere."""
        return replace(self, start=self.start + by, split=self.split + by, end=self.end + by)

    def __str__(self) -> str:
        return f"{self.left} | {self.right} {self.label}"


@dataclass(frozen=True, slots=True)
class Tree:
    """A binary tree over n EDUs as its n-1 splits, in pre-order; one EDU has none."""

    splits: tuple[Split, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", tuple(self.splits))
        waiting = [(0, self.n_edus)] if self.splits else []
        for split in self.splits:
            if not waiting:
                raise ValueError(f"{split} is one split too many, or not in pre-order")
            start, end = waiting.pop()
            if (split.start, split.end) != (start, end):
                raise ValueError(
                    f"in pre-order the next split is of {start}..{end}, got {split.start}..{split.end}"
                )
            if end - split.split > 1:
                waiting.append((split.split, end))
            if split.split - start > 1:
                waiting.append((start, split.split))

    @property
    def n_edus(self) -> int:
        return len(self.splits) + 1

    def __str__(self) -> str:
        return "\n".join(map(str, self.splits)) if self.splits else "one EDU"

    @classmethod
    def from_splits(cls, splits: Iterable[Split]) -> "Tree":
        """The tree with these splits, given in any order."""
        return cls(tuple(sorted(splits, key=lambda split: (split.start, -split.end))))

    def join(self, right: "Tree", nuclearity: Nuclearity, relation: str) -> "Tree":
        """The tree that has this one on its left and ``right`` on its right."""
        n_left = self.n_edus
        root = Split(0, n_left, n_left + right.n_edus, nuclearity, relation)
        return Tree((root, *self.splits, *(split.shift(n_left) for split in right.splits)))

    def subtrees(self, spans: Iterable[Span]) -> Iterator["Tree | None"]:
        """For each span of EDUs its tree, counted from its own first EDU; None where no node spans it."""
        n_edus = self.n_edus
        index = {(split.start, split.end): number for number, split in enumerate(self.splits)}
        for span in spans:
            if span.end > n_edus:
                raise ValueError(f"span {span} ends after the last of {n_edus} EDUs")
            if len(span) == 1:
                yield Tree()
            elif (number := index.get((span.start, span.end))) is None:
                yield None
            else:
                # In pre-order a subtree of n EDUs is the run of its n-1 splits.
                run = self.splits[number : number + len(span) - 1]
                yield Tree(tuple(split.shift(-span.start) for split in run))

    def subtree(self, span: Span) -> "Tree | None":
        """The tree of these EDUs, counted from the first of them; None where no node spans them."""
        return next(self.subtrees([span]))

    def map_relations(self, name: Callable[[str], str]) -> "Tree":
        """The same tree with each relation renamed."""
        return Tree(tuple(replace(split, relation=name(split.relation)) for split in self.splits))

    def depth(self) -> int:
        """The number of splits on the longest way from the root to an EDU."""
        depths: dict[tuple[int, int], int] = {}
        deepest = 0
        for split in self.splits:
            depth = depths.pop((split.start, split.end), 1)
            deepest = max(deepest, depth)
            depths[split.start, split.split] = depths[split.split, split.end] = depth + 1
        return deepest
