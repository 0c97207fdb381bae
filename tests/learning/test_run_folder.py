"""The folder of a training run: what is kept there, and when a run goes on."""

from dataclasses import replace

import pytest
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from rhetree.domain.annotation import Syntax
from rhetree.errors import ModelError, RhetreeError, TrainingError
from rhetree.formats import read, write
from rhetree.learning.training.checkpoint import FILE
from rhetree.learning.training.experiment import run
from rhetree.learning.training.loop import Evaluated
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.run_folder import LOG, read_log
from support.training_runs import document, small_recipe, train, write_recipe


def test_a_folder_with_a_run_is_not_overwritten(corpus, tmp_path):
    train(corpus, tmp_path / "run", "train.epochs=1")
    with pytest.raises(TrainingError, match="already holds a run; continue it with --resume"):
        train(corpus, tmp_path / "run")


def contents(folder):
    """What its files hold, but for the lock."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != ".lock"
    }


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("network.encoder.width=4", "network.encoder.width = 8, not 4"),
        ("network.task=segment", "network.task = 'joint', not 'segment'"),
        ("train.batch_size=2", "train.batch_size = 4, not 2"),
    ],
)
def test_a_run_is_not_resumed_with_other_settings_and_stays_as_it_is(corpus, tmp_path, assignment, message):
    events = run(small_recipe(corpus), tmp_path / "run")
    for _ in range(4):
        next(events)  # what was read, and a step more than the checkpoint has
    events.close()
    before = contents(tmp_path / "run")
    with pytest.raises(ModelError, match=message):
        list(run(small_recipe(corpus, assignment), tmp_path / "run", resume=True))
    assert contents(tmp_path / "run") == before


def test_a_longer_run_with_another_optimizer_goes_on(corpus, tmp_path):
    train(corpus, tmp_path / "run", "train.epochs=1")
    longer = small_recipe(corpus, "train.epochs=3", "optimizer.weight_decay=0.01", "optimizer.kind=adamw")
    events = list(run(longer, tmp_path / "run", resume=True))
    assert [event.epoch for event in events if isinstance(event, Evaluated)] == [2, 3]
    assert read_recipe(tmp_path / "run" / "recipe.toml") == longer


def test_a_folder_that_cannot_be_used_is_refused_before_features_are_computed(corpus, tmp_path, monkeypatch):
    def fail(*_args, **_kwargs):
        raise AssertionError("features are computed")

    train(corpus, tmp_path / "run", "train.epochs=1")
    (tmp_path / "file").touch()
    monkeypatch.setattr("rhetree.learning.embeddings.random.RandomEmbedder.keep_features", fail)
    with pytest.raises(RhetreeError, match="file"):
        train(corpus, tmp_path / "file" / "run")
    monkeypatch.setattr("rhetree.learning.training.experiment.make_embedder", fail)
    with pytest.raises(TrainingError, match="already holds a run"):
        train(corpus, tmp_path / "run")
    with pytest.raises(ModelError, match=r"train.seed = 1, not 2"):
        list(run(small_recipe(corpus, "train.seed=2"), tmp_path / "run", resume=True))


@pytest.mark.parametrize("name", ["recipe.toml", "model/notes.txt", "checkpoint.safetensors"])
def test_nothing_that_is_there_is_overwritten(corpus, tmp_path, name):
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(TrainingError, match="choose another folder"):
        train(corpus, tmp_path / "run")
    assert path.read_text(encoding="utf-8") == "precious"


def test_a_run_that_is_not_there_is_not_resumed(corpus, tmp_path):
    with pytest.raises(TrainingError, match="typo holds no run to resume; start one without --resume"):
        list(run(small_recipe(corpus), tmp_path / "typo", resume=True))
    assert not (tmp_path / "typo").exists()


def test_a_recipe_alone_is_no_run_to_resume(corpus, tmp_path):
    (tmp_path / "own").mkdir()
    recipe = write_recipe(corpus, tmp_path / "own" / "recipe.toml")
    before = recipe.read_bytes()
    with pytest.raises(TrainingError, match="own holds no run to resume"):
        list(run(read_recipe(recipe), tmp_path / "own", resume=True))
    assert recipe.read_bytes() == before


def test_a_run_that_has_lost_its_checkpoint_is_not_begun_again(corpus, tmp_path):
    train(corpus, tmp_path / "run", "train.epochs=1")
    (tmp_path / "run" / FILE).unlink()
    before = contents(tmp_path / "run")
    with pytest.raises(TrainingError, match="the checkpoint of this run is gone"):
        list(run(small_recipe(corpus), tmp_path / "run", resume=True))
    assert contents(tmp_path / "run") == before


def test_a_run_that_died_before_its_first_step_goes_on(corpus, tmp_path, monkeypatch):
    def die(*_args, **_kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rhetree.learning.embeddings.random.RandomEmbedder.keep_features", die)
        with pytest.raises(KeyboardInterrupt):
            train(corpus, tmp_path / "run")
    with pytest.raises(TrainingError, match="already holds a run; continue it with --resume"):
        train(corpus, tmp_path / "run")
    list(run(read_recipe(tmp_path / "run" / "recipe.toml"), tmp_path / "run", resume=True))
    assert read_log(tmp_path / "run")[-1]["epoch"] == 3


@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_run_whose_corpus_has_changed_is_not_resumed(corpus, tmp_path, split):
    train(corpus, tmp_path / "run", "train.epochs=1")
    name = {"train": "doc0", "dev": "doc4"}[split]
    write(replace(document(2), name=name), corpus / f"{name}.json")
    before = contents(tmp_path / "run")
    with pytest.raises(ModelError, match="the corpus has changed since this run began"):
        list(run(small_recipe(corpus), tmp_path / "run", resume=True))
    assert contents(tmp_path / "run") == before


def test_a_run_that_learns_syntax_is_not_resumed_on_other_syntax(corpus, tmp_path):
    def give_heads(relation):
        for path in corpus.glob("*.json"):
            bare = next(read(path))
            heads = [number for sentence in bare.sentences for number in range(len(sentence))]
            columns = tuple(("_", "_", "_", "_", str(head), relation, "_", "_") for head in heads)
            write(replace(bare, syntax=Syntax(columns)), path)

    give_heads("dep")
    train(corpus, tmp_path / "run", "network.loss.syntax=0.5", "train.epochs=1")
    give_heads("obj")
    with pytest.raises(ModelError, match="the corpus has changed"):
        list(run(small_recipe(corpus, "network.loss.syntax=0.5"), tmp_path / "run", resume=True))


def test_a_run_is_not_made_shorter_than_it_is(corpus, tmp_path):
    train(corpus, tmp_path / "run", "train.epochs=2")
    with pytest.raises(TrainingError, match="this run has done 2 epochs, more than train.epochs = 1"):
        list(run(small_recipe(corpus, "train.epochs=1"), tmp_path / "run", resume=True))
    assert read_recipe(tmp_path / "run" / "recipe.toml").train.epochs == 2


def test_a_run_that_is_over_and_has_lost_its_model_says_so(corpus, tmp_path):
    train(corpus, tmp_path / "run", "train.epochs=1")
    (tmp_path / "run" / "model").rename(tmp_path / "elsewhere")
    with pytest.raises(TrainingError, match="this run has finished, but its model is gone"):
        list(run(small_recipe(corpus, "train.epochs=1"), tmp_path / "run", resume=True))


@pytest.mark.parametrize(
    "line", ['{"a": 1}', "[1]", "{", '{"kind": "step", "step": 1}', '{"kind": [], "step": 1}']
)
def test_a_log_that_is_none_is_refused(corpus, tmp_path, line):
    train(corpus, tmp_path / "run", "train.epochs=1")
    with (tmp_path / "run" / LOG).open("a", encoding="utf-8") as sink:
        sink.write(f"{line}\n")
    with pytest.raises(RhetreeError, match="not a .*training log"):
        read_log(tmp_path / "run")


def test_a_checkpoint_without_its_random_state_is_refused(corpus, tmp_path):
    train(corpus, tmp_path / "run", "train.epochs=1")
    path = tmp_path / "run" / FILE
    assert path.stat().st_mode & 0o777 == 0o644
    tensors = load_file(path)
    del tensors["random"]
    with safe_open(path, framework="pt") as source:
        about = source.metadata()
    save_file(tensors, path, metadata=about)
    with pytest.raises(ModelError, match="belongs to another network"):
        list(run(small_recipe(corpus, "train.epochs=2"), tmp_path / "run", resume=True))


@pytest.mark.parametrize("n_saved", range(4))
def test_a_run_killed_at_any_checkpoint_resumes_to_the_log_of_an_unbroken_one(
    n_saved, corpus, tmp_path, monkeypatch
):
    """Whatever was logged and not saved is cut, and whatever is saved is in the log."""
    from rhetree.learning.training.checkpoint import save_checkpoint
    from rhetree.learning.training.experiment import run
    from support.training_runs import small_recipe

    recipe = small_recipe(corpus, "train.checkpoint_steps=1", "train.epochs=2")
    list(run(recipe, tmp_path / "whole"))
    left = [n_saved]

    def dies(*arguments):
        if not left[0]:
            raise SystemExit
        left[0] -= 1
        save_checkpoint(*arguments)

    monkeypatch.setattr("rhetree.learning.training.loop.save_checkpoint", dies)
    try:
        list(run(recipe, tmp_path / "broken"))
    except SystemExit:
        monkeypatch.undo()
        list(run(recipe, tmp_path / "broken", resume=True))
    assert (tmp_path / "broken" / "log.jsonl").read_bytes() == (tmp_path / "whole" / "log.jsonl").read_bytes()
