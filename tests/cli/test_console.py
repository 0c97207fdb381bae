import io
import json
import sys
from dataclasses import replace

import pytest

from rhetree.cli.console import Console, Table
from rhetree.cli.main import main
from support.small_corpora import DIS, write
from support.written_documents import save, weather

LONG = "conversation_on_blacksmithing"
"""As long as the names of documents are."""


def shown(encoding, *tables, title=""):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    console = Console(stream)
    for table in tables:
        console.show(title, table)
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


def table(*rows):
    made = Table(("F1", "A", "B − A"))
    for row in rows:
        made.add(*row)
    return made


def test_a_table_is_aligned_and_has_no_spaces_at_its_ends():
    made = table(("Group",), ("  one", "100.00", "·"), ("  two", "5.00±1.00", "–"))
    made.add_line()
    made.add("all", "7", "−1")
    assert shown("utf-8", made, made, title="Title") == "\n".join(
        [
            *[
                "Title",
                "F1             A  B − A",
                "───────────────────────",
                "Group",
                "  one     100.00      ·",
                "  two  5.00±1.00      –",
                "───────────────────────",
                "all            7     −1",
                "",
            ]
            * 2,
        ]
    )


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii"])
def test_signs_that_the_encoding_lacks_are_ascii_and_stay_aligned(encoding):
    out = shown(encoding, table(("two", "5.00±1.00", "–"), ("łódź", "·", "−1")))
    header, across, first, second = out.splitlines()
    assert header.split() == ["F1", "A", "B", "-", "A"]
    assert len(header) == len(first) == len(second)
    assert across == "-" * len(first)
    assert first.split() == ["two", "5.00+-1.00", "-"]
    assert second.split()[1:] == [".", "-1"]
    assert second.startswith("\\u0142")


def test_names_are_shown_as_they_are_on_one_line():
    out = shown("utf-8", table(("[red]:smile:[/x]", "1", "2"), ("a\nb\x1b[2J", "1", "2"), ("統計", "1", "2")))
    assert "[red]:smile:[/x]  1" in out
    assert "a b\ufffd[2J" in out
    assert "統計              1" in out


def test_a_wide_table_has_narrower_gaps_and_runs_over_rather_than_lose_anything():
    made = Table(("", *"abcdefgh"))
    made.add("x" * 20, *["123456"] * 8)
    assert max(map(len, shown("utf-8", made).splitlines())) == 20 + 8 * 7
    made.add("y" * 90, *["123456"] * 8)
    out = shown("utf-8", made)
    assert "y" * 90 in out
    assert out.count("123456") == 16


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_is_json_in_every_encoding(encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(stream).print_json({"łódź": "–🌳"})
    stream.flush()
    assert json.loads(stream.buffer.getvalue()) == {"łódź": "–🌳"}
    assert (b"\\u0142" in stream.buffer.getvalue()) is (encoding == "ascii")


@pytest.fixture
def scored(tmp_path):
    """Gold with long names, and two systems of two runs each."""
    names = [f"{LONG}_{number}" for number in range(1, 5)]

    def worse(name):
        first, second = weather(name).sentence_trees
        return replace(
            weather(name),
            sentence_trees=(first, second.map_relations(lambda _: "elaboration-object-attribute-e")),
        )

    gold = save(tmp_path / "gold.jsonl", *map(weather, names))
    for system, n_wrong in (("a", 1), ("b", 3)):
        for run in (0, 1):
            wrong = names[: n_wrong + run]
            documents = [worse(name) if name in wrong else weather(name) for name in names]
            save(tmp_path / system / f"{run}.jsonl", *documents)
    return gold, tmp_path / "a", tmp_path / "b"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "latin-1", "ascii"])
def test_every_command_fits_80_columns_in_every_encoding(scored, tmp_path, monkeypatch, encoding):
    gold, a, b = scored
    corpus = write(tmp_path / "corpus", {"a.dis": DIS, "b.dis": DIS.replace("causal-cause", "[red]")})
    run = a / "0.jsonl"
    everything = ["--parseval", "both", "--per-document", "--per-genre", "--per-relation", "--confusion"]
    for command in (
        ["score", gold, run, *everything],
        ["agreement", gold, run],
        ["compare", gold, run, b / "0.jsonl", "--samples", 50],
        ["compare", gold, a, b, "--runs", "--samples", 50],
        ["corpus", "stats", corpus],
    ):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
        monkeypatch.setattr(sys, "stdout", stream)
        assert main([str(argument) for argument in command]) == 0
        lines = stream.buffer.getvalue().decode(encoding).split("\n")
        assert max(map(len, lines)) <= 80, command
        assert lines[0]
        assert not any(line.endswith(" ") for line in lines)
        assert "…" not in "".join(lines)
        if command[0] == "corpus":
            assert any(line.startswith("[red] ") for line in lines)
