"""Tiny encoders with random weights, written to a folder as their makers would."""

import json
from pathlib import Path

import h5py
import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "because",
    "it",
    "rained",
    ",",
    "and",
    "then",
    "we",
    "went",
    "home",
    ".",
    "un",
    "##believ",
    "##able",
    "##s",
    "x",
    "##x",
]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ELMO = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 5,
        "cell_clip": 0.6,
        "proj_clip": 0.5,
        "dim": 7,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 3], [2, 4], [3, 2]],
        "n_highway": 2,
        "embedding": {"dim": 4},
        "n_characters": 262,
        "max_characters_per_token": 50,
    },
}


def word_piece_tokenizer():
    vocabulary = {piece: number for number, piece in enumerate(SPECIAL + WORDS)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # As many files have them: neither may cut or pad what we encode.
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=4)
    return tokenizer


def byte_level_tokenizer():
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(pieces[:4])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return tokenizer


def save_encoder(folder: Path, kind: str = "bert", tokenizer: Tokenizer | None = None, **settings) -> Path:
    """A random encoder of two layers and width 16, with its tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    if tokenizer is None:
        tokenizer = word_piece_tokenizer()
    sizes = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 64,
        "vocab_size": tokenizer.get_vocab_size(),
    }
    if kind == "distilbert":
        sizes = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32} | {
            name: sizes[name] for name in ("max_position_embeddings", "vocab_size")
        }
    config = transformers.AutoConfig.for_model(kind, **(sizes | settings))
    generator = torch.random.get_rng_state()
    torch.manual_seed(1)
    encoder = transformers.AutoModel.from_config(config)
    for parameter in encoder.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)  # the usual .02 would hide most mistakes
    torch.random.set_rng_state(generator)
    encoder.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def write_elmo(folder: Path, **changes) -> Path:
    """A tiny ELMo with random weights in the layout of the official files."""
    options = json.loads(json.dumps(ELMO))
    for name, value in changes.items():
        section, key = name.split("__")
        options[section][key] = value
    folder.mkdir(exist_ok=True)
    (folder / "tiny_options.json").write_text(json.dumps(options))
    random = np.random.default_rng(0)
    cnn, lstm = options["char_cnn"], options["lstm"]
    n_filters = sum(number for _, number in cnn["filters"])
    cell, projection = lstm["dim"], lstm["projection_dim"]
    with h5py.File(folder / "tiny_weights.hdf5", "w") as file:

        def put(name, *shape):
            file[name] = random.normal(scale=0.7, size=shape).astype(np.float32)

        put("char_embed", 261, cnn["embedding"]["dim"])
        for number, (width, n_same) in enumerate(cnn["filters"]):
            put(f"CNN/W_cnn_{number}", 1, width, cnn["embedding"]["dim"], n_same)
            put(f"CNN/b_cnn_{number}", n_same)
        for number in range(cnn["n_highway"]):
            for name in ("transform", "carry"):
                put(f"CNN_high_{number}/W_{name}", n_filters, n_filters)
                put(f"CNN_high_{number}/b_{name}", n_filters)
        put("CNN_proj/W_proj", n_filters, projection)
        put("CNN_proj/b_proj", projection)
        for direction in range(2):
            for layer in range(lstm["n_layers"]):
                name = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
                put(f"{name}/W_0", 2 * projection, 4 * cell)
                put(f"{name}/B", 4 * cell)
                put(f"{name}/W_P_0", cell, projection)
    return folder


def edit_json(path: Path, **changes) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
