"""One tree of a whole text on the page: asked for, looked at, folded by paragraph, compared, saved."""

import io
import json
from pathlib import Path

import pytest

from rhetree.domain.record_reader import from_record
from rhetree.formats import FORMATS
from support.browsing import BRIDGE, parse, saved_as, show, visiting
from support.fake_model import fake_parser
from support.serving import TEXT, on_a_port

MANY = "\n\n".join([f"{BRIDGE} It rained."] * 30)
"""Thirty paragraphs of two sentences."""

UNITS = "() => [...document.querySelectorAll('[role=treeitem]')].map(({ dataset }) => [Number(dataset.start), Number(dataset.end)])"


@pytest.fixture(scope="module")
def site(browser):
    """A service that joins sentences."""
    with on_a_port(fake_parser(joins=True)) as (port, _):
        yield f"http://127.0.0.1:{port}"


def parse_whole(page, text, level="document"):
    page.get_by_label("Trees of").select_option(level)
    parse(page, text)


def record(page):
    return page.evaluate("() => window.rhetree.record()")


@pytest.mark.parametrize("level", ["paragraph", "document"])
def test_a_text_is_shown_with_one_tree(page, level):
    parse_whole(page, TEXT, level)
    expected = fake_parser(joins=True).parse(TEXT, level=level)
    assert page.locator("section.row").count() == 1
    assert page.locator("[role=tree]").get_attribute("aria-label") == "Tree of the document"
    assert [0, len(expected.edus)] in page.evaluate(UNITS)
    assert from_record(record(page)) == from_record(expected.to_dict())
    assert page.locator("#counts").inner_text().endswith("3 sentences")
    assert page.locator(".words .break").count() == 1  # between two paragraphs


def test_the_choice_is_kept_and_reached_by_keyboard(page):
    page.focus("#parse")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "trees-of"
    page.keyboard.press("End")
    page.reload()
    page.evaluate("() => window.rhetree.ready")
    assert page.get_by_label("Trees of").input_value() == "document"
    page.fill("#text", TEXT)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[role=tree]")
    assert page.locator("section.row").count() == 1


def test_a_service_that_cannot_join_offers_no_choice(browser):
    with (
        on_a_port() as (port, _),
        visiting(browser, f"http://127.0.0.1:{port}") as page,
    ):
        page.evaluate("() => window.localStorage.setItem('rhetree.level', 'document')")
        page.reload()
        page.evaluate("() => window.rhetree.ready")
        assert not page.locator("#trees-of").is_visible()
        parse(page, TEXT)
        assert page.locator("section.row").count() == 3


def test_trees_of_a_file_without_any_are_joined_too(page):
    document = fake_parser().segment(TEXT)
    page.get_by_label("Trees of").select_option("document")
    show(page, document)
    page.click("#parse-document")
    page.wait_for_selector("[role=tree]")
    found = from_record(record(page))
    assert found.edus == document.edus
    assert found.tree is not None


def test_probabilities_and_unsure_places_are_those_of_both_models(page):
    parse_whole(page, TEXT)
    document = fake_parser(joins=True).parse(TEXT, level="document")
    joints = {(probs.edus.start, probs.edus.end): probs for probs in document.split_probs}
    splits = page.evaluate("() => window.rhetree.document.panels[0].splits")
    above = [split for split in splits if (split["start"], split["end"]) in joints]
    assert len(above) == len(joints) == 2
    for split in above:
        assert split["prob"] == pytest.approx(joints[split["start"], split["end"]].prob, rel=1e-5)
    page.click("#probs")
    assert any("90 %" in label for label in page.locator(".link text").all_text_contents())
    assert all(split["prob"] is not None for split in splits)
    ends = [prob for readings in document.readings for prob in readings[0].edu_probs]
    known = page.evaluate("() => window.rhetree.document.panels[0].endProbs")
    assert list(known.values()) == pytest.approx(ends, rel=1e-5)
    page.keyboard.press("u")
    assert page.locator("#status").inner_text().startswith("Unsure label 1 of ")


