import os
import socket
import sys
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st

from rhetree.errors import EmbeddingError, MissingExtraError, ModelError
from rhetree.learning.embeddings import EmbeddingConfig, load_embedder, make_embedder
from rhetree.learning.embeddings.hugging_face import (
    attention_dropouts,
    can_run_apart,
    find_stack,
    run_above,
    run_below,
)
from rhetree.learning.embeddings.transformer import pick_words
from rhetree.runtime.pieces import WordPieces, row_groups, window_owners, window_starts
from support.tiny_encoders import byte_level_tokenizer, edit_json, save_encoder, word_piece_tokenizer

SENTENCES = [
    ["the", "cat", "sat", "on", "the", "mat", "because", "it", "rained", "."],
    ["unbelievables", "!"],
    [
        "we",
        "went",
        "home",
        ",",
        "and",
        "then",
        "it",
        "rained",
        "and",
        "rained",
        "on",
        "the",
        "unbelievable",
        "mat",
        ".",
    ],
]
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "bert": {},
    "electra": {"embedding_size": 8},
    "distilbert": {},
    "roberta": {"pad_token_id": 1},
    "xlm-roberta": {"pad_token_id": 1},
    "mpnet": {"pad_token_id": 1},
    "deberta-v2": {
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "norm_rel_ebd": "layer_norm",
        "conv_kernel_size": 3,
    },
    "modernbert": {"pad_token_id": 0},
    "albert": {"embedding_size": 8},
    "xlm-roberta-xl": {"pad_token_id": 1},
}
DEBERTA = "ignore:.torch.jit.script. is deprecated"  # in the library's own
LONG = ("the cat sat on a mat and then unbelievable cats " * 5).split()


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("bert"))


def embedder_of(folder, **settings):
    return make_embedder(EmbeddingConfig(kind="transformer", path=str(folder), **settings), []).eval()


def save_architecture(folder, kind, **settings):
    byte_level = ARCHITECTURES[kind].get("pad_token_id") == 1
    tokenizer = byte_level_tokenizer() if byte_level else None
    return save_encoder(folder, kind, tokenizer, **ARCHITECTURES[kind], **settings)


@lru_cache
def whole_encoder(folder):
    return transformers.AutoModel.from_pretrained(folder).eval()


def states_of(folder, ids, layer=-1):
    """What the encoder itself says of one row of pieces."""
    encoder = whole_encoder(folder)
    with torch.no_grad():
        output = encoder(input_ids=torch.tensor([ids]), output_hidden_states=True)
    return output.hidden_states[layer][0]


def pieces_of(**settings):
    chosen: dict[str, Any] = {"pad_id": 0, "window": 64, "max_pieces": 32, "piece": "last"} | settings
    return WordPieces(word_piece_tokenizer().to_str(), **chosen)


def close(a, b):
    return torch.allclose(a, b, atol=1e-5)


# --- pieces -----------------------------------------------------------------------------------


def test_words_are_cut_each_by_itself_with_special_pieces_around():
    tokenizer = word_piece_tokenizer()
    batch = pieces_of().batch([["the", "unbelievables", "."]])
    tokens = [tokenizer.id_to_token(number) for number in batch.ids[0]]
    assert tokens == ["[CLS]", "the", "un", "##believ", "##able", "##s", ".", "[SEP]"]
    assert batch.positions.tolist() == [[[1], [5], [6]]]


@pytest.mark.parametrize("word", ["\u200b", "\x00", "\ufffd", "", " ", "\t"])
def test_a_word_of_nothing_is_an_unknown_piece(word):
    assert pieces_of().of(word) == (1,)


def test_special_pieces_in_a_text_are_words_like_others():
    assert pieces_of().of("[SEP]") == (1, 1, 1)


def test_half_of_a_surrogate_pair_is_no_error():
    assert pieces_of().of("\ud800") == (1,)


@pytest.mark.parametrize("word", ["x" * 100_000, "x-" * 50_000])
def test_a_word_of_a_hundred_thousand_characters_is_cut(word):
    assert 1 <= len(pieces_of(max_pieces=7).of(word)) <= 7


def test_byte_level_words_have_their_space_before_them():
    text = byte_level_tokenizer().to_str()
    pieces = WordPieces(text, pad_id=1, window=64, max_pieces=32, piece="last")
    tokens = [byte_level_tokenizer().id_to_token(number) for number in pieces.of("at")]
    assert tokens == ["Ġ", "a", "t"]
    assert pieces.batch([["a"]]).ids[0, [0, -1]].tolist() == [0, 2]


