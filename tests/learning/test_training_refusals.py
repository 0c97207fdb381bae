"""What cannot be trained, or cannot be kept: a clear error, and nothing lost."""

import json
from pathlib import Path

import pytest

from rhetree.domain.document import Document
from rhetree.errors import ModelError, RhetreeError, SettingError, TrainingError
from rhetree.formats import read, write
from rhetree.learning.evaluation import evaluate_models
from rhetree.learning.model import WEIGHTS, load_model, save_model
from rhetree.learning.training.experiment import run
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.run_folder import LOG
from rhetree.runtime.model import CONFIG
from support.training_runs import UNSET, small_recipe, train


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["data.corpus="], "data.corpus is empty; name a folder"),
        (["data.dev=test"], "no split 'test', only train, dev"),
        (["data.train=trian"], "no split 'trian', only train, dev; did you mean train"),
        (["train.select=fulll"], "train.select must be one of segmentation, gold-span"),
        (
            ["network.task=segment", "train.select=full"],
            "train.select must be one of segmentation for task 'segment'",
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


def test_a_corpus_without_splits_names_the_setting_that_holds_out_a_share(corpus, tmp_path):
    (corpus / "dev.txt").unlink()
    message = (
        "hold out a share of the training documents as dev, such as a tenth with --set data.dev_share=0.1"
    )
    with pytest.raises(SettingError, match=f"no split 'dev', only train, unlisted; {message}"):
        list(run(small_recipe(corpus), tmp_path / "run"))
    (corpus / "train.txt").unlink()
    message = message.replace("the training", "its")
    with pytest.raises(SettingError, match=f"it is not split, so there is no 'train'; {message}"):
        list(run(small_recipe(corpus), tmp_path / "run"))


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
    with pytest.raises(TrainingError, match=f"{corpus}: split '{split}' is empty"):
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
    with pytest.raises(TrainingError, match="lacks: CAUSE-NS, CONDITION-SN, LIST-NN; set data.unseen"):
        train(corpus, tmp_path / "run")
    assert train(corpus, tmp_path / "run", "data.unseen_labels=ignore", "train.epochs=1")


def test_labels_of_separate_classifiers_need_no_example_of_each_combination(corpus, tmp_path):
    path = corpus / "doc4.json"
    document = next(read(path))
    write(
        document.map_relations({"cause": "list", "condition": "condition", "list": "cause"}.__getitem__), path
    )
    with pytest.raises(TrainingError, match="lacks: cause-NN, list-NS; set data.unseen"):
        train(corpus, tmp_path / "run")
    separate = ("network.classifier.separate=true", "train.epochs=1")
    assert train(corpus, tmp_path / "run", *separate)
    write(document.map_relations({"cause": "list", "condition": "new", "list": "cause"}.__getitem__), path)
    with pytest.raises(TrainingError, match="lacks: new-SN; set data.unseen"):
        train(corpus, tmp_path / "other", *separate)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / CONFIG).unlink(), "not a model directory"),
        (lambda folder: (folder / CONFIG).write_text("{"), "not JSON"),
        (lambda folder: (folder / CONFIG).write_text("{}"), "not a model of Rhetree"),
        (lambda folder: (folder / WEIGHTS).unlink(), "there is no weights.safetensors"),
        (lambda folder: (folder / WEIGHTS).write_bytes(b"x" * 100), "perhaps truncated"),
        (lambda folder: _change_config(folder, "version", 99), "format version 99, this Rhetree reads 1"),
        (
            lambda folder: _change_config(folder, "labels", ["cause-NS"]),
            "these weights do not fit config.json",
        ),
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
    with pytest.raises(RhetreeError, match="cannot write the model: .*No space left"):
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
    with pytest.raises(RhetreeError, match=f"{log}: cannot write the log: No space left on device"):
        next(events)


def test_settings_that_contradict_each_other_are_named():
    with pytest.raises(SettingError, match="data: dev_share must be a share"):
        read_recipe(None, ["data.dev_share=1.5"])
    with pytest.raises(SettingError, match="data: with dev_share, dev must be 'dev', got 'held'"):
        read_recipe(None, ["data.dev_share=0.1", "data.dev=held"])
    tagger = ["network.task=segment", "network.segmenter.kind=crf", "network.segmenter.input=embedding"]
    with pytest.raises(SettingError, match="network: encoder.kind is 'none' for a tagger"):
        read_recipe(None, tagger)
    read_recipe(None, [*tagger, "network.encoder.kind=none"])


def _change_config(folder, key, value):
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    config[key] = value
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
