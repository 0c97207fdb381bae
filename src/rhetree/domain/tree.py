"""Binary discourse trees as flat lists: the n-1 splits of n EDUs in pre-order.

A top-down parser emits them, our files store them, and metrics count them. Nothing here recurses,
so a tree may be as deep as the text is long.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from rhetree.domain.span import Span
from rhetree.errors import counted

Nuclearity = Literal["NS", "SN", "NN"]
"""Which side of a split is nucleus (N) and which is satellite (S), from left to right."""

NUCLEARITIES: tuple[Nuclearity, ...] = get_args(Nuclearity)


@dataclass(frozen=True, slots=True)
class Split:
    """EDUs ``start..end``, split before EDU ``split``, and the relation between the two parts."""

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
        """The same split, ``by`` EDUs further to the right."""
        return replace(self, start=self.start + by, split=self.split + by, end=self.end + by)

    def __str__(self) -> str:
        return f"{self.left} | {self.right} {self.label}"


@dataclass(frozen=True, slots=True)
class Tree:
    """A binary tree over n EDUs: its n-1 splits in pre-order. The tree of one EDU has no splits."""

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
                    f"in pre-order the next split is that of {start}..{end}, got {split.start}..{split.end}"
                )
            if end - split.split > 1:
                waiting.append((split.split, end))
            if split.split - start > 1:
                waiting.append((start, split.split))

    @property
    def n_edus(self) -> int:
        return len(self.splits) + 1

    @classmethod
    def from_splits(cls, splits: Iterable[Split]) -> "Tree":
        """The tree with these splits, given in any order."""
        return cls(tuple(sorted(splits, key=lambda split: (split.start, -split.end))))

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Tree":
        """The tree of a record as :meth:`to_dict` makes it; ``ValueError`` names what is wrong with it."""
        from rhetree.domain.record_reader import from_tree_record

        return from_tree_record(record)

    def to_dict(self) -> dict[str, Any]:
        """The tree as plain lists, numbers and strings, with its ``splits`` as in our JSON files."""
        from rhetree.domain.record_writer import to_tree_record

        return to_tree_record(self)

    def join(self, right: "Tree", nuclearity: Nuclearity, relation: str) -> "Tree":
        """The tree with this tree on its left and ``right`` on its right."""
        n_left = self.n_edus
        root = Split(0, n_left, n_left + right.n_edus, nuclearity, relation)
        return Tree((root, *self.splits, *(split.shift(n_left) for split in right.splits)))

    def subtrees(self, spans: Iterable[Span]) -> Iterator["Tree | None"]:
        """The tree of each span of EDUs, counted from the span's first EDU; None if no node has that span."""
        n_edus = self.n_edus
        index = {(split.start, split.end): number for number, split in enumerate(self.splits)}
        for span in spans:
            if span.end > n_edus:
                raise ValueError(f"span {span} ends after the last of {counted(n_edus, 'EDU')}")
            if len(span) == 1:
                yield Tree()
            elif (number := index.get((span.start, span.end))) is None:
                yield None
            else:
                # In pre-order the n-1 splits of a subtree of n EDUs follow each other.
                run = self.splits[number : number + len(span) - 1]
                yield Tree(tuple(split.shift(-span.start) for split in run))

    def subtree(self, span: Span) -> "Tree | None":
        """The tree of these EDUs, counted from the first of them; None if no node has that span."""
        return next(self.subtrees([span]))

    def map_relations(self, name: Callable[[str], str]) -> "Tree":
        """The same tree with each relation renamed."""
        return Tree(tuple(replace(split, relation=name(split.relation)) for split in self.splits))

    def depth(self) -> int:
        """Number of splits on the longest path from the root to an EDU."""
        depths: dict[tuple[int, int], int] = {}
        deepest = 0
        for split in self.splits:
            depth = depths.pop((split.start, split.end), 1)
            deepest = max(deepest, depth)
            depths[split.start, split.split] = depths[split.split, split.end] = depth + 1
        return deepest
