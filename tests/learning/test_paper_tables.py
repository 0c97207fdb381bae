"""The results behind the paper's tables, as they are committed."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def paper_tables(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import paper_tables

    yield paper_tables
    del sys.modules["paper_tables"]


def test_every_result_is_of_the_recipe_that_is_shipped(paper_tables):
    runs = [(name, seed) for name, row in paper_tables.ROWS.items() for seed in range(1, row.seeds + 1)]
    there = [run for run in runs if paper_tables.result_path(*run).exists()]
    assert [run for run in there if not paper_tables.is_done(*run)] == []


def test_the_page_names_every_row_that_was_not_run(paper_tables):
    page = (BENCHMARKS.parent / "docs" / "results.md").read_text(encoding="utf-8")
    for name in paper_tables.ROWS:
        if not paper_tables.result_path(name, 1).exists():
            assert f"`{name}`" in page


def test_a_result_of_another_recipe_is_missing(paper_tables, monkeypatch):
    row = paper_tables.ROWS["pointer"]
    changed = paper_tables.Row(row.title, row.config, ("network.segmenter.width=7",))
    monkeypatch.setitem(paper_tables.ROWS, "pointer", changed)
    assert not paper_tables.is_done("pointer", 1)
    assert not paper_tables.is_done("pipeline", 1)
    assert paper_tables.is_done("parser", 1)
    assert not paper_tables.is_done("parser", 99)
