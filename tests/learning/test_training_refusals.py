"""What cannot be trained, or cannot be kept: a clear error, and nothing lost."""

import json
from pathlib import Path

import pytest

from rhetree.cli.main import main
from rhetree.domain.document import Document
from rhetree.errors import ModelError, RhetreeError, SettingError, TrainingError
from rhetree.learning.evaluation import evaluate_models
from rhetree.learning.experiment import run
from rhetree.learning.model import CONFIG, WEIGHTS, load_model, save_model
from rhetree.learning.recipe import read_recipe
from rhetree.learning.run_folder import LOG
from rhetree.treebanks import read, write
from training_runs import UNSET, small_recipe, train, write_recipe


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["data.corpus="], "data.corpus names no folder"),
        (["data.dev=test"], "no split 'test', only train, dev"),
        (["data.train=trian"], "no split 'trian', only train, dev; did you mean train"),
        (["train.select=fulll"], "train.select is one of segmentation, gold-span"),
        (
            ["network.task=segment", "train.select=full"],
            "train.select is one of segmentation for task 'segment'",
        ),
        ([*UNSET, "network.embedding.kind=transformer", "network.embedding.path=nowhere"], "nowhere"),
        ([*UNSET, "network.embedding.kind=static"], "need a path"),
        (["network.loss.syntax=0.5"], "no sentence with heads and dependency relations"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(corpus, tmp_path, assignments, message):
    with pytest.raises(RhetreeError, match=message):
        list(run(small_recipe(corpus, *assignments), tmp_path / "run"))
    assert not (tmp_path / "run").exists()


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


def test_a_recipe_is_printed_with_every_setting(capsys):
    assert main(["train", "--print-recipe", "--set", "train.epochs=7"]) == 0
    printed = capsys.readouterr().out
    assert "epochs = 7" in printed
    assert "# Evaluations without a better dev score before stopping.\npatience = 10" in printed


def test_a_corpus_without_trees_is_refused(corpus, tmp_path):
    for path in corpus.glob("*.json"):
        write(next(read(path)).without_trees(), path)
    with pytest.raises(TrainingError, match="split 'train' has no trees"):
        train(corpus, tmp_path / "run")
    assert train(corpus, tmp_path / "run", "network.task=segment", "train.epochs=1")


@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_split_without_tokens_is_refused(corpus, tmp_path, split):
    for name in (corpus / f"{split}.txt").read_text(encoding="utf-8").split():
        write(Document(name=name), corpus / f"{name}.json")
    with pytest.raises(TrainingError, match=f"{corpus}: split '{split}' is empty; there is nothing to learn"):
        train(corpus, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("documents", [[], [Document(name="empty")]])
def test_there_is_no_evaluation_on_nothing(tmp_path, documents):
    # Before the model is looked for: there is none.
    with pytest.raises(TrainingError, match="nothing to evaluate on: the split is empty"):
        evaluate_models(tmp_path / "model", documents)


def test_labels_that_only_dev_has_are_refused_or_ignored(corpus, tmp_path):
    path = corpus / "doc4.json"
    write(next(read(path)).map_relations(str.upper), path)
    with pytest.raises(TrainingError, match="never shows: CAUSE-NS, CONDITION-SN, LIST-NN; set data.unseen"):
        train(corpus, tmp_path / "run")
    assert train(corpus, tmp_path / "run", "data.unseen_labels=ignore", "train.epochs=1")


def test_labels_of_separate_classifiers_need_no_example_of_each_combination(corpus, tmp_path):
    path = corpus / "doc4.json"
    document = next(read(path))
    write(document.map_relations({"cause": "list", "condition": "condition", "list": "cause"}.get), path)
    with pytest.raises(TrainingError, match="never shows: cause-NN, list-NS; set data.unseen"):
        train(corpus, tmp_path / "run")
    separate = ("network.classifier.separate=true", "train.epochs=1")
    assert train(corpus, tmp_path / "run", *separate)
    write(document.map_relations({"cause": "list", "condition": "new", "list": "cause"}.get), path)
    with pytest.raises(TrainingError, match="never shows: new-SN; set data.unseen"):
        train(corpus, tmp_path / "other", *separate)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / CONFIG).unlink(), "not a model directory"),
        (lambda folder: (folder / CONFIG).write_text("{"), "not JSON"),
        (lambda folder: (folder / CONFIG).write_text("{}"), "not a model of Rhetree"),
        (lambda folder: (folder / WEIGHTS).unlink(), "has no weights.safetensors"),
        (lambda folder: (folder / WEIGHTS).write_bytes(b"x" * 100), "may be cut off"),
        (lambda folder: _change_config(folder, "version", 99), "format version 99, this Rhetree reads 1"),
        (lambda folder: _change_config(folder, "labels", ["cause-NS"]), "not the weights of config.json"),
        (lambda folder: _change_config(folder, "version", "1"), "format version '1', this Rhetree reads 1"),
        (lambda folder: _change_config(folder, "recipe", {"trian": {}}), "did you mean train"),
        (lambda folder: _change_config(folder, "recipe", None), 'settings under "recipe", got None'),
        (lambda folder: _change_config(folder, "recipe", {"data": 3}), 'settings under "recipe", got'),
        (lambda folder: _change_config(folder, "labels", 5), 'labels such as cause-NS under "labels", got 5'),
        (lambda folder: _change_config(folder, "labels", ["cause"]), r"under \"labels\", got \['cause'\]"),
        (lambda folder: _change_config(folder, "labels", []), "0 labels for the task 'joint'"),
        (lambda folder: _change_config(folder, "data", 3), 'the data under "data", got 3'),
    ],
)
def test_a_damaged_model_directory_is_refused(corpus, tmp_path, damage, message):
    train(corpus, tmp_path / "run", "train.epochs=1")
    damage(tmp_path / "run" / "model")
    with pytest.raises(ModelError, match=message):
        load_model(tmp_path / "run" / "model")


