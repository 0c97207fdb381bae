"""A small encoder out of a larger one: its lowest layers, narrower inside, and the pieces that are used.

    python benchmarks/small_encoder.py ENCODER FOLDER GUM TEXTS [--layers N] [--inner N] [--pieces N] [--positions N]

ENCODER is the Hugging Face folder of a BERT with WordPiece, FOLDER the new one. Of the vocabulary it keeps special
pieces, letters, what occurs three times or more in GUM's train split and in the texts, and the first pieces of the list,
which are the most frequent ones. Of each feed-forward layer it keeps the neurons that do most to the sentences of
GUM: the mean of their activation's size times the length of their output weights. Nothing is trained here:
`benchmarks/make_english_fast.py` does that.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from rhetree.corpora.corpus import read_corpus
from rhetree.formats import read
from rhetree.learning.embeddings.hugging_face import cut_layers, read_encoder

N_SENTENCES = 400
"""On which neurons are compared."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("encoder", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("gum", type=Path)
    parser.add_argument("texts", type=Path, nargs="*", help="CoNLL-U files")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--inner", type=int, default=768, help="neurons of a feed-forward layer")
    parser.add_argument("--pieces", type=int, default=8_000, help="pieces to keep though they are rare")
    parser.add_argument("--positions", type=int, default=256, help="the longest row of pieces")
    args = parser.parse_args()
    documents = read_corpus(args.gum, split=("train",)).split("train")
    sentences = [document.forms_of(sentence) for document in documents for sentence in document.sentences]
    words = Counter(word for sentence in sentences for word in sentence)
    for text in args.texts:
        words.update(token.form for document in read(text) for token in document.tokens)
    shrink(args.encoder, args.folder, sentences[:: max(1, len(sentences) // N_SENTENCES)], words, args)


def shrink(
    source: Path,
    folder: Path,
    sentences: Sequence[Sequence[str]],
    words: Mapping[str, int],
    size: argparse.Namespace,
) -> None:
    """Write the smaller encoder.

    :param sentences: on which neurons are compared
    :param words: how often each word occurs
    """
    encoder: Any = read_encoder(source)[0].eval()
    text = (source / "tokenizer.json").read_text(encoding="utf-8")
    cut_layers(encoder, size.layers)
    kept = pieces_to_keep(text, words, size.pieces)
    with torch.no_grad():
        importance = neurons(encoder, text, sentences)
        for layer, strength in zip(encoder.encoder.layer, importance, strict=True):
            best = strength.topk(size.inner).indices.sort().values
            inner, outer = layer.intermediate.dense, layer.output.dense
            inner.weight.data, inner.bias.data = inner.weight[best], inner.bias[best]
            outer.weight.data = outer.weight[:, best]
        tables = encoder.embeddings
        tables.word_embeddings.weight.data = tables.word_embeddings.weight[kept]
        tables.position_embeddings.weight.data = tables.position_embeddings.weight[: size.positions]
    config = json.loads((source / "config.json").read_text(encoding="utf-8")) | {
        "num_hidden_layers": size.layers,
        "intermediate_size": size.inner,
        "vocab_size": len(kept),
        "max_position_embeddings": size.positions,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (folder / "tokenizer.json").write_text(smaller_tokenizer(text, kept), encoding="utf-8")
    skipped = ("position_ids", "token_type_ids")
    weights = {name: value.contiguous() for name, value in encoder.state_dict().items()}
    weights = {name: value for name, value in weights.items() if not name.endswith(skipped)}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    n_weights = sum(value.numel() for value in weights.values())
    print(f"{folder}: {size.layers} layers, {len(kept)} pieces, {n_weights / 1e6:.1f} million weights")


def pieces_to_keep(tokenizer: str, words: Mapping[str, int], n_first: int) -> list[int]:
    """The numbers of the pieces to keep, ascending."""
    description = json.loads(tokenizer)
    own = Tokenizer.from_str(tokenizer)
    found: Counter[int] = Counter()
    for word, count in words.items():
        for piece in own.encode(word, add_special_tokens=False).ids:
            found[piece] += count
    special = {token["id"] for token in description["added_tokens"]}
    kept = set(special)
    for piece, number in description["model"]["vocab"].items():
        if piece.startswith("[unused") or number in special:
            continue
        letter = piece.removeprefix("##")
        is_letter = len(letter) == 1 and letter.isascii()
        if is_letter or found[number] > 2 or (number < n_first and piece.isascii()):
            kept.add(number)
    return sorted(kept)


def smaller_tokenizer(tokenizer: str, kept: Sequence[int]) -> str:
    """The tokenizer with these pieces alone, numbered from 0."""
    description = json.loads(tokenizer)
    new = {old: number for number, old in enumerate(kept)}
    model = description["model"]
    model["vocab"] = {piece: new[old] for piece, old in model["vocab"].items() if old in new}
    for token in description["added_tokens"]:
        token["id"] = new[token["id"]]
    for token in description["post_processor"]["special_tokens"].values():
        token["ids"] = [new[old] for old in token["ids"]]
    description["truncation"] = description["padding"] = None
    return json.dumps(description, ensure_ascii=False)


def neurons(encoder: Any, tokenizer: str, sentences: Iterable[Sequence[str]]) -> list[Tensor]:
    """How much each neuron of each feed-forward layer does to these sentences, ``(inner,)`` for each layer."""
    own = Tokenizer.from_str(tokenizer)
    own.no_padding()
    own.no_truncation()
    layers = encoder.encoder.layer
    sums = [torch.zeros(layer.intermediate.dense.out_features) for layer in layers]

    def watch(number: int) -> Any:
        def add(_module: Any, _inputs: Any, output: Tensor) -> None:
            sums[number] += output.abs().sum(dim=(0, 1))

        return add

    hooks = [layer.intermediate.register_forward_hook(watch(number)) for number, layer in enumerate(layers)]
    for sentence in sentences:
        ids = own.encode(list(sentence), is_pretokenized=True).ids[:512]
        encoder(input_ids=torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    return [total * layer.output.dense.weight.norm(dim=0) for total, layer in zip(sums, layers, strict=True)]


if __name__ == "__main__":
    main()
