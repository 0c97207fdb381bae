"""Training runs from recipe to model directory."""

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from rhetree.corpora.corpus import read_corpus
from rhetree.domain.annotation import Syntax
from rhetree.domain.document import Document
from rhetree.formats import read, write
from rhetree.learning.model import WEIGHTS, load_model, save_model
from rhetree.learning.scoring import SCORES, score
from rhetree.learning.training.commit import source_commit
from rhetree.learning.training.curve import draw_curve
from rhetree.learning.training.experiment import read_data, run
from rhetree.learning.training.loop import Evaluated
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.run_folder import read_log
from rhetree.learning.training.settings import as_toml
from rhetree.learning.training.shipped_recipes import find_recipe, shipped_recipes
from support import small_corpora
from support.tiny_encoders import save_encoder, write_elmo
from support.training_runs import UNSET, small_recipe, train, write_recipe


@pytest.mark.parametrize("path", shipped_recipes().values(), ids=lambda path: path.stem)
def test_a_shipped_recipe_has_every_setting_below_its_description(path, request):
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    recipe = read_recipe(path)
    sections = as_toml(recipe).split("\n\n")
    if recipe.train.start:  # the network is that of the model to start from
        sections = [section for section in sections if "\n[network" not in section]
    expected = "\n\n".join(sections)
    if request.config.getoption("--regenerate"):
        body = expected
        path.write_text(f"{head}\n\n{body}", encoding="utf-8")
    assert all(line.startswith("#") for line in head.splitlines())
    assert f"rhetree train {path.stem} --set" in head
    assert body == expected


def test_a_model_is_learnt_saved_loaded_and_predicts_the_same(corpus, tmp_path):
    recipe = small_recipe(corpus, "train.epochs=60", "optimizer.learning_rate=0.05", "train.patience=60")
    events = list(run(recipe, tmp_path / "run"))
    best = max((event for event in events if isinstance(event, Evaluated)), key=lambda e: e.scores["full"])
    assert best.scores["full"] > 60
    model = load_model(tmp_path / "run" / "model")
    assert model.recipe == recipe
    assert model.about["scores"]["dev"] == dict(best.scores)
    assert model.about["data"]["documents"] == 4
    dev = read_corpus(corpus).split("dev")
    found = score(model.network, dev)
    assert found.named() == dict(best.scores)
    save_model(tmp_path / "again", model.network, model.recipe, {})
    assert score(load_model(tmp_path / "again").network, dev).predictions == found.predictions
    curve = tmp_path / "curve.svg"
    draw_curve(read_log(tmp_path / "run"), curve)
    assert "dev score" in curve.read_text(encoding="utf-8")


