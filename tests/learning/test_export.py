"""A model that left torch finds what it found there, whatever its settings, and in whatever company."""

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from rhetree.errors import ModelError
from rhetree.formats import write
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.static import StaticEmbedder
from rhetree.learning.export import export_model
from rhetree.learning.export.graphs import trace
from rhetree.learning.export.precision import PRECISIONS
from rhetree.learning.model import load_model
from rhetree.learning.torch_network import TorchNetwork
from rhetree.runtime.model import (
    CONFIG,
    ENCODER,
    LABELS,
    PARSER,
    SEGMENTER,
    STATES,
    load_runtime,
)
from support.exported import analyse, assert_same, gold_document, make_model, transformer_model
from support.networks import SENTENCES, SMALL, VARIATIONS, HashedEmbedder
from support.tiny_encoders import WORDS, byte_level_tokenizer, save_encoder

LONG = (WORDS[:16] * 20)[:300]


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def encoder(tmp_path):
    return save_encoder(tmp_path / "encoder")


def exported(model, folder, **settings):
    settings.setdefault("precision", "fp32")
    export_model(model, folder, **settings)
    return load_runtime(folder, threads=1)


def tasks(model):
    """Whether to give gold EDUs."""
    return {"joint": (False, True), "segment": (False,), "parse": (True,)}[model.recipe.network.task]


def assert_exported_is_same(model, found, sentences=SENTENCES):
    assert found.labels == model.network.labels
    for gold in tasks(model):
        assert_same(
            analyse(TorchNetwork(model.network), found.labels, sentences, gold=gold),
            analyse(found.network, found.labels, sentences, gold=gold),
        )


@pytest.mark.parametrize(
    "name", [name for name, config in VARIATIONS.items() if config.segmenter.kind != "crf"]
)
def test_an_exported_network_finds_the_same(name, tmp_path):
    model = make_model(VARIATIONS[name])
    assert_exported_is_same(model, exported(model, tmp_path / "model"))


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("bert", {"tuning": "tuned"}),
        ("bert", {"tuning": "mix", "piece": "first"}),
        ("bert", {"piece": "mean", "n_layers": 1, "window": 16}),
        ("distilbert", {}),
        ("roberta", {"piece": "mean"}),
        ("electra", {}),
        ("mpnet", {}),
    ],
)
def test_an_exported_encoder_finds_the_same(kind, settings, tmp_path):
    own = {"pad_token_id": 1} if kind == "roberta" else {}
    tokenizer = byte_level_tokenizer() if kind == "roberta" else None
    model = transformer_model(save_encoder(tmp_path / kind, kind, tokenizer, **own), **settings)
    found = exported(model, tmp_path / "model")
    assert_exported_is_same(model, found)
    long = [LONG, SENTENCES[1]]  # more than an encoder sees at once
    ours, theirs = found.network.encode(long), TorchNetwork(model.network).encode(long)
    np.testing.assert_allclose(ours.parser.units, theirs.parser.units, atol=2e-4)


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
@pytest.mark.parametrize("tuning", ["frozen", "mix"])
def test_an_exported_encoder_rounds_as_features_were(kind, tuning, tmp_path):
    folder = save_encoder(tmp_path / kind, kind)
    model = transformer_model(folder, tuning=tuning, features_dtype="float16")
    found = exported(model, tmp_path / "model")
    assert_exported_is_same(model, found)
    with torch.no_grad():
        theirs = model.network.embedder([LONG]).numpy()
    # Few numbers are so near the middle that the last bit of 32 rounds them the other way.
    assert (np.abs(found.network._words([LONG]) - theirs) > 1e-5).mean() < 0.01


