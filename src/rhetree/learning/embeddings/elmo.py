"""ELMo (Peters et al. 2018): characters, convolutions, two directions of LSTM, a learnt mix of layers.

Numbers are those of the official implementation, but for one thing. That one carries the state
of its LSTMs from batch to batch, so that a sentence's vectors depend on what was seen before;
ours starts every sentence from zeros, and the same sentence always has the same vectors.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rhetree.errors import ModelError
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.contextual import ContextualEmbedder, hash_of_weights
from rhetree.learning.embeddings.elmo_files import (
    N_CHARACTERS,
    ElmoOptions,
    ElmoWeights,
    find_files,
    open_weights,
    read_options,
)
from rhetree.learning.embeddings.embedder import LayerMix
from rhetree.learning.padding import turn_around, where_present

_OPTIONS_FILE = "elmo.json"
_BEGIN_SENTENCE, _END_SENTENCE, _BEGIN_WORD, _END_WORD, _PADDING = range(256, 261)
_SPECIAL = {"<S>": [_BEGIN_SENTENCE], "</S>": [_END_SENTENCE]}
_WORDS_AT_ONCE = 256


class ElmoEmbedder(ContextualEmbedder):
    """The layers of a frozen ELMo, mixed: that of words alone, twice, and those of the LSTMs."""

    def __init__(self, config: EmbeddingConfig, options: str) -> None:
        """Build an ELMo without weights.

        :param options: the text of its ``options.json``; a ``ValueError`` says what is wrong with it
        """
        super().__init__(config)
        self.options = ElmoOptions.from_json(options)
        self._options_text = options
        self.width = 2 * self.options.projection
        self.words = CharacterCnn(self.options)
        self.ahead = nn.ModuleList(ClippedLstm(self.options) for _ in range(self.options.n_layers))
        self.back = nn.ModuleList(ClippedLstm(self.options) for _ in range(self.options.n_layers))
        self.requires_grad_(False)
        self.n_layers = 1 + self.options.n_layers
        self.mix: LayerMix = LayerMix(self.n_layers)
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.BatchNorm1d(self.width, affine=False) if config.batch_norm else None

    @classmethod
    def create(cls, config: EmbeddingConfig, sentences: Iterable[Sequence[str]] = ()) -> "ElmoEmbedder":  # noqa: ARG003
        """The ELMo in the folder that the settings name."""
        options, weights = find_files(config.folder)
        embedder = cls(config, read_options(options))
        with open_weights(weights) as opened, torch.no_grad():
            embedder.words.load(opened)
            for direction, stack in enumerate((embedder.ahead, embedder.back)):
                for layer, lstm in enumerate(stack):
                    cast(ClippedLstm, lstm).load(
                        opened, f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
                    )
        return embedder

    @classmethod
    def from_assets(cls, config: EmbeddingConfig, folder: Path) -> "ElmoEmbedder":
        """The ELMo of a saved model; its weights come with the model's state."""
        path = folder / _OPTIONS_FILE
        try:
            return cls(config, path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ModelError(f"{path}: cannot be read: {error.strerror}; is the model complete?") from error
        except ValueError as error:
            raise ModelError(f"{path}: {error}") from error

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Word vectors, ``(batch, longest, width)``; zeros after a sentence's last word."""
        vectors: Tensor = self.dropout(super().forward(sentences))
        if self.norm is None or not vectors.numel():
            return vectors
        lengths = torch.tensor([len(sentence) for sentence in sentences], device=vectors.device)
        present = where_present(vectors, lengths)
        words = vectors[present]
        # A single word has no variance; padding must not count.
        normal = nn.functional.batch_norm(
            words,
            self.norm.running_mean,
            self.norm.running_var,
            training=self.training and len(words) > 1,
            momentum=self.norm.momentum or 0.0,
            eps=self.norm.eps,
        )
        return torch.zeros_like(vectors).masked_scatter(present.unsqueeze(-1), normal)

    def save_assets(self, folder: Path) -> None:
        """Write the options."""
        (folder / _OPTIONS_FILE).write_text(self._options_text, encoding="utf-8")

    def fingerprint(self) -> str:
        """A hash of options and weights."""
        encoder = nn.ModuleList([self.words, self.ahead, self.back])
        return hashlib.sha256(f"{self.options}{hash_of_weights(encoder)}".encode()).hexdigest()

    def layers(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """ELMo's states for each word, ``(batch, longest, n_layers, width)``, padded with zeros."""
        longest = max(map(len, sentences), default=0)
        if not longest:
            return self.mix.gamma.new_zeros(len(sentences), 0, self.n_layers, self.width)
        with torch.no_grad():
            words = self._words([["<S>", *sentence, "</S>"] for sentence in sentences])
            lengths = torch.tensor([2 + len(sentence) for sentence in sentences], device=words.device)
            layers = self.encode_words(words, lengths)[:, 1:-1]
        return layers * where_present(layers, lengths - 2)[:, :, None, None]

    def encode_words(self, words: Tensor, lengths: Tensor) -> Tensor:
        """All layers, ``(batch, length, n_layers, width)``; what is past a sentence's end means nothing.

        :param words: from the character CNN, sentence boundaries included, ``(batch, length, projection)``
        :param lengths: ``(batch,)``
        """
        ahead, back = words, turn_around(words, lengths)
        layers = [torch.cat([words, words], dim=-1)]
        for number, (forward_lstm, backward_lstm) in enumerate(zip(self.ahead, self.back, strict=True)):
            skips = number > 0 and self.options.has_skips
            ahead = forward_lstm(ahead) + (ahead if skips else 0)
            back = backward_lstm(back) + (back if skips else 0)
            layers.append(torch.cat([ahead, turn_around(back, lengths)], dim=-1))
        return torch.stack(layers, dim=2)

    def _words(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Words by their characters alone, ``(batch, longest, projection)``; each is computed once."""
        numbers: dict[str, int] = {}
        rows = np.zeros((len(sentences), max(map(len, sentences))), dtype=np.int64)
        for row, sentence in zip(rows, sentences, strict=True):
            row[: len(sentence)] = [numbers.setdefault(word, len(numbers)) for word in sentence]
        device = self.mix.gamma.device
        characters = torch.from_numpy(character_ids(list(numbers), self.options.max_characters)).to(device)
        vectors = torch.cat([self.words(part) for part in torch.split(characters, _WORDS_AT_ONCE)])
        return vectors[torch.from_numpy(rows).to(device)]


def character_ids(words: Sequence[str], max_characters: int) -> NDArray[np.int64]:
    """Words as bytes between marks of their begin and end, ``(n_words, max_characters)``.

    All numbers are one higher than those of the bytes and marks: 0 is for no word at all.
    """
    ids = np.full((len(words), max_characters), _PADDING, dtype=np.int64)
    for row, word in zip(ids, words, strict=True):
        inner = _SPECIAL.get(word) or list(word.encode("utf-8", "ignore")[: max_characters - 2])
        row[: len(inner) + 2] = [_BEGIN_WORD, *inner, _END_WORD]
    return ids + 1


class CharacterCnn(nn.Module):
    """A word from its characters: filters, the best match of each, highway layers, a projection."""

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.options = options
        width = options.n_filters
        self.characters = nn.Embedding(1 + N_CHARACTERS, options.character_width, padding_idx=0)
        self.filters = nn.ModuleList(
            nn.Conv1d(options.character_width, number, size) for size, number in options.filters
        )
        self.transforms = nn.ModuleList(nn.Linear(width, width) for _ in range(options.n_highway))
        self.carries = nn.ModuleList(nn.Linear(width, width) for _ in range(options.n_highway))
        self.projection = nn.Linear(width, options.projection)

    def forward(self, ids: Tensor) -> Tensor:
        """``(n_words, projection)``.

        :param ids: characters, ``(n_words, max_characters)``
        """
        activate = torch.relu if self.options.activation == "relu" else torch.tanh
        characters = self.characters(ids).transpose(1, 2)  # (n_words, character_width, max_characters)
        words = torch.cat([activate(convolve(characters).amax(dim=-1)) for convolve in self.filters], dim=-1)
        for transform, carry in zip(self.transforms, self.carries, strict=True):
            gate = torch.sigmoid(carry(words))
            words = gate * torch.relu(transform(words)) + (1 - gate) * words
        projected: Tensor = self.projection(words)
        return projected

    def load(self, weights: ElmoWeights) -> None:
        """Copy the official weights."""
        options = self.options
        width, n_filters = options.character_width, options.n_filters
        _copy(self.characters.weight[1:], weights.array("char_embed", N_CHARACTERS, width))
        for number, (size, n_same) in enumerate(options.filters):
            convolve = cast(nn.Conv1d, self.filters[number])
            weight = weights.array(f"CNN/W_cnn_{number}", 1, size, width, n_same)
            _copy(convolve.weight, weight[0].transpose(2, 1, 0))
            _copy(cast(Tensor, convolve.bias), weights.array(f"CNN/b_cnn_{number}", n_same))
        for number in range(options.n_highway):
            for name, layers in (("transform", self.transforms), ("carry", self.carries)):
                linear = cast(nn.Linear, layers[number])
                weight = weights.array(f"CNN_high_{number}/W_{name}", n_filters, n_filters)
                _copy(linear.weight, weight.T)
                _copy(linear.bias, weights.array(f"CNN_high_{number}/b_{name}", n_filters))
        _copy(self.projection.weight, weights.array("CNN_proj/W_proj", n_filters, options.projection).T)
        _copy(self.projection.bias, weights.array("CNN_proj/b_proj", options.projection))


class ClippedLstm(nn.Module):
    """An LSTM whose memory is clipped, and whose output is projected and clipped too.

    Gates are in the official order: input, candidate, forget, output.
    """

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.options = options
        self.read = nn.Linear(options.projection, 4 * options.cell)
        self.recur = nn.Linear(options.projection, 4 * options.cell, bias=False)
        self.project = nn.Linear(options.cell, options.projection, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """From left to right, ``(batch, length, projection)`` in and out."""
        cell_clip, projection_clip = self.options.cell_clip, self.options.projection_clip
        read = self.read(inputs)  # (batch, length, 4 * cell)
        state = inputs.new_zeros(len(inputs), self.options.projection)
        memory = inputs.new_zeros(len(inputs), self.options.cell)
        states = []
        for step in range(inputs.shape[1]):
            gates = read[:, step] + self.recur(state)
            enter, candidate, keep, leave = gates.chunk(4, dim=-1)
            memory = torch.sigmoid(keep) * memory + torch.sigmoid(enter) * torch.tanh(candidate)
            if cell_clip:
                memory = memory.clamp(-cell_clip, cell_clip)
            state = self.project(torch.sigmoid(leave) * torch.tanh(memory))
            if projection_clip:
                state = state.clamp(-projection_clip, projection_clip)
            states.append(state)
        return torch.stack(states, dim=1)

    def load(self, weights: ElmoWeights, name: str) -> None:
        """Copy the official weights."""
        cell, projection = self.options.cell, self.options.projection
        weight = weights.array(f"{name}/W_0", 2 * projection, 4 * cell)
        _copy(self.read.weight, weight[:projection].T)
        _copy(self.recur.weight, weight[projection:].T)
        bias = weights.array(f"{name}/B", 4 * cell)
        bias[2 * cell : 3 * cell] += 1  # TensorFlow adds it while it runs
        _copy(self.read.bias, bias)
        _copy(self.project.weight, weights.array(f"{name}/W_P_0", cell, projection).T)


def _copy(target: Tensor, source: NDArray[np.float32]) -> None:
    target.copy_(torch.from_numpy(np.ascontiguousarray(source)))
