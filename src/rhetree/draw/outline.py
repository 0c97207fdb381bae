"""A tree as lines of text, one per unit: what the terminal and the browser show.

The relation stands on the line of the unit that it splits: that of its nuclei, where there are
several. Where the parts have more than one relation, each satellite's line has its own as well.
"""

from dataclasses import dataclass

from rhetree.domain.nary import Unit
from rhetree.draw.panel import Panel


@dataclass(frozen=True, slots=True)
class Row:
    """One unit of a panel's tree, as a line."""

    unit: Unit
    parent: int
    """The row of its parent; -1 for a root."""
    depth: int
    place: int
    """Among its siblings, from 0."""
    n_siblings: int
    """Itself among them."""
    relation: str
    """Of its split; nothing for an EDU."""
    n_nuclei: int
    """Among its parts."""
    own_relation: str
    """To its parent, where its siblings' relations differ."""
    numbers: str
    text: str

    @property
    def is_last(self) -> bool:
        return self.place == self.n_siblings - 1

    @property
    def letter(self) -> str:
        """N for a nucleus, S for a satellite, nothing for a root."""
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
    """The relations of a family, each once, in the order of the text."""
    names = (units[child].relation for child in family)
    return list(dict.fromkeys(name for name in names if name is not None))
