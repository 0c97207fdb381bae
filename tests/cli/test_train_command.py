"""``rhetree train``: what it prints, what it leaves behind, and what it refuses."""

import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from rhetree.cli.main import main
from rhetree.cli.train import StepMeter
from rhetree.learning.model import WEIGHTS, load_model
from rhetree.learning.training.experiment import run
from rhetree.learning.training.loop import Evaluated
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.run_folder import LOG, read_log
from rhetree.learning.training.shipped_recipes import shipped_recipes
from support.training_runs import train, write_recipe


def test_a_recipe_is_printed_with_every_setting(capsys):
    assert main(["train", "--print-recipe", "--set", "train.epochs=7"]) == 0
    printed = capsys.readouterr().out
    assert "epochs = 7" in printed
    assert "# Evaluations without a better dev score before stopping.\npatience = 10" in printed


def test_recipes_that_come_with_rhetree_are_listed_and_taken_by_name(capsys):
    assert main(["train", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(shipped_recipes())
    assert [line for line in lines if not line.endswith(".")] == []
    assert any(line.startswith("english ") and "The shipped model" in line for line in lines)
    assert main(["train", "segbot", "--print-recipe"]) == 0
    printed = capsys.readouterr().out
    assert shipped_recipes()["segbot"].read_text(encoding="utf-8").endswith(printed)


def test_a_treebank_that_is_not_there_is_named_with_the_way_to_name_another(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "frozen-joint"]) == 2
    assert (
        "gum: no such file or folder; name the treebank with --set data.corpus=FOLDER"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("englsh", "no recipe is called 'englsh', nor is there such a file; did you mean english?"),
        ("qq", "no recipe is called 'qq', nor is there such a file; rhetree train --list shows them"),
        ("configs/english.toml", "there is no such file; for the recipe of Rhetree write english"),
        ("mine.toml", "mine.toml: cannot be read: No such file or directory"),
    ],
)
def test_a_recipe_that_is_not_there_is_told(capsys, recipe, message):
    assert main(["train", recipe]) == 2
    assert message in capsys.readouterr().err


