"""Secondary edges and signals in diagrams."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.annotation import SecondaryEdge
from rhetree.domain.span import Span
from rhetree.draw import png, svg
from rhetree.draw.difference import compare
from rhetree.draw.edges import Column, Link, place_edges
from rhetree.draw.panel import document_panels
from support.drawn_documents import criss_crossed, drawn_nary, right_branching, treasury

NAMESPACE = "{http://www.w3.org/2000/svg}"


def picture(document, **options):
    return svg.draw_panels(document_panels(document, **options))


def texts(source, kind=""):
    elements = ElementTree.fromstring(source).iter(f"{NAMESPACE}text")
    return ["".join(element.itertext()) for element in elements if kind in element.attrib["class"]]


@st.composite
def links(draw):
    columns = [Column(100.0 * at, 100.0 * at + 82, draw(st.floats(50, 90))) for at in range(6)]
    ends = st.lists(st.sampled_from(columns), min_size=2, max_size=2, unique=True)
    widths = st.sampled_from([20.0, 60.0, 140.0, 300.0])
    pairs = draw(st.lists(st.tuples(ends, widths), min_size=1, max_size=12))
    return [Link(source, target, "x", width) for (source, target), width in pairs]


@given(links())
def test_labels_of_edges_touch_no_line_and_edges_of_a_lane_do_not_meet(links):
    edges = place_edges(links)
    assert sorted(map(repr, (edge.link for edge in edges))) == sorted(map(repr, links))
    for edge in edges:
        half = edge.link.label_width / 2
        assert edge.label - half >= 0
        assert edge.link.source.left <= edge.source <= edge.link.source.right
        assert edge.link.target.left <= edge.target <= edge.link.target.right
        for other in edges:
            assert all(abs(x - edge.label) > half for x in (other.source, other.target))
            if other is not edge and other.lane == edge.lane:
                assert other.left > edge.right or edge.left > other.right
    assert len({x for edge in edges for x in (edge.source, edge.target)}) == 2 * len(edges)


def test_an_edge_is_an_arrow_and_a_signal_a_note():
    source = picture(drawn_nary())
    assert source.count('class="edge"') == 1
    assert texts(source, "secondary") == ["contrast"]
    assert "Signals: 3 semantic, antonymy (of contrast): lived dog · 7 dm: Once" in texts(source)


def test_an_edge_of_a_group_names_its_ends():
    edge = SecondaryEdge(Span(0, 2), Span(3, 4), "cause")
    assert texts(picture(replace(treasury(), secondary_edges=(edge,))), "secondary") == ["1–2 cause → 4"]


def test_an_edge_within_one_head_is_a_note():
    edge = SecondaryEdge(Span(0, 2), Span(1, 2), "cause")
    source = picture(replace(treasury(), secondary_edges=(edge,)))
    assert 'class="edge"' not in source
    assert "Secondary edges: 1–2 cause → 2" in texts(source)


@pytest.mark.parametrize("width", [400, 800, 1600])
def test_each_edge_and_signal_is_shown_once_however_a_tree_is_cut(width):
    source = svg.draw_panels(document_panels(criss_crossed(40)), width=width)
    assert 'class="reference"' in source
    shown = texts(source, "secondary")
    for at in range(12):
        assert sum(f"edge-{at}-" in label for label in shown) == 1
    notes = " ".join(text for text in texts(source) if text.startswith("Signals"))
    for edu in range(40):
        assert notes.count(f"dm: {edu} ") + notes.endswith(f"dm: {edu}") == (edu > 0)


def test_an_edge_out_of_a_sentence_is_a_note():
    edge = SecondaryEdge(Span(0, 1), Span(3, 4), "cause")
    document = replace(treasury(), sentences=(Span(0, 10), Span(10, 24)), secondary_edges=(edge,))
    source = picture(document, by_sentence=True)
    assert 'class="edge"' not in source
    assert "Secondary edges: 1 cause → 4" in texts(source)


def test_a_note_of_a_group_in_a_sentence_without_a_tree_is_with_its_first_edu():
    edge = SecondaryEdge(Span(2, 4), Span(0, 1), "cause")
    document = replace(treasury(), sentences=(Span(0, 4), Span(4, 24)), secondary_edges=(edge,))
    _, panel = document_panels(document, by_sentence=True)
    assert panel.tree is None
    assert panel.notes() == {Span(1, 2): ["cause → 1"]}


def test_annotations_are_left_out_of_comparisons():
    source = svg.draw_pairs(compare(drawn_nary(), drawn_nary()), titles=("a", "b"))
    assert "contrast" not in source
    assert "Signals" not in source


def test_edges_and_signals_leave_traces_in_png():
    pytest.importorskip("resvg_py", reason="needs the extra png")
    if not png.has_fonts():
        pytest.skip("this machine has no fonts")
    whole = drawn_nary()
    pictures = {
        png.to_png(picture(document))
        for document in (whole, replace(whole, signals=()), replace(whole, secondary_edges=(), signals=()))
    }
    assert len(pictures) == 3


def test_a_tree_without_annotations_has_none():
    assert "Signals" not in picture(right_branching(5))
    assert "Secondary" not in picture(right_branching(5))
