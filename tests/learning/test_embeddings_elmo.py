import json
import sys

import h5py
import numpy as np
import pytest
import torch

from rhetree.errors import EmbeddingError, MissingExtraError, ModelError
from rhetree.learning.embeddings import EmbeddingConfig, load_embedder, make_embedder
from rhetree.learning.embeddings.elmo import character_ids
from support.tiny_encoders import write_elmo

SENTENCES = [["The", "cat", "sat"], ["Ünïcödé", "x" * 100, "</S>", "\u200b", "."], [], ["It"]]


@pytest.fixture(scope="module")
def elmo(tmp_path_factory):
    return write_elmo(tmp_path_factory.mktemp("elmo"))


def embedder_of(folder, **settings):
    return make_embedder(EmbeddingConfig(kind="elmo", path=str(folder), **settings), [])


# --- a slow and literal transcription ---------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slow_word(word, options, file):
    """One word through the character CNN, a filter position at a time."""
    cnn = options["char_cnn"]
    length = cnn["max_characters_per_token"]
    if word in ("<S>", "</S>"):
        characters = [{"<S>": 256, "</S>": 257}[word]]
    else:
        characters = list(word.encode("utf-8"))[: length - 2]
    ids = [258, *characters, 259]
    ids += [260] * (length - len(ids))
    embedded = [file["char_embed"][number].astype(float) for number in ids]
    found = []
    for number, (width, n_same) in enumerate(cnn["filters"]):
        weights, bias = file[f"CNN/W_cnn_{number}"][0].astype(float), file[f"CNN/b_cnn_{number}"]
        for one in range(n_same):
            best = -np.inf
            for start in range(length - width + 1):
                score = sum(embedded[start + at] @ weights[at, :, one] for at in range(width)) + bias[one]
                best = max(best, score)
            found.append(max(best, 0) if cnn["activation"] == "relu" else np.tanh(best))
    x = np.array(found)
    for number in range(cnn["n_highway"]):
        layer = file[f"CNN_high_{number}"]
        carry = sigmoid(x @ layer["W_carry"][...] + layer["b_carry"][...])
        transform = np.maximum(x @ layer["W_transform"][...] + layer["b_transform"][...], 0)
        x = carry * transform + (1 - carry) * x
    return x @ file["CNN_proj/W_proj"][...] + file["CNN_proj/b_proj"][...]


def slow_lstm(inputs, options, weights):
    """One direction of one layer, a cell at a time."""
    lstm = options["lstm"]
    cell, projection = lstm["dim"], lstm["projection_dim"]
    w, b, w_projection = (weights[name][...].astype(float) for name in ("W_0", "B", "W_P_0"))
    h, c, outputs = np.zeros(projection), np.zeros(cell), []
    for x in inputs:
        both = np.concatenate([x, h])
        new_c, m = np.zeros(cell), np.zeros(cell)
        for k in range(cell):
            i, j, f, o = (both @ w[:, gate * cell + k] + b[gate * cell + k] for gate in range(4))
            new_c[k] = sigmoid(f + 1) * c[k] + sigmoid(i) * np.tanh(j)
            if lstm["cell_clip"]:
                new_c[k] = min(max(new_c[k], -lstm["cell_clip"]), lstm["cell_clip"])
            m[k] = sigmoid(o) * np.tanh(new_c[k])
        c, h = new_c, m @ w_projection
        if lstm["proj_clip"]:
            h = np.clip(h, -lstm["proj_clip"], lstm["proj_clip"])
        outputs.append(h)
    return outputs


def slow_layers(folder, sentence):
    """All layers of a sentence, (n_layers, n_words, width)."""
    options = json.loads((folder / "tiny_options.json").read_text())
    with h5py.File(folder / "tiny_weights.hdf5") as file:
        words = [slow_word(word, options, file) for word in ["<S>", *sentence, "</S>"]]
        layers = [[np.concatenate([word, word]) for word in words]]
        ahead, back = words, words[::-1]
        for layer in range(options["lstm"]["n_layers"]):
            cells = [file[f"RNN_{way}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"] for way in range(2)]
            new_ahead = slow_lstm(ahead, options, cells[0])
            new_back = slow_lstm(back, options, cells[1])
            if layer and options["lstm"]["use_skip_connections"]:
                new_ahead = [a + b for a, b in zip(new_ahead, ahead, strict=True)]
                new_back = [a + b for a, b in zip(new_back, back, strict=True)]
            ahead, back = new_ahead, new_back
            layers.append([np.concatenate(pair) for pair in zip(ahead, back[::-1], strict=True)])
    return np.array(layers)[:, 1:-1]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"char_cnn__activation": "tanh"},
        {"lstm__cell_clip": None, "lstm__proj_clip": 0},
        {"lstm__use_skip_connections": False},
        {"lstm__n_layers": 3, "char_cnn__n_highway": 0, "lstm__projection_dim": 3},
    ],
    ids=["official", "tanh", "unclipped", "no skips", "other sizes"],
)
def test_elmo_equals_a_literal_transcription(tmp_path, changes):
    embedder = embedder_of(write_elmo(tmp_path / "elmo", **changes))
    layers = embedder.layers(SENTENCES[:2])
    for number, sentence in enumerate(SENTENCES[:2]):
        expected = slow_layers(tmp_path / "elmo", sentence)
        found = layers[number, : len(sentence)].transpose(0, 1).numpy()
        assert np.allclose(found, expected, atol=1e-5)


