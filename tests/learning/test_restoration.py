"""Exported models become networks again, with the weights of their graphs."""

import onnx
import pytest
import torch
from onnx import numpy_helper

from rhetree.errors import ModelError
from rhetree.learning.export import export_model
from rhetree.learning.model import write_config
from rhetree.learning.restoration import load_trainable, restore_model
from rhetree.learning.torch_network import TorchNetwork
from rhetree.runtime.installed import find_model
from rhetree.runtime.loading import load_any
from rhetree.runtime.model import ENCODER, LABELS, STATES, read_config
from support.exported import analyse, assert_same, make_model, saved, transformer_model
from support.networks import VARIATIONS
from support.tiny_encoders import save_encoder

FOLDED = "embedder.encoder.embeddings.token_type_embeddings.weight"
POSITIONS = "embedder.encoder.embeddings.position_embeddings.weight"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("fp32", 0.0), ("fp16", 2e-3), ("int8", 0.08)], ids=lambda one: str(one)
)
def test_an_exported_model_gets_its_weights_back(encoder, tmp_path, precision, tolerance):
    model = transformer_model(encoder, tuning="tuned")
    export_model(model, tmp_path / "exported", precision=precision)
    restored = restore_model(tmp_path / "exported")
    assert restored.network.labels == model.network.labels
    assert restored.network.config.parser == model.network.config.parser
    before, after = model.network.state_dict(), restored.network.state_dict()
    assert before.keys() == after.keys()
    for name, weight in after.items():
        if name not in (FOLDED, POSITIONS):
            torch.testing.assert_close(weight, before[name], atol=tolerance, rtol=tolerance)
    # The first segment's embedding has become a part of each position's.
    torch.testing.assert_close(
        after[POSITIONS] + after[FOLDED][0], before[POSITIONS] + before[FOLDED][0], atol=2e-3, rtol=2e-3
    )
    graphs = load_any(tmp_path / "exported", threads=1)
    network = TorchNetwork(restored.network)
    if precision != "int8":
        assert_same(
            analyse(network, restored.network.labels), analyse(graphs.network, graphs.labels), tolerance=1e-3
        )


@pytest.mark.parametrize("name", ["two layers", "segment", "other widths and layers"])
def test_networks_of_other_settings_are_restored_too(encoder, tmp_path, name):
    model = transformer_model(encoder, VARIATIONS[name], tuning="tuned", from_layer=1)
    export_model(model, tmp_path / "exported", precision="fp32")
    restored = restore_model(tmp_path / "exported").network.state_dict()
    for weight_name, weight in model.network.state_dict().items():
        if weight_name not in (FOLDED, POSITIONS):
            torch.testing.assert_close(restored[weight_name], weight, atol=0, rtol=0)


def test_weights_that_are_there_are_taken_as_they_are(encoder, tmp_path):
    model = transformer_model(encoder, tuning="tuned")
    export_model(model, tmp_path / "exported", precision="int8", weights=True)
    loaded = load_trainable(tmp_path / "exported").network.state_dict()
    for name, weight in model.network.state_dict().items():
        torch.testing.assert_close(loaded[name], weight, atol=0, rtol=0)


def test_what_cannot_be_restored_is_told(encoder, tmp_path):
    export_model(make_model(), tmp_path / "table")
    with pytest.raises(ModelError, match="only the weights of a model with an encoder"):
        restore_model(tmp_path / "table")

    bare = saved(make_model(), tmp_path / "bare")
    (bare / "weights.safetensors").unlink()
    with pytest.raises(ModelError, match="neither weights.safetensors nor exported graphs"):
        load_trainable(bare)

    export_model(
        transformer_model(save_encoder(tmp_path / "other", "mpnet")), tmp_path / "mpnet", precision="fp32"
    )
    with pytest.raises(ModelError, match="not the graph of a BERT encoder .* exported with --weights"):
        restore_model(tmp_path / "mpnet")

    export_model(transformer_model(encoder, tuning="mix"), tmp_path / "mix", precision="fp32")
    with pytest.raises(ModelError, match=r"embedder\.mix\.\S+ cannot be restored"):
        restore_model(tmp_path / "mix")


def without_sizes(folder):
    """Let config.json list no files, as if someone had changed them all at once."""
    config = read_config(folder)
    config["runtime"]["files"] = {}
    write_config(folder, config)


def test_a_model_of_a_stranger_is_refused_where_it_is_odd(encoder, tmp_path):
    folder = tmp_path / "exported"
    export_model(transformer_model(encoder, tuning="tuned"), folder, precision="int8")
    labels = (folder / LABELS).read_bytes()
    (folder / LABELS).write_bytes(labels + b"more")
    with pytest.raises(ModelError, match="it may be cut off, copy it again"):
        restore_model(folder)
    (folder / LABELS).write_bytes(labels)
    without_sizes(folder)
    for name, advice in (
        (ENCODER, "its weights cannot be restored"),
        (STATES, "its constants cannot be read"),
    ):
        graph = onnx.load(folder / name)
        whole = graph.SerializeToString()
        for tensor in graph.graph.initializer:
            tensor.raw_data = tensor.raw_data[:-2]
        onnx.save(graph, folder / name)
        with pytest.raises(ModelError, match=advice):
            restore_model(folder)
        (folder / name).write_bytes(whole)


def test_a_model_whose_graphs_do_not_fit_is_refused(encoder, tmp_path):
    folder = tmp_path / "exported"
    export_model(transformer_model(encoder, tuning="tuned"), folder, precision="fp32")
    without_sizes(folder)
    graph = onnx.load(folder / LABELS)
    tensor = max(graph.graph.initializer, key=lambda one: len(one.raw_data))
    tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[:, :-1], tensor.name))
    onnx.save(graph, folder / LABELS)
    with pytest.raises(ModelError, match=r"labels\.onnx: has no .* as this version"):
        restore_model(folder)
    (folder / STATES).write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"states\.onnx: cannot be read"):
        restore_model(folder)
    (folder / ENCODER).unlink()
    (folder / STATES).unlink()
    with pytest.raises(ModelError, match="not the graph of a BERT encoder"):
        restore_model(folder)


def test_too_many_weights_are_refused(encoder, tmp_path, monkeypatch):
    export_model(transformer_model(encoder, tuning="tuned"), tmp_path / "exported", precision="fp32")
    monkeypatch.setattr("rhetree.learning.restoration._PRIMES", (3, 5))
    with pytest.raises(ModelError, match="too many weights"):
        restore_model(tmp_path / "exported")


def test_the_shipped_model_is_restored():
    """With torch and at full precision it says what the graphs say, in whole numbers, to a few hundredths."""
    folder = find_model("english")
    graphs, model = load_any(folder, threads=1), restore_model(folder)
    text = "She said that the men went home because it rained , although nobody had asked them to ."
    sentences = [text.split()]
    one = analyse(TorchNetwork(model.network), model.network.labels, sentences)
    other = analyse(graphs.network, graphs.labels, sentences)
    assert one[0] == other[0]
