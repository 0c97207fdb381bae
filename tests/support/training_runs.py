"""Small training runs: a corpus of six short documents that we wrote, and a network that learns it in seconds."""

from dataclasses import replace

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.formats import write
from rhetree.learning.training.experiment import run
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.settings import as_toml

SENTENCES = [
    ("He left , because it rained .", [3, 4], Tree((Split(0, 1, 2, "NS", "cause"),))),
    (
        "If it rains , he stays and reads .",
        [4, 2, 3],
        Tree((Split(0, 1, 3, "SN", "condition"), Split(1, 2, 3, "NN", "list"))),
    ),
    ("She sang .", [3], Tree()),
]

SMALL = (
    "network.embedding.width=16",
    "network.embedding.min_count=1",
    "network.encoder.layers=1",
    "network.encoder.width=8",
    "network.segmenter.layers=1",
    "network.segmenter.width=16",
    "network.parser.layers=1",
    "network.parser.width=16",
    "network.classifier.width=8",
    "optimizer.learning_rate=0.02",
    "train.epochs=3",
    "train.batch_size=4",
    "train.checkpoint_steps=2",
    "train.threads=1",
)

UNSET = ("network.embedding.width=100", "network.embedding.min_count=2")
"""The settings of random vectors at their defaults, for other kinds of embeddings."""


def document(number):
    sentences = SENTENCES[number % 3 :] + SENTENCES[: number % 3]
    bare = Document.from_sentences([text.split() for text, _, _ in sentences], name=f"doc{number}")
    return replace(
        bare,
        edus=spans_of_lengths(length for _, lengths, _ in sentences for length in lengths),
        sentence_trees=tuple(tree for *_, tree in sentences),
        metadata={"genre": "weather" if number % 2 else "travel"},
    )


def write_corpus(folder):
    """Six documents, four of them to learn from."""
    folder.mkdir()
    for number in range(6):
        write(document(number), folder / f"doc{number}.json")
    (folder / "train.txt").write_text("doc0\ndoc1\ndoc2\ndoc3\n", encoding="utf-8")
    (folder / "dev.txt").write_text("doc4\ndoc5\n", encoding="utf-8")
    return folder


def small_recipe(corpus, *assignments):
    return read_recipe(None, [*SMALL, f"data.corpus={corpus}", *assignments])


def write_recipe(corpus, path, *assignments):
    path.write_text(as_toml(small_recipe(corpus, *assignments)), encoding="utf-8")
    return path


def train(corpus, folder, *assignments):
    return list(run(small_recipe(corpus, *assignments), folder))
