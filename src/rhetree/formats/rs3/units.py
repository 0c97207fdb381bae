"""From the segments and groups of an .rs3 file to an n-ary tree.

What a child is to its parent:

1. ``relname="span"`` makes it the nucleus of a group; no group has two.
2. Under a segment or a span group, any other relation makes it a satellite.
3. Under a multinuclear group, the children with *the group's relation* are nuclei and all others
   satellites. The group's relation is the most frequent one that can be ``multinuc``; one that
   cannot be ``rst`` too is preferred, then the first in the file. If none can be ``multinuc``, it
   is the one without any type, and if all are ``rst``, one that two children share.
4. The header says what a relation can be. Where it does not, the uses do: ``rst`` under a segment
   or a span group, ``multinuc`` where two children of a multinuclear group share it.
5. A header may call a relation ``multinuc`` only although it is ``rst`` too, as that of isanlp_rst
   does. So a child whose relation occurs once in a group with at least two nuclei is a satellite
   whatever the header says. rstWeb's importer decides in the same way. Where all children share
   such a relation and a span group stands around them for no other reason, one is its satellite:
   a child group that the file lists before its parent, else the last child. The log tells of both.

What a unit is then: its *core* is the segment, or the group's nuclei with all that hangs on them.
Satellites stand around the core of their parent and make a constituent with it, which a span group
above names, if there is one. A multinuclear unit without such a group is drawn flat, nuclei and
satellites side by side, and so is one that has a satellite between its nuclei. A group with one
child and nothing else is that child.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rhetree.domain.nary import NaryTree, Role, Unit
from rhetree.domain.span import Span
from rhetree.errors import TreebankError
from rhetree.formats.format import complain
from rhetree.formats.rs3.nodes import SPAN, VIRTUAL_ROOT, Hierarchy, Node, arrange, some

RelationTypes = Mapping[str, set[str]]
"""Which of ``rst`` and ``multinuc`` a relation can be, by its name."""

NAMELESS = "joint"
"""The relation of several nuclei that the file calls ``span``, when reading leniently."""

_LOG = logging.getLogger("rhetree.formats")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree, and which of its units each segment and group of the file is."""

    nary: NaryTree
    names: dict[str, Span]
    """By id. A unit with satellites of its own and no span group above is named with them."""
    roots: list[Span]
    """The EDUs of each root. Several roots are joined as nuclei of ``virtual-root``."""


def draw(
    nodes: Sequence[Node], types: RelationTypes, path: Path, *, is_forest: bool, lenient: bool
) -> Drawing:
    """The tree of a file's segments, in the order of the text, and groups.

    Several roots are an error, except in a forest.
    ``lenient`` joins several roots, reads a span group without a nucleus as multinuclear where its
    children are, gives nuclei of several relations the relation of the group, and makes several
    nuclei by ``relname="span"`` a multinuclear unit.
    """
    hierarchy = arrange(nodes, path, is_forest=is_forest, lenient=lenient)
    sides = _Sides(hierarchy, types, path, lenient)
    assembly = _Assembly(hierarchy.segments, path)
    named: dict[str, _Part] = {}
    for node in reversed(hierarchy.order):
        core, whole = assembly.add(node, *sides.of(node))
        named[node.id] = core if node.relname == SPAN else whole
    sides.note()
    top = assembly.top(hierarchy.roots)
    nary = NaryTree(tuple(sorted(_units(top), key=lambda unit: (unit.start, -unit.end))))
    spans = {id: part.span() for id, part in named.items()}
    return Drawing(nary, spans, [assembly.wholes[root.id].span() for root in hierarchy.roots])


