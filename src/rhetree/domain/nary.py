"""Trees as annotators draw them: any number of children, each with its own role and relation.

Like :class:`~rhetree.domain.tree.Tree` an :class:`NaryTree` is flat, its units in pre-order.
A unit is named by its span of EDUs; no two units of a tree have the same span.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from rhetree.domain.span import Span

Role = Literal["root", "nucleus", "satellite"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Unit:
    """One constituent of an n-ary tree: its EDUs ``start..end``, and its role and relation to its parent."""

    start: int
    end: int
    role: Role
    relation: str | None = None
    """The relation to its parent; None for the root and for a nucleus that is the only one among its siblings."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a unit needs 0 <= start < end, got {self.start}..{self.end}")
        if self.role not in ROLES:
            raise ValueError(f"a role is one of {', '.join(ROLES)}, got {self.role!r}")
        if self.relation == "" or (self.role == "satellite" and self.relation is None):
            raise ValueError(f"satellite {self.start}..{self.end} has no relation")
        if self.role == "root" and self.relation is not None:
            raise ValueError(f"a root has no relation, got {self.relation!r}")

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class NaryTree:
    """Units in pre-order, the root first.

    The children of a unit cover it from left to right. Either one of them is the nucleus and has
    no relation of its own, or several are nuclei and share one relation. Satellites may stand
    anywhere.
    """

    units: tuple[Unit, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", tuple(self.units))
        if not self.units or self.units[0].role != "root" or self.units[0].start != 0:
            raise ValueError("an n-ary tree starts with its root, from EDU 0 on")
        for parent, children in zip(self.units, self.children(), strict=True):
            _check_family(parent, children)

    @property
    def n_edus(self) -> int:
        return self.units[0].end

    def children(self) -> list[list[Unit]]:
        """The children of each unit from left to right; an empty list for an EDU."""
        return [[self.units[number] for number in numbers] for numbers in self.child_numbers()]

    def child_numbers(self) -> list[list[int]]:
        """The indices in ``units`` of each unit's children, from left to right."""
        families: list[list[int]] = [[] for _ in self.units]
        open_units: list[int] = []
        for number, unit in enumerate(self.units):
            while open_units and self.units[open_units[-1]].end <= unit.start:
                open_units.pop()
            if open_units:
                families[open_units[-1]].append(number)
            elif number:
                raise ValueError(f"unit {unit.span} lies outside the root")
            open_units.append(number)
        return families

    def spans(self) -> frozenset[Span]:
        """The spans of all units: their names."""
        return frozenset(unit.span for unit in self.units)

    def is_binary(self) -> bool:
        """Whether no unit has more than two children."""
        # A binary tree over n EDUs has 2n-1 nodes; a unit with more children means fewer nodes.
        return len(self.units) == 2 * self.n_edus - 1

    def map_relations(self, name: Callable[[str], str]) -> "NaryTree":
        """The same tree with each relation renamed."""
        return NaryTree(
            tuple(
                unit if unit.relation is None else replace(unit, relation=name(unit.relation))
                for unit in self.units
            )
        )

    def leaves(self) -> Iterator[Unit]:
        """The units that are EDUs, from left to right."""
        return (unit for unit in self.units if unit.end - unit.start == 1)


def _check_family(parent: Unit, children: list[Unit]) -> None:
    where = f"{parent.start}..{parent.end}"
    if not children:
        if parent.end - parent.start > 1:
            raise ValueError(f"unit {where} has no children but holds several EDUs")
        return
    at = parent.start
    for child in children:
        if child.start != at:
            raise ValueError(f"unit {child.span} under {where} should start at {at}")
        if child.role == "root":
            raise ValueError(f"unit {child.span} is a second root")
        at = child.end
    if len(children) == 1:
        raise ValueError(f"unit {where} has only one child; expected none or several")
    if at != parent.end:
        raise ValueError(f"the children of unit {where} end at {at}")
    relations = [child.relation for child in children if child.role == "nucleus"]
    if not relations:
        raise ValueError(f"unit {where} has no nucleus")
    if len(relations) == 1 and relations[0] is not None:
        raise ValueError(f"the only nucleus of {where} has a relation, {relations[0]!r}")
    if len(relations) > 1 and (relations[0] is None or len(set(relations)) > 1):
        names = ", ".join(sorted({str(relation) for relation in relations}))
        raise ValueError(f"the nuclei of {where} need one relation, found {names}")
