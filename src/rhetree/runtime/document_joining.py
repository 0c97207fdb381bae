"""Sentence trees to one tree of the document, by way of a network that reads documents."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rhetree.domain.document import Document
from rhetree.domain.levels import Level
from rhetree.domain.reading import SplitProbs
from rhetree.domain.relations import label_parts
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.errors import MismatchError
from rhetree.runtime.document_search import DocumentNetwork, find_joints_in_steps
from rhetree.runtime.document_units import units_of
from rhetree.runtime.network import Floats
from rhetree.runtime.steps import Steps, finish

_LABELLED = 1024
"""Splits that are labelled together."""


def join_sentences(
    document: Document,
    network: DocumentNetwork,
    labels: Sequence[str],
    *,
    level: Level = "document",
    top_labels: int = 3,
) -> Document:
    """The document with one tree in place of its sentence trees, which are nodes of it.

    A document without EDUs comes back as it is.

    :param labels: the names of the network's labels
    :param level: "paragraph" keeps each paragraph together
    :param top_labels: number of labels of each split whose probabilities to return
    """
    return finish(join_in_steps(document, network, labels, level=level, top_labels=top_labels))


def join_in_steps(
    document: Document,
    network: DocumentNetwork,
    labels: Sequence[str],
    *,
    level: Level = "document",
    top_labels: int = 3,
) -> Steps[Document]:
    """What :func:`join_sentences` does, in steps that are short however long the document is."""
    if not document.edus or level == "sentence":
        return document
    trees = document.trees_by_sentence()
    spans = document.sentence_edus()
    splits: list[Split] = []
    for number, (tree, span) in enumerate(zip(trees, spans, strict=True), start=1):
        if tree is None or span is None:
            raise MismatchError(
                f"{document.name or 'a document'}: sentence {number} has no tree of its own to be joined"
            )
        splits += [split.shift(span.start) for split in tree.splits]
    probs: tuple[SplitProbs, ...] = ()
    if len(spans) > 1:
        yield
        units = units_of(document, trees)
        yield
        read = yield from network.read_in_steps(tuple(token.form for token in document.tokens), units)
        joints = yield from find_joints_in_steps(read, units, by_paragraph=level == "paragraph")
        parts: list[Floats] = []
        for at in range(0, len(joints.places), _LABELLED):
            parts.append(read.label_log_probs(joints.places[at : at + _LABELLED]))
            yield
        log_probs = np.concatenate(parts)
        best = np.argsort(-log_probs, axis=1, kind="stable")[:, :top_labels]
        of_labels = np.minimum(np.exp(np.take_along_axis(log_probs, best, axis=1)), 1).tolist()
        found = []
        for (start, middle, end), prob, numbers, own in zip(
            joints.places.tolist(), joints.probs.tolist(), best.tolist(), of_labels, strict=True
        ):
            relation, nuclearity = label_parts(labels[numbers[0]])
            splits.append(Split(start, middle, end, nuclearity, relation))
            ranked = tuple((labels[number], share) for number, share in zip(numbers, own, strict=True))
            found.append(SplitProbs(Span(start, end), min(1.0, prob), ranked))
        probs = tuple(found)
    return replace(document, tree=Tree.from_splits(splits), sentence_trees=(), split_probs=probs)
