import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from rhetree.errors import EmbeddingError
from rhetree.learning.embeddings import EmbeddingConfig, make_embedder
from rhetree.learning.embeddings.features import FeatureStore, cache_folder, sentence_key
from support.tiny_encoders import save_encoder

SENTENCES = [["the", "cat", "sat"], ["it", "rained"], [], ["we", "went", "home", "."], ["it", "rained"]]


def features(sentence):
    """Made-up features of shape (2, 3): the length of each word, and where it stands."""
    return np.array([[[len(word), at, 1]] * 2 for at, word in enumerate(sentence)]).reshape(-1, 2, 3)


class Computer:
    """Counts what it is asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, sentence):
        self.asked.append(sentence)
        return features(sentence)


def open_store(folder, fingerprint="f", dtype="float32"):
    return FeatureStore(fingerprint, (2, 3), dtype, folder)


# --- the store --------------------------------------------------------------------------------


def test_what_was_computed_once_is_found_again(tmp_path):
    computer, store = Computer(), open_store(tmp_path)
    assert store.get(SENTENCES[0]) is None
    store.fill(SENTENCES, computer)
    assert sorted(map(tuple, computer.asked)) == sorted({tuple(sentence) for sentence in SENTENCES})
    for again in (store, open_store(tmp_path)):
        again.fill(SENTENCES, computer)
        for sentence in SENTENCES:
            assert np.array_equal(again.get(sentence), features(sentence))
    assert len(computer.asked) == 4
    store.fill([*SENTENCES, ["new"]], computer)
    assert computer.asked[4:] == [["new"]]


def test_another_encoder_type_or_shape_has_its_own_store(tmp_path):
    open_store(tmp_path).fill(SENTENCES, Computer())
    assert open_store(tmp_path, fingerprint="g").get(SENTENCES[0]) is None
    assert open_store(tmp_path, dtype="float16").get(SENTENCES[0]) is None
    assert FeatureStore("f", (6,), "float32", tmp_path).get(SENTENCES[0]) is None


def test_float16_is_kept_as_such(tmp_path):
    store = open_store(tmp_path, dtype="float16")
    store.fill(SENTENCES, Computer())
    assert store.get(SENTENCES[0]).dtype == np.float16


def test_sentences_are_told_apart_by_where_their_words_end():
    sentences = [["ab"], ["a", "b"], ["b", "a"], ["ab", ""], [], [""], ["\ud800"]]
    assert len({sentence_key(sentence) for sentence in sentences}) == len(sentences)


def test_progress_ends_with_all_sentences(tmp_path):
    told: list[int] = []
    open_store(tmp_path).fill(SENTENCES, Computer(), told.append)
    assert told == sorted(told)
    assert told[-1] == len(SENTENCES)


def test_an_interruption_loses_only_the_segment_that_was_being_made(tmp_path, monkeypatch):
    monkeypatch.setattr("rhetree.learning.embeddings.features._SEGMENT_BYTES", 0)
    computer = Computer()

    def interrupted(sentence):
        if len(computer.asked) == 2:
            raise KeyboardInterrupt
        return computer(sentence)

    with pytest.raises(KeyboardInterrupt):
        open_store(tmp_path).fill(SENTENCES, interrupted)
    rest = Computer()
    open_store(tmp_path).fill(SENTENCES, rest)
    assert len(rest.asked) == 2


def test_features_without_their_index_are_not_seen(tmp_path):
    store = open_store(tmp_path)
    store.fill(SENTENCES, Computer())
    for path in store.folder.glob("*.index.npy"):
        path.unlink()
    (store.folder / "tmpx.part").write_bytes(b"half")
    assert open_store(tmp_path).get(SENTENCES[0]) is None


def test_a_full_disk_is_reported_and_leaves_nothing_half_written(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    store = open_store(tmp_path)
    monkeypatch.setattr(np, "save", full)
    with pytest.raises(EmbeddingError, match=r"No space left on device; set RHETREE_CACHE"):
        store.fill(SENTENCES, Computer())
    assert list(store.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["*.features.npy", "*.index.npy"])
def test_a_damaged_segment_is_reported(tmp_path, name):
    store = open_store(tmp_path)
    store.fill(SENTENCES, Computer())
    (path,) = store.folder.glob(name)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(EmbeddingError, match="damaged.*delete the folder"):
        open_store(tmp_path)


def test_features_of_another_shape_are_a_mistake(tmp_path):
    with pytest.raises(ValueError, match="features of shape"):
        FeatureStore("f", (5,), "float32", tmp_path).fill(SENTENCES, Computer())


FILLER = """
import sys, time
from pathlib import Path
import numpy as np
from rhetree.learning.embeddings import features
features._SEGMENT_BYTES = 400
store = features.FeatureStore("f", (2,), "float32", Path(sys.argv[1]))
sentences = [[f"w{n}"] * (n % 7) for n in range(200)]
def compute(sentence):
    time.sleep(0.002)
    rows = [[int(word[1:]), len(sentence)] for word in sentence]
    return np.array(rows, dtype=np.float32).reshape(-1, 2)
