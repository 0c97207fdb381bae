"""Markdown and HTML as input of ``rhetree parse``."""

import json

import pytest

from rhetree.formats import read_one
from rhetree.jobs.encoding import ENCODINGS
from support.parse_commands import command
from support.schema import check_record

pytestmark = pytest.mark.usefixtures("model")

MARKDOWN = "# The *storm*\n\nHe said that it **rained** &amp; *poured*, so we stayed.\n\n- Good\n"
HTML = "<h1>The <i>storm</i></h1><p>He said that it <b>rained</b> &amp; <i>poured</i>, so we stayed.<li>Good"
SENTENCES = ["The storm", "He said that it rained & poured, so we stayed.", "Good"]


@pytest.fixture(params=["md", "markdown", "html", "htm"])
def page(request, tmp_path):
    path = tmp_path / f"page.{request.param}"
    path.write_text(MARKDOWN if request.param in ("md", "markdown") else HTML, encoding="utf-8")
    return path


def test_a_page_is_kept_as_it_is_and_read_without_its_markup(page, tmp_path, capsys):
    assert command(page, "-o", tmp_path / "out.json") == 0
    text = page.read_text(encoding="utf-8")
    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    check_record(record)
    assert record["text"] == text
    document = read_one(tmp_path / "out.json")
    assert [document.text_of(sentence) for sentence in document.sentences] == SENTENCES
    assert " ".join(document.edu_texts()) == " ".join(SENTENCES)
    for token in document.tokens:
        assert text[token.start : token.end] == {"&": "&amp;"}.get(token.form, token.form)


@pytest.mark.parametrize("format", [name for name in ENCODINGS if name not in ("png", "parquet")])
def test_every_text_format_is_written_without_markup_or_keeps_it_apart(format, page, tmp_path, capsys):
    assert command(page, "-o", tmp_path / "out", "--format", format) == 0
    written = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted((tmp_path / "out").rglob("*"))
        if path.is_file() and not path.name.startswith(".") and path.suffix != ".run"
    )
    assert "rained" in written or format == "brackets"
    if format not in ("json", "jsonl"):
        assert "**rained" not in written
        assert "<b>rained" not in written
        assert "&amp;amp;" not in written


def test_markup_that_a_format_cannot_hold_is_listed(page, tmp_path, capsys):
    assert command(page, "-o", tmp_path / "out.jsonl") == 0
    capsys.readouterr()
    assert command(tmp_path / "out.jsonl", tmp_path / "out.conllu", name="convert") == 0
    assert "markup" in capsys.readouterr().err
    document = read_one(tmp_path / "out.conllu")
    assert [document.text_of(sentence) for sentence in document.sentences] == SENTENCES
    assert "*" not in document.text


def test_a_page_has_no_gold_edus(page, capsys):
    assert command(page, "--edus", "gold") == 2
    assert "a text has no EDUs to keep" in capsys.readouterr().err
