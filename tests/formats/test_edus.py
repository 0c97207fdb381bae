from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.edus import FORMAT
from rhetree.formats.format import Layer
from support.depth import DEEP
from support.golden_storm import GOLDEN, storm
from support.round_trip import read_all, written
from support.strategies import documents


@given(documents(holds=FORMAT.holds))
def test_what_is_written_is_read_back_the_same(document):
    assert read_all(FORMAT, written(FORMAT, document)) == [document]


@given(st.lists(documents(holds=FORMAT.holds), min_size=2, max_size=4))
def test_several_documents_are_numbered(several):
    named = [replace(document, name=f"doc-{number}") for number, document in enumerate(several, start=1)]
    assert read_all(FORMAT, written(FORMAT, *several)) == named


def test_the_golden_file_is_read_and_written():
    text = (GOLDEN / "storm.edus").read_text(encoding="utf-8")
    assert read_all(FORMAT, text, name="storm") == [storm().without_trees()]
    assert written(FORMAT, storm()) == text


def test_edus_keep_the_spacing_of_the_text():
    text = "It rained,\n  so I didn't go. "
    words = [(0, 2), (3, 9), (9, 10), (13, 15), (16, 17), (18, 21), (21, 24), (25, 27), (27, 28)]
    tokens = tuple(Token(text[start:end], start, end) for start, end in words)
    document = Document(name="doc", text=text, tokens=tokens, edus=(Span(0, 3), Span(3, 9)))
    assert written(FORMAT, document) == "It rained,\nso I didn't go.\n\n"
    assert FORMAT.losses(document) == [Layer.SPACING, Layer.TOKENS]


def test_rst_dt_indents_and_names_its_own_way():
    (document,) = read_all(FORMAT, "     He left,\n     to  sleep.\n", name="wsj_0601.out")
    assert document == Document.from_edus(["He left,", "to sleep."], name="wsj_0601")


def test_blank_lines_part_documents_however_many():
    text = "\n \nHe left\n\n\t\n\n# He slept\nwell\n\n\n"
    assert [document.edu_texts() for document in read_all(FORMAT, text)] == [
        ["He left"],
        ["# He slept", "well"],
    ]


def test_20000_edus():
    many = Document.from_edus(["x y"] * DEEP, name="doc")
    assert read_all(FORMAT, written(FORMAT, many)) == [many]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "doc.edus: no EDU in it; expected one a line"),
        (" \n\n", "doc.edus: no EDU in it; expected one a line"),
        ("He left\nPK\0\n", "doc.edus:2: expected text, found a NUL character; is the file binary?"),
    ],
)
def test_a_broken_file_says_where_and_how(text, message):
    with pytest.raises(TreebankError) as caught:
        read_all(FORMAT, text)
    assert str(caught.value) == message


def test_leniency_forgives_a_nul(caplog):
    (document,) = read_all(FORMAT, "He left\nto\0 sleep\0\n", lenient=True)
    assert document.edu_texts() == ["He left", "to sleep"]
    assert [record.getMessage() for record in caplog.records] == [
        "doc.edus:2: expected text, found a NUL character; is the file binary?"
    ]


def test_what_cannot_be_written_is_refused():
    blank = Document(name="a", text="x \u2003", tokens=(Token("x", 0, 1), Token("\u2003", 2, 3)))
    with pytest.raises(UnwritableError, match="^a cannot be written as edus: it lacks EDUs$"):
        written(FORMAT, blank)
    with pytest.raises(UnwritableError, match="^a cannot be written as edus: EDU 2 is white space$"):
        written(FORMAT, replace(blank, edus=(Span(0, 1), Span(1, 2))))
    with pytest.raises(UnwritableError, match="^a cannot be written as edus: EDU 2 has a NUL character$"):
        written(FORMAT, Document.from_edus(["x", "y\0"], name="a"))
