"""``rhetree parse`` and ``rhetree segment`` beside their data, and the page about them."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rhetree
from rhetree.cli.main import main
from rhetree.formats import read
from rhetree.jobs.records import Source
from rhetree.jobs.sources import Records
from support.fake_model import fake_parser
from support.parse_commands import STORY, command, records, write_lines

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
    path = write_lines(tmp_path / "in.jsonl", *records(5))
    assert command(path, "-o", tmp_path / "a.jsonl") == 0
    assert "sentences/s" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert command(path, "-o", tmp_path / "b.jsonl") == 0
    shown = capsys.readouterr().err
    assert "5 documents, " in shown
    assert "sentences/s" in shown
    assert " left" in shown


def test_a_long_file_is_read_as_it_is_needed(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *records(10_000))
    inputs = Records([Source(path, "jsonl")])
    found = iter(inputs)
    assert [next(found).document.name for _ in range(3)] == ["0", "1", "2"]
    assert next(found).at < 1000
    assert inputs.n_bytes == path.stat().st_size


def test_help_and_errors_need_no_model_and_no_numpy(tmp_path):
    program = (
        "import sys; from rhetree.cli.main import main\n"
        "try: main(['parse', '--help'])\nexcept SystemExit: pass\n"
        "assert main(['parse', 'no-such.txt']) == 2\n"
        "heavy = {'numpy', 'torch', 'rich', 'onnxruntime', 'rhetree.formats.json', 'rhetree.formats.dis'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=tmp_path)


def test_a_plain_text_needs_no_treebank_reader(story):
    program = (
        "import sys; import rhetree.runtime.parser\n"
        "from support.fake_model import fake_parser\n"
        "rhetree.runtime.parser.load = lambda *_, **__: fake_parser()\n"
        "from rhetree.cli.main import main\n"
        "assert main(['parse', *sys.argv[1:]]) == 0\n"
        "readers = [name for name in sys.modules if name.startswith(('rhetree.formats.', 'rhetree.corpora'))]\n"
        "assert sorted(readers) == [f'rhetree.formats.{name}' for name in ('files', 'format', 'json')]"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for arguments in ([], ["--format", "jsonl"]):
        command = [sys.executable, "-c", program, str(story), *arguments]
        subprocess.run(command, check=True, capture_output=True, env=environment)


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
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        exec(block, names)
    marked_up = names["document"]
    assert repr(marked_up.tokens[1]) in blocks[3]
    assert repr(marked_up.markup[0]) in blocks[3]
    assert " ".join(marked_up.edu_texts()) == "It rained, said AT&T."