store.fill(sentences, compute)
for sentence in sentences:
    assert np.array_equal(store.get(sentence), compute(sentence))
"""


def test_two_processes_fill_one_store_at_once(tmp_path):
    command = [sys.executable, "-c", FILLER, str(tmp_path)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    errors = [process.communicate(timeout=60)[1].decode() for process in processes]
    assert errors == ["", ""]


def test_the_cache_is_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("RHETREE_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("RHETREE_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "rhetree"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("~/.cache/rhetree").expanduser()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path("~/Library/Caches/rhetree").expanduser()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache_folder() == tmp_path / "rhetree" / "cache"


# --- with an embedder -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("bert"))


def embedder_of(folder, **settings):
    return make_embedder(EmbeddingConfig(kind="transformer", path=str(folder), **settings), []).eval()


@pytest.mark.parametrize("tuning", ["frozen", "mix"])
def test_kept_features_equal_live_ones(bert, tmp_path, tuning):
    embedder = embedder_of(bert, tuning=tuning)
    live = embedder(SENTENCES)
    embedder.keep_features(SENTENCES[:3], tmp_path)
    assert torch.allclose(embedder(SENTENCES), live, atol=1e-5)


def test_kept_features_are_used(bert, tmp_path, monkeypatch):
    embedder = embedder_of(bert)
    embedder.keep_features(SENTENCES, tmp_path)
    monkeypatch.setattr(embedder, "layers", None)
    assert embedder(SENTENCES).shape == (5, 4, 16)


def test_what_is_kept_does_not_depend_on_what_was_computed_beside_it(bert, tmp_path):
    one, other = embedder_of(bert), embedder_of(bert)
    one.keep_features(SENTENCES, tmp_path / "one")
    for sentence in SENTENCES:
        other.keep_features([sentence], tmp_path / "other")
    assert torch.equal(one(SENTENCES), other(SENTENCES))


def test_the_mix_over_kept_features_is_trained(bert, tmp_path):
    embedder = embedder_of(bert, tuning="mix")
    embedder.keep_features(SENTENCES, tmp_path)
    embedder(SENTENCES).square().sum().backward()
    assert embedder.mix.scalars.grad.all()
    assert embedder.mix.gamma.grad


def test_float16_features_are_near_and_the_same_kept_or_live(bert, tmp_path):
    embedder = embedder_of(bert, features_dtype="float16")
    live = embedder(SENTENCES[:1])
    embedder.keep_features(SENTENCES[:1], tmp_path)
    kept = embedder(SENTENCES[:1])
    assert kept.dtype == torch.float32
    assert torch.equal(kept, live)
    assert 0 < (kept - embedder_of(bert)(SENTENCES[:1])).abs().max() < 1e-2


def test_the_fingerprint_follows_weights_and_settings(bert):
    base = embedder_of(bert)
    assert embedder_of(bert).fingerprint() == base.fingerprint()
    others = [
        embedder_of(bert, **settings)
        for settings in (
            {"piece": "mean"},
            {"tuning": "mix"},
            {"n_layers": 1},
            {"window": 9},
            {"max_pieces": 3},
        )
    ]
    changed = embedder_of(bert)
    with torch.no_grad():
        next(changed.encoder.parameters())[0, 0] += 1
    prints = {embedder.fingerprint() for embedder in [base, changed, *others]}
    assert len(prints) == 7


@pytest.mark.parametrize("settings", [{"tuning": "tuned"}, {"features": False}])
def test_nothing_is_kept_of_an_encoder_that_is_trained_or_on_demand(bert, tmp_path, settings):
    embedder = embedder_of(bert, **settings)
    embedder.keep_features(SENTENCES, tmp_path)
    assert embedder.store is None
    assert list(tmp_path.iterdir()) == []


def test_there_is_nothing_to_keep_of_vectors(tmp_path):
    make_embedder(EmbeddingConfig(), SENTENCES).keep_features(SENTENCES, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_which_settings_can_keep_features():
    def can(**settings):
        return EmbeddingConfig(path="x", **settings).has_features

    assert can(kind="elmo")
    assert can(kind="transformer")
    assert can(kind="transformer", tuning="mix")
    assert not can(kind="transformer", tuning="tuned")
    assert not can(kind="transformer", features=False)
    assert not can(kind="static")
