"""Text from right to left: isolated, in its own direction, and in mirrored diagrams."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from rhetree.draw import html, svg
from rhetree.draw.diagram import DiagramText
from rhetree.draw.layout import lay_out
from rhetree.draw.mirror import mirrored
from rhetree.draw.panel import document_panels
from rhetree.draw.text import is_right_to_left
from support.drawn_documents import drawn_nary, hebrew, right_branching, treasury

NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The storm", False),
        ("הסערה", True),
        ("العاصفة قوية", True),
        ("RST הוא שם של תאוריה", True),
        ("the word סערה means storm", False),
        ("7:30", False),
        ("", False),
        ("漢字", False),
    ],
)
def test_the_direction_is_that_of_most_letters(text, expected):
    assert is_right_to_left(text) is expected


def x_of(source, word):
    for element in ElementTree.fromstring(source).iter(f"{NAMESPACE}tspan"):
        if word in (element.text or ""):
            return float(element.attrib["x"])
    raise AssertionError(word)


def test_the_first_edu_is_on_the_right():
    source = svg.draw_panels(document_panels(hebrew()))
    places = [x_of(source, word) for word in ("הסערה", "הרוח", "תאוריה", "בבית")]
    assert places == sorted(places, reverse=True)


def test_every_line_of_such_a_text_is_isolated_even_one_that_starts_with_another_script():
    lines = [
        element.text.strip()
        for element in ElementTree.fromstring(svg.draw_panels(document_panels(hebrew()))).iter(
            f"{NAMESPACE}tspan"
        )
    ]
    assert any(line.startswith("\u2067RST") for line in lines)
    assert all(line.startswith("\u2067") and line.endswith("\u2069") for line in lines)
    assert "\u2067" not in svg.draw_panels(document_panels(treasury()))


def test_sentences_without_a_tree_and_parts_are_aligned_on_the_right():
    source = svg.draw_panels(document_panels(replace(hebrew(), tree=None)))
    assert 'class="edu end"' in source
    assert 'class="edu start"' not in source
    cut = svg.draw_panels(document_panels(right_branching(12, "יחידה {} אומרת משהו")), width=500)
    right_edges = []
    root = ElementTree.fromstring(cut)
    for group in root.findall(f"{NAMESPACE}g"):
        left = float(group.attrib["transform"].split("(")[1].split()[0])
        bars = [
            [float(x) for x in bar.attrib["d"][1:].replace("H", " ").split()]
            for bar in group.iter(f"{NAMESPACE}path")
            if "bar" in bar.attrib["class"]
        ]
        right_edges.append(left + max(bar[-1] for bar in bars))
    assert len(right_edges) > 2
    assert max(right_edges) - min(right_edges) < 1


def test_mirroring_twice_changes_nothing():
    (panel,) = document_panels(drawn_nary())
    assert panel.tree is not None
    (diagram,) = lay_out(panel.tree, DiagramText(panel, {}).measure())
    twice = mirrored(mirrored(diagram))
    assert [bar.left for bar in twice.bars] == pytest.approx([bar.left for bar in diagram.bars])
    assert [arc.nucleus for arc in twice.arcs] == pytest.approx([arc.nucleus for arc in diagram.arcs])
    assert twice.brackets[0].nuclei == pytest.approx(diagram.brackets[0].nuclei)
    assert mirrored(diagram).bars != diagram.bars


def test_the_page_runs_from_right_to_left_and_so_do_its_keys(visit):
    report = visit(
        html.draw_panels(document_panels(hebrew()), title="סערה"),
        """
        const right = (row) => row.querySelector(".body").getBoundingClientRect().right;
        report.indented = right(rows[0]) > right(rows[1]) && right(rows[1]) > right(rows[2]);
        const text = [...document.querySelectorAll(".text")].find((each) => each.textContent.startsWith("RST"));
        const range = document.createRange();
        const at = (index) => { range.setStart(text.firstChild, index); range.setEnd(text.firstChild, index + 1); return range.getBoundingClientRect().left; };
        report.comma = at(text.textContent.length - 1) < at(0);
        press(rows[0], "ArrowRight");
        report.folded = shown();
        press(rows[0], "ArrowLeft");
        report.unfolded = shown();
        """,
    )
    assert report == {"indented": True, "comma": True, "folded": 1, "unfolded": 7}


def test_a_diagram_in_the_browser_ends_a_line_on_the_left(visit):
    page = "<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>%s</body></html>"
    report = visit(
        page % svg.draw_panels(document_panels(hebrew())),
        """
        const line = [...document.querySelectorAll("text.edu")].find((text) => text.textContent.includes("7:30"));
        const content = line.textContent;
        const x = (index) => line.getExtentOfChar(index).x;
        report.comma = x(content.indexOf(",")) < x(content.indexOf("7"));
        report.digits = x(content.indexOf("7")) < x(content.indexOf("0"));
        """,
    )
    assert report == {"comma": True, "digits": True}
