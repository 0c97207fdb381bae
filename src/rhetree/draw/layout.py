"""Computes the layout of an RST diagram: coordinates in pixels, for any renderer.

A unit is a bar as wide as its text. Below it are its parts: the nucleus under a vertical stem, each
satellite beside it with an arc to the nucleus, or several nuclei under a bracket. Parts move apart
where a relation's name needs room, so names touch neither each other nor a line.

A tree wider than a given limit is cut: some units become short references, and are laid out as
diagrams of their own. That keeps three hundred EDUs on a page of readable width.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span

ARC_BAND = 44.0
"""Distance from a bar down to the bars of its nucleus and satellites."""
ARC_RISE = 22.0
"""Distance from a satellite's bar up to the horizontal part of its arc."""
BRACKET_BAND = 40.0
"""Distance from a bar down to the bars of its nuclei, if it has several."""
BRACKET_DROP = 20.0
"""Distance from the horizontal part of a bracket down to the nuclei."""
GAP = 18.0
"""Distance between two texts."""
LABEL_PAD = 14.0
"""Distance between a relation's name and the lines at its ends."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height."""

    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Measures the text of a diagram."""

    text: Callable[[Span], Size]
    """Size of an EDU's text, below its bar."""
    reference: Callable[[Span], Size]
    """Size of the reference to a unit that was cut out."""
    label: Callable[[Span, str], float]
    """Width of a relation's name, below the bar of this unit."""
    caption: Callable[[Span], float]
    """Width of the caption below the left end of a unit's bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A unit: the line above its text, or above its parts."""

    edus: Span
    left: float
    right: float
    y: float
    is_cut: bool = False
    """Whether this is a reference to a unit that is drawn elsewhere."""

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Stem:
    """The vertical line from a unit down to its nucleus."""

    x: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from a satellite's bar up, across, and to the nucleus."""

    edus: Span
    """EDUs of the parent unit."""
    relation: str
    satellite: float
    """x of the arc's start."""
    nucleus: float
    """x of the nucleus's stem."""
    y: float
    """y of the satellite's bar."""
    is_nearest: bool
    """Whether the arc ends on the nucleus's bar; others end at the stem, above it."""

    @property
    def top(self) -> float:
        return self.y - ARC_RISE

    @property
    def label_x(self) -> float:
        return (self.satellite + self.nucleus) / 2


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket from a unit down to its nuclei, with the relation's name in the middle."""

    edus: Span
    relation: str
    x: float
    top: float
    nuclei: tuple[float, ...]
    bottom: float

    @property
    def y(self) -> float:
        """y of the horizontal part."""
        return self.bottom - BRACKET_DROP


@dataclass(slots=True)
class Diagram:
    """The layout of one tree, or of a part cut out of one, with the origin at 0, 0."""

    edus: Span
    width: float = 0.0
    height: float = 0.0
    bars: list[Bar] = field(default_factory=list)
    stems: list[Stem] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)


def lay_out(
    tree: NaryTree,
    measure: Measure,
    *,
    limit: float = inf,
    may_cut: Callable[[Span], bool] = lambda _: True,
    must_cut: frozenset[Span] = frozenset(),
) -> list[Diagram]:
    """The diagram of a tree, followed by those of the units cut out of it, in text order."""
    nodes = _nodes(tree)
    # Parents come before their children, so in reverse order each node's children are placed first.
    for node in reversed(nodes):
        cuttable = [child for child in node.children if child.children and may_cut(child.edus)]
        for child in cuttable:
            child.is_cut = child.edus in must_cut
        _place(node, measure)
        n_to_cut = 1
        while node.width > limit:
            cuttable = sorted(
                (child for child in cuttable if not child.is_cut), key=lambda child: -child.width
            )
            if not cuttable:
                break
            # Cut the widest first, and twice as many each turn, so that many children take few turns.
            least = min(limit / 3, cuttable[:n_to_cut][-1].width)
            for child in cuttable:
                child.is_cut = child.width >= least
            n_to_cut *= 2
            _place(node, measure)
    return _draw(nodes, measure)


