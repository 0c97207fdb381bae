"""Sentences to learn from, written for the tests, and networks small enough to learn them in a moment."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import torch
from torch import Tensor, nn

from rhetree.domain.tree import Nuclearity, Split, Tree
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.embedder import Embedder
from rhetree.learning.networks.classifier import ClassifierConfig
from rhetree.learning.networks.encoder import EncoderConfig
from rhetree.learning.networks.joint import DiscourseNetwork, LossConfig, NetworkConfig
from rhetree.learning.networks.parser import ParserConfig
from rhetree.learning.networks.segmenter import SegmenterConfig
from rhetree.learning.targets import SentenceExample, labels_of


def example(text: str, *splits: tuple[int, int, int, Nuclearity, str], tree: bool = True) -> SentenceExample:
    """A sentence whose EDUs are separated by ``|``."""
    edus = [edu.split() for edu in text.split("|")]
    return SentenceExample(
        tuple(token for edu in edus for token in edu),
        tuple(map(len, edus)),
        Tree(tuple(Split(*split) for split in splits)) if tree else None,
    )


EXAMPLES = [
    example("Yes ."),
    example("The boats came home ."),
    example("She said | that it rained .", (0, 1, 2, "SN", "attribution")),
    example("They left | because they were late .", (0, 1, 2, "NS", "causal")),
    example(
        "He came , | he saw | and he left .",
        (0, 1, 3, "NN", "joint"),
        (1, 2, 3, "NN", "joint"),
    ),
    example(
        "If you go , | he said , | we will stay | and wait .",
        (0, 2, 4, "SN", "contingency"),
        (0, 1, 2, "NS", "attribution"),
        (2, 3, 4, "NN", "joint"),
    ),
    example(
        "The man | who sold it | left , | which was odd | as we know , | for good .",
        (0, 5, 6, "NN", "same-unit"),
        (0, 2, 5, "NN", "same-unit"),
        (0, 1, 2, "NS", "elaboration"),
        (2, 3, 5, "NS", "elaboration"),
        (3, 4, 5, "NS", "attribution"),
    ),
    example("He waited | ( she says ) | and then", tree=False),
]

LABELS = labels_of(EXAMPLES)
SENTENCES = [item.tokens for item in EXAMPLES]


class HashedEmbedder(Embedder):
    """Trained vectors for words by their checksum: needs no vocabulary."""

    def __init__(self, width: int = 16, n_rows: int = 211) -> None:
        super().__init__()
        self.width = width
        self.n_rows = n_rows
        self.vectors = nn.Embedding(n_rows, width)

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        rows = [
            torch.tensor([crc32(word.encode()) % self.n_rows for word in sentence]) for sentence in sentences
        ]
        vectors = [self.vectors(row) for row in rows]
        return nn.utils.rnn.pad_sequence(vectors, batch_first=True)

    @classmethod
    def create(cls, config: EmbeddingConfig, sentences: Iterable[Sequence[str]] = ()) -> "HashedEmbedder":
        return cls(config.width)

    @classmethod
    def from_assets(cls, config: EmbeddingConfig, folder: Path) -> "HashedEmbedder":
        return cls(config.width)

    def save_assets(self, folder: Path) -> None:
        pass

    def depths(self) -> dict[str, int]:
        return {}


SMALL = NetworkConfig(
    encoder=EncoderConfig(layers=1, width=8, dropout=0.1),
    segmenter=SegmenterConfig(layers=1, width=16, dropout=0.1),
    parser=ParserConfig(layers=1, width=16, dropout=0.1),
    classifier=ClassifierConfig(width=8, dropout=0.1),
)


def _vary(**changes) -> NetworkConfig:
    """SMALL with settings changed: ``section__key=value``."""
    config = SMALL
    for name, value in changes.items():
        section, _, key = name.partition("__")
        config = replace(
            config, **{section: replace(getattr(config, section), **{key: value}) if key else value}
        )
    return config


VARIATIONS = {
    "paper": SMALL,
    "two layers": _vary(encoder__layers=2, segmenter__layers=2, parser__layers=2),
    "segment": _vary(task="segment"),
    "parse": _vary(task="parse"),
    "summed directions": _vary(
        encoder__merge="sum", encoder__width=16, segmenter__width=16, parser__width=16
    ),
    "other widths and layers": _vary(
        segmenter__width=12, segmenter__layers=1, parser__width=20, parser__layers=2
    ),
    "self-attention": _vary(encoder__kind="attention", encoder__heads=2),
    "no encoder": _vary(encoder__kind="none", parser__span="both-ends", parser__boundary="both-sides"),
    "segbot": _vary(task="segment", segmenter__pointer="additive", segmenter__input="embedding"),
    "biaffine pointers": _vary(segmenter__pointer="biaffine", parser__pointer="biaffine"),
    "additive pointers": _vary(segmenter__pointer="additive", parser__pointer="additive"),
    "wly": _vary(task="segment", encoder__kind="none", segmenter__kind="crf", segmenter__layers=1),
    "plain crf": _vary(segmenter__kind="crf", segmenter__attention_window=0, segmenter__input="embedding"),
    "mean spans": _vary(parser__span="mean"),
    "mean spans for the decoder alone": _vary(parser__span="mean", classifier__span="last"),
    "mean spans for the labels alone": _vary(classifier__span="mean"),
    "attention decoders": _vary(
        segmenter__decoder="attention", segmenter__heads=2, parser__decoder="attention", parser__heads=2
    ),
    "both ends": _vary(parser__span="both-ends"),
    "both sides": _vary(
        segmenter__boundary="both-sides", parser__boundary="both-sides", parser__span="both-ends"
    ),
    "no partial tree": _vary(parser__partial_tree="none"),
    "averaged partial tree": _vary(parser__partial_tree="average"),
    "separate labels": _vary(classifier__separate=True),
    "losses by sentence": _vary(loss=LossConfig(reduction="sentences", label=0.5)),
}


def make_network(config: NetworkConfig = SMALL, seed: int = 7) -> DiscourseNetwork:
    torch.manual_seed(seed)
    return DiscourseNetwork(config, HashedEmbedder(), LABELS if config.task != "segment" else ())


def overfit(
    network: DiscourseNetwork, steps: int, rate: float = 0.02, enough: float = 0.0, examples=EXAMPLES
) -> list[float]:
    """Train until the loss is low enough, or for this number of steps. Returns the loss of each step."""
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    totals = []
    for _ in range(steps):
        network.train()
        optimizer.zero_grad()
        total = sum(network(examples).values())
        total.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimizer.step()
        totals.append(total.item())
        if totals[-1] < enough:
            break
    return totals
