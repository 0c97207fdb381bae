"""From documents with sentences to documents with EDUs and trees, by way of a network."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.errors import MismatchError
from rhetree.runtime.batching import batches_by_cost
from rhetree.runtime.network import Network
from rhetree.runtime.parsing import Parse, parse
from rhetree.runtime.segmenting import Segmentation, segment

Edus = Literal["auto", "gold"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a network finds in one sentence."""

    segmentation: Segmentation
    parse: Parse | None
    """None where the network only segments."""


class Pipeline:
    """A network, or two in a row, at work on any number of sentences.

    Which sentences share a batch changes nothing but the speed.
    """

    def __init__(
        self,
        network: Network,
        labels: Sequence[str],
        *,
        segmenter: Network | None = None,
        batch_cost: int = 4096,
        window: int = 2048,
    ) -> None:
        """Set up a pipeline.

        :param labels: what the network's labels are called; none where it only segments
        :param segmenter: another network to find the EDUs that this one parses
        :param batch_cost: most tokens in a batch, padding included; a longer sentence goes alone
        :param window: about so many sentences are read before the first result is given
        """
        if batch_cost < 1 or window < 1:
            raise ValueError(f"batch_cost and window are at least 1, got {batch_cost} and {window}")
        self.network = network
        self.labels = tuple(labels)
        self.segmenter = segmenter
        self.batch_cost = batch_cost
        self.window = window

    def predict(self, documents: Iterable[Document], *, edus: Edus = "auto") -> Iterator[Document]:
        """The same documents with what the network finds in place of what was known, in order.

        :param edus: "gold" parses the EDUs that documents have; "auto" finds EDUs first
        """
        for window in self._windows(documents):
            bare = [_without_gold(document, edus) for document in window]
            found = iter(
                self.analyse(
                    [document.forms_of(sentence) for document in bare for sentence in document.sentences],
                    [given for document in bare for given in _edus_by_sentence(document)]
                    if edus == "gold"
                    else None,
                )
            )
            for document in bare:
                yield _with_analyses(document, [next(found) for _ in document.sentences])

    def analyse(
        self, sentences: Sequence[Sequence[str]], edus: Sequence[Sequence[Span]] | None = None
    ) -> list[Analysis]:
        """What the network finds in each sentence.

        :param sentences: tokens, one or more each
        :param edus: each sentence's EDUs as spans of its tokens, where they are known
        """
        found: dict[int, Analysis] = {}
        for batch in batches_by_cost([len(sentence) for sentence in sentences], self.batch_cost):
            given = None if edus is None else [edus[number] for number in batch]
            analyses = self._analyse_batch([sentences[number] for number in batch], given)
            found.update(zip(batch, analyses, strict=True))
        return [found[number] for number in range(len(sentences))]

    def _analyse_batch(
        self, sentences: Sequence[Sequence[str]], edus: Sequence[Sequence[Span]] | None
    ) -> list[Analysis]:
        encoded = self.network.encode(sentences)
        if edus is not None:
            if encoded.parser is None:
                raise ValueError("EDUs are given, but this network only segments")
            segmentations = [Segmentation(tuple(spans), (0.0,) * len(spans)) for spans in edus]
        elif self.segmenter is not None:
            segmentations = segment(self.segmenter, self.segmenter.encode(sentences))
        else:
            segmentations = segment(self.network, encoded)
        if encoded.parser is None:
            return [Analysis(segmentation, None) for segmentation in segmentations]
        parses = parse(
            self.network, encoded, [segmentation.edus for segmentation in segmentations], self.labels
        )
        return [Analysis(*both) for both in zip(segmentations, parses, strict=True)]

    def _windows(self, documents: Iterable[Document]) -> Iterator[list[Document]]:
        window: list[Document] = []
        n_sentences = 0
        for document in documents:
            window.append(document)
            n_sentences += len(document.sentences)
            if n_sentences >= self.window:
                yield window
                window, n_sentences = [], 0
        if window:
            yield window


def _without_gold(document: Document, edus: Edus) -> Document:
    """Only what the network may know, so that nothing gold can come through."""
    name = document.name or "a document"
    if document.tokens and not document.sentences:
        raise MismatchError(f"{name} has no sentences; they are needed to find EDUs and trees")
    if edus == "auto":
        return document.without_edus()
    if document.tokens and not document.edus:
        raise MismatchError(f"{name} has no EDUs to parse; let them be found (auto) or give them")
    return document.without_trees()


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


def _with_analyses(document: Document, analyses: list[Analysis]) -> Document:
    edus = chain.from_iterable(
        (edu.shift(sentence.start) for edu in analysis.segmentation.edus)
        for sentence, analysis in zip(document.sentences, analyses, strict=True)
    )
    trees = [analysis.parse.tree for analysis in analyses if analysis.parse is not None]
    return replace(document, edus=tuple(edus), sentence_trees=tuple(trees))