@given(st.integers(0, 60), st.integers(2, 12))
def test_each_piece_is_read_off_the_window_where_it_has_most_context(n_pieces, capacity):
    starts = window_starts(n_pieces, capacity)
    owners = window_owners(n_pieces, capacity, starts)
    assert len(owners) == n_pieces

    def context(piece, start):
        end = min(start + capacity, n_pieces)
        if not start <= piece < end:
            return -1
        left = float("inf") if start == 0 else piece - start
        right = float("inf") if end == n_pieces else end - 1 - piece
        return min(left, right)

    for piece, owner in enumerate(owners):
        assert context(piece, starts[owner]) == max(context(piece, start) for start in starts)
        if n_pieces > capacity:
            assert context(piece, starts[owner]) >= (capacity - 1) // 4


def divisions(lengths):
    """All ways to cut a list into runs."""
    for cuts in range(2 ** max(0, len(lengths) - 1)):
        runs: list[list[int]] = [[]]
        for at, length in enumerate(lengths):
            runs[-1].append(length)
            if at < len(lengths) - 1 and cuts >> at & 1:
                runs.append([])
        yield runs


@given(st.lists(st.integers(2, 120), min_size=1, max_size=7))
def test_rows_are_grouped_at_the_least_cost(lengths):
    groups = row_groups(np.array(lengths))
    assert sorted(np.concatenate(groups)) == list(range(len(lengths)))

    def cost(runs):
        return sum(64 + len(run) * max(run) for run in runs)

    found = cost([[lengths[row] for row in group] for group in groups])
    assert found == min(map(cost, divisions(sorted(lengths))))


def test_no_group_is_too_large():
    groups = row_groups(np.full(100, 512))
    assert max(map(len, groups)) == 32


# --- what a word is ---------------------------------------------------------------------------


def test_a_word_is_its_last_first_or_mean_piece(bert):
    sentence = ["the", "unbelievables", "."]
    states = states_of(bert, [2, 5, 21, 22, 23, 24, 20, 3])
    assert close(embedder_of(bert)([sentence])[0], states[[1, 5, 6]])
    assert close(embedder_of(bert, piece="first")([sentence])[0], states[[1, 2, 6]])
    expected = torch.stack([states[1], states[2:6].mean(dim=0), states[6]])
    assert close(embedder_of(bert, piece="mean")([sentence])[0], expected)


@pytest.mark.parametrize("settings", [{}, {"piece": "mean"}, {"tuning": "mix"}, {"window": 9}])
def test_a_sentence_alone_is_the_same_in_a_batch(bert, settings):
    embedder = embedder_of(bert, **settings)
    sentences = [*SENTENCES, [], LONG]
    batch = embedder(sentences)
    assert batch.shape == (5, len(LONG), 16)
    for number, sentence in enumerate(sentences):
        assert close(batch[number, : len(sentence)], embedder([sentence])[0])
        assert not batch[number, len(sentence) :].any()


def test_bfloat16_is_for_training_alone(bert):
    settings = {"tuning": "tuned", "encoder_dropout": 0.0, "attention_dropout": 0.0}
    exact, coarse = embedder_of(bert, **settings), embedder_of(bert, **settings, training_dtype="bfloat16")
    sentences = [["the", "cat", "sat"]]
    with torch.no_grad():
        torch.testing.assert_close(coarse.eval()(sentences), exact.eval()(sentences), rtol=0, atol=0)
        rounded, whole = coarse.train()(sentences), exact.train()(sentences)
    assert rounded.dtype == torch.float32
    assert not torch.equal(rounded, whole)
    torch.testing.assert_close(rounded, whole, rtol=0.1, atol=0.1)
    coarse(sentences).sum().backward()
    trained = [weight for weight in coarse.parameters() if weight.requires_grad]
    assert trained
    assert all(weight.grad.dtype == torch.float32 for weight in trained if weight.grad is not None)


def test_nothing_to_embed(bert):
    embedder = embedder_of(bert)
    assert embedder([]).shape == (0, 0, 16)
    assert embedder([[]]).shape == (1, 0, 16)