def test_clips_are_reached_by_the_weights_of_these_tests(elmo, tmp_path):
    wide = write_elmo(tmp_path / "wide", lstm__cell_clip=None, lstm__proj_clip=None)
    assert not np.allclose(slow_layers(elmo, ["cat"]), slow_layers(wide, ["cat"]), atol=1e-2)


# --- what an embedder promises ----------------------------------------------------------------


def test_characters_are_numbered_as_officially():
    (row,) = character_ids(["né"], 10).tolist()
    assert row == [259, 111, 196, 170, 260, 261, 261, 261, 261, 261]
    assert character_ids(["<S>", "</S>"], 5).tolist() == [
        [259, 257, 260, 261, 261],
        [259, 258, 260, 261, 261],
    ]
    assert character_ids(["abcdef"], 5).tolist() == [[259, 98, 99, 100, 260]]


def test_the_mix_of_layers_is_all_that_is_trained(elmo):
    embedder = embedder_of(elmo)
    vectors = embedder(SENTENCES)
    assert vectors.shape == (4, 5, 10)
    assert torch.allclose(vectors, embedder.layers(SENTENCES).mean(dim=2), atol=1e-6)
    vectors.square().sum().backward()
    trained = {name for name, value in embedder.named_parameters() if value.grad is not None}
    assert trained == {"mix.scalars", "mix.gamma"}
    assert not any(value.requires_grad for name, value in embedder.named_parameters() if name not in trained)


def test_a_sentence_alone_is_the_same_in_a_batch_and_the_second_time(elmo):
    embedder = embedder_of(elmo)
    batch = embedder(SENTENCES)
    assert torch.equal(embedder(SENTENCES), batch)
    for number, sentence in enumerate(SENTENCES):
        assert torch.allclose(batch[number, : len(sentence)], embedder([sentence])[0], atol=1e-5)
        assert not batch[number, len(sentence) :].any()


def test_batch_normalisation_counts_words_alone_and_no_other_sentence_afterwards(elmo, tmp_path):
    plain, embedder = embedder_of(elmo), embedder_of(elmo, batch_norm=True).train()
    words = torch.cat([plain([sentence])[0] for sentence in SENTENCES])
    found = embedder(SENTENCES)
    there = torch.cat([row[: len(sentence)] for row, sentence in zip(found, SENTENCES, strict=True)])
    expected = (words - words.mean(dim=0)) / (words.var(dim=0, unbiased=False) + 1e-5).sqrt()
    torch.testing.assert_close(there, expected, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(embedder.norm.running_mean, 0.1 * words.mean(dim=0), atol=1e-5, rtol=1e-4)
    embedder([["home"]])  # a single word has no variance
    embedder.eval()
    batch = embedder(SENTENCES)
    for number, sentence in enumerate(SENTENCES):
        torch.testing.assert_close(batch[number, : len(sentence)], embedder([sentence])[0], atol=1e-5, rtol=0)
        assert not batch[number, len(sentence) :].any()
    assert embedder([]).shape == (0, 0, 10)
    embedder.save_assets(tmp_path)
    copy = load_embedder(EmbeddingConfig(kind="elmo", path="gone", batch_norm=True), tmp_path).eval()
    copy.load_state_dict(embedder.state_dict())
    assert torch.equal(copy(SENTENCES), batch)


def test_dropout_of_elmo_is_felt_in_training_alone(elmo):
    embedder = embedder_of(elmo, dropout=0.5).train()
    assert not torch.equal(embedder(SENTENCES), embedder(SENTENCES))
    embedder.eval()
    assert torch.equal(embedder(SENTENCES), embedder(SENTENCES))
    with pytest.raises(ValueError, match="dropout is within 0 <= p < 1, got 1.0"):
        EmbeddingConfig(kind="elmo", path="x", dropout=1.0)


def test_elmo_is_the_same_after_saving(elmo, tmp_path):
    embedder = embedder_of(elmo)
    embedder.save_assets(tmp_path)
    copy = load_embedder(EmbeddingConfig(kind="elmo", path="gone"), tmp_path)
    copy.load_state_dict(embedder.state_dict())
    assert torch.equal(copy(SENTENCES), embedder(SENTENCES))


def test_kept_features_equal_live_ones(elmo, tmp_path):
    embedder = embedder_of(elmo)
    live = embedder(SENTENCES)
    embedder.keep_features(SENTENCES, tmp_path)
    embedder.layers = None
    assert torch.allclose(embedder(SENTENCES), live, atol=1e-5)


def test_two_processes_keep_the_same_features_to_the_last_bit(tmp_path, monkeypatch):
    wide = write_elmo(tmp_path / "elmo", lstm__dim=512, lstm__projection_dim=128)
    sentences = [[f"w{number}{place}" for place in range(3 + number % 9)] for number in range(40)]
    kept = []
    for process in (1, 2):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        embedder = embedder_of(wide)
        embedder.keep_features(sentences[: 20 * process], tmp_path / str(process))
        embedder.keep_features(sentences, tmp_path / str(process))
        kept.append(embedder(sentences))
    assert torch.equal(*kept)


def test_nothing_to_embed(elmo):
    assert embedder_of(elmo)([]).shape == (0, 0, 10)
    assert embedder_of(elmo)([[]]).shape == (1, 0, 10)


# --- files ------------------------------------------------------------------------------------


def edit(folder, change):
    path = folder / "tiny_options.json"
    options = json.loads(path.read_text())
    change(options)
    path.write_text(json.dumps(options))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda o: o.pop("char_cnn"), r"options.json: has no char_cnn"),
        (lambda o: o.pop("lstm"), r"options.json: has no lstm"),
        (lambda o: o["lstm"].pop("dim"), r"options.json: has no dim"),
        (lambda o: o.update(lstm=3), r"options.json: not the options of an ELMo"),
        (lambda o: o["char_cnn"].update(activation="gelu"), "activation is relu or tanh, got 'gelu'"),
        (lambda o: o["char_cnn"].update(filters=[]), "at least one filter"),
        (lambda o: o["char_cnn"].update(filters=[[60, 2]]), "max_characters_per_token is at least 60"),
        (lambda o: o["lstm"].update(proj_clip=-3), "at least 0"),
        (lambda o: o["lstm"].update(dim=8), r"W_0 has the shape \(10, 28\), but \(10, 32\) by the options"),
        (lambda o: o["lstm"].update(n_layers=3), r"has no dataset RNN_0/RNN/MultiRNNCell/Cell2/LSTMCell/W_0"),
        (lambda o: o["char_cnn"].update(n_highway=3), r"has no dataset CNN_high_2/W_transform"),
    ],
)
def test_options_that_do_not_fit_are_reported(tmp_path, change, message):
    folder = write_elmo(tmp_path / "elmo")
    edit(folder, change)
    with pytest.raises(EmbeddingError, match=message):
        embedder_of(folder)