def test_a_long_text_starts_with_its_paragraphs_folded(page):
    parse_whole(page, MANY, "paragraph")
    n_edus = len(from_record(record(page)).edus)
    assert n_edus > 100
    drawn = page.evaluate(UNITS)
    assert len(drawn) == 2 * 30 - 1
    folded = page.locator('[role=treeitem][aria-expanded="false"]')
    assert folded.count() == 30
    fold = page.locator("#fold")
    assert fold.get_attribute("aria-pressed") == "true"
    assert "paragraphs are folded" in page.locator("#status").inner_text()
    folded.first.locator("text").first.click()
    assert folded.count() == 29
    assert fold.get_attribute("aria-pressed") == "false"
    page.keyboard.press("f")
    assert folded.count() == 30
    fold.click()
    assert folded.count() == 0
    assert len(page.evaluate(UNITS)) >= 2 * n_edus - 1


def test_going_to_an_unsure_label_unfolds_what_hides_it(page):
    parsed = fake_parser(joins=True).parse(MANY, level="paragraph").to_dict()
    parsed["sentences"][10]["probabilities"]["splits"][0] = 0.1  # the first of the sixth paragraph
    show(page, parsed)
    assert page.locator('[role=treeitem][aria-expanded="false"]').count() == 30
    unsure = page.evaluate("() => window.rhetree.unsure.map(({ start, end }) => [start, end])")
    for _ in range(unsure.index([25, 29]) + 1):
        page.keyboard.press("u")
    assert page.evaluate("() => document.activeElement.dataset.start") == "25"
    assert page.locator('[role=treeitem][aria-expanded="false"]').count() == 29


def test_the_words_of_a_long_text_leave_room_for_its_tree_and_follow_what_is_chosen(page):
    parse_whole(page, MANY, "paragraph")
    assert page.locator("svg.rst").first.bounding_box()["y"] < 800
    page.evaluate("() => window.rhetree.choose({ number: 0, start: 120, end: 121 }, true)")
    word = page.locator('.words [data-edu="120"]').bounding_box()
    words = page.locator(".words").bounding_box()
    assert words["y"] <= word["y"] < words["y"] + words["height"]


def test_a_short_text_starts_unfolded_and_can_be_folded(page):
    parse_whole(page, TEXT, "paragraph")
    before = page.evaluate(UNITS)
    assert page.locator("#fold").get_attribute("aria-pressed") == "false"
    page.click("#fold")
    assert len(page.evaluate(UNITS)) < len(before)
    page.click("#fold")
    assert page.evaluate(UNITS) == before
    page.click("#write")
    parse_whole(page, TEXT, "sentence")
    assert not page.locator("#fold").is_visible()


@pytest.mark.parametrize("level", ["sentence", "paragraph", "document"])
def test_the_parsers_own_reading_is_of_the_same_level(page, level):
    parse_whole(page, TEXT, level)
    page.click("#write")
    page.get_by_label("Trees of").select_option("sentence")  # the document's own level counts, not the choice
    page.reload()
    page.evaluate("() => window.rhetree.ready")
    page.click("#compare > summary")
    with page.expect_request("**/v1/parse") as asked:
        page.click("#compare [data-with=parser]")
    assert asked.value.post_data_json["level"] == level
    page.wait_for_selector("section.pair")
    assert page.locator("#status").inner_text() == "No difference to the parser’s reading."
    assert not page.locator("#fold").is_visible()


def test_a_corrected_tree_is_compared_and_kept(page):
    parse_whole(page, TEXT)
    n_edus = len(from_record(record(page)).edus)
    page.evaluate("(end) => window.rhetree.choose({ number: 0, start: 0, end }, true)", n_edus)
    page.keyboard.press("n")
    page.click("#compare > summary")
    page.click("#compare [data-with=parser]")
    page.wait_for_selector("section.pair svg")
    assert page.locator("#n-differences").inner_text() == "1"
    page.click("#close-comparison")
    corrected = record(page)
    page.reload()
    page.evaluate("() => window.rhetree.ready")
    assert record(page) == corrected


def test_everything_is_saved_in_each_format(page):
    parse_whole(page, TEXT, "paragraph")
    expected = fake_parser(joins=True).parse(TEXT, level="paragraph")
    assert saved_as(page, "svg").startswith(b"<svg ")
    assert saved_as(page, "png").startswith(b"\x89PNG")
    assert len(saved_as(page, "csv").decode().splitlines()) == 1 + len(expected.edus)
    for format in ("rs3", "rs4", "dis"):
        (document,) = FORMATS[format].read(io.StringIO(saved_as(page, format).decode()), Path(f"a.{format}"))
        assert document.tree == expected.tree, format
    assert json.loads(saved_as(page, "json")) == json.loads(json.dumps(expected.to_dict()))
