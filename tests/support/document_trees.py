"""Small documents with one tree each, in paragraphs, and a network that reads them; every text is our own."""

from dataclasses import replace

import numpy as np

from rhetree.domain.document import Document, Token
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.formats import write
from rhetree.runtime.pointer import log_softmax

PARAGRAPHS = (
    ("The Cat",),
    ("We went home , because it rained .", "The cat sat on a mat ."),
    ("It rained , and then the cat went home .", "We sat .", "The cat sat , because we sat ."),
)
"""A heading and two paragraphs; an EDU ends at each comma."""


SMALL_NETWORK = (
    "network.task=document",
    "network.embedding.kind=transformer",
    "network.embedding.tuning=tuned",
    "network.embedding.from_layer=2",
    "network.embedding.window=24",
    "network.overlap=6",
    "network.layers=1",
    "network.width=8",
    "train.batch_size=1",
    "train.threads=1",
)
"""Settings of a document network that is trained in a moment."""


def plain(paragraphs=PARAGRAPHS, name="cats", gap="\n\n"):
    """The document with tokens, sentences and EDUs, and no tree."""
    tokens: list[Token] = []
    sentences: list[int] = []
    edus: list[int] = []
    text = ""
    for number, paragraph in enumerate(paragraphs):
        for place, sentence in enumerate(paragraph):
            text += " " if place else gap if number else ""
            forms = sentence.split()
            since = 0
            for at, form in enumerate(forms, start=1):
                text += " " if at > 1 else ""
                tokens.append(Token(form, len(text), len(text) + len(form)))
                text += form
                if form == "," or at == len(forms):
                    edus.append(at - since)
                    since = at
            sentences.append(len(forms))
    return Document(
        name=name,
        text=text,
        tokens=tuple(tokens),
        sentences=spans_of_lengths(sentences),
        edus=spans_of_lengths(edus),
    )


def in_sentences(document):
    """The document with a tree for each sentence, split from the left."""
    trees = []
    for span in document.sentence_edus():
        n = len(span)
        trees.append(Tree(tuple(Split(at, at + 1, n, "NS", "cause") for at in range(n - 1))))
    return replace(document, sentence_trees=tuple(trees))


def in_one_tree(document):
    """The document with one tree: paragraphs from the left, sentences in them, EDUs in these."""
    groups = [[document.sentence_edus()[n] for n in paragraph] for paragraph in paragraph_numbers(document)]
    splits = [
        split.shift(span.start)
        for span, tree in zip(document.sentence_edus(), in_sentences(document).sentence_trees, strict=True)
        for split in tree.splits
    ]
    n_edus = len(document.edus)
    for group in groups:
        start, end = group[0].start, group[-1].end
        if start:
            first = 0 if group is groups[1] else groups[groups.index(group) - 1][0].start
            splits.append(
                Split(first, start, n_edus, "SN" if not first else "NN", "heading" if not first else "list")
            )
        for sentence, after in zip(group, group[1:], strict=False):
            splits.append(Split(sentence.start, after.start, end, "NS", "elaboration"))
    return replace(document, tree=Tree.from_splits(splits))


def paragraph_numbers(document):
    """The numbers of the sentences in each paragraph."""
    numbers, at = [], 0
    for paragraph in PARAGRAPHS:
        numbers.append(range(at, at + len(paragraph)))
        at += len(paragraph)
    return numbers


def write_trees(folder):
    """A corpus of four such documents."""
    folder.mkdir()
    for number in range(4):
        write(in_one_tree(plain(name=f"doc{number}")), folder / f"doc{number}.json")
    (folder / "train.txt").write_text("doc0\ndoc1\ndoc2\n", encoding="utf-8")
    (folder / "dev.txt").write_text("doc3\n", encoding="utf-8")
    return folder


class FakeDocumentNetwork:
    """Prefers to split where a given score is high, and labels by the length of the left part."""

    def __init__(self, scores=None, n_labels=2):
        self.scores = scores
        self.n_labels = n_labels
        self.n_scored = 0

    def read(self, tokens, units):
        scores = np.zeros(len(units)) if self.scores is None else np.asarray(self.scores, dtype=float)
        return _Read(self, scores)

    def read_in_steps(self, tokens, units):
        yield
        return self.read(tokens, units)


class _Read:
    def __init__(self, network, scores):
        self.network = network
        self.scores = scores

    def split_scores(self, places):
        self.network.n_scored += len(places)
        return self.scores[places[:, 1]].astype(np.float32)

    def label_log_probs(self, places):
        chosen = (places[:, 1] - places[:, 0]) % self.network.n_labels
        return np.log(np.where(np.arange(self.network.n_labels) == chosen[:, None], 0.9, 0.1)).astype(
            np.float32
        )


class RandomDocumentNetwork:
    """Scores splits at random, and labels too, the same each time."""

    def __init__(self, seed):
        generator = np.random.default_rng(seed)
        self.scores = generator.normal(size=(20, 20, 20))
        self.labels = generator.normal(size=(20, 20, 20, 3))

    def split_scores(self, places):
        return self.scores[tuple(places.T)].astype(np.float32)

    def label_log_probs(self, places):
        return log_softmax(self.labels[tuple(places.T)].astype(np.float32))
