"""Paragraphs, headings and items in plain text, Markdown and HTML."""

from dataclasses import replace

import pytest
from hypothesis import given

from rhetree.domain.blocks import Block
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.text import tokenize
from rhetree.text.blocks import with_blocks
from rhetree.text.html import html_layout
from rhetree.text.markdown import markdown_layout
from support.strategies import texts

WRAPPED = """The river rose in the night, and nobody
in the village heard it. By morning the
lower road was gone.
Anna took the boat. She rowed from house
to house, and called at every window
until someone answered.
    The mill stood in the water up to its
wheel. It had stood there before.
"""


def shown(document):
    """The kind and the text of each block."""
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("It rained", [("paragraph", "It rained")]),
        ("  It rained.\n\n\nWe left. ", [("paragraph", "It rained."), ("paragraph", "We left.")]),
        ("The flood\n\nIt rained.", [("heading", "The flood"), ("paragraph", "It rained.")]),
        ("1. The flood\n\nIt rained.", [("heading", "1. The flood"), ("paragraph", "It rained.")]),
        (
            "Bring:\n\n- a coat\n- two lamps\n- a rope\n\nThen wait.",
            [
                *[
                    ("paragraph", "Bring:"),
                    ("item", "- a coat"),
                    ("item", "- two lamps"),
                    ("item", "- a rope"),
                ],
                ("paragraph", "Then wait."),
            ],
        ),
        (
            "1) Open the door.\n2) Look out.\n3) Run!",
            [("item", "1) Open the door."), ("item", "2) Look out."), ("item", "3) Run!")],
        ),
        (
            "Tips\n\n1. Eat well\n2. Sleep, if you can\n 3. Drink",
            [
                ("heading", "Tips"),
                ("item", "1. Eat well"),
                ("item", "2. Sleep, if you can"),
                ("item", "3. Drink"),
            ],
        ),
        (
            "He was born on May\n12. He left on June\n14. Nobody saw it.",
            [("paragraph", "He was born on May\n12. He left on June\n14. Nobody saw it.")],
        ),
        ("You know I —\n\nNo.", [("paragraph", "You know I —"), ("paragraph", "No.")]),
        ("So it is. Well\n\nNo.", [("paragraph", "So it is. Well"), ("paragraph", "No.")]),
        ("he said\n\nno.", [("paragraph", "he said"), ("paragraph", "no.")]),
    ],
)
def test_blank_lines_bullets_and_missing_full_stops_tell_the_blocks(text, expected):
    assert shown(tokenize(text)) == expected


def test_in_wrapped_text_only_lines_with_room_for_the_next_word_end_a_paragraph():
    assert [text.split()[0] for _, text in shown(tokenize(WRAPPED))] == ["The", "Anna", "The"]


def test_one_paragraph_per_line():
    lines = [
        "It had rained for a week, and the river was high above the stones that marked the ford.",
        "Nobody crossed.",
        "On the eighth day the sun came out. Anna went down to look at the boats.",
        "Two were left.",
    ]
    assert [text for _, text in shown(tokenize("\n".join(lines)))] == lines
    alike = [f"It rained on day {number}." for number in range(10, 30)]
    assert [text for _, text in shown(tokenize("\n".join(alike)))] == alike


def test_a_long_run_of_lines_without_full_stops_is_no_run_of_headings():
    text = "\n\n".join(f"Line number {number}" for number in ["one", "two", "three", "four", "five"])
    assert {kind for kind, _ in shown(tokenize(text))} == {"paragraph"}
    headings = "Storms\n\nRain\n\nIt rained."
    assert [kind for kind, _ in shown(tokenize(headings))] == ["heading", "heading", "paragraph"]


