"""Any text goes through the whole pipeline: no crash, exact offsets, whole trees. The long form is a campaign."""

from contextlib import suppress
from itertools import islice

import pytest
import syntok.segmenter

import rhetree
from rhetree.errors import UnwritableError
from rhetree.jobs.encoding import ENCODINGS, encode_bytes
from rhetree.runtime.long_sentences import MOST_TOKENS
from rhetree.text import tokenize
from rhetree.text.sentences import sentence_starts
from support.fake_model import fake_parser
from support.hostile_texts import PATTERNS, extreme_texts, faults, hostile_texts

EXTREME = dict(extreme_texts(100_000))


@pytest.fixture(scope="module")
def parser():
    return rhetree.load(threads=1)


def check(document, text):
    assert list(faults(document, text)) == []
    with suppress(UnwritableError):  # half of a surrogate pair
        encode_bytes(document, "jsonl")


@pytest.mark.parametrize("seed", range(3))
def test_hostile_texts_are_parsed_with_exact_offsets_and_whole_trees(seed, parser):
    texts = list(islice(hostile_texts(seed), 100))
    for text, document in zip(texts, parser.parse_many(texts), strict=True):
        check(document, text)


@pytest.mark.parametrize("name", PATTERNS)
def test_much_of_the_same_is_parsed(name):
    text = (PATTERNS[name] * 3000)[:3000]
    check(fake_parser().parse(text), text)


@pytest.mark.parametrize("name", EXTREME)
def test_an_extreme_text_is_parsed(name, parser):
    check(parser.parse(EXTREME[name]), EXTREME[name])


@pytest.mark.parametrize("format", ENCODINGS)
def test_half_of_a_surrogate_pair_is_no_crash_when_it_is_written(format):
    document = fake_parser().parse("a \ud800 b", "name \udc00")
    if format in ("terminal", "svg", "html", "png", "table", "brackets"):  # a sign, or nothing, in its place
        assert encode_bytes(document, format)
    else:
        with pytest.raises(
            UnwritableError, match="is no character|has no place for the character|has no tree"
        ):
            encode_bytes(document, format)


def test_brackets_that_stay_open_are_not_all_looked_at(monkeypatch):
    """syntok looks for the end of each bracket that it sees."""
    segment = syntok.segmenter.segment
    seen = []

    def watched(tokens):
        seen.extend(tokens)
        return segment(iter(seen))

    monkeypatch.setattr(syntok.segmenter, "segment", watched)
    forms = ["("] * 10_000
    assert sentence_starts(forms, range(len(forms))) == [0]
    assert 1000 < len(seen) < 2000


def test_brackets_inside_brackets_change_no_sentence():
    for depth in (1, 7, 8, 9, 20):
        opened, closed = "(" * depth, ")" * depth
        text = f"He left {opened}early{closed}. She stayed. (It rained.) Then {opened} they met."
        document = tokenize(text)
        first_words = {document.tokens[sentence.start].form for sentence in document.sentences}
        assert {"He", "She", "Then"} <= first_words


def test_what_is_cut_is_noted_where_users_look():
    text = "word " * (MOST_TOKENS + 1)
    document = fake_parser().parse(text)
    assert b'"note": "sentence 1 (4097 tokens) cut into parts of at most 4096 tokens' in encode_bytes(
        document, "jsonl"
    )
