"""Trees deeper than Python's stack, and the documents of a treebank."""

import pytest

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.draw.picture import draw
from rhetree.draw.svg import WIDTH
from rhetree.formats import read
from support.drawn_documents import right_branching

pytestmark = pytest.mark.large


@pytest.mark.parametrize("format", ["txt", "svg", "html"])
def test_a_tree_deeper_than_the_stack_is_drawn(format):
    document = right_branching(1_200, "w{}")
    assert b"w1199" in draw(document, format)
    assert b"only in" in draw(document, format, against=document)


def test_a_unit_of_hundreds_of_parts_is_cut_into_diagrams():
    units = [Unit(0, 600, "root")]
    for start in range(0, 600, 2):
        units.append(Unit(start, start + 2, "nucleus", "list"))
        units += [Unit(start, start + 1, "nucleus"), Unit(start + 1, start + 2, "satellite", "elaboration")]
    document = Document.from_edus(f"w{number}" for number in range(600)).with_nary(NaryTree(tuple(units)))
    picture = draw(document, "svg")
    assert picture.count(b"elaboration") == 300


@pytest.mark.slow
@pytest.mark.parametrize("format", ["txt", "svg", "html"])
def test_twenty_thousand_edus_are_drawn(format):
    assert b"unit 19999" in b" ".join(draw(right_branching(20_000), format).split())


def test_every_thirtieth_document_of_a_treebank_is_drawn(gum):
    paths = sorted((gum / "rs4").glob("*.rs4"))[::30]
    assert paths
    for path in paths:
        (document,) = read(path)
        picture = draw(document, "svg").decode()
        width = float(picture.split('viewBox="0 0 ')[1].split()[0])
        assert width <= WIDTH or "This picture is" in picture
        assert draw(document, "html").count(b'role="treeitem"') == len(document.as_drawn().units)
        lines = draw(document, "txt").decode().splitlines()
        assert max(map(len, lines)) <= 80