@pytest.mark.parametrize(
    ("layout", "text", "expected"),
    [
        (
            markdown_layout,
            "# The *flood*\nIt rained\n\n- one\n\n  two\n- three\n\nDone",
            [
                *[
                    ("heading", "The *flood"),
                    ("paragraph", "It rained"),
                    ("item", "one"),
                    ("paragraph", "two"),
                ],
                *[("item", "three"), ("paragraph", "Done")],
            ],
        ),
        (markdown_layout, "Flood\n===\n\nRain", [("heading", "Flood"), ("paragraph", "Rain")]),
        (markdown_layout, "Only this\n\nand that", [("paragraph", "Only this"), ("paragraph", "and that")]),
        (
            html_layout,
            "<h1>The <b>flood</b></h1><p>Rain</p><ul><li><p>one</p><p>two</p><li>three</ul>four",
            [
                *[("heading", "The <b>flood"), ("paragraph", "Rain"), ("item", "one"), ("paragraph", "two")],
                *[("item", "three"), ("paragraph", "four")],
            ],
        ),
    ],
)
def test_markdown_and_html_say_which_block_is_what(layout, text, expected):
    found = layout(text)
    document = tokenize(text, "", found.markup, found.blocks)
    assert shown(document) == expected
    plain = document.without_markup()
    assert [block.kind for block in plain.blocks] == [kind for kind, _ in expected]
    assert "<b>" not in "".join(text for _, text in shown(plain))


def test_sentences_and_edus_know_their_block():
    document = tokenize("Floods\n\nIt rained. We left.\n\nGood.")
    assert document.sentence_blocks() == [0, 1, 1, 2]
    whole = replace(document, edus=(Span(0, 4), Span(4, len(document.tokens))))
    assert whole.edu_blocks() == [0, 1]
    assert Document.from_sentences([["It", "rained"]]).sentence_blocks() == []


def test_a_document_with_tokens_of_its_own_gets_the_blocks_of_its_text():
    document = tokenize("Floods\n\nIt **rained**.", markup=markdown_layout("Floods\n\nIt **rained**.").markup)
    bare = replace(document, blocks=())
    assert shown(with_blocks(bare)) == [("heading", "Floods"), ("paragraph", "It **rained**.")]
    assert with_blocks(document) is document
    joined = with_blocks(Document.from_sentences([["It", "rained", "."], ["Good", "."]]))
    assert shown(joined) == [("paragraph", "It rained . Good .")]
    assert with_blocks(Document()) == Document()


@given(texts())
def test_the_blocks_of_any_text_hold_its_tokens_and_whole_sentences(text):
    document = tokenize(text)
    assert bool(document.blocks) == bool(document.tokens)
    starts = {document.tokens[sentence.start].start for sentence in document.sentences}
    assert all(block.start in starts for block in document.blocks)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([Block(0, 2)], r"token 1 \('b'\) at 2..3 is in no block"),
        ([Block(1, 3)], r"token 0 \('a'\) at 0..1 is in no block"),
        ([Block(0, 9)], r"block 0..9 should lie within 0..3"),
        ([Block(0, 2), Block(1, 3)], r"block 1..3 should lie within 2..3"),
    ],
)
def test_blocks_that_do_not_fit_the_text_are_refused(blocks, message):
    with pytest.raises(ValueError, match=message):
        replace(Document.from_sentences([["a", "b"]]), blocks=blocks)


def test_a_block_is_not_empty_and_of_a_known_kind():
    with pytest.raises(ValueError, match="a block needs 0 <= start < end, got 2..2"):
        Block(2, 2)
    with pytest.raises(ValueError, match="one of paragraph, heading, item, got 'table'"):
        Block(0, 2, "table")  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([[0, 3]], r"blocks\[0\]: expected a list of 3"),
        ([[0, 3, "table"]], r"blocks\[0\]: expected paragraph, heading, item, found 'table'"),
        ([[3, 3, "item"]], r"blocks\[0\]: a block needs"),
        (7, "blocks: expected a list"),
    ],
)
def test_records_name_a_block_that_is_wrong(blocks, message):
    record = Document.from_sentences([["a", "b"]]).to_dict() | {"blocks": blocks}
    with pytest.raises(ValueError, match=message):
        Document.from_dict(record)


def test_records_hold_blocks():
    document = tokenize("Floods\n\nIt rained.")
    assert document.to_dict()["blocks"] == [[0, 6, "heading"], [8, 18, "paragraph"]]
    assert Document.from_dict(document.to_dict()) == document
