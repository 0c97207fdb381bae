"""Documents in, documents with EDUs and trees out, by way of a network."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from rhetree.domain.document import Document
from rhetree.domain.reading import Reading
from rhetree.domain.span import Span
from rhetree.errors import MismatchError
from rhetree.runtime.batching import batches_by_cost
from rhetree.runtime.network import Network
from rhetree.runtime.readings import find_readings, readings_without_trees
from rhetree.runtime.segmenting import REACH, Segmentation, segment

Edus = Literal["auto", "gold"]

BATCH_COST = 4096
WINDOW = 2048
_TOKENS_OF_A_SENTENCE = 32
"""A longer sentence counts as several in a window."""


class Pipeline:
    """A network, or two in a row, at work on any number of sentences.

    Which sentences share a batch changes nothing but the speed. Several threads may share a pipeline.
    """

    def __init__(
        self,
        network: Network,
        labels: Sequence[str],
        *,
        segmenter: Network | None = None,
        batch_cost: int = BATCH_COST,
        window: int = WINDOW,
        beam: int = 1,
        reach: int = REACH,
        top_labels: int = 3,
    ) -> None:
        """Set up a pipeline.

        :param labels: what the network's labels are called; none where it only segments
        :param segmenter: another network to find the EDUs that this one parses
        :param batch_cost: most tokens in a batch, padding included; a longer sentence goes alone. A beam
            of k takes so many times the memory, and batches that are as much smaller.
        :param window: about so many sentences, or as many tokens as these mostly have, are read before the
            first result is given
        :param beam: how many readings of a sentence to follow and to give; 1 is greedy
        :param reach: most tokens in an EDU
        :param top_labels: of how many labels of each split to tell the probability
        """
        at_least_one = {
            "batch_cost": batch_cost,
            "window": window,
            "beam": beam,
            "reach": reach,
            "top_labels": top_labels,
        }
        for name, value in at_least_one.items():
            if value < 1:
                raise ValueError(f"{name} is at least 1, got {value}")
        self.network = network
        self.labels = tuple(labels)
        self.segmenter = segmenter
        self.batch_cost = batch_cost
        self.window = window
        self.beam = beam
        self.reach = reach
        self.top_labels = top_labels

    def predict(
        self, documents: Iterable[Document], *, edus: Edus = "auto", trees: bool = True
    ) -> Iterator[Document]:
        """The same documents with what the network finds in place of what was known, in order.

        Documents are read as they are needed. What is at work at any time is bounded by the settings; a
        document of more sentences than the window is worked through in pieces.

        :param edus: "gold" parses the EDUs that documents have; "auto" finds EDUs first
        :param trees: whether to look for trees too, as far as the network can
        """
        readings: list[tuple[Reading, ...]] = []
        for window in self._windows(documents, edus):
            found = iter(
                self.analyse(
                    [forms for piece in window for forms in piece.forms()],
                    None if edus == "auto" else [own for piece in window for own in piece.edus],
                    trees=trees,
                )
            )
            for piece in window:
                readings += islice(found, len(piece.sentences))
                if piece.is_last:
                    yield _with_readings(piece.document, readings)
                    readings = []

    def analyse(
        self,
        sentences: Sequence[Sequence[str]],
        edus: Sequence[Sequence[Span]] | None = None,
        *,
        trees: bool = True,
    ) -> list[tuple[Reading, ...]]:
        """The readings of each sentence, best first.

        :param sentences: tokens, one or more each
        :param edus: each sentence's EDUs as spans of its tokens, where they are known
        :param trees: whether to look for trees too, as far as the network can
        """
        found: list[tuple[Reading, ...]] = [()] * len(sentences)
        for batch in batches_by_cost(list(map(len, sentences)), self.batch_cost // self.beam):
            given = None if edus is None else [edus[number] for number in batch]
            readings = self._analyse_batch([sentences[number] for number in batch], given, trees)
            for number, own in zip(batch, readings, strict=True):
                found[number] = own
        return found

    def _analyse_batch(
        self, sentences: Sequence[Sequence[str]], edus: Sequence[Sequence[Span]] | None, trees: bool
    ) -> list[tuple[Reading, ...]]:
        if edus is None and self.segmenter is not None:
            first = self.segmenter.encode(sentences)
            segmentations = segment(self.segmenter, first, width=self.beam, reach=self.reach)
            if not trees:
                return readings_without_trees(segmentations)
        encoded = self.network.encode(sentences)
        if edus is not None:
            if encoded.parser is None:
                raise ValueError("EDUs are given, but this network only segments")
            segmentations = [[Segmentation.given(own)] for own in edus]
        elif self.segmenter is None:
            segmentations = segment(self.network, encoded, width=self.beam, reach=self.reach)
        if encoded.parser is None or not trees:
            return readings_without_trees(segmentations)
        return find_readings(
            self.network,
            encoded,
            segmentations,
            self.labels,
            width=self.beam,
            top_labels=self.top_labels,
        )

    def _windows(self, documents: Iterable[Document], edus: Edus) -> Iterator[list["_Piece"]]:
        window: list[_Piece] = []
        size = 0
        for document in documents:
            for piece in _pieces(document, self.window, edus):
                window.append(piece)
                size += piece.size
                if size >= self.window:
                    yield window
                    window, size = [], 0
        if window:
            yield window


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some adjacent sentences of a document."""

    document: Document
    sentences: Sequence[Span]
    edus: Sequence[Sequence[Span]]
    """Of each sentence, counted from its first token; none where they are not to be known."""
    is_last: bool
    size: int
    """How much of a window it takes: for a document without sentences some too, so that any number flow through."""

    def forms(self) -> Iterator[list[str]]:
        return map(self.document.forms_of, self.sentences)