def test_exported_static_vectors_find_the_same(tmp_path):
    words = ["The", "the", "boats", "left", "he", "she", "said", "unused", "."]
    lines = [
        f"{word} {' '.join(str((number * k) % 7 / 7) for k in range(1, 7))}"
        for number, word in enumerate(words)
    ]
    (tmp_path / "vectors.txt").write_text("\n".join(lines), encoding="utf-8")
    for tuning in ("frozen", "tuned"):
        embedding = EmbeddingConfig(kind="static", path=str(tmp_path / "vectors.txt"), tuning=tuning)
        embedder = StaticEmbedder.create(embedding, SENTENCES)
        model = make_model(replace(SMALL, embedding=embedding), embedder)
        assert_exported_is_same(model, exported(model, tmp_path / tuning))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_company_and_threads_change_nothing(precision, encoder, tmp_path):
    model = transformer_model(encoder, VARIATIONS["both sides"])
    found = exported(model, tmp_path / "model", precision=precision)
    sentences = [*SENTENCES, LONG]
    together = analyse(found.network, found.labels, sentences)
    assert_same(together, analyse(found.network, found.labels, sentences, batch_cost=1))
    two = load_runtime(tmp_path / "model", threads=2)
    assert_same(together, analyse(two.network, two.labels, sentences))
    # What comes out of the encoder is the same to the last bit.
    alone = [found.network.encode([sentence]).parser.units[0] for sentence in sentences]
    network: Any = two.network
    words = [network._words([sentence])[0] for sentence in sentences]
    for own, padded in zip(words, network._words(sentences), strict=True):
        assert np.array_equal(own, padded[: len(own)])
    for own, padded in zip(alone, found.network.encode(sentences).parser.units, strict=True):
        np.testing.assert_allclose(own, padded[: len(own)], atol=2e-5)


@pytest.mark.parametrize(("precision", "tolerance"), [("fp16", 0.01), ("int8", 0.2)])
def test_lower_precision_is_smaller_and_near(precision, tolerance, tmp_path):
    folder = save_encoder(tmp_path / "encoder", hidden_size=64, intermediate_size=256)
    model = transformer_model(folder)
    full, low = (exported(model, tmp_path / name, precision=name) for name in ("fp32", precision))
    one, other = (found.network._words(SENTENCES) for found in (full, low))
    assert not np.array_equal(one, other)
    assert np.abs(one - other).mean() < tolerance * np.abs(one).mean()
    sizes = [(found.folder / ENCODER).stat().st_size for found in (full, low)]
    assert sizes[1] < 0.7 * sizes[0]


def test_a_directory_says_what_it_holds_and_not_where_it_came_from(encoder, tmp_path):
    model = transformer_model(encoder)
    found = exported(model, tmp_path / "model", precision="int8", card="# A model\n")
    assert sorted(path.name for path in found.folder.iterdir()) == [
        "MODEL_CARD.md",
        CONFIG,
        ENCODER,
        LABELS,
        PARSER,
        SEGMENTER,
        STATES,
        "tokenizer.json",
    ]
    assert found.task == "joint"
    assert found.about["runtime"]["precision"] == "int8"
    assert found.about["recipe"]["network"]["embedding"]["path"] == "encoder"
    assert str(tmp_path) not in (found.folder / CONFIG).read_text(encoding="utf-8")
    with pytest.raises(ModelError, match="there is no weights.safetensors"):
        load_model(found.folder)


def test_a_model_exported_with_its_weights_is_still_a_model_of_torch(encoder, tmp_path):
    model = transformer_model(encoder)
    found = exported(model, tmp_path / "model", weights=True)
    loaded = load_model(tmp_path / "model")
    for name, value in model.network.state_dict().items():
        assert torch.equal(value, loaded.network.state_dict()[name])
    again = exported(tmp_path / "model", tmp_path / "again")
    assert_same(*(analyse(one.network, one.labels) for one in (found, again)))


