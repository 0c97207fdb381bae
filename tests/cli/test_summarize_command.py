"""``rhetree summarize`` on files with trees, and on texts."""

import gzip
import io
import json
import sys
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.document import Document
from rhetree.formats import write
from rhetree.jobs.encoding import encode
from support.fake_model import fake_parser
from support.flood import TEXT, flood


def summarize(*arguments):
    return main(["summarize", *map(str, arguments)])


@pytest.fixture
def parsed(tmp_path):
    path = tmp_path / "flood.json"
    write(flood(), path)
    return path


def test_the_main_points_are_printed(parsed, capsys):
    assert summarize(parsed, "-n", 3) == 0
    assert capsys.readouterr().out == "In the morning the mill, was gone. We will build a new one\n"
    assert summarize(parsed) == 0
    assert capsys.readouterr().out == "In the morning the mill, was gone.\n"


@pytest.mark.parametrize("kind", ["rs3", "dis"])
def test_tree_files_may_be_compressed_and_encoded_as_for_parse(kind, tmp_path, capsys):
    plain = tmp_path / f"flood.{kind}"
    write(flood(), plain)
    assert summarize(plain, "-n", 3) == 0
    expected = capsys.readouterr().out
    packed, utf_16 = tmp_path / f"flood.{kind}.gz", tmp_path / f"b.{kind}"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    utf_16.write_text(plain.read_text(encoding="utf-8"), encoding="utf-16")
    for path in (packed, utf_16):
        assert summarize(path, "-n", 3) == 0
        assert capsys.readouterr().out == expected


def test_json_has_exact_offsets(parsed, capsys):
    assert summarize(parsed, "--share", 0.5, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["id"] == "flood"
    assert record["share"] <= 0.5
    for passage in record["passages"]:
        assert TEXT[passage["start"] : passage["end"]] == passage["text"]


def test_an_outline_is_printed(parsed, capsys):
    assert summarize(parsed, "--outline", "--depth", 0) == 0
    assert capsys.readouterr().out == "In the morning the mill, which my father had built, was gone.\n"
    assert summarize(parsed, "--outline", "--json") == 0
    assert [line["kind"] for line in json.loads(capsys.readouterr().out)["outline"]] == [
        *("heading", "paragraph", "paragraph")
    ]


@pytest.mark.parametrize("ending", ["rs3", "rs4", "dis", "conllu", "jsonl"])
def test_every_file_with_a_tree_is_read(ending, tmp_path, capsys):
    write(flood(), tmp_path / f"flood.{ending}")
    assert summarize(tmp_path / f"flood.{ending}", "-n", 3) == 0
    assert "".join(capsys.readouterr().out.split()) == "Inthemorningthemill,wasgone.Wewillbuildanewone"


def test_standard_input_is_read(capsys, monkeypatch, parsed):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(parsed.read_bytes())))
    assert summarize("-", "-n", 1) == 0
    assert capsys.readouterr().out == "In the morning the mill, was gone.\n"


def test_several_documents_have_their_names_above_them(parsed, tmp_path, capsys):
    write(flood(), tmp_path / "other.dis")
    assert summarize(parsed, tmp_path / "other.dis", "-n", 1) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[2], lines[3]) == ("flood", "", "other")


def test_several_documents_of_one_file_have_their_names_too(tmp_path, capsys):
    documents = [replace(flood(), name=name) for name in ("one", "two")]
    (tmp_path / "both.jsonl").write_text(
        "".join(str(encode(each, "jsonl")) for each in documents), encoding="utf-8"
    )
    assert summarize(tmp_path / "both.jsonl", "-n", 1) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[2], lines[3]) == ("one", "", "two")


def test_a_bad_document_does_not_stop_the_others(parsed, tmp_path, capsys):
    (tmp_path / "bad.dis").write_text("( Root", encoding="utf-8")
    assert summarize(tmp_path / "bad.dis", parsed, "-n", 1) == 1
    said = capsys.readouterr()
    assert "was gone" in said.out
    assert "bad.dis" in said.err
    assert summarize(tmp_path / "bad.dis") == 2


