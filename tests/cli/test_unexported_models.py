"""Commands with a model that was not exported, which runs with torch."""

import json
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from rhetree.cli.main import main
from support.exported import elmo_model, make_model, saved
from support.networks import VARIATIONS
from support.training_runs import train

TEXT = "She said that it rained."


@pytest.fixture
def elmo(tmp_path):
    return saved(elmo_model(tmp_path / "elmo"), tmp_path / "model")


@pytest.fixture
def crf(tmp_path):
    """A segmenter that is a CRF tagger."""
    return saved(make_model(VARIATIONS["wly"]), tmp_path / "model")


@pytest.fixture
def plain(tmp_path):
    """A model that could be exported, and was not."""
    return saved(make_model(steps=1), tmp_path / "model")


def test_a_model_on_elmo_parses(elmo, capsys):
    assert main(["parse", "--model", str(elmo), "--format", "jsonl", TEXT]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["sentences"][0]["edus"]
    assert printed.err == ""


def test_a_crf_tagger_segments_and_says_that_it_cannot_parse(crf, capsys):
    assert main(["segment", "--model", str(crf), "--format", "jsonl", TEXT]) == 0
    assert json.loads(capsys.readouterr().out)["sentences"][0]["edus"]
    assert main(["parse", "--model", str(crf), TEXT]) == 2
    assert "cannot parse" in capsys.readouterr().err


def test_without_torch_the_extra_is_named(plain):
    code = "import sys; sys.modules['torch'] = None; from rhetree.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "parse", "--model", str(plain), TEXT]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2
    assert "a model that was not exported (rhetree export) needs more packages" in run.stderr
    assert "pip install 'rhetree[train]'" in run.stderr


def test_the_commands_say_when_a_device_is_not_there(plain, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    recipe = str(tmp_path / "run" / "recipe.toml")
    train(corpus, tmp_path / "run", "train.epochs=1")
    for command in (
        ["parse", "--model", str(plain), TEXT],
        ["evaluate", str(plain), str(corpus)],
        ["train", recipe, "-o", str(tmp_path / "other")],
    ):
        capsys.readouterr()
        assert main([*command, "--device", "cuda"]) == 2
        assert "device 'cuda' cannot be used" in capsys.readouterr().err
        if command[0] != "train":
            assert main([*command, "--device", "cpu"]) == 0
    assert not (tmp_path / "other").exists()
