"""What every command shares: usage, exit codes, and an output that cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rhetree.cli.main import COMMANDS, main
from support.small_corpora import gum_layout
from support.written_documents import save, weather

FULL = Path("/dev/full")


def usage_error(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    assert stop.value.code == 2
    return capsys.readouterr().err


def rhetree(*arguments, stdout=subprocess.PIPE, **environment):
    """A run in a process of its own, whose standard output is buffered as usual."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-m", "rhetree", *map(str, arguments)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**inherited, **environment},
        check=False,
    )


def test_an_unknown_option_is_told_by_the_command_with_one_that_is_near(capsys):
    err = usage_error(capsys, "score", "a", "b", "--relatoins", "gum")
    assert err.startswith("usage: rhetree score ")
    assert err.endswith("rhetree score: error: no option --relatoins; did you mean --relations?\n")
    err = usage_error(capsys, "corpus", "stats", ".", "--jsn=1")
    assert err.startswith("usage: rhetree corpus stats ")
    assert err.endswith("no option --jsn; did you mean --json?\n")
    assert usage_error(capsys, "draw", "a", "--xyzzy").endswith("no option --xyzzy\n")
    assert usage_error(capsys, "score", "a", "b", "c").endswith("rhetree score: error: unexpected: c\n")


def test_help_names_every_command_and_each_has_its_own(capsys):
    for arguments in ([], *([name] for name in COMMANDS)):
        with pytest.raises(SystemExit) as stop:
            main([*arguments, "--help"])
        assert stop.value.code == 0
        out = capsys.readouterr().out
        assert out.startswith(" ".join(["usage: rhetree", *arguments]))
        assert arguments or set(COMMANDS) <= set(out.split())


@pytest.mark.skipif(os.name != "posix", reason="a shell closes standard output")
def test_a_standard_output_that_is_closed_is_no_mistake(tmp_path):
    path = save(tmp_path / "weather.json", weather())
    command = f'"{sys.executable}" -m rhetree corpus stats "{path}" --json >&-'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_version_is_looked_up_when_asked_for(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("rhetree ")
    program = (
        "import sys\nfrom rhetree.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = run.stderr.split()
    assert "rhetree.cli.main" in loaded
    assert not {"importlib.metadata", "rich", "rhetree.cli.score"} & set(loaded)


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line(tmp_path, unbuffered):
    path = save(tmp_path / "weather.json", weather())
    for command in (
        ["score", path, path],
        ["draw", path],
        ["convert", path, "-", "--to", "jsonl"],
        ["--help"],
    ):
        with FULL.open("wb") as full:
            run = rhetree(*command, stdout=full, PYTHONUNBUFFERED=unbuffered)
        expected = b"rhetree: cannot write to standard output: No space left on device\n"
        assert (run.returncode, run.stderr) == (2, expected), command


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_mistake(tmp_path, unbuffered):
    path = save(tmp_path / "weather.json", weather())
    for command in (["score", path, path], ["corpus", "stats", gum_layout(tmp_path / "corpus")]):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            run = rhetree(*command, stdout=writing, PYTHONUNBUFFERED=unbuffered)
        finally:
            os.close(writing)
        assert (run.returncode, run.stderr) == (0, b""), command


def test_a_folder_that_may_not_be_listed_is_the_users_mistake(tmp_path, capsys, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    save(tmp_path / "gold.jsonl", weather())
    monkeypatch.setattr(Path, "iterdir", refuse)
    monkeypatch.setattr("rhetree.cli.main._close_output", lambda: None)
    assert main(["compare", str(tmp_path / "gold.jsonl"), str(tmp_path), str(tmp_path), "--runs"]) == 2
    assert capsys.readouterr().err == f"rhetree: {tmp_path}: Permission denied\n"


def test_what_the_encoding_of_the_output_lacks_is_shown_by_number():
    command = [sys.executable, "-m", "rhetree", "parse", "--help"]
    told = subprocess.run(
        command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"}, check=True
    )
    assert b"\\u2026" in told.stdout