@pytest.mark.parametrize("piece", ["last", "mean"])
def test_a_long_sentence_is_stitched_from_overlapping_windows(bert, piece):
    window = 11
    embedder = embedder_of(bert, window=window, piece=piece)
    words = [embedder.pieces.of(word) for word in LONG]
    ids = [number for word in words for number in word]
    capacity = window - 2
    starts = window_starts(len(ids), capacity)
    assert len(starts) > 3
    owners = window_owners(len(ids), capacity, starts)
    windows = [states_of(bert, [2, *ids[start : start + capacity], 3])[1:-1] for start in starts]
    states = torch.stack([windows[owner][at - starts[owner]] for at, owner in enumerate(owners)])
    expected, at = [], 0
    for word in words:
        expected.append(
            states[at + len(word) - 1] if piece == "last" else states[at : at + len(word)].mean(0)
        )
        at += len(word)
    assert close(embedder([LONG])[0], torch.stack(expected))


def test_windows_begin_only_past_what_the_encoder_takes(bert, tmp_path):
    whole = embedder_of(bert)
    assert whole.pieces.batch([["the"] * 62]).ids.shape == (1, 64)
    assert whole.pieces.batch([["the"] * 63]).ids.shape == (2, 64)
    roberta = save_encoder(tmp_path / "roberta", "roberta", byte_level_tokenizer(), pad_token_id=1)
    # Its positions start after that of padding.
    assert embedder_of(roberta).pieces.batch([["the"] * 16]).ids.shape == (2, 62)
    assert embedder_of(roberta)([["the"] * 100]).isfinite().all()


def test_many_windows_go_through_the_encoder_in_parts(bert, monkeypatch):
    embedder = embedder_of(bert, window=16)
    whole = embedder([LONG, *SENTENCES])
    monkeypatch.setattr("rhetree.runtime.pieces._MOST_PIECES_AT_ONCE", 40)
    assert close(embedder([LONG, *SENTENCES]), whole)


@pytest.mark.filterwarnings(DEBERTA)
@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_architectures_embed_and_train(tmp_path, kind):
    embedder = embedder_of(save_architecture(tmp_path / kind, kind), tuning="tuned")
    vectors = embedder(SENTENCES)
    assert vectors.shape == (3, 15, 16)
    assert close(vectors[1, :2], embedder([SENTENCES[1]])[0])
    vectors.square().sum().backward()
    assert [name for name, value in embedder.named_parameters() if value.grad is None] == []
    assert embedder.depths().keys() == {name for name, _ in embedder.named_parameters()}
    config = embedder.config
    embedder.save_assets(tmp_path)
    copy = load_embedder(config, tmp_path).eval()
    copy.load_state_dict(embedder.state_dict())
    assert torch.equal(copy(SENTENCES), vectors)


# --- what is trained --------------------------------------------------------------------------


def trained(embedder):
    embedder.train()
    embedder(SENTENCES).square().sum().backward()
    names = {name for name, value in embedder.named_parameters() if value.grad is not None}
    assert names == {name for name, value in embedder.named_parameters() if value.requires_grad}
    return names


@pytest.mark.filterwarnings(DEBERTA)
@pytest.mark.parametrize("kind", [kind for kind in ARCHITECTURES if kind != "albert"])
def test_layers_that_run_apart_give_what_the_whole_encoder_gives(tmp_path, kind):
    n_layers = {"n_layers" if kind == "distilbert" else "num_hidden_layers": 3}
    encoder = transformers.AutoModel.from_pretrained(save_architecture(tmp_path, kind, **n_layers)).eval()
    ids = torch.arange(5, 19).view(2, 7)
    whole = encoder(input_ids=ids).last_hidden_state
    for first in (2, 3):
        assert can_run_apart(encoder, first) == (kind != "deberta-v2")
        if kind != "deberta-v2":
            with run_above(encoder, first, run_below(encoder, first, ids)):
                assert torch.equal(encoder(input_ids=ids).last_hidden_state, whole)
    assert torch.equal(encoder(input_ids=ids).last_hidden_state, whole)


def test_a_frozen_encoder_is_not_trained(bert):
    embedder = embedder_of(bert)
    assert not any(parameter.requires_grad for parameter in embedder.parameters())
    assert embedder.depths() == {}


def test_a_mix_trains_the_weights_of_layers_alone(bert):
    embedder = embedder_of(bert, tuning="mix")
    assert trained(embedder) == {"mix.scalars", "mix.gamma"}
    assert embedder.depths() == {}


