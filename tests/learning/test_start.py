"""Training that starts from a model."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from rhetree.cli.main import main
from rhetree.domain.document import Document
from rhetree.errors import ModelError, SettingError
from rhetree.formats import read, write
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.export import export_model
from rhetree.learning.model import load_model
from rhetree.learning.networks.classifier import ClassifierConfig
from rhetree.learning.training.experiment import Data, run
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.start import Start, check_fit, open_start, start_from
from rhetree.runtime.model import read_config
from support.exported import make_model, saved, transformer_model
from support.networks import SMALL
from support.tiny_encoders import save_encoder
from support.training_runs import train

STILL = (
    "optimizer.learning_rate=1e-12",
    "optimizer.pretrained_rate=1e-12",
    "train.epochs=1",
    "train.threads=1",
)


def relabelled(corpus, old, new):
    """The corpus with another name for a relation."""
    for path in corpus.glob("*.json"):
        document: Document = next(read(path))
        trees = tuple(
            replace(
                tree,
                splits=tuple(
                    replace(split, relation=new if split.relation == old else split.relation)
                    for split in tree.splits
                ),
            )
            for tree in document.sentence_trees
            if tree is not None
        )
        write(replace(document, sentence_trees=trees), path)


@pytest.fixture
def first(corpus, tmp_path):
    """A model that was trained for a moment."""
    train(corpus, tmp_path / "first", "train.epochs=1")
    return tmp_path / "first" / "model"


def test_a_run_begins_with_the_weights_of_its_start(corpus, first, tmp_path):
    recipe = read_recipe(None, [f"data.corpus={corpus}", f"train.start={first}", *STILL])
    assert recipe.network == load_model(first).recipe.network
    events = list(run(recipe, tmp_path / "second"))
    before, after = load_model(first), load_model(tmp_path / "second" / "model")
    for name, weight in before.network.state_dict().items():
        torch.testing.assert_close(after.network.state_dict()[name], weight, atol=1e-6, rtol=1e-6)
    assert events[-1].scores == before.about["scores"]["dev"]
    assert set(after.about["data"]["texts"]) == set(before.about["data"]["texts"])
    resumed = list(
        run(
            read_recipe(
                None,
                [
                    *STILL[:2],
                    f"data.corpus={corpus}",
                    f"train.start={first}",
                    "train.epochs=2",
                    "train.threads=1",
                ],
            ),
            tmp_path / "second",
            resume=True,
        )
    )
    assert resumed[-1].epoch == 2


def test_an_exported_model_is_trained_further(corpus, tmp_path, capsys):
    model = transformer_model(save_encoder(tmp_path / "encoder"), tuning="tuned", from_layer=1)
    export_model(model, tmp_path / "exported", precision="int8")
    command = ["train", "--from", str(tmp_path / "exported"), "--set", f"data.corpus={corpus}"]
    assert main([*command, "--set", "train.epochs=1", "-o", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().err
    assert f"3 labels are new to {tmp_path / 'exported'}, to be learnt from nothing: cause-NS" in said
    assert "that train lacks are dropped: attribution-NS" in said
    assert load_model(tmp_path / "run" / "model").network.labels == ("cause-NS", "condition-SN", "list-NN")


def test_known_labels_are_kept_and_others_are_new(corpus, first, tmp_path):
    known = load_model(first).network
    assert open_start(str(first)).labels_for(["list-NN"]) == known.labels
    assert open_start(str(first)).notes(known.labels) == ()
    relabelled(corpus, "cause", "reason")
    recipe = read_recipe(None, [f"data.corpus={corpus}", f"train.start={first}", *STILL])
    data = next(event for event in run(recipe, tmp_path / "second") if isinstance(event, Data))
    assert data.notes[-2:] == (
        f"1 label is new to {first}, to be learnt from nothing: reason-NS",
        f"labels of {first} that train lacks are dropped: cause-NS",
    )
    list(run(recipe, tmp_path / "third"))
    network = load_model(tmp_path / "third" / "model").network
    assert network.labels == ("condition-SN", "list-NN", "reason-NS")
    for label in ("condition-SN", "list-NN"):
        old, new = known.labels.index(label), network.labels.index(label)
        for name, axis in (("both", 1), ("left_alone.weight", 0), ("right_alone.bias", 0)):
            weights = [one.state_dict()[f"classifier.label.{name}"] for one in (known, network)]
            torch.testing.assert_close(
                weights[1].select(axis, new), weights[0].select(axis, old), atol=1e-6, rtol=1e-6
            )


@pytest.mark.parametrize(
    ("relations", "said"),
    [
        (
            "gum",
            ("new labels with a class that old knows: 2; to learn by these classes set data.relations=gum",),
        ),
        ("rst-dt", ()),
        ("none", ()),
        (None, ()),
        ({"name": "own"}, ()),
    ],
)
def test_labels_that_are_finer_than_those_of_the_start_are_told(relations, said):
    config = {"labels": ["causal-NS", "joint-NN"], "data": {"relations": relations}}
    start = Start("old", Path("old"), config)
    labels = ["causal-cause-NS", "causal-cause-SN", "joint-list-NN", "reason-NS"]
    first, dropped, *more = start.notes(labels)
    assert first.startswith("4 labels are new to old, to be learnt from nothing: causal-cause-NS")
    assert dropped == "labels of old that train lacks are dropped: causal-NS, joint-NN"
    assert tuple(more) == said


def test_relations_apart_from_nuclearity_are_kept_by_their_names():
    separate = replace(SMALL, classifier=ClassifierConfig(width=8, separate=True))
    model, other = make_model(separate), make_model(separate, steps=0)
    start_from(other.network, model)
    for name, weight in model.network.state_dict().items():
        torch.testing.assert_close(other.network.state_dict()[name], weight, atol=0, rtol=0)


def test_a_network_for_one_task_starts_from_a_joint_model(corpus, first, tmp_path):
    settings = [f"data.corpus={corpus}", f"train.start={first}", "network.task=segment", *STILL]
    list(run(read_recipe(None, settings), tmp_path / "second"))
    before, after = (load_model(folder).network for folder in (first, tmp_path / "second" / "model"))
    assert after.parser is None
    for name, weight in after.state_dict().items():
        torch.testing.assert_close(weight, before.state_dict()[name], atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "network.parser.width=20",
            r"network\.parser\.width is 20, but .*, to start from, has 16; leave it out",
        ),
        ("train.start=nowhere", "no model is called 'nowhere'"),
        ("train.start=7", "train.start must be a string"),
        ("network=7", "network must be a section"),
    ],
)
def test_settings_that_do_not_fit_the_start_are_told(corpus, first, tmp_path, settings, message):
    with pytest.raises((SettingError, ModelError), match=message):
        list(
            run(
                read_recipe(None, [f"data.corpus={corpus}", f"train.start={first}", settings]), tmp_path / "x"
            )
        )


def test_a_segmenter_is_no_start_for_a_parser(tmp_path):
    folder = saved(make_model(replace(SMALL, task="segment")), tmp_path / "segmenter")
    assert read_config(folder)["labels"] == []
    with pytest.raises(
        SettingError, match="network.task is 'joint', but it, to start from, can only segment"
    ):
        check_fit(SMALL, replace(SMALL, task="segment"), "it")
    other = replace(SMALL, task="segment", embedding=EmbeddingConfig(kind="random", path=""))
    check_fit(replace(other, parser=replace(SMALL.parser, width=99)), other, "it")
