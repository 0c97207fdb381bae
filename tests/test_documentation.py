"""What the documentation shows is what happens."""

import doctest
import fnmatch
import re
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize(("page", "least"), [("python.md", 15), ("integrations.md", 3), ("documents.md", 3)])
def test_the_examples_of_a_page_run(page, least, tmp_path, monkeypatch):
    if page == "integrations.md":
        for tool in (
            "langchain_text_splitters",
            "llama_index.core",
            "networkx",
            "pandas",
            "sklearn",
            "spacy",
        ):
            pytest.importorskip(tool)
        import_module("rhetree.integrations.spacy")  # for an installation without our entry points
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(
        str(ROOT / "docs" / page), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert tried > least
    assert not failures


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_are_there(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    inside = [link for link in links if not link.startswith(("http:", "https:"))]
    missing = [link for link in inside if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("header", ["| recipe | |", "| recipe | otherwise |"])
def test_each_table_of_recipes_has_all_that_are_shipped(header):
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    table = page.partition(f"\n{header}\n")[2].partition("\n\n")[0]
    firsts = [row.split("|")[1] for row in table.splitlines()[1:]]
    patterns = [pattern for first in firsts for pattern in re.findall(r"`([^`]+)`", first)]
    shipped = sorted(path.stem for path in (ROOT / "src" / "rhetree" / "recipes").glob("*.toml"))
    found = [name for pattern in patterns for name in fnmatch.filter(shipped, pattern)]
    assert sorted(found) == shipped != []


def source_files(text):
    """The files below ``src/rhetree`` that a page names, such as ``cli/main.py``."""
    return re.findall(r"`((?:\w+/)+\w+\.py)`", text)


@pytest.mark.parametrize("page", ["DESIGN.md", "CONTRIBUTING.md"])
def test_files_that_are_named_are_there(page):
    named = source_files((ROOT / page).read_text(encoding="utf-8"))
    missing = [
        file
        for file in named
        if not any((top / file).exists() for top in (ROOT, ROOT / "src", ROOT / "src/rhetree"))
    ]
    assert len(named) > 5
    assert not missing


def test_the_three_walks_enter_no_room_twice():
    design = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    walks = design.partition("## Three walks")[2].partition("\n## ")[0].split("\n**")[1:]
    assert len(walks) == 3
    for walk in walks:
        hops = [source_files(step)[0] for step in re.findall(r"^\d+\. .*", walk, flags=re.MULTILINE)]
        rooms = [room for room, _ in groupby(hop.partition("/")[0] for hop in hops)]
        assert len(hops) > 5
        assert len(rooms) == len(set(rooms)), rooms
