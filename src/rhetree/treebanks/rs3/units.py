"""From the segments and groups of an .rs3 file to an n-ary tree.

What a child is to its parent:

1. ``relname="span"`` makes it the nucleus of a group; no group has two.
2. Under a segment or a span group, any other relation makes it a satellite.
3. Under a multinuclear group, the children with *the group's relation* are nuclei and all others
   satellites. That relation is the commonest among those of its children that can be ``multinuc``;
   on a tie one that cannot be ``rst`` too, then the first in the file. Where no child's can, it is
   the one that has no type at all, and where all are ``rst``, one that two children share.
4. The header says what a relation can be. Where it does not, the uses do: ``rst`` under a segment
   or a span group, ``multinuc`` where two children of a multinuclear group share it.

What a unit is then: its *core* is the segment, or the group's nuclei with all that hangs on them.
Satellites stand around the core of their parent and make a constituent with it, which a span group
above names, if there is one. A multinuclear unit without such a group is drawn flat, nuclei and
satellites side by side, and so is one that has a satellite between its nuclei. A group with one
child and nothing else is that child.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rhetree.domain.nary import NaryTree, Role, Unit
from rhetree.domain.span import Span
from rhetree.errors import TreebankError
from rhetree.treebanks.format import complain
from rhetree.treebanks.rs3.nodes import SPAN, VIRTUAL_ROOT, Hierarchy, Node, arrange, some

RelationTypes = Mapping[str, set[str]]
"""Which of ``rst`` and ``multinuc`` a relation can be, by its name."""

_LOG = logging.getLogger("rhetree.treebanks")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree, and which of its units each segment and group of the file is."""

    nary: NaryTree
    names: dict[str, Span]
    """By id. A unit with satellites of its own and no span group above is named with them."""


def draw(nodes: Sequence[Node], types: RelationTypes, path: Path, *, lenient: bool) -> Drawing:
    """The tree of a file's segments, in the order of the text, and groups.

    ``lenient`` joins several roots and reads a span group without a nucleus as multinuclear where
    its children are.
    """
    hierarchy = arrange(nodes, path, lenient=lenient)
    sides = _Sides(hierarchy, types, path, lenient)
    assembly = _Assembly(hierarchy.segments, path)
    named: dict[str, _Part] = {}
    for node in reversed(hierarchy.order):
        core, whole = assembly.add(node, *sides.of(node))
        named[node.id] = core if node.relname == SPAN else whole
    top = assembly.top(hierarchy.roots)
    nary = NaryTree(tuple(sorted(_units(top), key=lambda unit: (unit.start, -unit.end))))
    return Drawing(nary, {id: part.span() for id, part in named.items()})


class _Sides:
    """Who is nucleus and who satellite, by the rules at the top of this file."""

    def __init__(self, hierarchy: Hierarchy, declared: RelationTypes, path: Path, lenient: bool) -> None:
        self.children = hierarchy.children
        self.types = _types(hierarchy, declared)
        self.path = path
        self.lenient = lenient

    def of(self, node: Node) -> tuple[list[Node], list[Node]]:
        """A unit's nuclei, none for a segment, and its satellites."""
        children = self.children[node.id]
        spans = [child for child in children if child.relname == SPAN]
        others = [child for child in children if child.relname != SPAN]
        if node.kind == "segment":
            if spans:
                what = f"{spans[0]} has relname span, but its parent is {node}; expected a group"
                raise TreebankError(what, self.path, spans[0].line)
            return [], others
        if not spans:
            return self._multinuclear_sides(node, others)
        if len(spans) > 1:
            what = f"{node} has {len(spans)} nuclei by relname span ({some(spans)}); expected one"
            raise TreebankError(what, self.path, node.line)
        if node.kind == "multinuc" and any("multinuc" in self.types[child.relname] for child in others):
            raise TreebankError(
                f"{node} is multinuclear, but its child {spans[0]} has relname span; expected the relation "
                "of its other nuclei",
                self.path,
                spans[0].line,
            )
        return spans, others

    def _multinuclear_sides(self, node: Node, children: list[Node]) -> tuple[list[Node], list[Node]]:
        if node.kind == SPAN:
            self._complain_of_no_nucleus(node, children)
        relation = self._relation_of(node, children)
        nuclei = [child for child in children if child.relname == relation]
        satellites = [child for child in children if child.relname != relation]
        for child in satellites:
            if self.types[child.relname] == {"multinuc"}:
                raise TreebankError(
                    f"the nuclei of {node} have different relations, {relation} and {child.relname}; "
                    "expected one for all",
                    self.path,
                    child.line,
                )
        return nuclei, satellites

    def _relation_of(self, node: Node, children: list[Node]) -> str:
        """The relation of a multinuclear group (rule 3)."""
        counts = Counter(child.relname for child in children)
        able = [name for name in counts if "multinuc" in self.types[name]]
        unknown = [name for name in counts if not self.types[name]]
        shared = [name for name, count in counts.items() if count > 1]
        candidates = able or unknown or shared
        if not candidates or (not able and len(unknown) > 1):
            raise TreebankError(
                f"no way to tell the nuclei of the multinuclear {node}: the header declares none of "
                f"{some(counts)} as multinuc; declare the one that is",
                self.path,
                node.line,
            )
        relation = max(candidates, key=lambda name: ("rst" not in self.types[name], counts[name]))
        if not able:
            _LOG.info("%s:%d: took %s for the relation of %s", self.path, node.line, relation, node)
        return relation

    def _complain_of_no_nucleus(self, node: Node, children: list[Node]) -> None:
        is_multinuclear = len(children) > 1 and any("multinuc" in self.types[c.relname] for c in children)
        complain(
            f"{node} has type span, but none of its children ({some(children)}) has relname span; expected one"
            + (", or type multinuc" if is_multinuclear else ""),
            self.path,
            node.line,
            lenient=self.lenient and is_multinuclear,
        )


