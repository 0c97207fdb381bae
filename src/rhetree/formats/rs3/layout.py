"""From an n-ary tree to the segments and groups of an .rs3 file, as rstWeb makes them.

A unit with one nucleus is a span group: the nucleus hangs on the group, the satellites on the
nucleus. A unit with several nuclei is a multinuclear group; satellites beside them hang on the
group itself. Two shapes that could be misread get one group more, which readers see through:

- A satellite on a multinuclear group would pass for a nucleus if its relation can be
  multinuclear: it hangs on a span group around that one.
- A unit of nuclei and satellites may itself be a nucleus with satellites, and the two sets would
  mix: a multinuclear group with it alone keeps them apart.
"""

from collections.abc import Set
from dataclasses import dataclass

from rhetree.domain.nary import NaryTree
from rhetree.domain.span import Span
from rhetree.formats.rs3.nodes import SPAN, Kind, Node


@dataclass(frozen=True, slots=True)
class Layout:
    """The nodes of a tree, segments first and groups after, numbered from 1 in this order."""

    nodes: list[Node]
    ids: dict[Span, str]
    """The node of each unit."""


def lay_out(nary: NaryTree, multinuclear: Set[str]) -> Layout:
    """The nodes that say this tree, where these relations can be multinuclear."""
    return _Planner(nary, multinuclear).run()


class _Planner:
    def __init__(self, nary: NaryTree, multinuclear: Set[str]) -> None:
        self.units = nary.units
        self.families = nary.child_numbers()
        self.multinuclear = multinuclear
        self.n_edus = nary.n_edus
        # One entry a node, the EDUs first.
        self.kinds: list[Kind] = ["segment"] * nary.n_edus
        self.parents: list[int | None] = [None] * nary.n_edus
        self.relnames = [""] * nary.n_edus
        # One entry a unit: its own node, and the last one around it.
        self.own = [self._node_for(number) for number in range(len(self.units))]
        self.outer = list(self.own)
        self.mixed: dict[int, str] = {}
        """Units of several nuclei and satellites, with the nuclei's relation."""

    def run(self) -> Layout:
        # From the last unit to the first: what is inside is complete before it is hung up.
        for number in reversed(range(len(self.units))):
            if self.families[number]:
                self._hang_family(number)
        ids = self._ids()
        nodes = [
            Node(ids[node], self.kinds[node], None if parent is None else ids[parent], self.relnames[node])
            for node, parent in enumerate(self.parents)
        ]
        nodes.sort(key=lambda node: int(node.id))
        return Layout(nodes, {unit.span: ids[node] for unit, node in zip(self.units, self.own, strict=True)})

    def _node_for(self, number: int) -> int:
        family = self.families[number]
        if not family:
            return self.units[number].start
        n_nuclei = sum(self.units[child].role == "nucleus" for child in family)
        return self._new("span" if n_nuclei == 1 else "multinuc")

    def _hang_family(self, number: int) -> None:
        family = self.families[number]
        nuclei = [child for child in family if self.units[child].role == "nucleus"]
        satellites = [child for child in family if self.units[child].role == "satellite"]
        node = self.own[number]
        if len(nuclei) == 1:
            nucleus = nuclei[0]
            if nucleus in self.mixed:
                self._wrap(nucleus, "multinuc", self.mixed[nucleus])
            hook = self._hook(nucleus, satellites)
            self._hang(nucleus, node, SPAN)
        else:
            relation = self.units[nuclei[0]].relation or ""
            for child in nuclei:
                self._hang(child, node, relation)
            if not satellites:
                return
            self.mixed[number] = relation
            hook = self.own[number] = self._hook(number, satellites)
        for child in satellites:
            self._hang(child, hook, self.units[child].relation or "")

    def _hook(self, number: int, satellites: list[int]) -> int:
        """The node of a unit that these satellites can hang on."""
        if self.kinds[self.outer[number]] == "multinuc" and any(
            self.units[child].relation in self.multinuclear for child in satellites
        ):
            self._wrap(number, "span", SPAN)
        return self.outer[number]

    def _wrap(self, number: int, kind: Kind, relname: str) -> None:
        group = self._new(kind)
        self._hang(number, group, relname)
        self.outer[number] = group

    def _hang(self, number: int, node: int, relname: str) -> None:
        self.parents[self.outer[number]] = node
        self.relnames[self.outer[number]] = relname

    def _new(self, kind: Kind) -> int:
        self.kinds.append(kind)
        self.parents.append(None)
        self.relnames.append("")
        return len(self.kinds) - 1

    def _ids(self) -> list[str]:
        """Numbers for all nodes: groups as one meets them going up from each EDU in turn."""
        ids = [str(node + 1) for node in range(self.n_edus)] + [""] * (len(self.kinds) - self.n_edus)
        n_numbered = self.n_edus
        for edu in range(self.n_edus):
            node = self.parents[edu]
            while node is not None and not ids[node]:
                n_numbered += 1
                ids[node] = str(n_numbered)
                node = self.parents[node]
        return ids