def test_a_killed_run_resumes_to_the_weights_of_an_unbroken_one(corpus, tmp_path):
    recipe = write_recipe(corpus, tmp_path / "small.toml", "train.epochs=4", "train.patience=4")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert main(["train", str(recipe), "-o", str(whole)]) == 0
    command = [sys.executable, "-m", "rhetree", "train", str(recipe), "-o", str(broken)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (broken / LOG).exists() or len(read_log(broken)) < 4:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert main(["train", str(recipe), "-o", str(broken), "--resume"]) == 0
    one, other = ((folder / "model" / WEIGHTS).read_bytes() for folder in (whole, broken))
    assert one == other
    assert read_log(broken) == read_log(whole)


def test_the_meter_counts_the_time_of_steps_alone():
    clock = iter([100.0, 102.0, 104.0, 150.0, 152.0])
    meter = StepMeter(lambda: next(clock))
    meter.add(3.0, 10)
    assert meter.speed == 0  # how long the first step took is not known
    meter.add(3.0, 10)
    meter.add(3.0, 10)
    meter.restart()  # after an evaluation of 46 seconds
    meter.add(3.0, 10)
    assert meter.speed == pytest.approx(5)
    assert meter.loss == pytest.approx(3)


def test_training_tells_what_was_assumed(corpus, tmp_path, capsys):
    (corpus / "dev.txt").unlink()
    recipe = write_recipe(corpus, tmp_path / "small.toml", "data.dev_share=0.3", "train.epochs=1")
    assert main(["train", str(recipe), "-o", str(tmp_path / "run")]) == 0
    assert "rhetree: dev is a random 30% of the documents of train" in capsys.readouterr().err


def test_the_command_leaves_a_picture_of_the_run(corpus, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    recipe = write_recipe(corpus, tmp_path / "small.toml", "train.epochs=1")
    assert main(["train", str(recipe), "-o", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "run" / "model")]
    assert "dev score" in (tmp_path / "run" / "curve.svg").read_text(encoding="utf-8")


def test_the_recipe_of_a_run_resumes_that_run(corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train(corpus, tmp_path / "run", "train.epochs=1")
    assert main(["train", "run/recipe.toml", "--resume", "--set", "train.epochs=2"]) == 0
    assert "epoch 2:" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_a_run_that_is_over_says_so_when_it_is_resumed(corpus, tmp_path, capsys):
    recipe = write_recipe(corpus, tmp_path / "small.toml", "train.epochs=1")
    command = ["train", str(recipe), "-o", str(tmp_path / "run")]
    assert main(command) == 0
    assert "over already" not in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert capsys.readouterr().err == (
        "rhetree: this run was over already; a higher train.epochs or train.patience lets it go on\n"
    )


def test_only_one_process_trains_in_a_folder(corpus, tmp_path):
    recipe = write_recipe(corpus, tmp_path / "small.toml")
    events = run(read_recipe(recipe), tmp_path / "run")
    next(events)
    next(events)  # the first step: the folder is in use
    other = [sys.executable, "-m", "rhetree", "train", str(recipe), "-o", str(tmp_path / "run"), "--resume"]
    done = subprocess.run(other, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert (
        done.stderr
        == f"rhetree: {tmp_path / 'run'}: another process is training here; wait for it, or stop it\n"
    )
    assert isinstance(list(events)[-1], Evaluated)


def test_a_bad_document_stops_training_unless_it_is_in_another_split_or_lenient(corpus, tmp_path, capsys):
    recipe = str(write_recipe(corpus, tmp_path / "small.toml", "train.epochs=1"))
    (corpus / "test.txt").write_text("doc3\n", encoding="utf-8")
    (corpus / "train.txt").write_text("doc0\ndoc1\ndoc2\n", encoding="utf-8")
    (corpus / "doc3.json").write_text("{", encoding="utf-8")
    assert main(["train", recipe, "-o", str(tmp_path / "other")]) == 0
    (corpus / "doc2.json").write_text("{", encoding="utf-8")
    assert main(["train", recipe, "-o", str(tmp_path / "strict")]) == 2
    assert "doc2.json" in capsys.readouterr().err
    assert main(["train", recipe, "-o", str(tmp_path / "lenient"), "--lenient"]) == 0
    assert "left out: " in capsys.readouterr().err
    assert load_model(tmp_path / "lenient" / "model").about["data"]["documents"] == 2
    assert "lenient = true" in (tmp_path / "lenient" / "recipe.toml").read_text(encoding="utf-8")


def test_an_unknown_setting_is_refused_with_a_suggestion(corpus, tmp_path, capsys):
    recipe = write_recipe(corpus, tmp_path / "small.toml")
    assert main(["train", str(recipe), "--set", "train.patiense=3"]) == 2
    assert "unknown setting train.patiense; did you mean patience?" in capsys.readouterr().err


def test_a_wrong_setting_of_a_file_is_told_with_the_file(corpus, tmp_path, capsys):
    recipe = write_recipe(corpus, tmp_path / "small.toml")
    recipe.write_text(
        recipe.read_text(encoding="utf-8").replace("\nepochs =", "\nepochz ="), encoding="utf-8"
    )
    for arguments in ([], ["--set", "train.seed=2"]):
        assert main(["train", str(recipe), *arguments]) == 2
        assert f"{recipe}: unknown setting train.epochz; did you mean epochs?" in capsys.readouterr().err


def test_a_network_that_memory_cannot_hold_is_refused(corpus, tmp_path, capsys):
    recipe = write_recipe(corpus, tmp_path / "small.toml", "network.encoder.width=10000000")
    assert main(["train", str(recipe), "-o", str(tmp_path / "run")]) == 2
    assert "not enough memory; make the network's widths" in capsys.readouterr().err


CRF = ("network.task=segment", "network.segmenter.kind=crf", "optimizer.learning_rate=1e38")


@pytest.mark.parametrize("settings", [("optimizer.learning_rate=1e30",), CRF], ids=["pointers", "tagger"])
def test_weights_that_explode_stop_a_run_with_a_message(corpus, tmp_path, capsys, settings):
    recipe = write_recipe(corpus, tmp_path / "small.toml", "train.batch_size=64", *settings)
    assert main(["train", str(recipe), "-o", str(tmp_path / "run")]) == 2
    assert "nothing was saved yet; try a lower optimizer.learning_rate" in capsys.readouterr().err


def test_a_run_that_stops_early_says_so_on_a_line_of_its_own(corpus, tmp_path, capsys):
    slow = ["optimizer.learning_rate=1e-12", "train.patience=1", "train.epochs=9"]
    recipe = write_recipe(corpus, tmp_path / "small.toml", *slow)
    assert main(["train", str(recipe), "-o", str(tmp_path / "run")]) == 0
    first, second, last = capsys.readouterr().err.splitlines()
    assert first.startswith("epoch 1: segmentation ")
    assert first.endswith("best so far")
    assert second.startswith("epoch 2: segmentation ")
    assert last == "rhetree: stopped after epoch 2: no better score in 1 evaluation"


def test_a_picture_that_cannot_be_drawn_leaves_the_model(corpus, tmp_path, capsys, monkeypatch):
    def fail(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    recipe = write_recipe(corpus, tmp_path / "small.toml", "train.epochs=1")
    assert main(["train", str(recipe), "-o", str(tmp_path / "run")]) == 0
    told = capsys.readouterr()
    assert "no picture of the run" in told.err
    assert "No space left on device" in told.err
    assert told.out == f"{tmp_path / 'run' / 'model'}\n"
    assert not list((tmp_path / "run").glob("*curve*"))
