import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.binarize import as_nary, binarize, unbinarize
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from support.depth import DEEP
from support.strategies import nary_trees, trees

LEAF = Tree()
TREASURY = Tree(
    (
        Split(0, 2, 4, "NS", "Condition"),
        Split(0, 1, 2, "SN", "Attribution"),
        Split(2, 3, 4, "NN", "Temporal"),
    )
)


def right_branching(n_edus, nuclearity="NS", relation="elaboration"):
    return Tree(tuple(Split(i, i + 1, n_edus, nuclearity, relation) for i in range(n_edus - 1)))


def nary(*units):
    return NaryTree(tuple(Unit(*unit) for unit in units))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0, 2, "NS", "joint"), "0 <= start < split < end"),
        ((0, 2, 2, "NS", "joint"), "0 <= start < split < end"),
        ((-1, 1, 2, "NS", "joint"), "0 <= start < split < end"),
        ((0, 1, 2, "SS", "joint"), "one of NS, SN, NN"),
        ((0, 1, 2, "NS", ""), "needs a relation"),
        ((0, 1, 2, "NS", 5), "needs a relation's name, got 5"),
    ],
)
def test_a_wrong_split_cannot_be_built(arguments, message):
    with pytest.raises(ValueError, match=message):
        Split(*arguments)


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([(0, 1, 3)], "next split is that of 0..2, got 0..3"),
        ([(0, 1, 3), (0, 1, 2)], "next split is that of 1..3, got 0..2"),
        ([(0, 2, 4), (2, 3, 4), (0, 1, 2)], "next split is that of 0..2, got 2..4"),
        ([(1, 2, 3), (2, 3, 4)], "next split is that of 0..3"),
    ],
)
def test_splits_that_make_no_tree_are_refused(splits, message):
    with pytest.raises(ValueError, match=message):
        Tree(tuple(Split(start, middle, end, "NS", "joint") for start, middle, end in splits))


def test_one_edu_is_a_tree():
    assert LEAF.n_edus == 1
    assert LEAF.depth() == 0
    assert LEAF.subtree(Span(0, 1)) == LEAF


def test_join_puts_two_trees_side_by_side():
    left = LEAF.join(LEAF, "SN", "Attribution")
    right = LEAF.join(LEAF, "NN", "Temporal")
    assert left.join(right, "NS", "Condition") == TREASURY
    assert TREASURY.depth() == 2


def test_subtree_counts_from_its_own_first_edu():
    assert TREASURY.subtree(Span(2, 4)) == LEAF.join(LEAF, "NN", "Temporal")
    assert TREASURY.subtree(Span(1, 3)) is None
    with pytest.raises(ValueError, match="after the last of 4 EDUs"):
        TREASURY.subtree(Span(3, 5))


def test_map_relations_renames_each():
    assert [s.relation for s in TREASURY.map_relations(str.lower).splits] == [
        "condition",
        "attribution",
        "temporal",
    ]


@pytest.mark.large
def test_no_tree_is_too_deep():
    deep = right_branching(DEEP)
    assert deep == right_branching(DEEP)
    assert hash(deep) == hash(right_branching(DEEP))
    assert pickle.loads(pickle.dumps(deep)) == deep
    assert repr(deep)
    assert str(deep)
    assert deep.depth() == DEEP - 1
    assert binarize(as_nary(deep)) == deep
    assert binarize(unbinarize(deep)) == deep
    chain = right_branching(DEEP, "NN")
    assert len(unbinarize(chain).units) == DEEP + 1


@given(trees())
def test_splits_in_any_order_make_the_same_tree(tree):
    assert Tree.from_splits(reversed(tree.splits)) == tree


@given(trees(), st.data())
def test_every_split_is_the_root_of_a_subtree(tree, data):
    for split in tree.splits:
        subtree = tree.subtree(split.span)
        assert subtree.splits[0] == split.shift(-split.start)


@given(trees())
def test_unbinarize_then_binarize_changes_nothing(tree):
    assert binarize(unbinarize(tree)) == tree
    assert binarize(as_nary(tree)) == tree
    assert as_nary(tree).is_binary()


