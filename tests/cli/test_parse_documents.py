"""``rhetree parse --level document`` by the fake model: its tree in every format, and odd texts."""

import json
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.formats import read_one, write
from rhetree.jobs.encoding import encode
from support.flood import TEXT, flood


def parse(*arguments):
    return main(["parse", "--level", "document", *map(str, arguments)])


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "flood.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["json", "rs3", "rs4", "dis", "rsd", "conllu"])
@pytest.mark.usefixtures("model")
def test_the_tree_over_all_edus_is_written(ending, text, tmp_path):
    assert parse(text, "-o", tmp_path / f"flood.{ending}") == 0
    document = read_one(tmp_path / f"flood.{ending}")
    assert document.tree is not None
    assert document.tree.n_edus == len(document.edus)
    assert parse(text, "-o", tmp_path / "same.json") == 0
    assert document.tree == read_one(tmp_path / "same.json").tree


@pytest.mark.usefixtures("model")
def test_layout_and_probabilities_are_in_json(text, capsys):
    assert parse(text, "--format", "jsonl") == 0
    record = json.loads(capsys.readouterr().out)
    assert [kind for _, _, kind in record["blocks"]] == ["heading", "paragraph", "paragraph"]
    assert record["split_probabilities"]
    assert all("probabilities" in sentence for sentence in record["sentences"])


@pytest.mark.parametrize("format", ["terminal", "svg", "html", "table"])
@pytest.mark.usefixtures("model")
def test_the_tree_over_all_edus_is_drawn(format, text, capsys):
    assert parse(text, "--format", format) == 0
    assert "joint" in capsys.readouterr().out


def test_a_picture_shows_what_joins_the_sentences():
    assert b"organization-heading" in encode(flood(), "svg")
    assert b"organization-heading" in encode(flood(), "html")


@pytest.mark.usefixtures("model")
def test_a_parsed_document_can_be_parsed_again(text, tmp_path, capsys):
    assert parse(text, "-o", tmp_path / "first.json") == 0
    for level in ("document", "sentence"):
        assert main(["parse", "--level", level, str(tmp_path / "first.json"), "--format", "jsonl"]) == 0
        assert ("tree" in json.loads(capsys.readouterr().out)) == (level == "document")


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "odd", ["", "...", "Rain", "Rain\n\nStorm\n\nSnow\n", "It rained.\nWe left.\nGood.\n"]
)
def test_odd_texts_have_one_tree_or_no_words(odd, tmp_path, capsys):
    path = tmp_path / "odd.txt"
    path.write_text(odd, encoding="utf-8")
    assert parse(path, "--format", "jsonl") == 0
    record = json.loads(capsys.readouterr().out)
    n_edus = sum(len(sentence["edus"]) for sentence in record["sentences"])
    assert n_edus == 0 or len(record["tree"]) == n_edus - 1


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("format", ["dis", "rsd"])
def test_one_tree_a_file_is_a_file_for_each_document_and_is_resumed(format, text, tmp_path, capsys):
    out = tmp_path / "out"
    assert parse(text, "-o", out, "--format", format) == 0
    assert [path.name for path in out.iterdir() if not path.name.startswith(".")] == [f"flood.{format}"]
    tree = read_one(out / f"flood.{format}").tree
    assert tree is not None
    assert parse(text, "-o", out, "--format", format) == 2
    assert f"flood.{format}: exists already" in capsys.readouterr().err
    assert parse(text, "-o", out, "--format", format, "--resume") == 0
    assert "1 were there already" in capsys.readouterr().err


@pytest.mark.usefixtures("model")
def test_json_that_was_made_of_a_file_without_sentences_is_read(tmp_path, capsys):
    words = Document.from_sentences([["He", "left,", "because", "it", "rained."]], "a")
    tree = Tree((Split(0, 1, 2, "NS", "causal"),))
    gold = replace(words, sentences=(), edus=(Span(0, 2), Span(2, 5)), tree=tree)
    write(gold, tmp_path / "a.json")
    assert parse(tmp_path / "a.json", "--format", "jsonl") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["sentences"][0]["tokens"] == ["He", "left", ",", "because", "it", "rained", "."]
    assert record["sentences"][0]["edus"] == [[0, 3], [3, 7]]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("format", ["dis", "rsd"])
def test_a_document_that_cannot_be_written_leaves_what_is_there(format, tmp_path, capsys):
    out, path = tmp_path / "out", tmp_path / "rain.txt"
    path.write_text("It rained. We left.", encoding="utf-8")
    options = (path, "-o", out, "--format", format, "--level", "sentence")
    assert main(["parse", *map(str, options)]) == 0
    before = {file: file.read_bytes() for file in out.rglob(f"*.{format}")}
    assert len(before) == 2
    path.write_text(" ", encoding="utf-8")
    assert main(["parse", *map(str, options), "--overwrite", "--on-error", "skip"]) == 1
    assert "it has no words" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in out.rglob(f"*.{format}")} == before
