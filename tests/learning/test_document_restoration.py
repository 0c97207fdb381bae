"""Exported document models become networks again, with the weights of their files."""

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from rhetree.cli.main import main
from rhetree.errors import ModelError
from rhetree.learning.documents.loading import load_network
from rhetree.learning.documents.network import TorchDocumentNetwork
from rhetree.learning.documents.restoration import load_trainable, restore_network
from rhetree.learning.documents.targets import document_examples
from rhetree.learning.export import export_model
from rhetree.learning.model import write_config
from rhetree.learning.training.experiment import run
from rhetree.learning.training.recipe import read_recipe
from rhetree.runtime.document_model import SCORES, load_document_model
from rhetree.runtime.installed import find_model
from rhetree.runtime.model import read_config
from rhetree.runtime.steps import finish
from support.document_trees import SMALL_NETWORK, in_one_tree, plain, write_trees
from support.tiny_encoders import save_encoder

FOLDED = "embedder.encoder.embeddings.token_type_embeddings.weight"
POSITIONS = "embedder.encoder.embeddings.position_embeddings.weight"
(EXAMPLE,) = document_examples([in_one_tree(plain())])
PLACES = np.array([(start, middle, 9) for start in range(9) for middle in range(start + 1, 9)])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_trees(tmp_path_factory.mktemp("corpus") / "trees")


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory):
    return trained_on(corpus, save_encoder(tmp_path_factory.mktemp("encoder")), tmp_path_factory)


def trained_on(corpus, encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    path = f"network.embedding.path={encoder}"
    list(run(read_recipe(None, [*SMALL_NETWORK, "train.epochs=1", f"data.corpus={corpus}", path]), folder))
    return folder / "model"


def exported(model, folder, precision="fp32", **options):
    export_model(model, folder, precision=precision, **options)
    return folder


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("fp32", 0.0), ("fp16", 2e-3), ("int8", 0.2)], ids=lambda one: str(one)
)
def test_an_exported_network_gets_its_weights_back(trained, tmp_path, precision, tolerance):
    network, _, _ = load_network(trained)
    restored = restore_network(exported(trained, tmp_path / "exported", precision))
    assert restored.labels == network.labels
    assert restored.config.width == network.config.width
    before, after = network.state_dict(), restored.state_dict()
    assert before.keys() == after.keys()
    for name, weight in after.items():
        if name not in (FOLDED, POSITIONS):
            torch.testing.assert_close(weight, before[name], atol=tolerance, rtol=tolerance)
    # The first segment's embedding has become a part of each position's.
    torch.testing.assert_close(
        after[POSITIONS] + after[FOLDED][0], before[POSITIONS] + before[FOLDED][0], atol=2e-3, rtol=2e-3
    )


def test_weights_that_are_there_are_taken_as_they_are(trained, tmp_path):
    loaded = load_trainable(exported(trained, tmp_path / "exported", "int8", weights=True)).state_dict()
    for name, weight in load_network(trained)[0].state_dict().items():
        torch.testing.assert_close(loaded[name], weight, atol=0, rtol=0)


def test_a_run_starts_from_an_exported_model(corpus, trained, tmp_path):
    """By the recipe that ``--from`` takes for models of documents, which does not name the encoder."""
    start = exported(trained, tmp_path / "exported")
    still = ("optimizer.learning_rate=1e-12", "optimizer.pretrained_rate=1e-12", "train.epochs=1")
    words = [word for one in (f"data.corpus={corpus}", *still) for word in ("--set", one)]
    assert main(["train", "--from", str(start), *words, "-o", str(tmp_path / "run")]) == 0
    after = load_network(tmp_path / "run" / "model")[0]
    one, other = (
        TorchDocumentNetwork(network).read(EXAMPLE.tokens, EXAMPLE.units)
        for network in (load_network(trained)[0].eval(), after.eval())
    )
    np.testing.assert_allclose(one.split_scores(PLACES), other.split_scores(PLACES), atol=1e-4)
    np.testing.assert_allclose(one.label_log_probs(PLACES), other.label_log_probs(PLACES), atol=1e-4)


def test_what_cannot_be_restored_is_told(corpus, trained, tmp_path, tmp_path_factory):
    other = trained_on(corpus, save_encoder(tmp_path / "other", "mpnet"), tmp_path_factory)
    with pytest.raises(ModelError, match=r"not the graph of a BERT encoder .* exported with --weights"):
        restore_network(exported(other, tmp_path / "mpnet"))
    with pytest.raises(ModelError, match="expected one that joins sentences"):
        restore_network(find_model("english-fast"))

    folder = exported(trained, tmp_path / "exported")
    tables = load_file(folder / SCORES)
    config = read_config(folder)
    config["runtime"]["files"] = {}  # as if someone had changed them all at once
    write_config(folder, config)
    save_file({**tables, "label.edge": tables["label.edge"][:-1]}, folder / SCORES)
    with pytest.raises(ModelError, match=r"scores\.safetensors: has no label\.edge as this version"):
        restore_network(folder)
    (folder / SCORES).write_bytes(b"no tables")
    with pytest.raises(ModelError, match=r"scores\.safetensors: cannot be read"):
        restore_network(folder)


def test_the_shipped_network_is_restored():
    """With torch and at full precision it finds the splits that the graphs find in a small document."""
    folder = find_model("english-document")
    network, graphs = restore_network(folder), load_document_model(folder, threads=1)
    assert network.labels == graphs.labels
    one = TorchDocumentNetwork(network).read(EXAMPLE.tokens, EXAMPLE.units)
    other = finish(graphs.network.read_in_steps(EXAMPLE.tokens, EXAMPLE.units))
    np.testing.assert_allclose(one.split_scores(PLACES), other.split_scores(PLACES), atol=1.0)
    assert one.split_scores(PLACES).argmax() == other.split_scores(PLACES).argmax()