@dataclass(slots=True, eq=False)
class _Node:
    """A unit, or a group of parts drawn as one unit. Its x coordinates are relative to its box."""

    edus: Span
    children: list["_Node"] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    """Relation of each child to the nucleus, or the one relation of several nuclei."""
    nucleus: int | None = None
    """Index of the nucleus among the children; None if all are nuclei."""
    offsets: list[float] = field(default_factory=list)
    """x at which each child's box starts."""
    width: float = 0.0
    anchor: float = 0.0
    """x at which lines from above meet the bar."""
    is_cut: bool = False
    x: float = 0.0
    y: float = 0.0
    diagram: int = 0


def _nodes(tree: NaryTree) -> list[_Node]:
    """The nodes to draw, parents first. Each has either one nucleus with satellites, or nuclei only.

    A unit that mixes several nuclei with satellites gets groups: satellites between two nuclei belong to
    the nucleus on their left, the others to all nuclei.
    """
    made = {unit.span: _Node(unit.span) for unit in tree.units}
    nodes: list[_Node] = []
    for unit, family in zip(tree.units, tree.children(), strict=True):
        parent = made[unit.span]
        nodes.append(parent)
        nuclei = [place for place, child in enumerate(family) if child.role == "nucleus"]
        if len(nuclei) < 2 or len(nuclei) == len(family):
            _fill(parent, family, made)
            continue
        first, last = nuclei[0], nuclei[-1]
        core = parent
        if first > 0 or last < len(family) - 1:
            core = _Node(Span(family[first].start, family[last].end))
            nodes.append(core)
            around = [*family[:first], *family[last + 1 :]]
            parent.children = [made[child.span] for child in around]
            parent.relations = [child.relation or "" for child in around]
            parent.nucleus = first
            parent.children.insert(first, core)
            parent.relations.insert(first, "")
        core.relations = [family[first].relation or ""]
        for place, following in zip(nuclei, [*nuclei[1:], last + 1], strict=True):
            members = family[place:following]
            child = made[members[0].span]
            if len(members) > 1:
                child = _Node(Span(members[0].start, members[-1].end))
                _fill(child, members, made)
                nodes.append(child)
            core.children.append(child)
    return nodes


def _fill(parent: _Node, family: list[Unit], made: dict[Span, _Node]) -> None:
    """Set a node's children: one nucleus with satellites, nuclei only, or none."""
    parent.children = [made[child.span] for child in family]
    nuclei = [place for place, child in enumerate(family) if child.role == "nucleus"]
    if len(nuclei) == 1:
        parent.nucleus = nuclei[0]
        parent.relations = [child.relation or "" for child in family]
    elif nuclei:
        parent.relations = [family[0].relation or ""]


def _place(node: _Node, measure: Measure) -> None:
    """Place the children side by side, as close as their texts and the relations' names allow."""
    if not node.children:
        node.width = measure.text(node.edus).width
        node.anchor = node.width / 2
        return
    boxes = [_box(child, measure) for child in node.children]
    if node.nucleus is None:
        _place_nuclei(node, boxes, measure)
    else:
        _place_satellites(node, node.nucleus, boxes, measure)
    # The unit's numbers are below the left end of its bar, left of the first vertical line.
    first_line = min(offset + anchor for offset, (_, anchor) in zip(node.offsets, boxes, strict=True))
    shift = max(-node.offsets[0], measure.caption(node.edus) - first_line)
    node.offsets = [offset + shift for offset in node.offsets]
    node.width = node.offsets[-1] + boxes[-1][0]
    anchors = [offset + anchor for offset, (_, anchor) in zip(node.offsets, boxes, strict=True)]
    node.anchor = (anchors[0] + anchors[-1]) / 2 if node.nucleus is None else anchors[node.nucleus]