def test_options_that_are_no_json(tmp_path):
    folder = write_elmo(tmp_path / "elmo")
    (folder / "tiny_options.json").write_text("{")
    with pytest.raises(EmbeddingError, match=r"tiny_options.json: "):
        embedder_of(folder)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
def test_a_truncated_hdf5_is_reported(tmp_path, share):
    folder = write_elmo(tmp_path / "elmo")
    path = folder / "tiny_weights.hdf5"
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(EmbeddingError, match=r"tiny_weights.hdf5: not a whole hdf5 file"):
        embedder_of(folder)


def test_a_dataset_that_is_missing_or_of_another_shape(tmp_path):
    folder = write_elmo(tmp_path / "elmo")
    with h5py.File(folder / "tiny_weights.hdf5", "a") as file:
        del file["char_embed"]
    with pytest.raises(EmbeddingError, match=r"tiny_weights.hdf5: has no dataset char_embed"):
        embedder_of(folder)
    with h5py.File(folder / "tiny_weights.hdf5", "a") as file:
        file["char_embed"] = np.zeros((260, 4))
    with pytest.raises(EmbeddingError, match=r"char_embed has the shape \(260, 4\), but \(261, 4\)"):
        embedder_of(folder)


def test_a_folder_without_the_files(tmp_path):
    with pytest.raises(EmbeddingError, match="is not a folder"):
        embedder_of(tmp_path / "nowhere")
    with pytest.raises(EmbeddingError, match=r"one file like \*options.json, found none"):
        embedder_of(tmp_path)
    folder = write_elmo(tmp_path / "elmo")
    (folder / "other_weights.hdf5").touch()
    with pytest.raises(EmbeddingError, match=r"\*weights.hdf5, found other_weights.hdf5, tiny_weights.hdf5"):
        embedder_of(folder)


def test_a_model_without_its_options_says_so(tmp_path):
    with pytest.raises(ModelError, match=r"elmo.json: cannot be read.*is the model complete"):
        load_embedder(EmbeddingConfig(kind="elmo", path="x"), tmp_path)
    (tmp_path / "elmo.json").write_text("{}")
    with pytest.raises(ModelError, match=r"elmo.json: has no char_cnn"):
        load_embedder(EmbeddingConfig(kind="elmo", path="x"), tmp_path)


def test_without_the_library_the_line_that_installs_it_is_said(elmo, monkeypatch):
    monkeypatch.delitem(sys.modules, "rhetree.learning.embeddings.elmo")
    monkeypatch.delitem(sys.modules, "rhetree.learning.embeddings.elmo_files")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"elmo embeddings needs .* 'rhetree\[train\]'"):
        embedder_of(elmo)