@dataclass(slots=True, eq=False)
class _Part:
    """A constituent while it is put together; it may have gaps that satellites are yet to fill."""

    start: int
    end: int
    n_edus: int
    owner: Node
    members: list["_Member"] = field(default_factory=list)
    """From left to right; none for an EDU."""
    absorbed_by: "_Part | None" = None
    """The flat constituent that took its members in."""

    @classmethod
    def of(cls, members: Iterable["_Member"], owner: Node) -> "_Part":
        ordered = sorted(members, key=lambda member: member.part.start)
        n_edus = sum(member.part.n_edus for member in ordered)
        return cls(ordered[0].part.start, ordered[-1].part.end, n_edus, owner, ordered)

    @property
    def has_gap(self) -> bool:
        return self.n_edus < self.end - self.start

    @property
    def is_multinuclear(self) -> bool:
        return bool(self.members) and all(member.role == "nucleus" for member in self.members)

    def span(self) -> Span:
        part = self
        while part.absorbed_by is not None:
            part = part.absorbed_by
        return Span(part.start, part.end)


@dataclass(frozen=True, slots=True, eq=False)
class _Member:
    part: _Part
    role: Role
    relation: str | None
    node: Node


class _Assembly:
    """Puts constituents together from the segments up."""

    def __init__(self, segments: list[Node], path: Path) -> None:
        self.segments = segments
        self.path = path
        self.wholes = {
            segment.id: _Part(number, number + 1, 1, segment) for number, segment in enumerate(segments)
        }
        """By id: a unit with its satellites; at first each segment alone."""

    def add(self, node: Node, nuclei: list[Node], satellites: list[Node]) -> tuple[_Part, _Part]:
        """A unit's core, and the core with its satellites; all below must have been added."""
        if len(nuclei) > 1:
            core = _Part.of([self._member(child, "nucleus", child.relname) for child in nuclei], node)
        else:
            core = self.wholes[nuclei[0].id if nuclei else node.id]
        whole = core
        if satellites:
            around = [self._member(child, "satellite", child.relname) for child in satellites]
            if core.is_multinuclear and (core.has_gap or node.relname != SPAN):
                whole = core.absorbed_by = _Part.of([*core.members, *around], node)
            else:
                whole = _Part.of([_Member(self._closed(core), "nucleus", None, node), *around], node)
        self.wholes[node.id] = whole
        return core, whole

    def top(self, roots: list[Node]) -> _Part:
        """The whole tree."""
        if len(roots) == 1:
            return self._closed(self.wholes[roots[0].id])
        return self._closed(
            _Part.of([self._member(root, "nucleus", VIRTUAL_ROOT) for root in roots], roots[0])
        )

    def _member(self, node: Node, role: Role, relation: str) -> _Member:
        return _Member(self._closed(self.wholes[node.id]), role, relation, node)

    def _closed(self, part: _Part) -> _Part:
        """The part, to which nothing will be added any more, so that it must not have gaps."""
        if not part.has_gap:
            return part
        left, right = next(
            (a, b) for a, b in zip(part.members, part.members[1:], strict=False) if a.part.end < b.part.start
        )
        stranger = self.segments[left.part.end]
        satellite = next((member.node for member in (right, left) if member.role == "satellite"), None)
        what = (
            f"the nuclei of {part.owner} do not follow each other"
            if satellite is None
            else f"{satellite} is a satellite of {part.owner}, but they do not follow each other"
        )
        raise TreebankError(
            f"{what}: {stranger} (line {stranger.line}) stands between and belongs to neither",
            self.path,
            (satellite or right.node).line,
        )


def _types(hierarchy: Hierarchy, declared: RelationTypes) -> dict[str, set[str]]:
    """What each relation that is used can be (rule 4)."""
    used: dict[str, set[str]] = defaultdict(set)
    for node in hierarchy.order:
        for relation, count in Counter(child.relname for child in hierarchy.children[node.id]).items():
            uses = used[relation]
            if node.kind != "multinuc":
                uses.add("rst")
            elif count > 1:
                uses.add("multinuc")
    return {relation: declared.get(relation) or uses for relation, uses in used.items()}


def _units(top: _Part) -> list[Unit]:
    units = [Unit(top.start, top.end, "root")]
    waiting = [top]
    while waiting:
        for member in waiting.pop().members:
            units.append(Unit(member.part.start, member.part.end, member.role, member.relation))
            waiting.append(member.part)
    return units
