"""Trains the sentence splitter of :mod:`rhetree.text.splitter` on documents with gold sentences.

Raw text is put together from the documents: their own spacing and a blank line between paragraphs.
So that the splitter also meets text that nobody edited, some documents are wrapped at a column, have a line for
each sentence, lose their capitals, or lose full stops.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from rhetree.domain.document import Document
from rhetree.text.sentence_features import COLUMNS, SIZES, Rows, features
from rhetree.text.splitter import DILATIONS
from rhetree.text.tokenizing import paragraphs

_WIDTHS = {"suffix": 12, "shape": 24, "gap": 6, "place": 8}
_CHUNK = 200
"""Tokens of a paragraph that are learnt from at once."""
_COLUMNS_OF_TEXT = (60, 66, 72, 76, 78, 80, 100)
"""Where lines of wrapped text may end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitterTraining:
    """How to train a splitter."""

    width: int = 64
    """Hidden size."""
    epochs: int = 9
    batch_size: int = 32
    learning_rate: float = 2e-3
    dropout: float = 0.3
    unknown: float = 0.15
    """Share of words that training hides, so that unknown ones are learnt too."""
    seed: int = 1


Paragraph = tuple[tuple[str, str], ...]
"""The sentences of a paragraph, each after the white space before it."""
Example = tuple[Rows, np.ndarray]
"""Features of tokens, and for each token whether it starts a sentence."""


def gold_paragraphs(document: Document) -> list[Paragraph]:
    """The sentences of a document by paragraph."""
    found: list[list[tuple[str, str]]] = [[]]
    end = 0
    for sentence in document.sentences:
        start = document.tokens[sentence.start].start
        gap = document.text[end:start]
        if "\n" in gap and found[-1]:
            found.append([])
        found[-1].append((gap if found[-1] else "", document.text_of(sentence)))
        end = document.tokens[sentence.end - 1].end
    return [tuple(own) for own in found if own]


def raw_text(document: Sequence[Paragraph]) -> tuple[str, list[tuple[int, int]]]:
    """The text of a document as a reader would copy it, and where each sentence starts and ends."""
    return _write(document, lambda _, gap: gap)


def disturbed_text(document: Sequence[Paragraph], chance: random.Random) -> tuple[str, list[tuple[int, int]]]:
    """The same, as text that nobody edited may be."""
    style = chance.random()
    column = chance.choice(_COLUMNS_OF_TEXT)
    lower, drop = chance.random() < 0.06, chance.random() < 0.06

    def change(sentence: str) -> str:
        if drop and chance.random() < 0.5 and sentence[-1] in ".!?":
            sentence = sentence[:-1].rstrip() or sentence
        return sentence.lower() if lower else sentence

    changed = [tuple((gap, change(sentence)) for gap, sentence in own) for own in document]
    if style < 0.6:
        return raw_text(changed)
    if style < 0.85:
        text, sentences = raw_text(changed)
        return _wrap(text, column), sentences
    return _write(changed, lambda number, gap: "\n" if number and gap == " " else gap)


def _write(document: Sequence[Paragraph], gap_of) -> tuple[str, list[tuple[int, int]]]:  # type: ignore[no-untyped-def]  # (number, gap) -> gap
    parts: list[str] = []
    sentences = []
    at = 0
    for number, paragraph in enumerate(document):
        for place, (gap, sentence) in enumerate(paragraph):
            before = gap_of(place, gap) if place else "\n\n" if number else ""
            at += len(before)
            parts += [before, sentence]
            sentences.append((at, at + len(sentence)))
            at += len(sentence)
    return "".join(parts), sentences


def _wrap(text: str, column: int) -> str:
    """The text with lines of at most ``column`` characters where single spaces allow it; no offset changes."""
    letters = list(text)
    line_start, last_space = 0, -1
    for place, letter in enumerate(text):
        if letter == "\n":
            line_start, last_space = place + 1, -1
        elif letter == " ":
            last_space = place
        if place - line_start >= column and last_space > line_start:
            letters[last_space] = "\n"
            line_start, last_space = last_space + 1, -1
    return "".join(letters)


def examples(
    text: str, sentences: Iterable[tuple[int, int]], vocabulary: dict[str, int]
) -> Iterator[Example]:
    """What there is to learn from a text whose sentences are known."""
    gold = {start for start, _ in sentences}
    for forms, starts in paragraphs(text):
        rows = features(text, forms, starts, vocabulary)
        right = np.array([start in gold for start in starts], dtype=np.float32)
        for at in range(0, len(rows), _CHUNK):
            yield rows[at : at + _CHUNK], right[at : at + _CHUNK]


