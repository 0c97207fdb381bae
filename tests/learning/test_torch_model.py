"""Models that were not exported, or cannot be, run with torch from their folder, as exported ones do."""

import json
from dataclasses import fields, is_dataclass

import pytest
import torch

import rhetree
from rhetree.errors import EmbeddingError, ModelError, SettingError
from rhetree.learning import devices
from rhetree.learning.devices import choose_device
from rhetree.learning.export import export_model
from rhetree.learning.targets import make_batch
from rhetree.learning.training.averaging import WeightAverage
from support.exported import elmo_model, make_model, saved, transformer_model
from support.networks import EXAMPLES, LABELS, SENTENCES, VARIATIONS
from support.tiny_encoders import save_encoder

TEXTS = ["She said that it rained.", "Yes.", "They left because they were late, and he saw."]


@pytest.fixture
def elmo(tmp_path):
    return saved(elmo_model(tmp_path / "elmo"), tmp_path / "model")


@pytest.fixture
def crf(tmp_path):
    """A segmenter that is a CRF tagger."""
    return saved(make_model(VARIATIONS["wly"]), tmp_path / "model")


@pytest.fixture
def plain(tmp_path):
    """A model that could be exported, and was not."""
    return saved(make_model(steps=1), tmp_path / "model")


@pytest.mark.parametrize("kind", ["elmo", "plain"])
def test_company_changes_nothing(kind, request):
    parser = rhetree.load(request.getfixturevalue(kind), threads=1)
    alone = [parser.parse(text) for text in TEXTS]
    together = list(parser.parse_many(TEXTS))
    one_by_one = rhetree.load(parser.model.folder, threads=1, batch_cost=1).parse_many(TEXTS)
    for found in (together, list(one_by_one)):
        assert [document.edus for document in found] == [document.edus for document in alone]
        assert [document.sentence_trees for document in found] == [
            document.sentence_trees for document in alone
        ]
    for document, other in zip(alone, together, strict=True):
        for one, two in zip(document.readings, other.readings, strict=True):
            assert one[0].log_prob == pytest.approx(two[0].log_prob, abs=1e-4)


NETWORK = ("recipe", "network")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *(((*NETWORK, part, "width"), 10**9) for part in ("encoder", "segmenter", "parser", "classifier")),
        *(((*NETWORK, part, "layers"), 10**9) for part in ("encoder", "segmenter", "parser")),
        ((*NETWORK, "embedding", "window"), 10**9),
        ((*NETWORK, "embedding", "max_pieces"), 10**9),
        *((("hidden_size",), value) for value in (-1, 10**7)),
        (("intermediate_size",), 10**7),
        (("max_position_embeddings",), -1),
        (("num_hidden_layers",), 10**7),
        (("pad_token_id",), 10**7),
        (("vocab_size",), -1),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else str(value),
)
def test_absurd_numbers_of_a_stranger_are_refused_at_once(place, value, tmp_path):
    model = transformer_model(save_encoder(tmp_path / "encoder"))
    folder = saved(model, tmp_path / "model")
    path = folder / ("config.json" if place[0] == "recipe" else "encoder.json")
    settings = json.loads(path.read_text(encoding="utf-8"))
    section = settings
    for name in place[:-1]:
        section = section[name]
    section[place[-1]] = value
    path.write_text(json.dumps(settings), encoding="utf-8")
    with pytest.raises((ModelError, EmbeddingError)):
        rhetree.load(folder)


def test_an_encoder_that_is_nested_too_deeply_is_refused(tmp_path):
    folder = saved(transformer_model(save_encoder(tmp_path / "encoder")), tmp_path / "model")
    (folder / "encoder.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(EmbeddingError, match="nested too deeply"):
        rhetree.load(folder)


def test_a_crf_tagger_finds_the_same_in_company(crf):
    parser = rhetree.load(crf, threads=1)
    assert [document.edus for document in parser.segment_many(TEXTS)] == [
        parser.segment(text).edus for text in TEXTS
    ]


def test_torch_and_the_exported_model_find_the_same(plain, tmp_path):
    export_model(plain, tmp_path / "exported", precision="fp32")
    one, other = (list(rhetree.load(folder).parse_many(TEXTS)) for folder in (plain, tmp_path / "exported"))
    assert [document.sentence_trees for document in one] == [document.sentence_trees for document in other]
    assert [document.edus for document in one] == [document.edus for document in other]


def test_weights_of_another_network_are_refused(plain):
    config = json.loads((plain / "config.json").read_text(encoding="utf-8"))
    config["recipe"]["network"]["parser"]["width"] *= 2
    (plain / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match="these weights do not fit config.json"):
        rhetree.load(plain)


# --- devices --------------------------------------------------------------------------------


def test_without_a_gpu_the_cpu_is_chosen(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device() == choose_device("cpu") == torch.device("cpu")


def test_a_gpu_is_chosen_where_there_is_one_and_each_process_has_its_own(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device() == torch.device("cuda", 0)
    assert choose_device("cuda:1") == torch.device("cuda", 1)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert choose_device() == torch.device("cuda", 1)
    with pytest.raises(SettingError, match="'cuda:2' cannot be used: torch .* finds only 2 of them here"):
        choose_device("cuda:2")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu", "device must be cpu, cuda, cuda:1 or mps, for example, got 'gpu'"),
        ("", "device must be cpu"),
        ("meta", "device 'meta' cannot be used: torch .* finds none here; leave the device out"),
        ("cuda", "device 'cuda' cannot be used: torch .* finds none here"),
        ("mps", "device 'mps' cannot be used"),
        ("cpu:1", "device 'cpu:1' cannot be used: torch .* finds only 1 of them here"),
    ],
)
def test_a_device_that_is_not_there_is_refused(name, message, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(SettingError, match=message):
        choose_device(name)


def test_an_exported_model_runs_on_the_cpu_alone(plain, tmp_path):
    export_model(plain, tmp_path / "exported", precision="fp32")
    rhetree.load(tmp_path / "exported", device="cpu")
    with pytest.raises(SettingError, match="was exported, so it runs on the CPU"):
        rhetree.load(tmp_path / "exported", device="cuda")


def test_a_network_is_put_on_the_device_that_is_chosen(plain, monkeypatch):
    # The meta device stands for a GPU: it keeps shapes, and refuses to be mixed with the CPU.
    monkeypatch.setattr(devices, "_n_devices", lambda kind: 1)
    with pytest.raises(ModelError, match="the network cannot be run: .*meta"):
        rhetree.load(plain, device="meta")


@pytest.mark.parametrize("name", VARIATIONS)
def test_encoding_stays_on_the_networks_device(name):
    network = make_model(VARIATIONS[name], steps=0).network.to("meta")
    encoding = network.encode(SENTENCES)
    assert {str(tensor.device) for tensor in tensors(encoding)} == {"meta"}


def test_targets_are_put_on_the_networks_device():
    batch = make_batch(EXAMPLES, {label: number for number, label in enumerate(LABELS)}, torch.device("meta"))
    assert {str(tensor.device) for tensor in tensors(batch)} == {"meta"}


def test_an_average_is_restored_on_the_networks_device():
    network = torch.nn.Linear(2, 2)
    saved = {name: value.clone() for name, value in WeightAverage(network, 0.9).state().items()}
    average = WeightAverage(network.to("meta"), 0.9)
    average.load(saved)
    assert {str(value.device) for value in average.state().values()} == {"meta"}


def tensors(value):
    """All tensors in a dataclass."""
    if isinstance(value, torch.Tensor):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from tensors(getattr(value, field.name))