def test_what_has_no_exported_form_is_refused(tmp_path):
    model = make_model(VARIATIONS["plain crf"])
    with pytest.raises(ModelError, match="a CRF tagger has no exported form"):
        export_model(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()

    model = make_model()
    model.network.embedder = HashedEmbedder()
    with pytest.raises(ModelError, match="random embeddings have no exported form"):
        export_model(model, tmp_path / "model")


def _remove(folder):
    (folder / STATES).unlink()


def _cut(folder):
    path = folder / LABELS
    path.write_bytes(path.read_bytes()[:-9])


def _swap(folder):
    """Bytes that are no graph, as many as there were."""
    path = folder / STATES
    path.write_bytes(b"?" * path.stat().st_size)


def _edit(**changes):
    def edit(folder):
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        for key, value in changes.items():
            config["runtime" if key in config["runtime"] else key] = (
                config["runtime"] | {key: value} if key in config["runtime"] else value
            )
        (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")

    return edit


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_remove, r"states.onnx: No such file or directory; is the model complete\?"),
        (_cut, r"labels.onnx: has \d+ bytes, not \d+; it may be cut off"),
        (_swap, "states.onnx: is not the file that the model was exported with"),
        (_edit(version=99), "model format version 99, this Rhetree reads 1"),
        (_edit(format="other"), "not a model of Rhetree"),
        (_edit(runtime=None), "runtime: expected a section of settings, got None"),
        (_edit(words={"kind": "table"}), "runtime.words: lower_case is missing"),
        (_edit(parser={"boundary": "last"}), "runtime.parser: span is missing"),
        (_edit(files=[]), "expected the files with their sizes under runtime.files"),
        (_edit(labels=["joint-NN"]), "the network tells [0-9]+ labels apart, and 1 have a name"),
        (
            _edit(recipe={"network": {"task": "sing"}}),
            "recipe.network.task: expected one of segment, parse, joint, got 'sing'",
        ),
    ],
)
def test_a_spoilt_directory_is_refused_with_what_is_wrong(spoil, message, tmp_path):
    export_model(make_model(), tmp_path / "model", precision="fp32")
    spoil(tmp_path / "model")
    with pytest.raises(ModelError, match=message):
        load_runtime(tmp_path / "model")


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="not a model directory"):
        load_runtime(tmp_path)


def test_exported_models_run_and_are_scored_where_there_is_no_torch(encoder, tmp_path):
    model = transformer_model(encoder)
    found = exported(model, tmp_path / "model")
    corpus = tmp_path / "corpus"
    write(gold_document(), corpus / "one.json")
    (corpus / "dev.txt").write_text("one\n", encoding="utf-8")
    expected = [[(edu.start, edu.end) for edu in edus] for edus, _ in analyse(found.network, found.labels)[0]]
    code = f"""
import sys
for name in ("torch", "transformers", "onnx"):
    sys.modules[name] = None
import json
from pathlib import Path
from rhetree.cli.main import main
from rhetree.runtime.model import load_runtime
from rhetree.runtime.pipeline import Pipeline
assert main(["evaluate", {str(found.folder)!r}, {str(corpus)!r}, "--json"]) == 0
model = load_runtime(Path({str(found.folder)!r}))
readings = Pipeline(model.network, model.labels).analyse({[list(s) for s in SENTENCES]!r})
print(json.dumps([[(edu.start, edu.end) for edu in one.edus] for (one, *_) in readings]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    *scores, edus = done.stdout.strip().split("\n")
    assert json.loads("\n".join(scores)).keys() == {"gold", "auto"}
    assert [[tuple(edu) for edu in own] for own in json.loads(edus)] == expected


def test_the_same_network_is_exported_to_the_same_bytes(tmp_path):
    model = make_model(VARIATIONS["additive pointers"])
    for name in ("one", "other"):
        export_model(model, tmp_path / name, precision="fp32")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_a_graph_that_took_a_size_of_its_example_for_a_constant_is_refused():
    class Padded(torch.nn.Module):
        def forward(self, values):
            return {"mean": values.sum(dim=0) / int(values.shape[0])}

    with pytest.raises(ModelError, match=r"does not compute what torch does \(mean\)"):
        trace(Padded(), {"values": torch.ones(2, 3)}, {"values": torch.ones(4, 3)})
