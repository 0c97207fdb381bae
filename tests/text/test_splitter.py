"""The learnt sentence splitter. All texts are made up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.text import splitter, tokenize
from rhetree.text.sentence_features import SIZES, features
from rhetree.text.splitter import load_splitter
from rhetree.text.tokenizing import paragraphs

GLUED, SPACE, OTHER, WRAPPED, BROKEN = range(1, 6)

UNEDITED = [
    "Gov. Maria Costa met Rep. Jones. | They talked.",
    "Lt. Col. Brown read Sec. 4 on pp. 3-5. | It was long.",
    "it was great!!! | will go again",
    "Really?! | No way!!!",
    "Where were you? | i waited for an hour.",
    "He was tired, e.g. because of the flight.",
    "As Jones et al. (2019) say, it weighs approx. 3 kg. and is 3.5 cm. long.",
    "Cats, i.e. Felis, sleep vs. dogs, cf. Smith. | They met at 5 p.m. in the bar, etc. and so on.",
    "It was found by Jones et al. | They left.",
]


def sentences(text):
    document = tokenize(text)
    return [document.text_of(sentence) for sentence in document.sentences]


@pytest.mark.parametrize("expected", UNEDITED)
def test_text_that_nobody_edited_is_split(expected):
    assert sentences(expected.replace(" | ", " ")) == expected.split(" | ")


def gaps(text):
    (forms, starts), *_ = paragraphs(text)
    return features(text, forms, starts, {})[:, 3].tolist()


def test_features_tell_how_tokens_are_separated():
    assert gaps("He  left\nnow.") == [0, OTHER, WRAPPED, GLUED]
    assert gaps("A list\nof it\nand a much longer line here") == [
        0,
        SPACE,
        BROKEN,
        SPACE,
        BROKEN,
        *[SPACE] * 5,
    ]
    assert gaps("one two three\r\nfour five six\r\nseven") == [
        0,
        SPACE,
        SPACE,
        WRAPPED,
        SPACE,
        SPACE,
        WRAPPED,
    ]


def test_features_tell_of_brackets_quotes_and_what_syntok_would_do():
    text = 'He (so [it] is) said: "Go." Then “he” left.'
    (forms, starts), *_ = paragraphs(text)
    places = dict(zip(forms, features(text, forms, starts, {})[:, 4].tolist(), strict=True))
    half = SIZES["place"] // 2
    assert places["He"] == half
    assert (places["so"], places["it"], places["said"], places["Go"], places["he"]) == (2, 4, 0, 1, 1)
    assert places["Then"] == half


@given(st.text(max_size=300))
def test_features_stay_within_their_tables(text):
    for forms, starts in paragraphs(text):
        rows = features(text, forms, starts, {"he": 1})
        assert (rows >= 0).all()
        assert (rows.max(axis=0)[1:] < list(SIZES.values())).all()


def test_a_long_paragraph_is_decided_in_windows_as_it_would_be_at_once(monkeypatch):
    text = " ".join(f"He saw {n} of them . and it was good" for n in range(60))
    (forms, starts), *_ = paragraphs(text)
    whole = load_splitter().scores(text, forms, starts)
    monkeypatch.setattr(splitter, "_WINDOW", 37)
    np.testing.assert_allclose(load_splitter().scores(text, forms, starts), whole, atol=1e-3)
    assert len(whole) == len(forms)


def test_paragraphs_that_go_through_the_network_together_do_not_see_each_other(monkeypatch):
    text = "\n\n".join(f"He saw {n} of them . and it was good\nit was cold{n * ' too'}" for n in range(1, 40))
    found = list(paragraphs(text))
    alone = [load_splitter().sentence_starts(text, *own) for own in found]
    assert list(load_splitter().split(text, found)) == alone
    monkeypatch.setattr(splitter, "_WINDOW", 37)
    assert list(load_splitter().split(text, found)) == alone
    assert list(load_splitter().split(text, [])) == []
