"""Tiny encoders with random weights, written to a folder as their makers would."""

import json
from pathlib import Path

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


def edit_json(path: Path, **changes) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