def test_a_document_without_words_has_an_empty_summary(tmp_path, capsys):
    write(Document(name="empty"), tmp_path / "empty.json")
    assert summarize(tmp_path / "empty.json") == 0
    assert capsys.readouterr().out == "\n"


# --- texts, by the fake model and its fake joiner -----------------------------------------------


def test_a_text_is_parsed_with_both_models(model, capsys):
    assert summarize(TEXT, "-n", 2, "--json", "--model", "mine", "--document-model", "join") == 0
    record = json.loads(capsys.readouterr().out)
    assert (model["model"], model["document_model"]) == ("mine", "join")
    assert sum(end - start for start, end in (passage["edus"] for passage in record["passages"])) == 2
    for passage in record["passages"]:
        assert TEXT[passage["start"] : passage["end"]] == passage["text"]


def test_a_tree_needs_no_model(model, parsed, capsys):
    assert summarize(parsed) == 0
    assert not model
    assert capsys.readouterr().out


def test_sentence_trees_are_joined_as_they_are(model, tmp_path, capsys):
    write(flood().split_by_sentence(), tmp_path / "flood.json")
    assert summarize(tmp_path / "flood.json", "-n", 9, "--json") == 0
    edus = [edu for passage in json.loads(capsys.readouterr().out)["passages"] for edu in passage["edus"]]
    assert max(edus) == 9
    assert model["model"] is None


def test_markdown_keeps_its_offsets_and_loses_its_headings(model, tmp_path, capsys):
    text = "# The *flood*\n\nIt **rained** all day. We left.\n"
    (tmp_path / "flood.md").write_text(text, encoding="utf-8")
    assert summarize(tmp_path / "flood.md", "--share", 1, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["text"] == "It rained all day. We left."
    assert [text[one["start"] : one["end"]] for one in record["passages"]] == [
        "It **rained** all day. We left."
    ]


LINES = "".join(f"It rained on day {number}. We left.\n" for number in range(40))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nothing", ""),
        ("white space", " \n\n\t\n"),
        ("no sentence", "... --- !!!"),
        ("one word", "Rain"),
        ("one sentence", "It rained."),
        ("one paragraph per line", LINES),
        ("a book without a blank line", LINES.replace("\n", " ")),
        ("headings only", "Rain\n\nStorm\n\nWind\n\nSnow\n\nHail\n"),
        ("items only", "- rain\n- storm\n- wind\n"),
        ("zero-width characters", "\u200b\u200b\n\n\ufeff"),
    ],
)
@pytest.mark.parametrize("how", [["--share", "0.5"], ["--outline"]])
def test_odd_texts_get_a_sensible_summary_or_outline(name, text, how, model, tmp_path, capsys):
    path = tmp_path / "odd.txt"
    path.write_text(text, encoding="utf-8")
    assert summarize(path, "--json", *how) == 0
    said = capsys.readouterr()
    record = json.loads(said.out)
    has_words = bool(text.strip().strip("\u200b\ufeff\n"))
    assert bool(record.get("passages") or record.get("outline")) == has_words
    assert ("no words in it" in said.err) == (not has_words)


def test_a_model_without_one_for_documents_says_so_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("rhetree.runtime.parser.load", lambda *_, **__: fake_parser())
    assert summarize("It rained.", "We left.") == 2
    err = capsys.readouterr().err
    assert err.count("name a model for documents") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "0"], "expected a whole number from 1 on, found '0'"),
        (["-n", "x"], "expected a whole number from 1 on, found 'x'"),
        (["--share", "2"], "expected a number above 0 and at most 1, found '2'"),
        (["--outline", "--depth", "-1"], "expected a whole number from 0 on, found '-1'"),
        (["-n", "1", "--share", "0.2"], "not allowed with argument"),
    ],
)
def test_wrong_sizes_are_refused(parsed, arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        summarize(parsed, *arguments)
    assert message in capsys.readouterr().err


def test_depth_is_for_outlines(parsed, capsys):
    assert summarize(parsed, "--depth", 1) == 2
    assert "--depth is for --outline" in capsys.readouterr().err
