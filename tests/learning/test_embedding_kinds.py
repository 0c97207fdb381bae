"""A kind of embeddings is a class and an entry in a table; nothing else knows it."""

from dataclasses import fields, replace

import pytest

from rhetree.learning.embeddings import load_embedder, make_embedder
from rhetree.learning.embeddings.config import KINDS, EmbeddingConfig, Kind
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.embeddings.random import RandomEmbedder
from rhetree.learning.export import export_model
from rhetree.learning.torch_network import TorchNetwork
from rhetree.runtime.model import load_runtime
from support.exported import analyse, assert_same, make_model
from support.networks import SENTENCES, SMALL


class OwnEmbedder(RandomEmbedder):
    """A new kind, as someone might write it."""


@pytest.fixture
def own(monkeypatch):
    settings = frozenset({"width", "lower_case", "min_count"})
    monkeypatch.setitem(KINDS, "own", Kind(f"{__name__}:OwnEmbedder", settings))
    return EmbeddingConfig(kind="own", width=16, min_count=1)


def test_a_new_kind_is_made_saved_loaded_and_exported(own, tmp_path):
    embedder = make_embedder(own, SENTENCES)
    assert type(embedder) is OwnEmbedder
    embedder.save_assets(tmp_path)
    assert type(load_embedder(own, tmp_path)) is OwnEmbedder
    model = make_model(replace(SMALL, embedding=own), embedder)
    export_model(model, tmp_path / "model", precision="fp32")
    found = load_runtime(tmp_path / "model", threads=1)
    assert_same(analyse(TorchNetwork(model.network), found.labels), analyse(found.network, found.labels))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_class_and_uses_settings_that_exist(kind):
    module, _, name = KINDS[kind].home.partition(":")
    assert issubclass(getattr(__import__(module, fromlist=[name]), name), Embedder)
    assert KINDS[kind].settings <= {field.name for field in fields(EmbeddingConfig)}


def test_an_unknown_kind_is_refused_with_those_that_there_are():
    with pytest.raises(
        ValueError, match="kind is one of 'random', 'static', 'elmo', 'transformer', got 'glove'"
    ):
        EmbeddingConfig(kind="glove")