def _pieces(document: Document, size: int, edus: Edus) -> Iterator[_Piece]:
    name = document.name or "a document"
    n = len(document.sentences)
    if document.tokens and not n:
        raise MismatchError(f"{name} has no sentences; they are needed to find EDUs and trees")
    if edus == "gold" and document.tokens and not document.edus:
        raise MismatchError(f"{name} has no EDUs to parse; let them be found (auto) or give them")
    given = list(_edus_by_sentence(document)) if edus == "gold" else []
    start = taken = 0
    for end, sentence in enumerate(document.sentences, start=1):
        taken += -(-len(sentence) // _TOKENS_OF_A_SENTENCE)
        if taken >= size and end < n:
            yield _Piece(document, document.sentences[start:end], given[start:end], False, taken)
            start, taken = end, 0
    yield _Piece(document, document.sentences[start:], given[start:], True, max(1, taken))


def _edus_by_sentence(document: Document) -> Iterator[list[Span]]:
    for number, (sentence, span) in enumerate(
        zip(document.sentences, document.sentence_edus(), strict=True), start=1
    ):
        if span is None:
            raise MismatchError(
                f"{document.name or 'a document'}: an EDU crosses the edge of sentence {number}, "
                f"tokens {sentence}; a sentence's tree needs whole EDUs"
            )
        yield [edu.shift(-sentence.start) for edu in document.edus[span.start : span.end]]


def _with_readings(document: Document, readings: list[tuple[Reading, ...]]) -> Document:
    """The document's text, tokens and sentences with what was found; nothing gold comes through."""
    edus, trees = [], []
    for sentence, (best, *_) in zip(document.sentences, readings, strict=True):
        edus += [edu.shift(sentence.start) for edu in best.edus]
        if best.tree is not None:
            trees.append(best.tree)
    syntax = document.syntax
    return replace(
        document,
        edus=tuple(edus),
        tree=None,
        sentence_trees=tuple(trees),
        readings=tuple(readings),
        nary=None,
        secondary_edges=(),
        signals=(),
        # CoNLL-U's field of relations between EDUs
        syntax=None if syntax is None else syntax.without_misc("Discourse"),
    )
