"""``rhetree parse`` and ``rhetree segment`` beside their data, and the page about them."""

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import rhetree
from fake_model import fake_parser
from parse_commands import STORY, command, records, write_lines
from rhetree.cli.main import main
from rhetree.cli.text_inputs import Inputs, Source
from rhetree.treebanks import read

pytestmark = pytest.mark.usefixtures("model")


# --- beside the data --------------------------------------------------------------------------


def test_the_last_line_tells_what_was_done(story, tmp_path, capsys):
    assert command(story, "-o", tmp_path / "out.jsonl") == 0
    err = capsys.readouterr().err
    assert err.startswith("rhetree: 1 document, 3 sentences (")
    assert err.endswith(f" sentences a second) into {tmp_path / 'out.jsonl'}\n")
    for options in ([], ["-o", "-"]):
        assert command(story, *options) == 0
        assert capsys.readouterr().err == ""


def test_a_bar_appears_when_it_takes_long(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rhetree.cli.progress._PATIENCE", 0)
    monkeypatch.setattr("rhetree.cli.progress._INTERVAL", 0)
    path = write_lines(tmp_path / "in.jsonl", *records(5))
    assert command(path, "-o", tmp_path / "a.jsonl") == 0
    assert " done, " not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert command(path, "-o", tmp_path / "b.jsonl") == 0
    assert "5 done, " in capsys.readouterr().err


def test_a_long_file_is_read_as_it_is_needed(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *records(10_000))
    inputs = Inputs([Source(path, "jsonl")])
    found = inputs.records()
    assert [next(found).document.name for _ in range(3)] == ["0", "1", "2"]
    assert next(found).at < 1000 < inputs.n_bytes


def test_help_and_errors_need_no_model_and_no_numpy(tmp_path):
    program = (
        "import sys; from rhetree.cli.main import main\n"
        "try: main(['parse', '--help'])\nexcept SystemExit: pass\n"
        "assert main(['parse', 'no-such.txt']) == 2\n"
        "heavy = {'numpy', 'torch', 'rich', 'onnxruntime', 'rhetree.treebanks'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=tmp_path)


def test_reading_back_gives_the_documents(story, tmp_path):
    assert command(story, "Good.", "-o", tmp_path / "out.jsonl") == 0
    first, second = read(tmp_path / "out.jsonl")
    parser = fake_parser()
    for found, expected in ((first, parser.parse(STORY, "story")), (second, parser.parse("Good.", "text"))):
        assert replace(found, readings=()) == replace(expected, readings=())  # probabilities are rounded


# --- what the page shows ----------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "parsing.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_are_understood(monkeypatch):
    shown = [
        shlex.split(line, comments=True) for line in re.findall(r"^\$ rhetree (.*)$", PAGE, re.MULTILINE)
    ]
    assert len(shown) > 8
    for name in ("parse", "segment", "models", "info"):
        monkeypatch.setattr(f"rhetree.cli.{name}.run", lambda args: 0)
    for arguments in shown:
        assert main(arguments) == 0


def test_the_python_of_the_page_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("lines.txt").write_text("One.\nTwo.\n", encoding="utf-8")
    # Not by its name: looking that up would keep what another fixture put in its place.
    monkeypatch.setitem(vars(rhetree), "load", fake_parser)
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)
