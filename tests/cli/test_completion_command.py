"""Completion scripts: made from our parsers, tried in bash itself."""

import shutil
import subprocess
import sys

import pytest

from rhetree.cli.main import COMMANDS, main

shtab = pytest.importorskip("shtab")


@pytest.fixture
def script(capsys):
    def make(shell):
        assert main(["completion", shell]) == 0
        return capsys.readouterr().out

    return make


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_its_options_are_completed(shell, script):
    text = script(shell)
    for command in COMMANDS:
        assert command in text
    assert "lenient" in text
    assert "brackets" in text  # a choice of convert's formats


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [(["pa"], {"parse"}), (["draw", "--by-s"], {"--by-sentence"}), (["completion", "f"], {"fish"})],
)
def test_bash_completes(words, expected, script, tmp_path):
    path = tmp_path / "completion.bash"
    path.write_text(script("bash"))
    line = " ".join(f"'{word}'" for word in ["rhetree", *words])
    code = (
        f"source {path}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; COMP_LINE='rhetree {' '.join(words)}'\n"
        '$(complete -p rhetree | sed "s/.*-F \\([^ ]*\\).*/\\1/")\n'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    shown = subprocess.run(["bash", "-c", code], capture_output=True, text=True)
    assert set(shown.stdout.split()) == expected, shown.stderr


def test_zsh_completes_file_names_where_paths_are_expected(script):
    assert "_files" in script("zsh")


def test_a_missing_library_names_the_command_that_installs_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install 'rhetree[completion]'" in capsys.readouterr().err


def test_what_parse_writes_into_a_pipe_is_drawn_without_a_word():
    run = [sys.executable, "-m", "rhetree"]
    parsed = subprocess.run(
        [*run, "parse", "-"], input="We left because it rained.", capture_output=True, text=True, check=True
    )
    drawn = subprocess.run([*run, "draw", "-"], input=parsed.stdout, capture_output=True, text=True)
    assert drawn.returncode == 0, drawn.stderr
    assert "because it rained." in drawn.stdout
    assert "\x1b" not in drawn.stdout