def test_a_full_disk_leaves_the_model_that_was_there(corpus, tmp_path, monkeypatch):
    train(corpus, tmp_path / "run", "train.epochs=1")
    before = (tmp_path / "run" / "model" / WEIGHTS).read_bytes()
    model = load_model(tmp_path / "run" / "model")

    def fail(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rhetree.learning.model.save_file", fail)
    with pytest.raises(RhetreeError, match="cannot be written: .*No space left"):
        save_model(tmp_path / "run" / "model", model.network, model.recipe, {})
    assert (tmp_path / "run" / "model" / WEIGHTS).read_bytes() == before
    assert {path.name for path in (tmp_path / "run").glob(".*")} <= {".lock"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_on_a_full_disk_is_told_by_its_path(corpus, tmp_path):
    log = tmp_path / "run" / LOG
    events = run(small_recipe(corpus), tmp_path / "run")
    for _ in range(2):
        next(events)  # what was read, and a step, with which the log begins
    log.unlink()
    log.symlink_to("/dev/full")
    with pytest.raises(RhetreeError, match=f"{log}: cannot be written: No space left on device"):
        next(events)


def test_settings_that_contradict_each_other_are_named():
    with pytest.raises(SettingError, match="data: dev_share is a share"):
        read_recipe(None, ["data.dev_share=1.5"])
    with pytest.raises(
        SettingError, match="data: with dev_share the split to choose on is 'dev', got dev = 'held'"
    ):
        read_recipe(None, ["data.dev_share=0.1", "data.dev=held"])
    tagger = ["network.task=segment", "network.segmenter.kind=crf", "network.segmenter.input=embedding"]
    with pytest.raises(SettingError, match="network: encoder.kind is 'none' for a tagger"):
        read_recipe(None, tagger)
    read_recipe(None, [*tagger, "network.encoder.kind=none"])


def _change_config(folder, key, value):
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    config[key] = value
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