def test_a_mix_is_the_weighted_sum_of_all_layers(bert):
    embedder = embedder_of(bert, tuning="mix")
    with torch.no_grad():
        embedder.mix.scalars.copy_(torch.tensor([0.5, -1.0, 2.0]))
        embedder.mix.gamma.fill_(3.0)
    weights = torch.tensor([0.5, -1.0, 2.0]).softmax(dim=0)
    layers = [states_of(bert, [2, 5, 6, 3], layer)[1:3] for layer in range(3)]
    expected = 3 * sum(weight * layer for weight, layer in zip(weights, layers, strict=True))
    assert close(embedder([["the", "cat"]])[0], expected)


OUTSIDE = {
    "bert": (["embeddings."], []),
    "electra": (["embeddings.", "embeddings_project."], []),
    "mpnet": (["embeddings.", "encoder.relative_attention_bias."], []),
    "deberta-v2": (["embeddings.", "encoder.rel_embeddings.", "encoder.LayerNorm.", "encoder.conv."], []),
    "modernbert": (["embeddings."], ["final_norm."]),
    "xlm-roberta-xl": (["embeddings."], ["encoder.LayerNorm."]),
}
"""What the lowest layer reads and what stands above the last, of each of some architectures."""


@pytest.fixture(scope="module", params=OUTSIDE)
def architecture(request, tmp_path_factory):
    kind = request.param
    folder = save_architecture(tmp_path_factory.mktemp(kind), kind, num_hidden_layers=3)
    below, above = ([f"encoder.{name}" for name in names] for names in OUTSIDE[kind])
    return folder, below, above


def expected_depth(name, below, above):
    """Of a parameter of an encoder of three layers."""
    for number in range(3):
        if f".layer.{number}." in name or f".layers.{number}." in name:
            return 2 - number
    assert name.startswith((*below, *above))
    return 3 if name.startswith(tuple(below)) else 0


@pytest.mark.filterwarnings(DEBERTA)
def test_all_of_an_encoder_is_tuned_with_its_depths(architecture):
    folder, below, above = architecture
    embedder = embedder_of(folder, tuning="tuned")
    names = trained(embedder)
    assert names == {name for name, _ in embedder.named_parameters()}
    assert all(any(name.startswith(start) for name in names) for start in below + above)
    assert embedder.depths() == {name: expected_depth(name, below, above) for name in names}


@pytest.mark.filterwarnings(DEBERTA)
@pytest.mark.parametrize("from_layer", [1, 2, 3])
def test_an_encoder_is_tuned_from_a_layer_up(architecture, from_layer):
    folder, below, above = architecture
    embedder = embedder_of(folder, tuning="tuned", from_layer=from_layer)
    everything = {name: expected_depth(name, below, above) for name, _ in embedder.named_parameters()}
    wanted = {name: depth for name, depth in everything.items() if depth <= 3 - from_layer}
    assert trained(embedder) == wanted.keys()
    assert embedder.depths() == wanted


def test_a_list_of_attentions_alone_is_no_stack_of_layers():
    config = transformers.FlaubertConfig(vocab_size=40, emb_dim=16, n_layers=3, n_heads=2)
    assert find_stack(transformers.FlaubertModel(config)) == ([], [])


def test_dropout_is_in_what_is_trained_and_nowhere_else(bert):
    def moves(embedder):
        embedder.train()
        return not torch.equal(embedder(SENTENCES), embedder(SENTENCES))

    assert not moves(embedder_of(bert))
    assert not moves(embedder_of(bert, tuning="mix"))
    assert moves(embedder_of(bert, tuning="tuned", encoder_dropout=0.3, attention_dropout=0.0))
    assert moves(embedder_of(bert, tuning="tuned", encoder_dropout=0.0, attention_dropout=0.3))
    assert not moves(embedder_of(bert, tuning="tuned", encoder_dropout=0.0, attention_dropout=0.0))
    embedder = embedder_of(bert, tuning="tuned", from_layer=2).train()
    assert not embedder.encoder.embeddings.training
    assert not embedder.encoder.encoder.layer[0].training
    assert embedder.encoder.encoder.layer[1].training
    assert not any(module.training for module in embedder.eval().modules())


def small_encoder(kind):
    config = transformers.AutoConfig.for_model(kind, vocab_size=40)
    for name in ("num_hidden_layers", "n_layers"):
        if hasattr(config, name):
            setattr(config, name, 1)
    with torch.device("meta"):
        return transformers.AutoModel.from_config(config)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("bert", "encoder.layer.0.attention.self.dropout"),
        ("distilbert", "transformer.layer.0.attention.dropout"),
        ("mpnet", "encoder.layer.0.attention.attn.dropout"),
        ("roberta", "encoder.layer.0.attention.self.dropout"),
    ],
)
def test_the_dropout_of_attention_weights_is_found_whatever_its_name(kind, name):
    encoder = small_encoder(kind)
    assert attention_dropouts(encoder) == [encoder.get_submodule(name)]


