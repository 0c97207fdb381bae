"""``rhetree evaluate`` on small models."""

import json
import re
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import rhetree
from rhetree.cli.main import main
from rhetree.corpora.corpus import read_corpus
from rhetree.formats import read, write
from rhetree.learning.evaluation import evaluate_models
from rhetree.runtime.installed import find_model
from rhetree.runtime.pipeline import Pipeline
from support.training_runs import document, train


def test_two_models_work_one_after_the_other(corpus, tmp_path, capsys):
    for task in ("segment", "parse"):
        train(corpus, tmp_path / task, f"network.task={task}")
    parser, segmenter = str(tmp_path / "parse" / "model"), str(tmp_path / "segment" / "model")
    assert main(["evaluate", parser, str(corpus), "--segmenter", segmenter, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["auto"]["segmentation"]["inner"]["gold"] == 6
    assert main(["evaluate", segmenter, str(corpus), "--segmenter", parser]) == 2
    assert "only segments" in capsys.readouterr().err


def test_evaluate_prints_both_settings_and_writes_predictions(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run")
    predictions = tmp_path / "predicted.jsonl"
    assert main(["evaluate", str(tmp_path / "run" / "model"), str(corpus), "-o", str(predictions)]) == 0
    shown = capsys.readouterr().out
    assert "With gold EDUs" in shown
    assert "With the model's own EDUs" in shown
    assert "weather" in shown
    assert [document.name for document in read(predictions)] == ["doc4", "doc5"]
    assert all(re.fullmatch("model [0-9a-f]{12}", found.metadata["model"]) for found in read(predictions))
    gold = tmp_path / "gold-edus.jsonl"
    assert (
        main(["evaluate", str(tmp_path / "run" / "model"), str(corpus), "--edus", "gold", "-o", str(gold)])
        == 0
    )
    assert "own EDUs" not in capsys.readouterr().out
    found = evaluate_models(tmp_path / "run" / "model", [document(4)], edus="auto")
    assert found.gold is None
    assert found.predictions.keys() == {"auto"}
    assert [found.edus for found in read(gold)] == [document(number).edus for number in (4, 5)]


def test_a_shipped_model_is_scored_with_its_own_search(monkeypatch):
    searches = []

    def pipeline(*args, search, **settings):
        searches.append(search)
        return Pipeline(*args, search=search, **settings)

    monkeypatch.setattr("rhetree.learning.evaluation.Pipeline", pipeline)
    assert evaluate_models(find_model("english"), [document(4)], threads=1).auto is not None
    assert searches == [rhetree.load("english", threads=1).pipeline.search]


def test_predictions_go_into_a_folder_in_any_format(corpus, tmp_path, capsys, monkeypatch):
    train(corpus, tmp_path / "run", "train.epochs=1")
    monkeypatch.setattr("rhetree.runtime.installed._HOME", tmp_path / "run")
    for ending in ("json", "rs3", "rs4", "conllu", "brackets"):
        folder = tmp_path / ending
        assert main(["evaluate", "model", str(corpus), "-o", str(folder), "--to", ending]) == 0
        assert "With gold EDUs" in capsys.readouterr().out
        assert sorted(path.name for path in folder.iterdir()) == [f"doc4.{ending}", f"doc5.{ending}"]
    for ending in ("dis", "rsd"):
        folder = tmp_path / ending
        assert main(["evaluate", "model", str(corpus), "-o", str(folder), "--to", ending]) == 0
        assert {path.parent.name for path in folder.rglob(f"*-1.{ending}")} == {"doc4", "doc5"}


def test_predictions_that_cannot_be_written_are_told_before_anything_is_computed(
    corpus, tmp_path, capsys, monkeypatch
):
    train(corpus, tmp_path / "run", "train.epochs=1")
    monkeypatch.setattr("rhetree.learning.evaluation.evaluate_models", None)
    (tmp_path / "file").touch()
    for arguments, message in (
        (["-o", tmp_path / "folder"], "a folder; name the format of the files in it with --to"),
        (["-o", tmp_path / "one.json"], "json holds one document a file, and there are 2; name a folder"),
        (["-o", tmp_path / "odd.xyz"], "its ending is none of"),
        (["-o", tmp_path / "file", "--to", "json"], "a file, not a folder"),
        (["-o", tmp_path / "file" / "a.jsonl"], "a file, not a folder"),
        (["-o", "-", "--to", "jsonl"], "standard output has the scores; name a file"),
        (["--to", "jsonl"], "there is no -o"),
    ):
        assert main(["evaluate", str(tmp_path / "run" / "model"), str(corpus), *map(str, arguments)]) == 2
        assert message in capsys.readouterr().err


def test_fewer_than_no_threads_are_refused(corpus, capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "english", str(corpus), "--threads", "-1"])
    assert "--threads: expected a whole number, 0 to 1024, found '-1'" in capsys.readouterr().err


def test_formats_of_trees_cannot_hold_what_a_segmenter_finds(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "network.task=segment", "train.epochs=1")
    command = ["evaluate", str(tmp_path / "run" / "model"), str(corpus), "-o", str(tmp_path / "out")]
    assert main([*command, "--to", "rsd"]) == 2
    said = capsys.readouterr().err
    assert "rsd cannot hold what this model finds" in said
    assert "json, jsonl and conllu can" in said
    assert not (tmp_path / "out").exists()


def test_a_segmenter_has_no_scores_with_gold_edus(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "network.task=segment", "train.epochs=1")
    assert main(["evaluate", str(tmp_path / "run" / "model"), str(corpus), "--edus", "gold"]) == 2
    assert (
        "this model can only segment, so it has no scores with gold EDUs; ask for auto EDUs"
        in capsys.readouterr().err
    )


def evaluate(folder, corpus, *arguments):
    return main(["evaluate", str(folder / "model"), str(corpus), *map(str, arguments)])


def test_a_model_is_scored_by_the_classes_that_it_learnt(corpus, tmp_path, capsys):
    """Wherever the corpus lies: the file of its classes may be gone."""
    classes = tmp_path / "classes"
    classes.write_text("Reason: cause, condition\nOther: list\n", encoding="utf-8")
    train(corpus, tmp_path / "run", f"data.relations={classes}", "train.epochs=1")
    classes.unlink()
    assert evaluate(tmp_path / "run", corpus, "--edus", "gold", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["gold"]["relations"] == "classes"
    assert set(record["gold"]["per_relation"]["rst"]) <= {"Reason", "Other", "span"}
    assert evaluate(tmp_path / "run", corpus, "--relations", "none") == 0
    told = capsys.readouterr()
    assert "relations as they are" in told.out
    assert "6 of 6 gold labels are none of the model's, most often" in told.err


def test_a_named_inventory_is_remembered_by_its_name(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "data.relations=gum", "train.epochs=1")
    config = json.loads((tmp_path / "run" / "model" / "config.json").read_text(encoding="utf-8"))
    assert config["data"]["relations"] == "gum"
    assert evaluate(tmp_path / "run", corpus) == 0
    told = capsys.readouterr()
    assert "classes of gum" in told.out
    assert "gold labels" not in told.err


def test_documents_that_the_model_was_trained_on_are_told(corpus, tmp_path, capsys):
    """Known by their text: doc4 and doc5 of dev have the texts of doc1 and doc2, under other names."""
    train(corpus, tmp_path / "run", "train.epochs=1")
    assert evaluate(tmp_path / "run", corpus) == 0
    assert "model was trained on 2 of 2 documents (doc4, doc5); scores on them" in capsys.readouterr().err
    other = document(4)
    write(replace(other, text=other.text.replace("sang", "slept")), corpus / "doc4.json")
    assert evaluate(tmp_path / "run", corpus) == 0
    assert "model was trained on 1 of 2 documents (doc5); scores on them" in capsys.readouterr().err


def test_without_a_split_dev_a_model_is_scored_on_the_documents_that_were_held_out(corpus, tmp_path, capsys):
    for split in ("train", "dev"):
        (corpus / f"{split}.txt").unlink()
    train(corpus, tmp_path / "run", "data.dev_share=0.34", "data.seed=3", "train.epochs=1")
    held_out = [held.name for held in read_corpus(corpus, dev_share=0.34, seed=3).split("dev")]
    assert len(held_out) == 2
    for arguments in ([], ["--dev-share", "0.34"], ["--dev-share", "0.34", "--seed", "3"]):
        assert evaluate(tmp_path / "run", corpus, "--json", "--per-document", *arguments) == 0
        told = capsys.readouterr()
        assert [found["name"] for found in json.loads(told.out)["gold"]["per_document"]] == held_out
        assert "dev is a random 34% of the documents of all, from seed 3: 2" in told.err
    assert evaluate(tmp_path / "run", corpus, "--json", "--per-document", "--dev-share", "0.5") == 0
    assert len(json.loads(capsys.readouterr().out)["gold"]["per_document"]) == 3


def test_a_corpus_without_splits_says_how_to_hold_out_a_share_or_to_score_all(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "train.epochs=1")
    (corpus / "dev.txt").unlink()
    assert evaluate(tmp_path / "run", corpus) == 2
    told = capsys.readouterr().err
    assert "; hold out a share of the training documents as dev with --dev-share\n" in told
    (corpus / "train.txt").unlink()
    assert evaluate(tmp_path / "run", corpus) == 2
    message = (
        "it is not split, so there is no 'dev'; hold out a share of its documents as dev with --dev-share, "
        "or score all of it with --split all\n"
    )
    assert message in capsys.readouterr().err
    assert evaluate(tmp_path / "run", corpus, "--split", "all") == 0


def test_lenient_evaluation_leaves_out_bad_documents(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "train.epochs=1")
    (corpus / "doc4.json").write_text("{", encoding="utf-8")
    assert evaluate(tmp_path / "run", corpus) == 2
    assert "doc4.json" in capsys.readouterr().err
    assert evaluate(tmp_path / "run", corpus, "--lenient", "--json") == 0
    told = capsys.readouterr()
    assert "left out: " in told.err
    assert json.loads(told.out)["gold"]["documents"] == 1


def test_a_segmenter_is_scored_whatever_the_relations_are(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "network.task=segment", "data.relations=rst-dt", "train.epochs=1")
    for path in corpus.glob("*.json"):
        write(next(read(path)).map_relations(lambda name: f"new-{name}"), path)
    assert evaluate(tmp_path / "run", corpus) == 0
    assert "In sentences" in capsys.readouterr().out


def test_classes_that_are_damaged_are_refused(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "train.epochs=1")
    path = tmp_path / "run" / "model" / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["data"]["relations"] = {"name": "x", "classes": 3, "suffixes": []}
    path.write_text(json.dumps(config), encoding="utf-8")
    assert evaluate(tmp_path / "run", corpus) == 2
    assert "config.json: data.relations is not a valid inventory" in capsys.readouterr().err


def test_a_segmenter_shows_scores_of_edus_alone(corpus, tmp_path, capsys):
    train(corpus, tmp_path / "run", "network.task=segment", "train.epochs=1")
    assert evaluate(tmp_path / "run", corpus) == 0
    shown = capsys.readouterr().out
    assert "In sentences" in shown
    assert "Full" not in shown


def test_a_corpus_without_trees_gives_a_joint_model_scores_of_edus_and_a_parser_none(
    corpus, tmp_path, capsys
):
    for task in ("joint", "parse"):
        train(corpus, tmp_path / task, f"network.task={task}", "train.epochs=1")
    for path in corpus.glob("*.json"):
        write(next(read(path)).without_trees(), path)
    assert evaluate(tmp_path / "joint", corpus) == 0
    shown = capsys.readouterr().out
    assert "With gold EDUs" not in shown
    assert "Full" not in shown
    for arguments in ([tmp_path / "parse", corpus], [tmp_path / "joint", corpus, "--edus", "gold"]):
        assert evaluate(*arguments) == 2
        assert "no sentence of the split has a tree" in capsys.readouterr().err
