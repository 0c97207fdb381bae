import json
from pathlib import Path

import pytest

from rhetree.cli.main import main
from rhetree.cli.model_facts import ModelFacts, first_paragraph
from rhetree.runtime import installed

CONFIG = {
    "format": "rhetree-model",
    "version": 1,
    "rhetree": "0.1.0",
    "labels": ["elaboration-NS", "joint-NN"],
    "recipe": {"network": {"task": "joint", "embedding": {"kind": "transformer", "path": "encoders/minilm"}}},
    "scores": {"dev": {"segmentation": 87.25, "full": 61.7}},
    "data": {"corpus": "gum", "documents": 177, "sha256": "b15ae04cedcf684c6bd40f", "relations": "gum"},
    "versions": {"python": "3.11.7"},
    "runtime": {"precision": "int8"},
}
CARD = """<!-- written by hand -->
# English, trained on GUM

A joint model of English:
it segments and parses.

## Licence of the model

Its weights are MIT; some of
the texts are not.

Another paragraph.
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(installed, "_HOME", tmp_path)
    return tmp_path


def make(folder, card=CARD, **changes):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG | changes), encoding="utf-8")
    (folder / "decoder.safetensors").write_bytes(bytes(2_000_000))
    if card:
        (folder / "MODEL_CARD.md").write_text(card, encoding="utf-8")


def test_models_are_listed_with_size_scores_and_licence(home, capsys):
    make(home / "english")
    make(home / "small", card="", scores={})
    assert main(["models"]) == 0
    assert capsys.readouterr().out == (
        "english (2.0 MB, the default)\n"
        "  A joint model of English: it segments and parses.\n"
        "  dev as trained: segmentation 87.2, full 61.7\n"
        "  licence: Its weights are MIT; some of the texts are not.\n"
        "\n"
        "small (2.0 MB)\n"
    )
    assert main(["models", "--json"]) == 0
    assert [model["name"] for model in json.loads(capsys.readouterr().out)] == ["english", "small"]


def test_where_there_is_no_model_that_is_said(home, capsys):
    assert main(["models"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rhetree: no model is installed")
    assert main(["models", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_info_tells_the_facts_and_the_card(home, capsys):
    make(home / "english")
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert main(["info", "english"]) == 0
    assert capsys.readouterr().out == out
    assert main(["info", str(home / "english")]) == 0
    assert capsys.readouterr().out == out
    facts = dict(line.split(maxsplit=1) for line in out.splitlines()[:5])
    assert facts["size"] == "2.0 MB"
    assert facts["task"] == "segments and parses"
    assert facts["encoder"] == "transformer minilm"
    assert "precision       int8\n" in out
    assert "trained on      gum, 177 documents, sha256 b15ae04cedcf…, classes of gum\n" in out
    assert "dev as trained  segmentation 87.2, full 61.7\n" in out
    assert out.endswith(CARD)


def test_info_as_json_has_everything(home, capsys):
    make(home / "english")
    assert main(["info", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["config"] == CONFIG
    assert record["card"] == CARD
    assert record["bytes"] > 2_000_000


def test_what_is_no_model_is_told(home, tmp_path, capsys):
    assert main(["info", "nothing"]) == 2
    assert "no model is called 'nothing', nor is there such a folder" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["info", str(tmp_path / "empty")]) == 2
    assert "not a model directory" in capsys.readouterr().err
    make(tmp_path / "new", version=99)
    assert main(["info", str(tmp_path / "new")]) == 2
    assert "model format version 99" in capsys.readouterr().err


def test_a_config_without_facts_is_shown_all_the_same(home, capsys):
    make(home / "bare", card="", recipe={}, labels=[], scores={}, data={}, versions={})
    assert main(["info", "bare"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["model", "bare"]


def test_of_a_list_the_first_item_is_told_and_of_a_long_text_the_beginning():
    card = "## Data and licences\n\n- The corpus: **some** is\n  not free.\n- The encoder: MIT.\n"
    assert ModelFacts("a", Path("a"), 0, {}, card).licence == "The corpus: some is not free."
    assert first_paragraph("word " * 200) == "word " * 79 + "word …"
