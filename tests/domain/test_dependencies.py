from dataclasses import replace

import pytest
from hypothesis import given

from rhetree.domain.binarize import as_nary, binarize
from rhetree.domain.dependencies import Dependency, DependencyError, dependencies, heads, tree_of
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from support.depth import DEEP
from support.strategies import nary_trees, trees

ROOT = Dependency(None, None)


def satellite(head, depth=0, relation="cause"):
    return Dependency(head, relation, False, depth)


def nucleus(head, depth=0, relation="list"):
    return Dependency(head, relation, True, depth)


@given(nary_trees())
def test_a_tree_comes_back_from_its_dependencies_as_it_was_drawn(tree):
    assert tree_of(dependencies(tree)) == tree


@given(trees())
def test_a_binary_tree_has_the_dependencies_of_its_nary_form(tree):
    assert dependencies(tree) == dependencies(as_nary(tree))


@given(trees())
def test_without_depths_the_tree_has_the_same_heads(tree):
    known = dependencies(tree)
    blurred = [replace(dependency, depth=None) for dependency in known]
    guessed = dependencies(tree_of(blurred))
    assert [replace(dependency, depth=None) for dependency in guessed] == blurred


def test_the_head_is_that_of_the_leftmost_nucleus():
    tree = NaryTree(
        (
            Unit(0, 5, "root"),
            Unit(0, 1, "satellite", "cause"),
            Unit(1, 4, "nucleus", "list"),
            Unit(1, 2, "satellite", "condition"),
            Unit(2, 3, "nucleus"),
            Unit(3, 4, "satellite", "purpose"),
            Unit(4, 5, "nucleus", "list"),
        )
    )
    assert dependencies(tree) == (
        satellite(2, 1),
        satellite(2, 0, "condition"),
        ROOT,
        satellite(2, 0, "purpose"),
        nucleus(2, 1),
    )
    assert heads(tree) == [(2, 2), (0, 0), (2, 1), (1, 0), (2, 0), (3, 0), (4, 0)]


def test_depths_say_what_attaches_first():
    right_first = [satellite(1, 1), ROOT, satellite(1, 0)]
    left_first = [satellite(1, 0), ROOT, satellite(1, 1)]
    both_at_once = [satellite(1, 0), ROOT, satellite(1, 0)]
    assert binarize(tree_of(right_first)).splits[0] == Split(0, 1, 3, "SN", "cause")
    assert binarize(tree_of(left_first)).splits[0] == Split(0, 2, 3, "NS", "cause")
    assert len(tree_of(both_at_once).units) == 4


def test_without_depths_the_right_and_the_nearer_attach_first_and_nuclei_together():
    unknown = [
        satellite(1, None),
        ROOT,
        nucleus(1, None),
        nucleus(1, None),
        satellite(1, None),
        nucleus(1, None),
    ]
    assert [(unit.start, unit.end) for unit in tree_of(unknown).units] == [
        (0, 6),
        (0, 1),
        (1, 6),
        (1, 5),
        (1, 4),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 6),
    ]


@pytest.mark.parametrize(
    ("given_dependencies", "message"),
    [
        ([ROOT, ROOT], "EDU 1 has no head, nor has one before it"),
        ([satellite(1), satellite(0)], "EDU 0 depends on itself, or on others that do"),
        ([ROOT, satellite(1)], "EDU 1 depends on itself, or on others that do"),
        ([ROOT, satellite(2)], "EDU 1 depends on one after the last"),
        (
            [ROOT, satellite(0), satellite(0), satellite(1)],
            "EDU 1 has dependents, direct or not, with others between them",
        ),
    ],
)
def test_dependencies_that_make_no_tree_are_refused(given_dependencies, message):
    for complain in (None, lambda error: None):
        with pytest.raises(DependencyError) as caught:
            tree_of(given_dependencies, complain)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("given_dependencies", "message", "mended"),
    [
        (
            [ROOT, satellite(0, 1), satellite(0, 0)],
            "EDU 2 attaches before one that is nearer to its head",
            [Split(0, 2, 3, "NS", "cause"), Split(0, 1, 2, "NS", "cause")],
        ),
        (
            [ROOT, nucleus(0), nucleus(0, relation="contrast")],
            "EDU 2 has another relation than a nucleus beside it",
            [Split(0, 2, 3, "NN", "contrast"), Split(0, 1, 2, "NN", "list")],
        ),
        (
            [nucleus(1), ROOT],
            "EDU 0 is a nucleus to the left of its head",
            [Split(0, 1, 2, "NN", "list")],
        ),
    ],
)
def test_what_the_rule_can_mend_is_complained_of(given_dependencies, message, mended):
    with pytest.raises(DependencyError, match=message):
        tree_of(given_dependencies)
    complaints: list[DependencyError] = []
    assert list(binarize(tree_of(given_dependencies, complaints.append)).splits) == mended
    assert list(map(str, complaints)) == [message]


@pytest.mark.large
@pytest.mark.parametrize("nuclearity", NUCLEARITIES)
def test_a_tree_deeper_than_pythons_stack_has_dependencies(nuclearity):
    tree = Tree(tuple(Split(i, i + 1, DEEP, nuclearity, "list") for i in range(DEEP - 1)))
    assert binarize(tree_of(dependencies(tree))) == tree


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, "cause"), "need each other"),
        ((0, None), "need each other"),
        ((0, ""), "need each other"),
        ((-1, "cause"), "count from 0"),
        ((0, "cause", False, -1), "count from 0"),
    ],
)
def test_a_wrong_dependency_cannot_be_built(arguments, message):
    with pytest.raises(ValueError, match=message):
        Dependency(*arguments)