class _Sides:
    """Who is nucleus and who satellite, by the rules at the top of this file."""

    def __init__(self, hierarchy: Hierarchy, declared: RelationTypes, path: Path, lenient: bool) -> None:
        self.children = hierarchy.children
        used = _used_types(hierarchy)
        self.types = {relation: declared.get(relation) or uses for relation, uses in used.items()}
        self.satellites = {relation for relation, uses in used.items() if "rst" in uses}
        """Relations of certain satellites, whatever the header says."""
        self.path = path
        self.lenient = lenient
        self.overruled: list[Node] = []
        """Satellites by rule 5, against the header."""

    def of(self, node: Node) -> tuple[list[Node], list[Node]]:
        """The nuclei of a unit (none for a segment) and its satellites."""
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
        is_mixed = node.kind == "multinuc" and any("multinuc" in self.types[c.relname] for c in others)
        if len(spans) == 1 and not is_mixed:
            return spans, others
        return self._several_nuclei(node, spans, others, is_mixed=is_mixed)

    def note(self) -> None:
        """Tell in the log which children were read against the header."""
        if self.overruled:
            counts = Counter(child.relname for child in self.overruled)
            _LOG.warning(
                "%s:%d: read %s as %s, although the header declares the relation as multinuc only: %s",
                self.path,
                min(child.line for child in self.overruled),
                some(self.overruled),
                "satellites" if len(self.overruled) > 1 else "a satellite",
                some(f"{name} ({count})" for name, count in sorted(counts.items())),
            )

    def _several_nuclei(
        self, node: Node, spans: list[Node], others: list[Node], *, is_mixed: bool
    ) -> tuple[list[Node], list[Node]]:
        """Read children with relname span, one too many, as nuclei of a multinuclear unit.

        :param is_mixed: whether some of the others are nuclei too, by a relation of their own
        """
        if is_mixed:
            complain(
                f"{node} is multinuclear, but its child {spans[0]} has relname span; expected the relation "
                "of its other nuclei",
                self.path,
                spans[0].line,
                lenient=self.lenient,
            )
            nuclei, satellites = self._multinuclear_sides(node, others)
        else:
            what = f"{node} has {len(spans)} nuclei by relname span ({some(spans)}); expected one"
            complain(what, self.path, node.line, lenient=self.lenient)
            nuclei, satellites = [], others
        relation = nuclei[0].relname if nuclei else NAMELESS
        return [*(replace(child, relname=relation) for child in spans), *nuclei], satellites

    def _multinuclear_sides(self, node: Node, children: list[Node]) -> tuple[list[Node], list[Node]]:
        if node.kind == SPAN:
            self._complain_of_no_nucleus(node, children)
        relation = self._relation_of(node, children)
        counts = Counter(child.relname for child in children)
        nuclei, satellites = [], []
        for child in children:
            if child.relname == relation:
                nuclei.append(child)
            elif self.types[child.relname] != {"multinuc"}:
                satellites.append(child)
            elif counts[relation] > 1 == counts[child.relname]:
                satellites.append(child)
                self.overruled.append(child)
            else:
                complain(
                    f"the nuclei of {node} have different relations, {relation} and {child.relname}; "
                    "expected one for all",
                    self.path,
                    child.line,
                    lenient=self.lenient,
                )
                nuclei.append(replace(child, relname=relation))
        if len(nuclei) > 2 and not satellites and self._hides_a_satellite(node, relation):
            # Groups are listed as one meets them in the text: a left satellite comes before its parent.
            before = [child for child in nuclei if child.kind != "segment" and child.line < node.line]
            satellites = before[:1] or [max(nuclei, key=self._first_line)]
            nuclei.remove(satellites[0])
            self.overruled += satellites
        return nuclei, satellites

    def _hides_a_satellite(self, node: Node, relation: str) -> bool:
        """Whether nothing but a satellite explains the span group around a multinuclear one (rule 5)."""
        is_wrapped = node.relname == SPAN and len(self.children[node.parent or ""]) == 1
        return is_wrapped and relation in self.satellites and "rst" not in self.types[relation]

    def _first_line(self, node: Node) -> int:
        """The line of the first segment of a unit, which tells its place in the text."""
        lines, waiting = [], [node]
        while waiting:
            below = waiting.pop()
            lines += [below.line] * (below.kind == "segment")
            waiting += self.children[below.id]
        return min(lines)

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


def _used_types(hierarchy: Hierarchy) -> dict[str, set[str]]:
    """How each relation is used, where its use leaves no doubt (rule 4)."""
    used: dict[str, set[str]] = defaultdict(set)
    for node in hierarchy.order:
        for relation, count in Counter(child.relname for child in hierarchy.children[node.id]).items():
            uses = used[relation]
            if node.kind != "multinuc":
                uses.add("rst")
            elif count > 1:
                uses.add("multinuc")
    return used


def _units(top: _Part) -> list[Unit]:
    units = [Unit(top.start, top.end, "root")]
    waiting = [top]
    while waiting:
        for member in waiting.pop().members:
            units.append(Unit(member.part.start, member.part.end, member.role, member.relation))
            waiting.append(member.part)
    return units
