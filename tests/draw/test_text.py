import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.draw.text import clean, columns, pixels, widest_part, wrap, wrap_evenly


@pytest.mark.parametrize(
    ("text", "n_columns"),
    [
        ("plain", 5),
        ("", 0),
        ("漢字", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("zero\u200bwidth", 9),
        ("한글", 4),
        ("Ａ", 2),
    ],
)
def test_columns_count_wide_and_zero_width_characters(text, n_columns):
    assert columns(text) == n_columns


def test_pixels_are_those_of_the_wider_font_and_grow_with_its_size():
    assert pixels("The quick brown fox", 10) == pytest.approx(102.14)
    assert pixels("Ã", 10) == pixels("A", 10)
    assert pixels("漢", 10) == 10
    assert pixels("WiW", 24) == 2 * pixels("WiW", 12)


@given(st.text(alphabet="ab 漢。e\u0301-.,", max_size=60), st.integers(1, 12))
def test_wrapped_lines_fit_and_keep_every_character(text, room):
    lines = wrap(text, room, columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert columns(line) <= room or columns(line) <= 2
        assert line == line.strip()


def test_lines_break_at_spaces_and_between_east_asian_characters():
    assert wrap("aa bb cc", 5, columns) == ["aa bb", "cc"]
    assert wrap("漢字漢字。", 6, columns) == ["漢字漢", "字。"]
    assert wrap("漢字漢字。", 8, columns) == ["漢字漢", "字。"]
    assert wrap("x" * 7, 3, columns) == ["xxx", "xxx", "x"]


def test_a_word_too_long_for_a_line_is_broken_at_hyphens_first_and_anywhere_last():
    assert wrap("an early-FALL day", 8, columns) == ["an", "early-", "FALL day"]
    assert wrap("early-FALL", 10, columns) == ["early-FALL"]
    assert wrap("pre-incomprehensible", 8, columns) == ["pre-", "incompre", "hensible"]
    assert wrap("-- a/b–c", 3, columns) == ["--", "a/", "b–c"]
    assert widest_part("an early-FALL day", columns) == 6


def test_closing_punctuation_opens_no_line():
    assert wrap("to Rome , they say", 7, columns) == ["to", "Rome ,", "they", "say"]
    assert wrap("Rome ,", 4, columns) == ["Rome", ","]


@given(st.lists(st.sampled_from(["a", "bc", "def"]), max_size=30).map(" ".join), st.integers(3, 30))
def test_even_lines_are_as_many_and_no_wider(text, room):
    lines, even = wrap(text, room, columns), wrap_evenly(text, room, columns)
    assert len(even) == len(lines)
    assert max(map(columns, even), default=0) <= max(map(columns, lines), default=0)
    assert " ".join(even) == text


def test_what_could_command_a_terminal_or_break_xml_is_replaced():
    assert clean("a\x1b[31m\n b\x00\x9b\ud800\ufffe\u2028c") == "a\ufffd[31m b\ufffd\ufffd\ufffd\ufffd c"
