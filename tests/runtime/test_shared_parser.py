"""One parser for threads, for forked and for spawned processes: the trees are the same."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import rhetree

TEXTS = [
    "We left because it rained.",
    "Although it was late, nobody slept. So what?",
    "He said that she would come if she could.",
] * 2


@pytest.fixture(scope="module")
def parser():
    return rhetree.load(threads=2)


@pytest.fixture(scope="module")
def expected(parser):
    return [parser.parse(text) for text in TEXTS]


def test_threads_share_a_parser(parser, expected):
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(parser.parse, TEXTS)) == expected


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_processes_share_a_parser(method, parser, expected):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method} here")
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as processes:
        assert list(processes.map(parser.parse, TEXTS, timeout=120)) == expected


_inherited: Any = None


def _parse_inherited(text):
    return _inherited.parse(text)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_goes_on_with_the_parser_that_it_inherited(parser, expected, monkeypatch):
    monkeypatch.setattr(f"{__name__}._inherited", parser)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as processes:
        assert list(processes.map(_parse_inherited, TEXTS, timeout=120)) == expected