def pieces_read(embedder, sentences):
    """The pieces that the encoder is given, those of all rows, special ones included."""
    given = []
    hook = embedder.encoder.register_forward_pre_hook(
        lambda _, args, kwargs: given.extend(kwargs["input_ids"][kwargs["attention_mask"] == 1].tolist()),
        with_kwargs=True,
    )
    embedder(sentences)
    hook.remove()
    return given


def test_a_share_of_the_pieces_is_hidden_in_training_alone(bert):
    mask, first, last = 4, 2, 3
    embedder = embedder_of(bert, tuning="tuned", encoder_dropout=0.0, hidden_pieces=0.25)
    sentences = [LONG] * 20
    whole = pieces_read(embedder.eval(), sentences)
    assert mask not in whole
    assert torch.equal(embedder(SENTENCES), embedder_of(bert)(SENTENCES))
    torch.manual_seed(1)
    once, again = (pieces_read(embedder.train(), sentences) for _ in range(2))
    assert once != again
    hidden = [old for old, new in zip(whole, once, strict=True) if new != old]
    assert {new for old, new in zip(whole, once, strict=True) if new != old} == {mask}
    assert not {first, last} & set(hidden)
    n_words = sum(piece not in (first, last) for piece in whole)
    assert 0.2 < len(hidden) / n_words < 0.3
    torch.manual_seed(1)
    assert pieces_read(embedder, sentences) == once


@pytest.mark.parametrize("name", ["[MASK]", "<mask>"])
def test_an_encoder_without_a_mask_piece_can_hide_nothing(tmp_path, name):
    tokenizer = byte_level_tokenizer()
    folder = save_encoder(tmp_path / "without", "roberta", tokenizer, pad_token_id=1)
    with pytest.raises(EmbeddingError, match=r"no mask piece .* so hidden_pieces is 0 for it"):
        embedder_of(folder, tuning="tuned", hidden_pieces=0.1)
    tokenizer.add_special_tokens([name])
    folder = save_encoder(tmp_path / "with", "roberta", tokenizer, pad_token_id=1)
    embedder = embedder_of(folder, tuning="tuned", hidden_pieces=0.9).train()
    assert tokenizer.token_to_id(name) in pieces_read(embedder, SENTENCES)


def test_layers_above_can_be_left_out(bert, tmp_path):
    embedder = embedder_of(bert, n_layers=1)
    assert not any("layer.1" in name for name in embedder.state_dict())
    assert close(embedder([["the", "cat"]])[0], states_of(bert, [2, 5, 6, 3], 1)[1:3])
    assert embedder_of(bert, n_layers=1, tuning="mix").n_layers == 2
    embedder.save_assets(tmp_path)
    copy = load_embedder(embedder.config, tmp_path).eval()
    copy.load_state_dict(embedder.state_dict())
    assert torch.equal(copy(SENTENCES), embedder(SENTENCES))


# --- files ------------------------------------------------------------------------------------


def test_a_saved_embedder_needs_no_other_file_and_names_none(bert, tmp_path):
    embedder = embedder_of(bert, tuning="mix")
    embedder.save_assets(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["encoder.json", "tokenizer.json"]
    assert str(bert) not in (tmp_path / "encoder.json").read_text()
    config = EmbeddingConfig(kind="transformer", path="gone", tuning="mix")
    copy = load_embedder(config, tmp_path).eval()
    copy.load_state_dict(embedder.state_dict())
    assert torch.equal(copy(SENTENCES), embedder(SENTENCES))


def test_no_network_is_attempted_and_nothing_printed(bert, tmp_path, monkeypatch, capfd):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    embedder = embedder_of(bert)
    embedder(SENTENCES)
    embedder.save_assets(tmp_path)
    load_embedder(embedder.config, tmp_path)
    with pytest.raises(EmbeddingError, match="is not a folder"):
        embedder_of("bert-base-uncased")
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def copy_of(bert, tmp_path):
    for path in bert.iterdir():
        os.link(path, tmp_path / path.name)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("config.json", r"has no config.json; is this the folder"),
        ("tokenizer.json", r"has no tokenizer.json; have transformers write it: AutoTokenizer"),
        ("model.safetensors", r"has no weights in a .safetensors file; have transformers write it"),
    ],
)
def test_a_missing_file_of_an_encoder_is_reported(bert, tmp_path, name, message):
    (copy_of(bert, tmp_path) / name).unlink()
    with pytest.raises(EmbeddingError, match=message):
        embedder_of(tmp_path)


