"""RST-DT from its files to scores, by the commands of docs/training.md."""

import json

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from rhetree.cli.main import main
from support.rst_dt import DOUBLE, MAIN, N_SENTENCES, TEST, TRAINING, is_crossing, write_penn, write_rst_dt
from support.training_runs import SMALL

RECIPE = "paper-joint"


@pytest.fixture
def penn(tmp_path):
    return write_penn(tmp_path / "wsj")


@pytest.fixture
def command(capsys):
    """Runs a command that must succeed; returns what it printed, as JSON where it is, and what it said."""

    def run(*arguments):
        code = main(list(map(str, arguments)))
        told = capsys.readouterr()
        assert code == 0, told.err
        return json.loads(told.out) if "--json" in arguments else told.out, told.err

    return run


def train(command, folder, penn, run, *settings):
    own = [f"data.corpus={folder}", f"data.sentences={penn}", *SMALL, "train.epochs=2", *settings]
    random_vectors = ["kind=random", "path=", "dropout=0", "batch_norm=false"]
    random_vectors = [f"network.embedding.{setting}" for setting in random_vectors]
    arguments = [word for setting in (*random_vectors, *own) for word in ("--set", setting)]
    return command("train", RECIPE, *arguments, "-o", run)


def test_rst_dt_goes_from_files_to_scores(tmp_path, penn, command):
    folder = write_rst_dt(tmp_path / "rst")
    lenient = ("--sentences", penn, "--lenient")

    counts, _ = command("corpus", "stats", folder, *lenient, "--json")
    for split, names in (("train", TRAINING), ("test", TEST)):
        n_crossing = sum(map(is_crossing, names))
        found = counts["splits"][split]
        assert found["documents"] == len(names)
        assert found["sentences"] == N_SENTENCES * len(names)
        assert found["crossed"] == found["without_tree"] == 2 * n_crossing > 0
        assert found["one_edu"] == len(names) - n_crossing
        assert found["edus"] == 10 * len(names) - n_crossing
    assert counts["splits"]["double"]["documents"] == 2
    assert counts["labels"].keys() >= {"Attribution-NS", "Condition-SN", "Explanation-NS", "Joint-NN"}

    run = tmp_path / "run"
    _, said = train(command, folder, penn, run)
    assert "dev is a random 10% of the documents of train, from seed 1: 1" in said
    assert (run / "model").is_dir()
    dev, said = command("evaluate", run / "model", folder, *lenient, "--json")
    assert dev["gold"]["documents"] == 1
    assert "was trained on" not in said
    predicted = tmp_path / "predicted.jsonl"
    test, _ = command(
        "evaluate", run / "model", folder, "--split", "test", *lenient, "--json", "-o", predicted
    )
    assert test["auto"]["relations"] == "rst-dt"
    assert test["auto"]["sentences"] == N_SENTENCES * len(TEST)
    assert test["auto"]["trees"] == N_SENTENCES * len(TEST) - 2 * sum(map(is_crossing, TEST))
    assert test["gold"]["segmentation"]["inner"]["f1"] == 1

    scored, _ = command("score", folder, predicted, "--split", "test", *lenient, "--json")
    for part in ("relations", "documents", "sentences", "trees", "segmentation", "parseval"):
        assert scored[part] == test["auto"][part]

    agreed, _ = command("agreement", folder / MAIN, folder / DOUBLE, *lenient, "--json")
    assert agreed["documents"] == 2
    assert agreed["segmentation"]["inner"]["f1"] == 1
    rst = agreed["parseval"]["rst"]
    assert rst["nuclearity"]["f1"] == 1
    assert rst["relation"]["matched"] == rst["relation"]["gold"] - 2  # one in each document


def test_a_dev_folder_is_dev_and_another_share_is_refused(tmp_path, penn, command, capsys):
    folder = write_rst_dt(tmp_path / "rst", dev=("wsj_0602", "file1"))
    train(command, folder, penn, tmp_path / "run", "data.dev_share=0")
    dev, _ = command(
        "evaluate", tmp_path / "run" / "model", folder, "--sentences", penn, "--lenient", "--json"
    )
    assert dev["gold"]["documents"] == 2
    with pytest.raises(AssertionError, match="it has a split dev, so no share is held out"):
        train(command, folder, penn, tmp_path / "other")


def test_strict_reading_names_a_node_with_two_relations(tmp_path, penn, capsys):
    folder = write_rst_dt(tmp_path / "rst")
    assert main(["corpus", "stats", str(folder), "--sentences", str(penn)]) == 2
    assert "need one relation, found List, Sequence" in capsys.readouterr().err


def test_the_recipes_of_the_paper_have_the_settings_of_rst_dt():
    from rhetree.learning.training.recipe import read_recipe
    from rhetree.learning.training.shipped_recipes import find_recipe

    for task in ("joint", "parser", "segmenter"):
        data = read_recipe(find_recipe(f"paper-{task}")).data
        assert (data.dev_share, data.relations, data.lenient) == (0.1, "rst-dt", True)
        assert data.sentences
