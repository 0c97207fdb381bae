"""Discourse dependencies: every EDU but one depends on another (Li et al. 2014), or on what it supports (Hirao et al. 2013).

The head of a unit is the head of its nucleus, of its leftmost nucleus if it has several. Heads alone
do not tell in which order the dependents of an EDU attach, so each has a depth: the number of units
with the same head below the unit to which it attaches. With all depths the drawn tree can be rebuilt.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NoReturn, get_args

from rhetree.domain.binarize import as_nary
from rhetree.domain.nary import NaryTree, Role, Unit
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree

if TYPE_CHECKING:
    from rhetree.domain.document import Document

DependencyKind = Literal["li", "hirao"]


@dataclass(frozen=True, slots=True)
class Dependency:
    """The head of an EDU and the relation to it; the head of the whole tree has neither."""

    head: int | None
    """The EDU on which this one depends, counted from 0; None for the head of the tree."""
    relation: str | None
    is_nucleus: bool = False
    """Whether it is one of several nuclei, not a satellite."""
    depth: int | None = 0
    """0 if it attaches to the head alone, more if it attaches to a unit above. Dependents that are
    children of one unit have the same depth. None if the depth is not known."""

    def __post_init__(self) -> None:
        if (self.head is None) != (self.relation is None) or self.relation == "":
            raise ValueError(f"a head and a relation need each other, got {self.head} and {self.relation!r}")
        if (self.head or 0) < 0 or (self.depth or 0) < 0:
            raise ValueError(f"head and depth count from 0, got {self.head} and {self.depth}")


class DependencyError(ValueError):
    """The dependencies form no tree; ``edu`` is the EDU at which that shows."""

    def __init__(self, what: str, edu: int) -> None:
        super().__init__(what, edu)
        self.what = what
        self.edu = edu

    def __str__(self) -> str:
        return f"EDU {self.edu} {self.what}"


def heads(tree: NaryTree) -> list[tuple[int, int]]:
    """For each unit its head EDU, and the number of units below it with the same head."""
    found = [(unit.start, 0) for unit in tree.units]
    for number, family in reversed(list(enumerate(tree.child_numbers()))):  # children before parents
        if family:
            edu, height = found[_first_nucleus(tree, family)]
            found[number] = (edu, height + 1)
    return found


def dependencies(tree: Tree | NaryTree) -> tuple[Dependency, ...]:
    """The dependency of each EDU of a tree."""
    nary = as_nary(tree) if isinstance(tree, Tree) else tree
    unit_heads = heads(nary)
    found = [Dependency(None, None)] * nary.n_edus
    for family in nary.child_numbers():
        if not family:
            continue
        nucleus = _first_nucleus(nary, family)
        head, depth = unit_heads[nucleus]
        for number in family:
            if number != nucleus:
                unit, (dependent, _) = nary.units[number], unit_heads[number]
                found[dependent] = Dependency(head, unit.relation, unit.role == "nucleus", depth)
    return tuple(found)


def antecedents(tree: Tree) -> tuple[Dependency, ...]:
    """The dependency of each EDU on what it supports (Hirao et al. 2013).

    An EDU depends on the head of the unit whose satellite it belongs to, the nearest one. Nuclei beside each
    other so depend on the same EDU, and those that belong to no satellite on none. The tree cannot be rebuilt from
    these, so their depths are not known.
    """
    heads = {Span(edu, edu + 1): edu for edu in range(tree.n_edus)}
    for split in reversed(tree.splits):  # children before parents
        heads[split.span] = heads[split.right if split.nuclearity == "SN" else split.left]
    free = Dependency(None, None, depth=None)
    found = {Span(0, tree.n_edus): free}
    for split in tree.splits:
        here = found.pop(split.span)
        supporting = Dependency(heads[split.span], split.relation, depth=None)
        found[split.left] = supporting if split.nuclearity == "SN" else here
        found[split.right] = supporting if split.nuclearity == "NS" else here
    return tuple(found[Span(edu, edu + 1)] for edu in range(tree.n_edus))


def document_dependencies(document: "Document", kind: DependencyKind = "li") -> tuple[Dependency, ...]:
    """The dependency of each EDU of a document; :meth:`rhetree.Document.dependencies` describes them."""
    if kind not in get_args(DependencyKind):
        raise ValueError(f"the kind of dependencies is 'li' or 'hirao', got {kind!r}")
    drawn = document.as_drawn()
    if drawn is not None and kind == "li":
        return dependencies(drawn)
    found: list[Dependency] = []
    for first, tree in document.placed_trees():
        if first == len(found):
            own = antecedents(tree) if kind == "hirao" else dependencies(tree)
            found += [one if one.head is None else replace(one, head=one.head + first) for one in own]
    if len(found) < len(document.edus):
        raise ValueError(
            f"dependencies need trees, and EDU {len(found) + 1} is in none; parse the document first"
        )
    return tuple(found)


def tree_of(
    given: Sequence[Dependency], complain: Callable[[DependencyError], None] | None = None
) -> NaryTree:
    """The tree with these dependencies, one for each EDU; :class:`DependencyError` if there is none.

    Dependents of the same depth are children of one unit. If depths are not known, dependents to
    the right of a head attach before those to its left, nearer ones first, and neighbouring nuclei
    with the same relation are children of one unit.

    :param complain: called with each error that this rule can repair; without it such errors are raised
    """
    return _Assembly(given, complain or _raise).tree()


def _first_nucleus(tree: NaryTree, family: list[int]) -> int:
    return next(number for number in family if tree.units[number].role == "nucleus")


def _raise(error: DependencyError) -> NoReturn:
    raise error


class _Assembly:
    """Builds a tree bottom-up, from the EDUs without dependents to the one without a head."""

    def __init__(self, given: Sequence[Dependency], complain: Callable[[DependencyError], None]) -> None:
        self.given = given
        self.complain = complain
        self.children: list[list[int]] = [[] for _ in given]
        for edu, dependency in enumerate(given):
            if dependency.head is not None:
                if dependency.head >= len(given):
                    raise DependencyError("depends on one after the last", edu)
                self.children[dependency.head].append(edu)
        self.reach = [(edu, edu + 1) for edu in range(len(given))]
        """For each EDU the largest unit built so far of which it is the head."""

    def tree(self) -> NaryTree:
        units = [Unit(0, len(self.given), "root")]
        for edu in reversed(self.heads_first()):
            for family in self.families(edu):
                shared = next((self.given[child].relation for child in self.nuclei(family)), None)
                units.append(Unit(*self.reach[edu], "nucleus", shared))
                for child in family:
                    dependency = self.given[child]
                    role: Role = "nucleus" if dependency.is_nucleus else "satellite"
                    units.append(Unit(*self.reach[child], role, dependency.relation))
                self.reach[edu] = self.joined(self.reach[edu], family)
        return NaryTree(tuple(sorted(units, key=lambda unit: (unit.start, -unit.end))))

    def heads_first(self) -> list[int]:
        order = [edu for edu, dependency in enumerate(self.given) if dependency.head is None]
        if len(order) > 1:
            raise DependencyError("has no head, nor has one before it", order[1])
        for edu in order:  # the list grows meanwhile
            order += self.children[edu]
        if len(order) < len(self.given):
            unreached = set(range(len(self.given))) - set(order)
            raise DependencyError("depends on itself, or on others that do", min(unreached))
        return order

    def families(self, edu: int) -> list[list[int]]:
        """The dependents of an EDU in the order in which they attach; those that attach together are one list."""
        children = self.children[edu]
        for child in self.nuclei(children):
            if child < edu:
                self.complain(DependencyError("is a nucleus to the left of its head", child))
        if self.leaves_a_gap(self.reach[edu], children):
            raise DependencyError("has dependents, direct or not, with others between them", edu)
        if any(self.given[child].depth is None for child in children):
            return self.by_nearness(edu, children)
        families: list[list[int]] = []
        attached = self.reach[edu]
        for _, group in groupby(sorted(children, key=self.depth), key=self.depth):
            family = list(group)
            if self.leaves_a_gap(attached, family):
                self.complain(DependencyError("attaches before one that is nearer to its head", family[0]))
                return self.by_nearness(edu, children)
            attached = self.joined(attached, family)
            if len({self.given[child].relation for child in self.nuclei(family)}) > 1:
                nucleus = list(self.nuclei(family))[-1]
                self.complain(DependencyError("has another relation than a nucleus beside it", nucleus))
                families += self.by_nearness(edu, family)
            else:
                families.append(family)
        return families

    def by_nearness(self, edu: int, children: list[int]) -> list[list[int]]:
        families: list[list[int]] = []
        for child in sorted(children, key=lambda child: (child < edu, abs(child - edu))):
            label = (self.given[child].is_nucleus, self.given[child].relation)
            before = self.given[families[-1][0]] if families else None
            if before is not None and label == (True, before.relation) and before.is_nucleus:
                families[-1].append(child)
            else:
                families.append([child])
        return families

    def depth(self, edu: int) -> int:
        return self.given[edu].depth or 0

    def nuclei(self, family: list[int]) -> Iterator[int]:
        return (child for child in family if self.given[child].is_nucleus)

    def joined(self, unit: tuple[int, int], family: list[int]) -> tuple[int, int]:
        """The smallest unit that covers this unit and the units of which these EDUs are heads."""
        reaches = [unit, *(self.reach[child] for child in family)]
        return min(start for start, _ in reaches), max(end for _, end in reaches)

    def leaves_a_gap(self, unit: tuple[int, int], family: list[int]) -> bool:
        start, end = self.joined(unit, family)
        reaches = [unit, *(self.reach[child] for child in family)]
        return end - start != sum(end - start for start, end in reaches)