def test_a_folder_that_is_no_encoder(tmp_path, bert):
    with pytest.raises(EmbeddingError, match="is not a folder"):
        embedder_of(tmp_path / "nowhere")
    with pytest.raises(EmbeddingError, match="is not a folder"):
        embedder_of(bert / "config.json")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "gpt2"}, r"config.json: 'gpt2' is not an encoder"),
        ({"model_type": "my-own"}, r"config.json: 'my-own' is not an encoder .* such as bert"),
        ({"model_type": "bart", "is_encoder_decoder": True}, r"'bart' is not an encoder"),
        ({"is_decoder": True}, "with a decoder"),
        ({"num_attention_heads": 3}, r"(cannot be read|not a configuration).*heads"),
        ({"num_hidden_layers": 3}, r"its weights lack \d+ of the encoder's parameters.*layer.2"),
        ({"hidden_size": 20}, r"do not fit its config.json: \S+ has the shape \(16,\), expected \(20,\)"),
    ],
)
def test_an_encoder_that_cannot_be_used_is_reported(bert, tmp_path, changes, message):
    folder = copy_of(bert, tmp_path)
    text = (bert / "config.json").read_text()
    (folder / "config.json").unlink()
    (folder / "config.json").write_text(text)
    edit_json(folder / "config.json", **changes)
    with pytest.raises(EmbeddingError, match=message):
        embedder_of(folder)


@pytest.mark.parametrize("text", ["not json", "[]", "{}"])
def test_a_configuration_that_is_none(bert, tmp_path, text):
    folder = copy_of(bert, tmp_path)
    (folder / "config.json").unlink()
    (folder / "config.json").write_text(text)
    with pytest.raises(EmbeddingError, match=r"config.json: (not JSON|has no model_type)"):
        embedder_of(folder)


@pytest.mark.parametrize("text", ["not json", "[]", '{"model": {"type": "Unheard"}}'])
def test_a_tokenizer_that_is_none(bert, tmp_path, text):
    folder = copy_of(bert, tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text(text)
    with pytest.raises(EmbeddingError, match="tokenizer.json"):
        embedder_of(folder)


def test_truncated_weights_are_reported(bert, tmp_path):
    folder = copy_of(bert, tmp_path)
    data = (bert / "model.safetensors").read_bytes()
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])
    with pytest.raises(EmbeddingError, match="its weights cannot be read"):
        embedder_of(folder)


def test_a_tokenizer_of_another_encoder_is_reported(bert, tmp_path):
    folder = copy_of(bert, tmp_path)
    (folder / "tokenizer.json").unlink()
    byte_level_tokenizer().save(str(folder / "tokenizer.json"))
    with pytest.raises(EmbeddingError, match=r"the tokenizer has 260 pieces, the encoder 27"):
        embedder_of(folder)


@pytest.mark.parametrize(
    "settings", [{"n_layers": 3}, {"tuning": "tuned", "from_layer": 3}], ids=["n_layers", "from_layer"]
)
def test_layers_that_the_encoder_does_not_have(bert, settings):
    with pytest.raises(EmbeddingError, match=r"(n_layers|from_layer) = 3, but the encoder has 2"):
        embedder_of(bert, **settings)


def test_a_model_without_its_encoder_says_so(bert, tmp_path):
    config = EmbeddingConfig(kind="transformer", path=str(bert))
    with pytest.raises(ModelError, match=r"encoder.json: cannot be read.*is the model complete"):
        load_embedder(config, tmp_path)


def test_without_the_library_the_line_that_installs_it_is_said(bert, monkeypatch):
    monkeypatch.delitem(sys.modules, "rhetree.learning.embeddings.transformer")
    monkeypatch.delitem(sys.modules, "rhetree.learning.embeddings.hugging_face")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"transformer embeddings needs .* 'rhetree\[train\]'"):
        embedder_of(bert)


def test_picking_words_is_a_weighted_sum():
    states = torch.arange(12.0).view(2, 3, 1, 2)
    positions = torch.tensor([[[0, 4], [5, 0]]])
    weights = torch.tensor([[[0.5, 0.5], [1.0, 0.0]]])
    assert pick_words(states, positions, weights).tolist() == [[[[4, 5]], [[10, 11]]]]
