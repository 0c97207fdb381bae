"""Any text goes through the whole pipeline: no crash, exact offsets, whole trees, in bounds of time and memory.

The long form is a campaign.
"""

import subprocess
import sys
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

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

pytestmark = pytest.mark.large

EXTREME = dict(extreme_texts(100_000))
TYPICAL = ("words", "opening (", "deep brackets", "sentences", "lines", "joined emoji", "halves")
"""Patterns whose time is measured in every run: one sentence or many, few tokens or one for each character."""
MOST_GROWTH = 10
"""Bound for how often longer a text of four times the length may take; linear time is 4, quadratic time 16."""
MOST_MEGABYTES = 2048


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


def seconds(parser, text):
    """Processor time from text to file; the better of two turns."""
    turns = []
    for _ in range(2):
        start = time.process_time()
        document = parser.parse(text)
        with suppress(UnwritableError):
            encode_bytes(document, "jsonl")
        turns.append(time.process_time() - start)
    return min(turns)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in TYPICAL else [pytest.mark.slow]) for name in PATTERNS],
)
def test_time_from_text_to_file_is_linear_but_for_the_network(name):
    parser, text = fake_parser(), PATTERNS[name] * 8000
    seconds(parser, text[:200])
    assert seconds(parser, text[:8000]) < MOST_GROWTH * max(seconds(parser, text[:2000]), 0.01)


@pytest.mark.parametrize("unit", ["(word ", "He left early because it rained. "])
def test_time_of_the_shipped_model_is_linear_in_one_sentence_and_in_many(unit, parser):
    n_units = 160 if unit == "(word " else 24
    seconds(parser, unit)
    assert seconds(parser, unit * n_units) < MOST_GROWTH * max(seconds(parser, unit * (n_units // 4)), 0.01)


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux, which tells the peak of memory"
)
def test_memory_stays_in_bounds_with_a_large_hostile_text(request):
    n_words = 5000 if request.config.getoption("--slow") else 500
    code = (
        "import re, rhetree\n"
        f"document = rhetree.load(threads=1).parse(('x' * 1999 + ' ') * {n_words})\n"
        "(peak,) = re.findall(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())\n"
        "print(len(document.tokens), peak)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    n_tokens, peak = map(int, run.stdout.split())
    assert n_tokens == n_words
    assert 10 < peak / 2**10 < MOST_MEGABYTES


def test_the_campaign_names_what_is_out_of_bounds(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    campaign = pytest.importorskip("campaign_text")
    assert list(campaign.out_of_bounds(2048, {"words": 1.1, "lines": 1.5})) == []
    memory, growth = campaign.out_of_bounds(2049, {"words": 1.1, "lines": 1.51})
    assert memory == "peak memory is 2,049 MB, and at most 2,048 MB are promised"
    assert (
        growth
        == "the time to tokenise 'lines' grows with the power 1.51 of its length, and at most 1.5 is allowed"
    )


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
