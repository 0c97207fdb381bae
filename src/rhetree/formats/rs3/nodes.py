"""The segments and groups of an .rs3 file as a hierarchy: who hangs on whom, down from the root.

Their meaning is for ``units``; here every parent exists, every unit hangs on a root, and groups
that hold nothing are gone.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from rhetree.errors import TreebankError
from rhetree.formats.format import complain

SPAN = "span"
"""The ``relname`` of a nucleus, which is no relation."""
VIRTUAL_ROOT = "virtual-root"
"""The relation that joins several roots where one tree is expected, when reading leniently."""

Kind = Literal["segment", "span", "multinuc"]

_LOG = logging.getLogger("rhetree.formats")


@dataclass(frozen=True, slots=True)
class Node:
    """A segment or group as the file has it."""

    id: str
    kind: Kind
    parent: str | None = None
    relname: str = ""
    """Empty for a root alone."""
    line: int = 0

    def __str__(self) -> str:
        return f"{'segment' if self.kind == 'segment' else 'group'} {self.id}"


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """All nodes that hold text, parents before children."""

    roots: list[Node]
    order: list[Node]
    children: dict[str, list[Node]]
    """By the parent's id, in the order of the file."""
    segments: list[Node]
    """In the order of the text."""


def arrange(nodes: Sequence[Node], path: Path, *, is_forest: bool, lenient: bool) -> Hierarchy:
    """The hierarchy of a file's nodes; a forest may have several roots, and ``lenient`` forgives them."""
    index = _without_empty_groups(_index(nodes, path), path)
    children: dict[str, list[Node]] = defaultdict(list)
    for node in index.values():
        if node.parent is not None:
            children[node.parent].append(node)
    roots = [node for node in index.values() if node.parent is None]
    order = list(roots)
    for node in order:  # it grows while it is walked
        order.extend(children[node.id])
    if len(order) < len(index):
        reached = {node.id for node in order}
        raise _cycle_error(next(node for node in index.values() if node.id not in reached), index, path)
    if len(roots) > 1 and not is_forest:
        complain(
            f"{len(roots)} roots: {some(f'{root} (line {root.line})' for root in roots)}; expected one unit "
            f"without parent; connect them, or read leniently to join them as {VIRTUAL_ROOT}",
            path,
            roots[1].line,
            lenient=lenient,
        )
    return Hierarchy(roots, order, children, [node for node in index.values() if node.kind == "segment"])


def some(items: Iterable[object], separator: str = ", ") -> str:
    """The first ten of these for a message, and a sign that there are more."""
    shown = [str(item) for item in islice(items, 11)]
    return separator.join(shown[:10] + ["…"] * (len(shown) > 10))


def _index(nodes: Sequence[Node], path: Path) -> dict[str, Node]:
    """The nodes by id, each id once and each parent there."""
    index: dict[str, Node] = {}
    for node in nodes:
        first = index.setdefault(node.id, node)
        if first is not node:
            raise TreebankError(
                f"{node} has the id of {first} on line {first.line}; expected one of its own", path, node.line
            )
    for node in nodes:
        if node.parent is not None and node.parent not in index:
            raise TreebankError(
                f"{node} has the parent {node.parent}, which is not in the file; expected the id of a "
                "segment or group",
                path,
                node.line,
            )
    return index


def _without_empty_groups(index: dict[str, Node], path: Path) -> dict[str, Node]:
    """The nodes but for groups that nothing hangs on, which tools leave behind after editing."""
    n_children = Counter(node.parent for node in index.values())
    waiting = [node for node in index.values() if node.kind != "segment" and not n_children[node.id]]
    empty = set()
    while waiting:
        node = waiting.pop()
        empty.add(node.id)
        _LOG.info("%s:%d: ignored %s, which has no children", path, node.line, node)
        n_children[node.parent] -= 1
        if node.parent is not None and not n_children[node.parent] and index[node.parent].kind != "segment":
            waiting.append(index[node.parent])
    return {id: node for id, node in index.items() if id not in empty}


def _cycle_error(node: Node, index: dict[str, Node], path: Path) -> TreebankError:
    """What to say of a node that hangs on no root: the cycle that it comes to, going up."""
    seen: dict[str, int] = {}
    way: list[Node] = []
    while node.id not in seen:
        seen[node.id] = len(way)
        way.append(node)
        node = index[node.parent or ""]
    cycle = way[seen[node.id] :]
    return TreebankError(
        f"a cycle of parents: {some(cycle, ' → ')} → {cycle[0]}; expected a tree with one root",
        path,
        cycle[0].line,
    )
