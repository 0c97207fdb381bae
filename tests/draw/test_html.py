import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from rhetree.draw import html
from rhetree.draw.difference import compare
from rhetree.draw.panel import document_panels
from support.drawn_documents import (
    drawn_nary,
    hostile,
    right_branching,
    three_sentences,
    treasury,
    treasury_as_parsed,
)
from support.flood import flood


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def items(self):
        return [attributes for _, attributes in self.elements if attributes.get("role") == "treeitem"]


def page(document, **options):
    return html.draw_panels(document_panels(document), title=document.name, **options)


def test_rows_tell_screen_readers_the_shape_of_the_tree():
    items = Page(page(treasury())).items()
    assert [int(item["aria-level"]) for item in items] == [1, 2, 3, 3, 2, 3, 3]
    assert [item["aria-posinset"] for item in items] == ["1", "1", "1", "2", "2", "1", "2"]
    assert [item.get("aria-expanded") for item in items] == ["true", "true", None, None, "true", None, None]
    assert [item["tabindex"] for item in items] == ["0", *["-1"] * 6]


def test_text_cannot_leave_its_element():
    source = page(hostile())
    tags = [tag for tag, _ in Page(source).elements]
    assert tags.count("script") == 1
    assert "\x1b" not in source
    assert "<script>alert" in Page(source).text


def test_nothing_is_loaded_from_elsewhere():
    source = page(treasury())
    assert "http:" not in source
    assert "https:" not in source
    assert "default-src 'none'" in source
    assert not re.search(r"\bsrc=|@import|url\(", source)


def test_signals_and_secondary_edges_are_listed_on_their_units():
    text = Page(page(drawn_nary())).text
    assert "contrast → 6" in text
    assert "signal dm: Once" in text


def test_each_sentence_is_a_tree():
    source = page(three_sentences())
    names = [found["aria-label"] for _, found in Page(source).elements if found.get("role") == "tree"]
    assert names == ["Sentence 1", "Sentence 2", "Sentence 3"]
    assert "6 EDUs, 3 sentences" in source


def test_units_inside_a_paragraph_can_be_folded_to_their_main_point():
    source = page(flood())
    folding = [item for item in Page(source).items() if "data-paragraph" in item]
    assert [item["data-tokens"] for item in folding] == ["5-22", "22-50"]
    assert "The river rose in the night. …</span>" in source
    assert 'id="paragraphs"' in source
    assert "data-folded" not in source
    assert 'id="paragraphs"' not in page(replace(flood(), blocks=()))
    assert 'id="paragraphs"' not in page(treasury())


def test_a_long_document_starts_with_its_paragraphs_folded():
    assert 'data-folded="paragraphs"' in page(right_branching(101))
    assert "data-folded" not in page(right_branching(100))


def test_differences_are_said_in_words():
    source = html.draw_pairs(compare(treasury(), treasury_as_parsed()), titles=("gold", "predicted"))
    assert source.count("◆ only here") == 4
    assert source.count("≠ nuclearity and relation") == 2
    assert "3 units the same, 3 only in gold, 1 only in predicted" in source
    n_rows = [
        source.split('role="tree"')[side].count("data-level")
        + source.split('role="tree"')[side].count("aria-level")
        for side in (1, 2)
    ]
    assert n_rows[0] == n_rows[1]


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_theme_is_chosen_on_the_page_too(theme):
    source = page(treasury(), theme=theme)
    assert f'<html lang="en" data-theme="{theme}">' in source
    assert f'<option value="{theme}" selected>' in source


def test_deep_rows_say_their_level():
    source = page(right_branching(100))
    assert "level 60" in source
    assert max(int(depth) for depth in re.findall(r"--d:(\d+)", source)) == 30