@given(nary_trees())
def test_every_unit_of_an_nary_tree_is_a_node_of_its_binary_form(tree):
    binary = binarize(tree)
    nodes = {split.span for split in binary.splits} | {Span(i, i + 1) for i in range(binary.n_edus)}
    assert tree.spans() <= nodes


def test_binarize_then_unbinarize_merges_a_nested_multinuclear_of_the_same_relation():
    nested = nary(
        (0, 3, "root"),
        (0, 1, "nucleus", "list"),
        (1, 3, "nucleus", "list"),
        (1, 2, "nucleus", "list"),
        (2, 3, "nucleus", "list"),
    )
    assert unbinarize(binarize(nested)) == nary(
        (0, 3, "root"), (0, 1, "nucleus", "list"), (1, 2, "nucleus", "list"), (2, 3, "nucleus", "list")
    )


def test_several_nuclei_branch_to_the_right():
    tree = binarize(
        nary((0, 3, "root"), (0, 1, "nucleus", "list"), (1, 2, "nucleus", "list"), (2, 3, "nucleus", "list"))
    )
    assert tree == Tree((Split(0, 1, 3, "NN", "list"), Split(1, 2, 3, "NN", "list")))


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        # The nearer satellite first, on either side.
        ("Nab", [(0, 2, 3, "NS", "b"), (0, 1, 2, "NS", "a")]),
        ("abN", [(0, 1, 3, "SN", "a"), (1, 2, 3, "SN", "b")]),
        # The right side before the left.
        ("aNb", [(0, 1, 3, "SN", "a"), (1, 2, 3, "NS", "b")]),
        ("aNbc", [(0, 1, 4, "SN", "a"), (1, 3, 4, "NS", "c"), (1, 2, 3, "NS", "b")]),
        # Satellites go around the nuclei; one between two of them belongs to the left one.
        ("MMa", [(0, 2, 3, "NS", "a"), (0, 1, 2, "NN", "list")]),
        ("aMM", [(0, 1, 3, "SN", "a"), (1, 2, 3, "NN", "list")]),
        ("MaM", [(0, 2, 3, "NN", "list"), (0, 1, 2, "NS", "a")]),
    ],
)
def test_satellites_attach_in_the_stated_order(roles, expected):
    kinds = {"N": ("nucleus", None), "M": ("nucleus", "list")}
    units = [(i, i + 1, *kinds.get(role, ("satellite", role))) for i, role in enumerate(roles)]
    assert binarize(nary((0, len(roles), "root"), *units)) == Tree(tuple(Split(*split) for split in expected))


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([], "starts with its root"),
        ([(0, 1, "nucleus")], "starts with its root"),
        ([(0, 2, "root")], "no children but holds several"),
        (
            [(0, 2, "root"), (0, 2, "nucleus"), (0, 1, "nucleus"), (1, 2, "satellite", "a")],
            "0..2 has only one child",
        ),
        ([(0, 2, "root"), (0, 1, "nucleus"), (1, 2, "nucleus")], "need one relation"),
        ([(0, 2, "root"), (0, 1, "nucleus", "a"), (1, 2, "nucleus", "b")], "need one relation, found a, b"),
        (
            [(0, 2, "root"), (0, 1, "nucleus", "a"), (1, 2, "satellite", "b")],
            "only nucleus .* has a relation",
        ),
        ([(0, 2, "root"), (0, 1, "satellite", "a"), (1, 2, "satellite", "b")], "no nucleus"),
        ([(0, 3, "root"), (0, 1, "nucleus"), (2, 3, "satellite", "b")], "should start at 1"),
        ([(0, 3, "root"), (0, 1, "nucleus"), (1, 2, "satellite", "b")], "children of unit 0..3 end at 2"),
        ([(0, 1, "root"), (1, 2, "nucleus")], "outside the root"),
        ([(0, 2, "root"), (0, 1, "root"), (1, 2, "satellite", "b")], "second root"),
    ],
)
def test_units_that_make_no_tree_are_refused(units, message):
    with pytest.raises(ValueError, match=message):
        nary(*units)


def test_a_satellite_needs_a_relation():
    with pytest.raises(ValueError, match="satellite 0..1 has no relation"):
        Unit(0, 1, "satellite")
