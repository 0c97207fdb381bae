"""PyPI's rst2dep, by the maker of rstWeb, reads what we write and finds the heads that it should."""

import importlib
import sys
from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType

import pytest
from hypothesis import given

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.formats import rs3, rs4
from support.golden_storm import storm
from support.round_trip import written
from support.strategies import nary_trees

MULTINUCLEAR = ["joint", "list"]
MONONUCLEAR = ["cause", "purpose"]


@pytest.fixture(scope="module")
def make_rsd():
    """Its converter, without its ``__init__``, which loads stanza for parts that we do not call."""
    spec = find_spec("rst2dep")
    if spec is None:
        pytest.skip("needs rst2dep, of the extra dev")
    package = ModuleType("rst2dep")
    package.__path__ = list(spec.submodule_search_locations or ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rst2dep", package)
        module = importlib.import_module("rst2dep.rst2dep")
        yield lambda text: module.make_rsd(text, "", as_text=True)


def table(rsd):
    """For each EDU its text, head and relation, counted from 1 as in the file."""
    rows = [line.split("\t") for line in rsd.splitlines() if line]
    return {int(row[0]): (row[1], int(row[6]), row[7]) for row in rows}


def heads(nary):
    """The head and relation of each EDU but the root's: a unit's head is that of its first nucleus."""
    head_of, found = {}, {}
    for unit, children in reversed(list(zip(nary.units, nary.children(), strict=True))):
        if not children:
            head_of[unit.span] = unit.end
            continue
        first = next(child for child in children if child.role == "nucleus")
        head_of[unit.span] = head_of[first.span]
        for child in children:
            if child is not first:
                suffix = "m" if child.role == "nucleus" else "r"
                found[head_of[child.span]] = (head_of[first.span], f"{child.relation}_{suffix}")
    return found


@pytest.mark.parametrize("format", [rs3.FORMAT, rs4.FORMAT], ids=["rs3", "rs4"])
def test_the_storm_has_the_heads_that_we_find_by_hand(make_rsd, format):
    assert table(make_rsd(written(format, storm()))) == {
        1: ("When the storm came ,", 2, "context-circumstance_r"),
        2: ("the miller ( a careful man )", 0, "ROOT"),
        3: ("shut the gates ,", 2, "same-unit_m"),
        4: ("fed the goats", 2, "joint-list_m"),
        5: ("and went to bed .", 2, "joint-list_m"),
        6: ("Nothing else was to be done .", 2, "evaluation-comment_r"),
    }


def test_secondary_edges_and_signals_arrive(make_rsd):
    edge = SecondaryEdge(Span(3, 4), Span(1, 5), "causal-result")
    signals = [
        Signal(Span(0, 1), "dm", "dm", (0,), "gold"),
        Signal(edge, "semantic", "lexical_chain", (15, 17, 18)),
    ]
    document = replace(storm(), secondary_edges=[edge], signals=signals)
    rows = [line.split("\t") for line in make_rsd(written(rs4.FORMAT, document)).splitlines()]
    assert rows[0][9] == "dm-when-1-gold"
    assert rows[3][8] == "2:causal-result:0:2:semantic-lexical_chain-16,18-19-_"


def test_one_edu_is_the_root(make_rsd):
    document = replace(Document.from_edus(["Go & <stay> !"]), tree=Tree())
    assert table(make_rsd(written(rs3.FORMAT, document))) == {1: ("Go & <stay> !", 0, "ROOT")}


@given(nary_trees(max_edus=8, relations=MONONUCLEAR, multinuclear=MULTINUCLEAR))
def test_any_tree_has_its_heads(make_rsd, nary):
    document = Document.from_edus([f"word{number}" for number in range(nary.n_edus)]).with_nary(nary)
    for format in (rs3.FORMAT, rs4.FORMAT):
        found = table(make_rsd(written(format, document)))
        assert {edu: row[1:] for edu, row in found.items() if row[1]} == heads(nary)
