"""Documents in, documents with EDUs and trees out, by way of a network."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Literal

from rhetree.domain.document import Document
from rhetree.domain.reading import Reading
from rhetree.domain.span import Span
from rhetree.errors import MismatchError, ModelError, counted
from rhetree.runtime.batching import batches_by_cost
from rhetree.runtime.constraints import ConstraintsLike, SentenceConstraints, as_constraints, resolve
from rhetree.runtime.edu_search import REACH, Segmentation, find_segmentations
from rhetree.runtime.heads import Heads
from rhetree.runtime.network import Encoded, Network
from rhetree.runtime.readings import find_readings, readings_of_edus, readings_without_trees
from rhetree.runtime.search import GREEDY, Search

Edus = Literal["auto", "gold"]
Relations = Literal["class", "fine"]
"""What the relations of trees are: classes, or the finer relations below them."""

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
        search: Search = GREEDY,
        reach: int = REACH,
        top_labels: int = 3,
        heads: Heads | None = None,
        relations: Relations = "class",
        signals: bool = False,
    ) -> None:
        """Set up a pipeline.

        :param labels: the names of the network's labels; empty if it only segments
        :param segmenter: another network to find the EDUs that this one parses
        :param batch_cost: the most tokens in a batch, padding included; a longer sentence goes alone. With a
            beam of k batches are k times smaller, since each sentence takes k times the memory.
        :param window: number of sentences (or of tokens that so many sentences usually have) to read ahead
            before the first result
        :param beam: the number of readings to return for each sentence; at least as many hypotheses are followed
        :param search: how many hypotheses are followed in any case, and which reading is the best
        :param reach: the most tokens in an EDU
        :param top_labels: number of labels of each split whose probabilities to return
        :param heads: what else is known of splits: fine relations, signals
        :param relations: whether trees have classes, with fine relations beside them, or fine relations
        :param signals: whether to find the words that signal relations
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
        self.search = search
        self._search = replace(search, width=max(beam, search.width))
        self.reach = reach
        self.top_labels = top_labels
        self.heads = heads or Heads()
        self.relations = relations
        self.signals = signals
        if relations == "fine" and self.heads.fine is None:
            raise ModelError("this model knows no fine relations; those that do have fine.onnx")
        if signals and self.heads.signals is None:
            raise ModelError("this model does not find signals; those that do have signals.onnx")

    @property
    def all_labels(self) -> tuple[str, ...]:
        """Every label that a tree can have."""
        if self.relations == "fine" and self.heads.fine is not None:
            return self.heads.fine.labels
        return self.labels

    def predict(
        self,
        documents: Iterable[Document],
        *,
        edus: Edus = "auto",
        trees: bool = True,
        constraints: Iterable[ConstraintsLike | None] | None = None,
    ) -> Iterator[Document]:
        """The same documents with what the network finds in place of what was known, in order.

        Documents are read as they are needed. What is at work at any time is bounded by the settings; a
        document of more sentences than the window is worked through in pieces. If reading fails, the
        documents that were read before come first, then the error.

        :param edus: "gold" parses the EDUs that documents have; "auto" finds EDUs first
        :param trees: whether to find trees too, if the network can
        :param constraints: for each document what its EDUs and trees have to agree with, or None
        """
        readings: list[tuple[Reading, ...]] = []
        for window in self._windows(documents, edus, constraints):
            found = iter(
                self.analyse(
                    [forms for piece in window for forms in piece.forms()],
                    None if edus == "auto" else [own for piece in window for own in piece.edus],
                    trees=trees,
                    constraints=constraints_of(window),
                )
            )
            for piece in window:
                readings += islice(found, len(piece.sentences))
                if piece.is_last:
                    yield with_readings(piece.document, readings)
                    readings = []

    def analyse(
        self,
        sentences: Sequence[Sequence[str]],
        edus: Sequence[Sequence[Span]] | None = None,
        *,
        trees: bool = True,
        constraints: Sequence[SentenceConstraints | None] | None = None,
    ) -> list[tuple[Reading, ...]]:
        """The readings of each sentence: the best one, then the others, likeliest first.

        :param sentences: tokens, one or more each
        :param edus: each sentence's EDUs as spans of its tokens, where they are known
        :param trees: whether to find trees too, if the network can
        :param constraints: what each sentence has to agree with, if any has constraints
        """
        found: list[tuple[Reading, ...]] = [()] * len(sentences)
        for batch in batches_by_cost(list(map(len, sentences)), self.batch_cost // self.beam):
            given = None if edus is None else [edus[number] for number in batch]
            asked = None if constraints is None else [constraints[number] for number in batch]
            if asked is not None and not any(asked):
                asked = None
            readings = self._analyse_batch([sentences[number] for number in batch], given, trees, asked)
            for number, own in zip(batch, readings, strict=True):
                found[number] = own
        return found

    def pieces(
        self,
        document: Document,
        size: int,
        edus: Edus = "auto",
        constraints: ConstraintsLike | None = None,
    ) -> Iterator["Piece"]:
        """The document in pieces of about ``size`` sentences; one without sentences is one empty piece.

        :class:`~rhetree.ConstraintError` if nothing agrees with all of the constraints.
        """
        name = document.name or "a document"
        if document.tokens and not document.sentences:
            raise MismatchError(f"{name} has no sentences; they are needed to find EDUs and trees")
        if edus == "gold" and document.tokens and not document.edus:
            raise MismatchError(f"{name} has no EDUs to parse; let them be found (auto) or give them")
        given = list(_edus_by_sentence(document)) if edus == "gold" else []
        checked = as_constraints(constraints, document.name)
        own: list[SentenceConstraints | None] = []
        if checked is not None:
            own = resolve(checked, document, self.labels, reach=self.reach, has_edus=edus == "gold")
        start = taken = 0
        n = len(document.sentences)
        for end, sentence in enumerate(document.sentences, start=1):
            taken += -(-len(sentence) // _TOKENS_OF_A_SENTENCE)
            if taken >= size and end < n:
                here = slice(start, end)
                yield Piece(document, document.sentences[here], given[here], own[here], False, taken)
                start, taken = end, 0
        yield Piece(document, document.sentences[start:], given[start:], own[start:], True, max(1, taken))

    def _analyse_batch(
        self,
        sentences: Sequence[Sequence[str]],
        edus: Sequence[Sequence[Span]] | None,
        trees: bool,
        constraints: Sequence[SentenceConstraints | None] | None,
    ) -> list[tuple[Reading, ...]]:
        if edus is None and self.segmenter is not None:
            first = self.segmenter.encode(sentences)
            segmentations = self._find_segmentations(self.segmenter, first, constraints)
            if not trees and self.search.width == 1:
                return readings_without_trees(segmentations, self.beam)
        encoded = self.network.encode(sentences)
        if edus is not None:
            if encoded.parser is None:
                raise ValueError("EDUs are given, but this network only segments")
            segmentations = [[Segmentation.given(own)] for own in edus]
        elif self.segmenter is None:
            segmentations = self._find_segmentations(self.network, encoded, constraints)
        # With several hypotheses trees influence which EDUs are the best: without trees the same EDUs are to be found.
        if encoded.parser is None or not (trees or self.search.width > 1):
            return readings_without_trees(segmentations, self.beam, self.search)
        readings = find_readings(
            self.network,
            encoded,
            segmentations,
            self.labels,
            n=self.beam if trees else 1,
            search=self._search,
            top_labels=self.top_labels,
            constraints=constraints,
        )
        if not trees:
            return readings_of_edus(segmentations, readings, self.beam)
        if self.signals and self.heads.signals is not None:
            readings = self.heads.signals(encoded, sentences, readings)
        if self.heads.fine is not None:
            main = self.relations == "fine"
            readings = self.heads.fine(encoded, readings, main=main, n_told=self.top_labels)
        return readings

    def _find_segmentations(
        self,
        network: Network,
        encoded: Encoded,
        constraints: Sequence[SentenceConstraints | None] | None,
    ) -> list[list[Segmentation]]:
        return find_segmentations(
            network,
            encoded,
            width=self._search.width,
            reach=self.reach,
            constraints=constraints,
        )

    def _windows(
        self,
        documents: Iterable[Document],
        edus: Edus,
        constraints: Iterable[ConstraintsLike | None] | None,
    ) -> Iterator[list["Piece"]]:
        window: list[Piece] = []
        size = 0
        errors: list[Exception] = []
        for piece in self._pieces_until(documents, edus, constraints, errors):
            window.append(piece)
            size += piece.size
            if size >= self.window:
                yield window
                window, size = [], 0
        if window:
            yield window
        for error in errors:
            raise error

    def _pieces_until(
        self,
        documents: Iterable[Document],
        edus: Edus,
        constraints: Iterable[ConstraintsLike | None] | None,
        errors: list[Exception],
    ) -> Iterator["Piece"]:
        """The pieces of all documents up to the first that cannot be read, whose error goes into ``errors``."""
        try:
            for document, own in _paired(documents, constraints):
                yield from self.pieces(document, self.window, edus, own)
        except Exception as error:  # of whoever gives us the documents
            errors.append(error)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some adjacent sentences of a document."""

    document: Document
    sentences: Sequence[Span]
    edus: Sequence[Sequence[Span]]
    """The EDUs of each sentence, counted from its first token; empty if they are to be found."""
    constraints: Sequence[SentenceConstraints | None]
    """What each sentence has to agree with; empty if the document has no constraints."""
    is_last: bool
    size: int
    """Its share of a window. A document without sentences has one too, so that reading ahead always ends."""

    def forms(self) -> Iterator[list[str]]:
        return map(self.document.forms_of, self.sentences)


def constraints_of(pieces: Sequence[Piece]) -> list[SentenceConstraints | None] | None:
    """The constraints of each sentence of these pieces; None if there are none at all."""
    if not any(piece.constraints for piece in pieces):
        return None
    return [own for piece in pieces for own in piece.constraints or [None] * len(piece.sentences)]


def _paired(
    documents: Iterable[Document], constraints: Iterable[ConstraintsLike | None] | None
) -> Iterator[tuple[Document, ConstraintsLike | None]]:
    """Each document with its constraints."""
    if constraints is None:
        yield from zip(documents, repeat(None), strict=False)
        return
    given = iter(constraints)
    for n_documents, document in enumerate(documents):
        try:
            yield document, next(given)
        except StopIteration:
            found = counted(n_documents, "document")
            raise ValueError(
                f"constraints are for {found}, but there are more; None stands for none"
            ) from None
    if list(islice(given, 1)):
        raise ValueError("there are constraints for more documents than there are")


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


def with_readings(document: Document, readings: list[tuple[Reading, ...]]) -> Document:
    """The document's text, tokens and sentences with what was found; nothing gold comes through."""
    edus: list[Span] = []
    trees, signals = [], []
    for sentence, (best, *_) in zip(document.sentences, readings, strict=True):
        signals += [
            replace(
                one,
                source=one.source.shift(len(edus)),
                tokens=tuple(token + sentence.start for token in one.tokens),
            )
            for one in best.signals
            if isinstance(one.source, Span)
        ]
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
        split_probs=(),
        secondary_edges=(),
        signals=tuple(signals),
        # CoNLL-U's field of relations between EDUs
        syntax=None if syntax is None else syntax.without_misc("Discourse"),
    )
