"""A tree as rows, one per unit, for the terminal and the browser.

A row shows the relation that splits its unit (the relation among the nuclei, if there are several).
If the parts have different relations, each satellite's row shows its own as well.
"""

from dataclasses import dataclass

from rhetree.domain.nary import Unit
from rhetree.draw.panel import Panel


@dataclass(frozen=True, slots=True)
class Row:
    """One unit of a panel's tree."""

    unit: Unit
    parent: int
    """Index of the parent's row; -1 for a root."""
    depth: int
    place: int
    """Index among its siblings."""
    n_siblings: int
    """Number of siblings, this unit included."""
    relation: str
    """Relation of the unit's split; empty for an EDU."""
    n_nuclei: int
    """Number of nuclei among its parts."""
    own_relation: str
    """Relation of a satellite to its parent, if its siblings have other relations; else empty."""
    numbers: str
    text: str

    @property
    def is_last(self) -> bool:
        return self.place == self.n_siblings - 1

    @property
    def letter(self) -> str:
        """N for a nucleus, S for a satellite, empty for a root."""
        return {"nucleus": "N", "satellite": "S", "root": ""}[self.unit.role]


def outline(panel: Panel) -> list[Row]:
    """The rows of a panel's tree, each unit before its children."""
    units = panel.units()
    if panel.tree is None:
        families: list[list[int]] = [[] for _ in units]
    else:
        families = panel.tree.child_numbers()
    rows: list[Row] = []
    parents = [-1] * len(units)
    places = [0] * len(units)
    for number, family in enumerate(families):
        for place, child in enumerate(family):
            parents[child], places[child] = number, place
    relations = [_relations(units, family) for family in families]
    for number, unit in enumerate(units):
        parent = parents[number]
        nuclei = [units[child] for child in families[number] if units[child].role == "nucleus"]
        several = parent >= 0 and len(relations[parent]) > 1
        rows.append(
            Row(
                unit=unit,
                parent=parent,
                depth=0 if parent < 0 else rows[parent].depth + 1,
                place=places[number],
                n_siblings=1 if parent < 0 else len(families[parent]),
                relation=nuclei[0].relation or "" if len(nuclei) > 1 else " + ".join(relations[number]),
                n_nuclei=len(nuclei),
                own_relation=unit.relation or "" if several and unit.role == "satellite" else "",
                numbers=panel.numbers_of(unit.span),
                text="" if families[number] else panel.texts[unit.start],
            )
        )
    return rows


def _relations(units: tuple[Unit, ...], family: list[int]) -> list[str]:
    """The different relations of a family, in text order."""
    names = (units[child].relation for child in family)
    return list(dict.fromkeys(name for name in names if name is not None))