class SplitterNetwork(nn.Module):
    """The network that :class:`rhetree.text.splitter.SentenceSplitter` runs."""

    def __init__(self, vectors: np.ndarray, config: SplitterTraining) -> None:
        """Start with pretrained word vectors, which stay as they are.

        :param vectors: one a word; row 0 is the unknown word's
        """
        super().__init__()
        self.unknown = config.unknown
        words = nn.Embedding(
            vectors.shape[0], vectors.shape[1], _weight=torch.from_numpy(vectors), _freeze=True
        )
        others = [nn.Embedding(SIZES[name], _WIDTHS[name]) for name in COLUMNS[1:]]
        self.tables = nn.ModuleList([words, *others])
        width = vectors.shape[1] + sum(_WIDTHS.values())
        sizes = [
            (width, config.width, 1),
            *((config.width, config.width, dilation) for dilation in DILATIONS),
        ]
        self.layers = nn.ModuleList(nn.Conv1d(n, m, 3, padding=d, dilation=d) for n, m, d in sizes)
        self.output = nn.Linear(config.width, 1)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, rows: Tensor, real: Tensor) -> Tensor:
        """Log-odds that each token starts a sentence, ``(batch, longest)``.

        :param rows: ``(batch, longest, 5)``
        :param real: 1 at tokens and 0 at padding, ``(batch, longest)``
        """
        if self.training:
            rows = rows.clone()
            rows[..., 0] *= torch.rand(rows.shape[:2]) >= self.unknown
        vectors = [table(rows[..., column]) for column, table in enumerate(self.tables)]
        mask = real.unsqueeze(1)
        states = self.dropout(torch.cat(vectors, dim=-1)).transpose(1, 2) * mask  # (batch, width, longest)
        for number, layer in enumerate(self.layers):
            changed = torch.relu(layer(states if number == 0 else self.dropout(states))) * mask
            states = changed if number == 0 else states + changed
        scores: Tensor = self.output(self.dropout(states.transpose(1, 2))).squeeze(-1)
        return scores


def train_splitter(
    documents: Sequence[Sequence[Paragraph]],
    words: Sequence[str],
    vectors: np.ndarray,
    config: SplitterTraining,
) -> Iterator[tuple[int, float, SplitterNetwork]]:
    """Train a splitter, yielding number, mean loss and network after each epoch.

    :param words: the vocabulary, in lower case
    :param vectors: their vectors, ``(words, width)``
    """
    torch.manual_seed(config.seed)
    chance = random.Random(config.seed)
    vocabulary = {word: number for number, word in enumerate(words, start=1)}
    table = np.concatenate([np.zeros_like(vectors[:1]), vectors]).astype(np.float32)
    network = SplitterNetwork(table / table.std(), config)
    trained = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=0.02)
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None
    for epoch in range(1, config.epochs + 1):
        found = [
            example
            for document in documents
            for example in examples(*disturbed_text(document, chance), vocabulary)
        ]
        batches = list(_batches(found, config.batch_size, chance))
        if schedule is None:
            schedule = torch.optim.lr_scheduler.LambdaLR(
                optimizer, partial(_rate, n_steps=config.epochs * len(batches))
            )
        network.train()
        total = 0.0
        for rows, right, real in batches:
            losses = nn.functional.binary_cross_entropy_with_logits(
                network(rows, real), right, reduction="none"
            )
            loss = (losses * real).sum() / real.sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            optimizer.step()
            schedule.step()
            total += loss.item()
        yield epoch, total / len(batches), network.eval()


def _rate(step: int, *, n_steps: int) -> float:
    """Share of the learning rate: it rises for 100 steps, then falls to almost nothing."""
    return max(0.02, min((step + 1) / 100, 1 - step / n_steps))


def _batches(
    found: list[Example], size: int, chance: random.Random
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Examples of like length together, in random order."""
    chance.shuffle(found)
    pool = size * 20
    runs = [
        sorted(found[at : at + pool], key=lambda example: len(example[0]))
        for at in range(0, len(found), pool)
    ]
    batches = [run[at : at + size] for run in runs for at in range(0, len(run), size)]
    chance.shuffle(batches)
    for batch in batches:
        shape = len(batch), max(len(rows) for rows, _ in batch)
        rows = np.zeros((*shape, len(COLUMNS)), dtype=np.int64)
        right, real = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        for number, (own, starts) in enumerate(batch):
            rows[number, : len(own)], right[number, : len(own)], real[number, : len(own)] = own, starts, 1
        yield torch.from_numpy(rows), torch.from_numpy(right), torch.from_numpy(real)


def save_splitter(network: SplitterNetwork, words: Sequence[str], path: Path) -> None:
    """Write a splitter: word vectors in 8 bits with a scale for each of their numbers, the rest in half precision."""
    tables = [cast(nn.Embedding, table).weight.detach().numpy() for table in network.tables]
    scale = np.abs(tables[0]).max(axis=0) / 127
    tensors = {
        "words": np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8),
        "table.word": np.round(tables[0] / scale).astype(np.int8),
        "scale.word": scale.astype(np.float32),
        "output.weight": network.output.weight.detach().numpy()[0].astype(np.float16),
        "output.bias": network.output.bias.detach().numpy().astype(np.float32),
    }
    tensors |= {
        f"table.{name}": table.astype(np.float16) for name, table in zip(COLUMNS[1:], tables[1:], strict=True)
    }
    for number, module in enumerate(network.layers):
        layer = cast(nn.Conv1d, module)
        weight = layer.weight.detach().permute(2, 1, 0).flatten(0, 1)  # (3 * before, width)
        bias = cast(Tensor, layer.bias).detach()
        tensors[f"layer.{number}.weight"] = weight.contiguous().numpy().astype(np.float16)
        tensors[f"layer.{number}.bias"] = bias.numpy().astype(np.float16)
    save_file(tensors, path)
    path.chmod(0o644)  # safetensors writes for the owner alone
