"""What ``tokenize`` promises of any text, and what it does with texts that are hardly any."""

import re
import subprocess
import sys
import threading
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.text import add_sentences, tokenize, tokenize_edus
from support.strategies import texts


def is_invisible(text):
    return all(unicodedata.category(character) in ("Zs", "Zl", "Zp", "Cc", "Cf") for character in text)


@given(texts())
def test_every_visible_character_is_in_a_token_and_every_token_in_the_text(text):
    document = tokenize(text, "any")
    assert (document.name, document.text) == ("any", text)
    at, rebuilt = 0, ""
    for token in document.tokens:
        assert at <= token.start < token.end
        assert token.form == text[token.start : token.end]
        assert not is_invisible(token.form)
        assert not re.search(r"\s", token.form)
        assert is_invisible(text[at : token.start])
        rebuilt += text[at : token.start] + token.form
        at = token.end
    assert is_invisible(text[at:])
    assert rebuilt + text[at:] == text


@given(texts(), texts())
def test_a_blank_line_parts_what_comes_before_from_what_comes_after(left, right):
    for blank in ("\n\n", "\r\n\r\n", "\n \t\r\n", "\u2029"):
        document = tokenize(left + blank + right)
        alone = tokenize(left)
        n_before = len(alone.tokens)
        assert document.tokens[:n_before] == alone.tokens
        assert document.sentences[: len(alone.sentences)] == alone.sentences
        assert [token.form for token in document.tokens[n_before:]] == [
            t.form for t in tokenize(right).tokens
        ]


@given(st.lists(texts().filter(lambda text: tokenize(text).tokens), max_size=6))
def test_no_token_and_no_sentence_crosses_the_edge_of_an_edu(edus):
    document = tokenize_edus(edus, "any")
    assert document.text == " ".join(edus)
    assert len(document.edus) == len(edus)
    for token in document.tokens:
        assert token.form == document.text[token.start : token.end]
    at = 0
    for span, edu in zip(document.edus, edus, strict=True):
        inside = document.tokens[span.start : span.end]
        assert at <= inside[0].start <= inside[-1].end <= at + len(edu)
        at += len(edu) + 1
    assert None not in document.sentence_edus()


@pytest.mark.parametrize("text", ["", " ", "\n\n\r\n\t", "\x00\u200b\ufeff", "\u200f\u00ad"])
def test_nothing_to_see_gives_no_tokens_and_no_sentences(text):
    document = tokenize(text)
    assert (document.text, document.tokens, document.sentences) == (text, (), ())


def test_punctuation_alone_is_a_sentence():
    document = tokenize("?! (...)")
    assert [token.form for token in document.tokens] == ["?", "!", "(", "...", ")"]
    assert len(document.sentences) == 1


def test_lines_may_end_anyhow_inside_a_sentence():
    for line_end in ("\n", "\r\n", "\r", "\u2028"):
        document = tokenize(f"The first line{line_end}goes on here.{line_end}Then it ends.")
        assert [document.text_of(sentence) for sentence in document.sentences] == [
            f"The first line{line_end}goes on here.",
            "Then it ends.",
        ]


def test_characters_without_width_stay_inside_a_word_and_outside_at_its_edge():
    document = tokenize("\ufeff\u200eco\u00adoperate\u200f zero\u200bwidth")
    assert [token.form for token in document.tokens] == ["co\u00adoperate", "zero", "width"]


def test_edus_keep_only_the_sentence_edges_that_are_theirs():
    document = tokenize_edus(["He came. He saw,", "she didn't.", "Dr. No", "left."])
    assert [document.text_of(sentence) for sentence in document.sentences] == [
        "He came. He saw, she didn't.",
        "Dr. No left.",
    ]
    assert document.edu_texts() == ["He came. He saw,", "she didn't.", "Dr. No", "left."]


@given(st.text(max_size=80))
def test_sentences_are_found_again_among_tokens_that_are_there(text):
    whole = tokenize(text)
    again = add_sentences(replace(whole, sentences=()))
    assert again.tokens == whole.tokens
    assert (again.sentences == ()) == (whole.tokens == ())


def test_tokens_that_are_there_stay_and_blank_lines_end_sentences():
    text = "It rain-ed . We left .\n\nand so on"
    document = tokenize(text)
    forms = [[token.form for token in document.tokens[s.start : s.end]] for s in document.sentences]
    assert add_sentences(replace(document, sentences=())) == document
    assert forms[-1] == ["and", "so", "on"]
    odd = Document.from_sentences([[" ", "U.S.", "."], ["."]])
    assert add_sentences(replace(odd, sentences=())).sentences


def test_sentences_may_be_asked_to_start_at_edus():
    document = tokenize_edus(["It rained . We left .", "Good ."])
    bare = replace(document, sentences=())
    assert len(add_sentences(bare).sentences) == 3
    assert add_sentences(bare, at_edus=True) == document


def test_an_edu_without_text_is_a_mistake():
    with pytest.raises(ValueError, match="EDU 2 has no text"):
        tokenize_edus(["He came", "\u200b \n"])
    assert tokenize_edus([]).tokens == ()


@pytest.mark.large
@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "a-",
        ".",
        "(",
        "a@",
        "http://",
        "1.",
        "[1]",
        '"',
        "a/b",
        "e\u0301",
        "\u200da",
        "U.S. ",
        "x. (y ",
        "\n ",
    ],
)
def test_time_is_linear_in_the_text(unit):
    def seconds(n_characters):
        text = unit * (n_characters // len(unit))
        start = time.thread_time()
        tokenize(text)
        return time.thread_time() - start

    seconds(100)
    assert min(seconds(20_000) for _ in range(2)) < 12 * max(seconds(5_000), 0.01)


def test_a_hundred_thousand_letters_are_one_token():
    document = tokenize("x" * 100_000)
    assert len(document.tokens) == len(document.sentences) == 1


def test_threads_do_not_disturb_each_other():
    several = [
        f"Mr. A{n} didn't go. “Why?” she asked. See [{n}]. It's {n}.5% off; isn't it?" for n in range(40)
    ]
    expected = [tokenize(text) for text in several]
    barrier = threading.Barrier(4)

    def work(_):
        barrier.wait()
        return [tokenize(text) for text in several]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [expected] * 4


def test_importing_the_room_leaves_the_library_for_later():
    code = "import sys, rhetree.text; assert not {'syntok', 'regex', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
