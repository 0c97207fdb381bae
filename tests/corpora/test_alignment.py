from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.corpora.alignment import locate
from rhetree.errors import MismatchError

PATH = Path("plan.mrg")

LONG = "The plan was good and everybody at the table knew it well before the rain came"


def found(words, text):
    located = locate(words, text, PATH)
    return [text[place.start : place.end] for place in located.places], located.differences


@given(st.lists(st.text("ab'`\"“&.", min_size=1), min_size=1), st.data())
def test_words_are_found_whatever_the_white_space(words, data):
    gaps = st.sampled_from(["", " ", "\n\n"])
    text = "".join(data.draw(gaps) + word for word in words)
    assert found(words, text) == (words, ())


def test_quotes_of_all_kinds_are_the_same():
    words = ["``", "`", "I", "'ve", "'", "''", "she", "said"]
    assert found(words, "\"'I've'\" she “said")[0][:6] == ['"', "'", "I", "'ve", "'", '"']
    assert found(["``", "Yes", "''"], "“Yes”") == (["“", "Yes", "”"], ())
    assert found(["``", "Yes", "''"], "`` Yes ''") == (["``", "Yes", "''"], ())


def test_white_space_inside_a_word_does_not_count():
    assert found(["wait", "...", "AT&T"], "wait . . . AT&amp;T") == (["wait", ". . .", "AT&amp;T"], ())


def test_a_full_stop_after_an_abbreviation_is_no_difference():
    assert found(["the", "U.S.", ".", "He", "left", "."], "the U.S. He left.") == (
        ["the", "U.S.", "", "He", "left", "."],
        (),
    )


def test_the_text_may_go_on_after_the_last_word():
    assert found(["one", "two"], "one two three")[0] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        ("was good", "was 17", "'17' in place of 'good' at character 13"),
        ("was good", "was", "'' in place of 'good' at character 13"),
        ("was good", "was so good", "'so' in place of '' at character 13"),
        ("was good", "was great good", "'great' in place of '' at character 13"),
        ("everybody", "everyone", "'everyone' in place of 'everybody' at character 22"),
    ],
)
def test_a_small_difference_is_passed_over_and_reported(text, expected, said):
    changed = LONG.replace(text, expected)
    texts, differences = found(LONG.split(), changed)
    assert [str(difference) for difference in differences] == [said]
    same = [word for word in LONG.split() if word in changed.split()]
    assert [word for word in texts if word in same] == same


def test_a_difference_at_the_very_end_is_passed_over():
    texts, differences = found([*LONG.split(), "at", "last"], LONG)
    assert texts[-3:] == ["came", "", ""]
    assert [difference.expected for difference in differences] == ["atlast"]


@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        (
            LONG.split(),
            LONG[:20] + "z" * 200,
            r"plan\.mrg: token 5 is 'and', but the text goes on with 'anzzz",
        ),
        (LONG.split(), "nothing of the kind", r"token 1 is 'The', but the text goes on with 'nothing of the"),
        (["one"], "", r"plan\.mrg: the text ends before token 1 \('one'\)"),
        (["x"] * 200, "y" * 200, "are the two of one document"),
    ],
)
def test_another_text_is_refused(words, text, message):
    with pytest.raises(MismatchError, match=message):
        locate(words, text, PATH)


@pytest.mark.large
def test_a_megabyte_of_differences_is_refused_soon():
    with pytest.raises(MismatchError, match="are the two of one document"):
        locate(["abcdefghijklmnopqrst"] * 50_000, "abcdefghijklmnopqrs_" * 50_000, PATH)
