from pathlib import Path
from xml.etree import ElementTree

import pytest

from rhetree.draw import svg
from rhetree.draw.difference import compare
from rhetree.draw.panel import document_panels, tree_panel
from rhetree.draw.theme import DARK, LIGHT
from support.drawn_documents import (
    drawn_nary,
    hostile,
    long_list,
    right_branching,
    three_sentences,
    treasury,
    treasury_as_parsed,
)

NAMESPACE = "{http://www.w3.org/2000/svg}"


def picture(document, **options):
    return svg.draw_panels(document_panels(document), title=document.name, **options)


def texts(source):
    root = ElementTree.fromstring(source)
    return ["".join(element.itertext()) for element in root.iter(f"{NAMESPACE}text")]


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_treasury_sentence_is_golden(golden, theme):
    golden(f"treasury-{theme}.svg", picture(treasury(), theme=theme))


def test_other_pictures_are_golden(golden):
    golden("fable.svg", picture(drawn_nary(), theme="light"))
    golden("weather.svg", picture(three_sentences(), theme="light"))
    pairs = compare(treasury(), treasury_as_parsed())
    golden("treasury-pair.svg", svg.draw_pairs(pairs, titles=("gold", "predicted"), theme="light"))


def test_the_words_of_an_edu_are_one_text_that_can_be_copied():
    assert "noncompetitive tenders will be considered timely" in texts(picture(treasury()))


def test_every_relation_is_named_and_every_edu_numbered():
    found = texts(picture(drawn_nary()))
    drawn = drawn_nary()
    for unit in drawn.nary.units:
        assert unit.relation is None or unit.relation in found
    assert {str(number) for number in range(1, 9)} <= set(found)


def test_text_is_escaped_and_the_picture_stays_well_formed():
    source = picture(hostile())
    assert "<script" not in source
    assert "\x1b" not in source
    assert "\x00" not in source
    shown = " ".join(texts(source))
    assert "<script>alert" in shown
    assert "]]>" in shown


def test_the_theme_follows_the_system_or_is_fixed():
    auto, dark = picture(treasury(), theme="auto"), picture(treasury(), theme="dark")
    assert "prefers-color-scheme:dark" in auto
    assert LIGHT["ink"] in auto
    assert DARK["ink"] in auto
    assert "prefers-color-scheme" not in dark
    assert LIGHT["ink"] not in dark


def test_the_picture_is_self_contained_and_has_a_view_box():
    source = picture(treasury())
    root = ElementTree.fromstring(source)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert source.count("http") == 1
    assert "href" not in source
    assert " id=" not in source
    assert source == picture(treasury())


def width_of(source):
    return float(ElementTree.fromstring(source).attrib["width"])


@pytest.mark.large
def test_three_hundred_edus_stay_within_the_width_and_are_all_there():
    source = picture(right_branching(300))
    assert width_of(source) <= svg.WIDTH
    assert {str(number) for number in range(1, 301)} <= set(texts(source))
    uncut = picture(right_branching(300), width=0)
    assert width_of(uncut) > 10_000


def test_a_tree_that_is_a_little_too_wide_gets_narrower_columns_before_it_is_cut():
    (panel,) = document_panels(right_branching(9))
    whole = svg.draw_panels([panel])
    narrow = svg.draw_panels([panel], width=width_of(whole) * 0.9)
    cut = svg.draw_panels([panel], width=width_of(whole) * 0.5)
    assert 'class="reference"' not in whole + narrow
    assert 'class="reference"' in cut
    assert width_of(narrow) <= width_of(whole) * 0.9
    assert width_of(cut) <= width_of(whole) * 0.5


@pytest.mark.parametrize("width", [500, 800, 1200])
@pytest.mark.parametrize("document", [right_branching(15), drawn_nary(), long_list(3)], ids=lambda d: d.name)
def test_the_width_holds(document, width):
    source = picture(document, width=width)
    assert width_of(source) <= width
    assert "pixels wide" not in source
    pair = svg.draw_pairs(compare(document, document), titles=("gold", "predicted"), width=2 * width)
    assert width_of(pair) <= 2 * width


def test_a_picture_wider_than_asked_says_why():
    found = texts(picture(long_list(20), width=800))
    width = width_of(picture(long_list(20), width=800))
    assert width > 800
    reason = f"This picture is {width:.0f} pixels wide instead of 800: the parts of 1–20 need this much room side by side."
    assert reason in found
    assert not any("pixels wide" in text for text in texts(picture(long_list(20), width=0)))


def test_no_word_that_fits_a_column_is_broken():
    found = " ".join(texts(picture(long_list(3))))
    assert "incomprehensibility" in found
    spans = ElementTree.fromstring(picture(long_list(3))).iter(f"{NAMESPACE}tspan")
    lines = [span.text.strip() for span in spans]
    assert any(line.endswith("incomprehensibility") for line in lines)


def test_sides_of_a_comparison_are_cut_at_the_same_units():
    left, right = right_branching(40), right_branching(40)
    (pair,) = compare(left, right)
    found = texts(svg.draw_pairs([pair], titles=("a", "b"), width=1200))
    headings = [text for text in found if "–40" in text]
    assert len(headings) > 4
    assert all(found.count(heading) % 2 == 0 for heading in headings)


def test_what_differs_is_marked_by_shape_and_sign_besides_colour():
    source = svg.draw_pairs(compare(treasury(), treasury_as_parsed()), titles=("gold", "predicted"))
    assert texts(source).count("≠NR Condition") == 1
    assert source.count('class="bar only"') + source.count('class="bar leaf only"') == 4 + 1
    assert source.count('class="diamond"') == 2 * (4 + 1)


def test_a_bare_tree_is_drawn_with_numbers():
    (panel,) = document_panels(treasury())
    assert panel.tree is not None
    assert texts(svg.draw_panels([tree_panel(panel.tree)]))[-1] == "4"


def test_the_picture_in_the_documentation_is_what_is_drawn_today():
    docs = Path(__file__).parents[2] / "docs"
    assert (docs / "images" / "treasury.svg").read_text(encoding="utf-8") == picture(treasury())