def _place_nuclei(node: _Node, boxes: list[tuple[float, float]], measure: Measure) -> None:
    at = 0.0
    node.offsets = []
    for width, _ in boxes:
        node.offsets.append(at)
        at += width + GAP
    reach = node.offsets[-1] + boxes[-1][1] - boxes[0][1]
    missing = measure.label(node.edus, node.relations[0]) + 2 * LABEL_PAD - reach
    if missing > 0:
        each = missing / (len(boxes) - 1)
        node.offsets = [offset + number * each for number, offset in enumerate(node.offsets)]


def _place_satellites(node: _Node, nucleus: int, boxes: list[tuple[float, float]], measure: Measure) -> None:
    """Place satellites from the nucleus outwards, first to the right, then to the left."""
    node.offsets = [0.0] * len(boxes)
    stem = boxes[nucleus][1]
    at = boxes[nucleus][0]
    for place in range(nucleus + 1, len(boxes)):
        width, anchor = boxes[place]
        room = measure.label(node.edus, node.relations[place]) + 2 * LABEL_PAD
        node.offsets[place] = max(at + GAP, stem + room - anchor)
        at = node.offsets[place] + width
    at = 0.0
    for place in range(nucleus - 1, -1, -1):
        width, anchor = boxes[place]
        room = measure.label(node.edus, node.relations[place]) + 2 * LABEL_PAD
        node.offsets[place] = min(at - GAP - width, stem - room - anchor)
        at = node.offsets[place]


def _box(node: _Node, measure: Measure) -> tuple[float, float]:
    """Width and anchor of a child within its parent; those of its reference if it is cut."""
    if node.is_cut:
        width = measure.reference(node.edus).width
        return width, width / 2
    return node.width, node.anchor


def _draw(nodes: list[_Node], measure: Measure) -> list[Diagram]:
    diagrams: list[Diagram] = []
    for node in nodes:
        if node.is_cut:
            size = measure.reference(node.edus)
            _add_bar(diagrams[node.diagram], Bar(node.edus, node.x, node.x + size.width, node.y, True), size)
        if node.is_cut or not diagrams:
            diagrams.append(Diagram(node.edus))
            node.x, node.y, node.diagram = 0.0, 0.0, len(diagrams) - 1
        diagram = diagrams[node.diagram]
        size = measure.text(node.edus) if not node.children else Size(node.width, 0.0)
        _add_bar(diagram, Bar(node.edus, node.x, node.x + node.width, node.y), size)
        for child, offset in zip(node.children, node.offsets, strict=True):
            child.x, child.diagram = node.x + offset, node.diagram
        if node.nucleus is not None:
            _draw_satellites(node, node.nucleus, diagram, measure)
        elif node.children:
            _draw_nuclei(node, diagram, measure)
    return diagrams


def _add_bar(diagram: Diagram, bar: Bar, size: Size) -> None:
    diagram.bars.append(bar)
    diagram.width = max(diagram.width, bar.right)
    diagram.height = max(diagram.height, bar.y + size.height)


def _draw_nuclei(node: _Node, diagram: Diagram, measure: Measure) -> None:
    bottom = node.y + BRACKET_BAND
    for child in node.children:
        child.y = bottom
    nuclei = tuple(child.x + _box(child, measure)[1] for child in node.children)
    x = node.x + node.anchor
    diagram.brackets.append(Bracket(node.edus, node.relations[0], x, node.y, nuclei, bottom))


def _draw_satellites(node: _Node, nucleus: int, diagram: Diagram, measure: Measure) -> None:
    """The nearest satellites are level with the nucleus, each farther one a band higher."""
    stem = node.x + node.anchor
    n_bands = max(nucleus, len(node.children) - 1 - nucleus)
    bottom = node.y + n_bands * ARC_BAND
    diagram.stems.append(Stem(stem, node.y, bottom))
    for place, child in enumerate(node.children):
        rank = abs(place - nucleus)
        child.y = bottom - max(0, rank - 1) * ARC_BAND
        if rank:
            start = child.x + _box(child, measure)[1]
            diagram.arcs.append(Arc(node.edus, node.relations[place], start, stem, child.y, rank == 1))
