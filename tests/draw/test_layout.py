"""The layout is checked by its promise: no two things of a diagram touch."""

from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.tree import Tree
from rhetree.draw.diagram import DiagramText
from rhetree.draw.elements import LABEL, SMALL
from rhetree.draw.layout import lay_out
from rhetree.draw.panel import Panel, document_panels, tree_panel
from rhetree.draw.text import pixels
from support.drawn_documents import drawn_nary, right_branching
from support.strategies import nary_trees

RELATIONS = ("x", "joint", "elaboration-object-attribute-e", "attribution")
TEXTS = ("", "Ha", "a word or two", "a text so long that it takes more than one line of its column, or three")


def boxes(diagram, text):
    """Everything that has words, as (left, top, right, bottom, what)."""
    groups = {place.edus for place in (*diagram.arcs, *diagram.brackets)}
    for arc in diagram.arcs:
        half = pixels(text.label(arc.edus, arc.relation), LABEL) / 2
        yield arc.label_x - half, arc.top - 13, arc.label_x + half, arc.top - 3, arc.relation
    for bracket in diagram.brackets:
        half = pixels(text.label(bracket.edus, bracket.relation), LABEL) / 2
        yield bracket.x - half, bracket.y - 6, bracket.x + half, bracket.y + 6, bracket.relation
    for bar in diagram.bars:
        if bar.is_cut:
            height = text.measure().reference(bar.edus).height
            yield bar.left, bar.y + 1, bar.right, bar.y + height, bar.edus
        elif bar.edus in groups:
            yield bar.left, bar.y + 4, bar.left + pixels(text.numbers(bar.edus), SMALL), bar.y + 12, bar.edus
        else:
            yield bar.left, bar.y + 2, bar.right, bar.y + text.measure().text(bar.edus).height, bar.edus


def lines(diagram):
    """Every line, a curve by the corner that it rounds, as (left, top, right, bottom, what)."""
    for bar in diagram.bars:
        yield bar.left, bar.y, bar.right, bar.y, ("bar", bar.edus)
    for stem in diagram.stems:
        yield stem.x, stem.top, stem.x, stem.bottom, ("stem", stem.x)
    for arc in diagram.arcs:
        left, right = sorted((arc.satellite, arc.nucleus))
        yield left, arc.top, right, arc.top, ("arc", arc.relation)
        yield arc.satellite, arc.top, arc.satellite, arc.y, ("arc", arc.relation)
    for bracket in diagram.brackets:
        for x in bracket.nuclei:
            yield x, bracket.y + 8, x, bracket.bottom, ("drop", bracket.relation)
        yield bracket.x, bracket.top, bracket.x, bracket.y - 8, ("stub", bracket.relation)


def overlaps(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def crosses(box, line):
    return (
        box[0] < line[2] + 0.01
        and line[0] - 0.01 < box[2]
        and box[1] < line[3] + 0.01
        and line[1] - 0.01 < box[3]
    )


def check_nothing_touches(diagram, text):
    words = list(boxes(diagram, text))
    for number, box in enumerate(words):
        for other in words[number + 1 :]:
            assert not overlaps(box, other), (box, other)
        for line in lines(diagram):
            assert not crosses(box, line), (box, line)
        assert box[0] >= -0.01
        assert box[2] <= diagram.width + 0.01


def laid_out(panel, **settings):
    return lay_out(panel.tree, DiagramText(panel, {}).measure(), **settings)


@st.composite
def panels(draw):
    tree = draw(nary_trees(max_edus=9, relations=RELATIONS))
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=tree.n_edus, max_size=tree.n_edus))
    bare = tree_panel(tree)
    return Panel(tuple(texts), bare.tokens, bare.tree, first=draw(st.sampled_from([0, 1234])))


@given(panels(), st.sampled_from([200.0, 400.0, float("inf")]))
def test_names_touch_neither_each_other_nor_lines_nor_texts(panel, limit):
    text = DiagramText(panel, {})
    diagrams = laid_out(panel, limit=limit)
    for diagram in diagrams:
        check_nothing_touches(diagram, text)
    leaves = [
        bar.edus for diagram in diagrams for bar in diagram.bars if not bar.is_cut and len(bar.edus) == 1
    ]
    assert sorted(leaves) == sorted(unit.span for unit in panel.tree.leaves())


def test_the_nucleus_stands_below_its_stem_and_nearer_satellites_lower():
    (panel,) = document_panels(drawn_nary())
    (diagram,) = laid_out(panel)
    y = {bar.edus.start: bar.y for bar in diagram.bars if len(bar.edus) == 1}
    assert y[0] < y[1] < y[2]
    assert y[7] < y[6]
    outer = [arc for arc in diagram.arcs if not arc.is_nearest]
    assert [arc.relation for arc in outer] == ["background", "purpose"]


def test_a_tree_too_wide_is_cut_into_diagrams_in_the_order_of_the_text():
    (panel,) = document_panels(right_branching(40))
    diagrams = laid_out(panel, limit=800)
    assert all(diagram.width <= 800 for diagram in diagrams)
    assert [diagram.edus.start for diagram in diagrams] == sorted(diagram.edus.start for diagram in diagrams)
    cut = [bar.edus for diagram in diagrams for bar in diagram.bars if bar.is_cut]
    assert cut == [diagram.edus for diagram in diagrams[1:]]


def test_a_tree_is_cut_only_where_it_may_be_and_always_where_it_must():
    (panel,) = document_panels(right_branching(12))
    assert len(laid_out(panel, limit=300, may_cut=lambda _: False)) == 1
    here = panel.tree.units[10].span
    diagrams = laid_out(panel, must_cut=frozenset({here}))
    assert [diagram.edus for diagram in diagrams] == [panel.tree.units[0].span, here]


def test_one_edu_is_a_diagram():
    (diagram,) = laid_out(tree_panel(Tree()))
    assert len(diagram.bars) == 1
