"""N-ary trees to binary ones, and back.

``binarize(unbinarize(tree)) == tree`` for every tree. The converse does not hold: a multinuclear
unit that is the last nucleus of another one with the same relation is merged with that one.
"""

from rhetree.domain.nary import NaryTree, Role, Unit
from rhetree.domain.tree import Nuclearity, Split, Tree


def binarize(nary: NaryTree) -> Tree:
    """The binary tree of an n-ary one.

    The rules, for the children of one unit:

    1. A satellite between two nuclei belongs to the nucleus on its left.
    2. Several nuclei branch to the right: ``a, b, c`` becomes ``a (b c)``.
    3. Satellites attach around the nuclei, the nearer first; those on the right before those on
       the left, so that an opening satellite has the rest of the unit in its scope.
    """
    splits: list[Split] = []
    for family in nary.children():
        if family:
            splits.extend(_binarize_family(family))
    return Tree.from_splits(splits)


def as_nary(tree: Tree) -> NaryTree:
    """A binary tree as an n-ary one, in which every unit has two children or none."""
    units = [Unit(0, tree.n_edus, "root")]
    for split in tree.splits:
        units += _two_units(split)
    return _in_preorder(units)


def unbinarize(tree: Tree) -> NaryTree:
    """The n-ary tree in which each right-branching chain of one multinuclear relation is one unit."""
    merged: set[tuple[int, int]] = set()
    relation_at = {(s.start, s.end): s.relation for s in tree.splits if s.nuclearity == "NN"}
    for split in tree.splits:
        right = (split.split, split.end)
        if split.nuclearity == "NN" and relation_at.get(right) == split.relation:
            merged.add(right)
    return _in_preorder([unit for unit in as_nary(tree).units if (unit.start, unit.end) not in merged])


def _binarize_family(children: list[Unit]) -> list[Split]:
    nuclei = [number for number, child in enumerate(children) if child.role == "nucleus"]
    first, last = nuclei[0], nuclei[-1]
    splits = []

    # Rule 1: each nucleus but the last takes the satellites up to the next one.
    cores: list[tuple[int, int]] = []
    for nucleus, following in zip(nuclei, [*nuclei[1:], last + 1], strict=True):
        start = children[nucleus].start
        end = children[nucleus].end
        for satellite in children[nucleus + 1 : following]:
            splits.append(_split(start, end, satellite.end, "NS", satellite.relation))
            end = satellite.end
        cores.append((start, end))

    # Rule 2.
    start, end = cores[0][0], cores[-1][1]
    for core_start, core_end in cores[:-1]:
        splits.append(_split(core_start, core_end, end, "NN", children[first].relation))

    # Rule 3.
    for satellite in children[last + 1 :]:
        splits.append(_split(start, end, satellite.end, "NS", satellite.relation))
        end = satellite.end
    for satellite in reversed(children[:first]):
        splits.append(_split(satellite.start, start, end, "SN", satellite.relation))
        start = satellite.start
    return splits


def _split(start: int, split: int, end: int, nuclearity: Nuclearity, relation: str | None) -> Split:
    if relation is None:
        raise ValueError(f"no relation between {start}..{split} and {split}..{end}")
    return Split(start, split, end, nuclearity, relation)


def _two_units(split: Split) -> list[Unit]:
    roles: dict[str, Role] = {"N": "nucleus", "S": "satellite"}
    left, right = roles[split.nuclearity[0]], roles[split.nuclearity[1]]
    both = split.nuclearity == "NN"
    return [
        Unit(split.start, split.split, left, split.relation if both or left == "satellite" else None),
        Unit(split.split, split.end, right, split.relation if both or right == "satellite" else None),
    ]


def _in_preorder(units: list[Unit]) -> NaryTree:
    return NaryTree(tuple(sorted(units, key=lambda unit: (unit.start, -unit.end))))
