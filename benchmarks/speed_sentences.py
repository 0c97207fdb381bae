"""The data of ``speed.py``: GUM's sentences, and made-up sentences with any number of EDUs."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.runtime.network import DecoderStep, Encoded, Floats, Ints, Network, SpansToSplit

TOKENS_PER_EDU = 8
"""GUM has 18 tokens and 2.3 EDUs per sentence."""
_CLAUSES = (
    "when the long rain had stopped again ,",
    "the men and the women went home again",
    "because all of them were so tired ,",
    "and the old teacher said to her friends",
    "that the others would come on Sunday ,",
    "although nobody had asked them to go ,",
    "while children played in the large garden ,",
    "so that we could see the sea ,",
    "if the first train is late today ,",
    "which was built in the last spring ,",
    "but I do not really want to know",
    "whether they saw the house down there ,",
)


def gum_documents(gum: Path, split: str) -> list[Document]:
    """The documents of a split, with EDUs and trees of sentences."""
    from rhetree.corpora.corpus import read_corpus

    return list(read_corpus(gum).split_by_sentence().split(split))


def sentences_of(documents: Sequence[Document]) -> list[list[str]]:
    """All sentences, as tokens."""
    return [document.forms_of(sentence) for document in documents for sentence in document.sentences]


def single_sentences(documents: Sequence[Document], n: int) -> list[Document]:
    """Draw n sentences at random, always the same ones. Each is a document with EDUs, a tree and its original text."""
    every = [(document, number) for document in documents for number in range(len(document.sentences))]
    return [_alone(document, number) for document, number in random.Random(1).sample(every, n)]


def _alone(document: Document, number: int) -> Document:
    sentence = document.sentences[number]
    edus = document.sentence_edus()[number]
    assert edus is not None  # no EDU of GUM crosses a sentence boundary
    tokens = document.tokens[sentence.start : sentence.end]
    first = tokens[0].start
    return Document(
        name=f"{document.name}-{number}",
        text=document.text_of(sentence),
        tokens=[replace(token, start=token.start - first, end=token.end - first) for token in tokens],
        sentences=(Span(0, len(tokens)),),
        edus=[edu.shift(-sentence.start) for edu in document.edus[edus.start : edus.end]],
        sentence_trees=(document.trees_by_sentence()[number],),
    )


def long_sentence(n_edus: int) -> list[str]:
    """A sentence of ``n_edus`` clauses, each of :data:`TOKENS_PER_EDU` tokens."""
    chance = random.Random(1)
    return [word for _ in range(n_edus) for word in chance.choice(_CLAUSES).split()]


class Steered:
    """A network that finds one EDU per clause of :func:`long_sentence`.

    No model was trained on sentences of a thousand EDUs, so its own EDUs would tell little about speed.
    This one computes everything the network computes, and then replaces the segmenter's probabilities:
    the most likely end of an EDU is the end of its clause, and the next most likely skip a few clauses.
    Trees are the network's own, or chains, in which each split cuts off one EDU: the most work possible.
    """

    def __init__(self, network: Network, *, chains: bool = False) -> None:
        self._network = network
        self._chains = chains

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        return self._network.encode(sentences)

    def segment_step(
        self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int
    ) -> DecoderStep:
        step = self._network.segment_step(encoded, rows, starts, hidden, reach)
        places = np.arange(1, step.log_probs.shape[1] + 1)
        wanted = np.where(places % TOKENS_PER_EDU, -np.inf, _falling(places // TOKENS_PER_EDU - 1))
        log_probs = np.where(starts[:, None] + places <= encoded.lengths[rows][:, None], wanted, -np.inf)
        return DecoderStep(log_probs.astype(np.float32), step.hidden)

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> DecoderStep:
        step = self._network.parse_step(encoded, spans, hidden)
        if not self._chains:
            return step
        falling = _falling(np.arange(step.log_probs.shape[1]))
        return DecoderStep(
            np.where(step.log_probs > -np.inf, falling, -np.inf).astype(np.float32), step.hidden
        )

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        return self._network.label(encoded, rows, splits)


def _falling(numbers: Ints) -> np.ndarray:
    """Log-probabilities that fall by 5 with each number."""
    return -5.0 * numbers - 0.00676
