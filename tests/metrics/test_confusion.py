import sys
import xml.etree.ElementTree as ET

import pytest

from rhetree.errors import MissingExtraError
from rhetree.metrics.confusion import Confusion, plot_confusion
from rhetree.metrics.report import score_document
from support.scored_pairs import document, tree

SOME = Confusion({("joint", "joint"): 5, ("joint", "causal"): 1, ("causal", "joint"): 2, ("mode", "rare"): 1})


def test_nodes_in_both_trees_are_compared_whatever_their_nuclearity():
    gold = document([1, 1, 1], tree((0, 1, 3, "NS", "causal"), (1, 2, 3, "NN", "joint")), [3])
    predicted = document([1, 1, 1], tree((0, 1, 3, "NN", "joint"), (1, 2, 3, "NN", "joint")), [3])
    elsewhere = document([1, 1, 1], tree((0, 2, 3, "NS", "mode"), (0, 1, 2, "NN", "joint")), [3])
    assert score_document(gold, predicted).confusion.pairs == {
        ("causal", "joint"): 1,
        ("joint", "joint"): 1,
    }
    assert score_document(gold, elsewhere).confusion.pairs == {("causal", "mode"): 1}


def test_the_most_frequent_relations_come_first():
    assert SOME.relations() == ["joint", "causal", "mode", "rare"]
    assert SOME.relations(2) == ["joint", "causal"]
    assert SOME.relations(None) == ["joint", "causal", "mode", "rare"]
    assert len(Confusion({(f"r{n}", "x"): 1 for n in range(20)}).relations()) == 14


def test_rows_are_gold_and_columns_predicted():
    assert SOME.matrix(["joint", "causal"]) == [[5, 1], [2, 0]]
    assert SOME.n_nodes == 9


def test_confusions_add_up():
    assert (SOME + SOME).pairs[("joint", "causal")] == 2
    assert Confusion.total([]) == Confusion()


def test_the_picture_is_svg_with_text_and_always_the_same():
    picture = plot_confusion(SOME)
    assert picture == plot_confusion(SOME)
    texts = {element.text for element in ET.fromstring(picture).iter() if element.text}
    assert {"joint", "causal", "gold", "predicted", "5"} <= texts


def test_the_picture_can_be_png():
    assert plot_confusion(SOME, "png").startswith(b"\x89PNG\r\n")


def test_relations_are_drawn_as_they_are():
    texts = {
        element.text for element in ET.fromstring(plot_confusion(Confusion({("a$_$", "<b>"): 1}))).iter()
    }
    assert {"a$_$", "<b>"} <= texts


def test_an_empty_confusion_can_be_drawn():
    ET.fromstring(plot_confusion(Confusion()))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rhetree\[plot\]'"):
        plot_confusion(SOME)