def test_a_model_names_the_commit_of_a_checkout(tmp_path, monkeypatch):
    module = tmp_path / "src" / "rhetree" / "learning" / "training" / "commit.py"
    monkeypatch.setattr("rhetree.learning.training.commit.__file__", str(module))
    assert source_commit() is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    assert source_commit() is None
    (tmp_path / "file").write_text("one", encoding="utf-8")
    subprocess.run([*git, "add", "file"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    assert source_commit() == head.stdout.strip()
    (tmp_path / "file").write_text("two", encoding="utf-8")
    assert source_commit() == f"{head.stdout.strip()}+"


@pytest.mark.parametrize("name", ["paper-segmenter", "paper-parser", "paper-joint"])
def test_a_recipe_of_the_paper_trains_on_elmo(corpus, tmp_path, monkeypatch, name):
    monkeypatch.setenv("RHETREE_CACHE", str(tmp_path / "cache"))
    elmo = write_elmo(tmp_path / "elmo")
    own_corpus = [f"data.corpus={corpus}", "data.dev_share=0", "data.sentences=", "data.relations="]
    assignments = [*own_corpus, f"network.embedding.path={elmo}", "train.epochs=1"]
    recipe = read_recipe(find_recipe(name), assignments)
    *_, evaluated = run(recipe, tmp_path / "run")
    model = load_model(tmp_path / "run" / "model")
    assert set(model.about["scores"]["dev"]) == set(evaluated.scores) == set(SCORES[recipe.network.task])


@pytest.mark.parametrize(
    ("task", "scores"),
    [
        ("segment", {"segmentation"}),
        ("parse", {"gold-span", "gold-nuclearity", "gold-relation", "gold-full"}),
    ],
)
def test_a_network_for_one_task_has_that_tasks_scores(corpus, tmp_path, task, scores):
    events = train(corpus, tmp_path / "run", f"network.task={task}", "train.epochs=1")
    assert set(events[-1].scores) == scores


def test_a_model_that_learnt_dependencies_beside_its_task_is_saved_without_them(corpus, tmp_path):
    for path in corpus.glob("*.json"):
        bare = next(read(path))
        heads = [str(number) for sentence in bare.sentences for number in range(len(sentence))]
        columns = tuple(
            ("_", "_", "_", "_", head, "dep" if int(head) else "root", "_", "_") for head in heads
        )
        write(replace(bare, syntax=Syntax(columns)), path)
    events = train(corpus, tmp_path / "run", "network.loss.syntax=0.5", "train.epochs=1")
    assert "syntax" in events[1].losses
    model = load_model(tmp_path / "run" / "model")
    assert score(model.network, read_corpus(corpus).split("dev")).named() == events[-1].scores


def in_two_processes(*command):
    """What a command that two processes run together prints."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2"]
    start += ["--master_addr=127.0.0.1", f"--master_port={port}"]
    done = subprocess.run(
        [*start, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


def test_two_processes_learn_what_one_learns(corpus, tmp_path):
    # Without dropout, and with losses that add up over sentences, the gradients are the same.
    still = [f"network.{part}.dropout=0" for part in ("encoder", "segmenter", "parser", "classifier")]
    train(corpus, tmp_path / "teacher", "train.epochs=1")
    texts = tmp_path / "texts.conllu"
    write(
        Document.from_sentences([["It", "rained", ",", "but", "we", "sang", "."], ["Yes", "."], ["No", "."]]),
        texts,
    )
    taught = [
        f"distillation.teachers=['{tmp_path / 'teacher' / 'model'}']",
        f"distillation.texts=['{texts}']",
        "network.loss.reduction=sentences",
    ]
    recipe = write_recipe(corpus, tmp_path / "small.toml", *taught, *still)
    alone, together = tmp_path / "alone", tmp_path / "together"
    list(run(read_recipe(recipe), alone))
    printed = in_two_processes("-m", "rhetree", "train", recipe, "-o", together)
    assert printed.splitlines() == [str(together / "model")]
    assert [line["step"] for line in read_log(together)] == [line["step"] for line in read_log(alone)]
    one, two = (load_file(folder / "model" / WEIGHTS) for folder in (alone, together))
    for name, weight in one.items():
        torch.testing.assert_close(two[name], weight, atol=1e-3, rtol=0, msg=name)
    scores = [load_model(folder / "model").about["scores"]["dev"] for folder in (alone, together)]
    assert scores[1] == pytest.approx(scores[0])


RESUMER = """
import sys
from pathlib import Path
from torch import distributed
from rhetree.learning.training.experiment import run
from rhetree.learning.training.processes import started
from rhetree.learning.training.recipe import read_recipe
recipe, folder = map(Path, sys.argv[1:])
with started() as processes:
    for name, n_epochs in ("whole", 2), ("broken", 1), ("broken", 2):
        settings = read_recipe(recipe, [f"train.epochs={n_epochs}"])
        list(run(settings, folder / name, resume=(name, n_epochs) == ("broken", 2), processes=processes))
        distributed.barrier()
"""


@pytest.mark.slow
def test_two_processes_resume_to_the_weights_of_an_unbroken_run(corpus, tmp_path):
    recipe, script = write_recipe(corpus, tmp_path / "small.toml"), tmp_path / "resumer.py"
    script.write_text(RESUMER, encoding="utf-8")
    in_two_processes(script, recipe, tmp_path)
    one, two = (load_file(tmp_path / name / "checkpoint.safetensors") for name in ("whole", "broken"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_no_network_is_attempted(corpus, tmp_path, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    train(corpus, tmp_path / "run", "train.epochs=1")


def test_a_run_tells_how_far_features_are(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("RHETREE_CACHE", str(tmp_path / "cache"))
    encoder = [*UNSET, "network.embedding.kind=transformer"]
    encoder.append(f"network.embedding.path={save_encoder(tmp_path / 'bert')}")
    told = []
    recipe = small_recipe(corpus, *encoder, "train.epochs=1")
    list(run(recipe, tmp_path / "run", progress=lambda *numbers: told.append(numbers)))
    assert told[-1] == (18, 18)


@pytest.mark.parametrize(
    ("relations", "labels"),
    [
        ("rst-dt", ("Cause-NS", "Condition-SN", "Joint-NN")),
        ("none", ("cause-NS", "condition-SN", "list-NN")),
        ("classes.txt", ("Reason-NS", "Reason-SN", "Several-NN")),
    ],
)
def test_the_relations_of_a_recipe_decide_the_labels(corpus, tmp_path, monkeypatch, relations, labels):
    monkeypatch.chdir(tmp_path)
    Path("classes.txt").write_text("Reason: cause, condition\nSeveral: list\n", encoding="utf-8")
    train(corpus, tmp_path / "run", f"data.relations={relations}", "train.epochs=1")
    assert load_model(tmp_path / "run" / "model").network.labels == labels


def test_the_sentences_of_a_recipe_are_those_that_are_learnt(tmp_path):
    names = ("wsj_0001", "wsj_0002", "wsj_0003")
    penn = small_corpora.write(tmp_path / "ptb", {f"{name}.mrg": small_corpora.PLAN_MRG for name in names})
    folder = small_corpora.rst_dt_layout(tmp_path / "rst", double=())
    settings = [f"data.corpus={folder}", "data.dev_share=0.5"]
    gold = read_data(read_recipe(None, [*settings, f"data.sentences={penn}"]).data)
    found = read_data(read_recipe(None, settings).data)
    # The treebank's tokens are not those of a rule, and no rule has to be told of.
    assert [len(sentence) for sentence in gold.train[0].sentences] == [24, 5]
    assert [len(sentence) for sentence in found.train[0].sentences] != [24, 5]
    assert not any("rule" in note for note in gold.notes)
    assert any("rule" in note for note in found.notes)


def test_training_computes_with_the_threads_of_its_recipe(corpus, tmp_path):
    before = torch.get_num_threads()
    try:
        for n_threads in (2, 1):
            events = run(small_recipe(corpus, f"train.threads={n_threads}"), tmp_path / str(n_threads))
            for _ in range(2):
                next(events)  # what was read, and the first step
            assert torch.get_num_threads() == n_threads
    finally:
        torch.set_num_threads(before)


def test_the_score_of_a_recipe_chooses_the_model(corpus, tmp_path, monkeypatch):
    class Found:
        rows = iter([(9, 1), (8, 2), (7, 3)] * 2)

        def named(self):
            return dict(zip(("segmentation", "full"), next(self.rows), strict=True))

    monkeypatch.setattr("rhetree.learning.scoring.score", lambda *_: Found())
    for select, best in (("segmentation", 9), ("full", 3)):
        train(corpus, tmp_path / select, f"train.select={select}")
        assert load_model(tmp_path / select / "model").about["scores"]["dev"][select] == best
