"""A document as a table with a row for each EDU: the columns of ``.csv``, ``.parquet`` and ``--format table``.

EDUs and sentences are counted from 1, as in drawings. How EDUs belong together is told by
:mod:`~rhetree.domain.dependencies`: every EDU but the head of a tree attaches to one other.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

from rhetree.domain.dependencies import Dependency, dependencies
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree


@dataclass(frozen=True, slots=True)
class EduRow:
    """One EDU and how it attaches. What is not known is None."""

    document: str
    """Name of the document."""
    sentence: int | None
    """Number of the sentence in which it starts, from 1."""
    edu: int
    """Number of the EDU in the document, from 1."""
    start: int
    """Its first character in the document's text, from 0."""
    end: int
    """The character after its last."""
    text: str
    role: Literal["N", "S"] | None
    """S for a satellite; N for the head of a tree and for each of several nuclei."""
    relation: str | None
    """How it attaches; None for the head of a tree."""
    attaches_to: int | None
    """Number of the EDU to which it attaches; None for the head of a tree."""
    edu_probability: float | None
    """Probability of the EDU's end, given its start."""
    relation_probability: float | None
    """Probability of the split by which it attaches: of its place, times that of its label."""


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(EduRow))


def edu_rows(document: Document) -> Iterator[EduRow]:
    """The rows of a document, one for each EDU."""
    attachments = _attachments(document)
    edu_probs = _edu_probs(document)
    relation_probs = _relation_probs(document)
    sentence = 0
    for number, (edu, text) in enumerate(zip(document.edus, document.edu_texts(), strict=True)):
        while sentence < len(document.sentences) and document.sentences[sentence].end <= edu.start:
            sentence += 1
        found = attachments.get(number)
        yield EduRow(
            document=document.name,
            sentence=sentence + 1 if document.sentences else None,
            edu=number + 1,
            start=document.tokens[edu.start].start,
            end=document.tokens[edu.end - 1].end,
            text=text,
            role=None if found is None else "N" if found.is_nucleus or found.head is None else "S",
            relation=None if found is None else found.relation,
            attaches_to=None if found is None or found.head is None else found.head + 1,
            edu_probability=edu_probs.get(number),
            relation_probability=relation_probs.get(number),
        )


def _attachments(document: Document) -> dict[int, Dependency]:
    """How each EDU attaches, if it is part of a tree; heads are counted through the document."""
    drawn = document.as_drawn()
    if drawn is not None:
        return dict(enumerate(dependencies(drawn)))
    return {
        number + first: Dependency(
            None if found.head is None else found.head + first, found.relation, found.is_nucleus
        )
        for first, tree in document.placed_trees()
        for number, found in enumerate(dependencies(tree))
    }


def _edu_probs(document: Document) -> dict[int, float]:
    return {
        span.start + number: prob
        for span, readings in zip(document.sentence_edus(), document.readings, strict=False)
        if span is not None and readings
        for number, prob in enumerate(readings[0].edu_probs)
    }


def _relation_probs(document: Document) -> dict[int, float]:
    """For each EDU that attaches to another, the probability of the split by which it does."""
    probs = _split_probs(document)
    return {
        dependent: probs[span]
        for first, tree in document.placed_trees()
        for span, dependent in _dependents(tree, first)
        if span in probs
    }


def _split_probs(document: Document) -> dict[Span, float]:
    """Probabilities of place and label together, by the EDUs that are split."""
    found: dict[Span, float] = {}
    sentences = zip(document.sentence_edus(), document.trees_by_sentence(), document.readings, strict=False)
    for edus, tree, readings in sentences:
        if edus is None or tree is None or not readings:
            continue
        best = readings[0]
        for split, prob, labels in zip(tree.splits, best.split_probs, best.label_probs, strict=False):
            found[split.span.shift(edus.start)] = prob * dict(labels).get(split.label, 0.0)
    labels_of = {} if document.tree is None else {split.span: split.label for split in document.tree.splits}
    for probs in document.split_probs:
        found[probs.edus] = probs.prob * dict(probs.labels).get(labels_of[probs.edus], 0.0)
    return found


def _dependents(tree: Tree, first: int) -> Iterator[tuple[Span, int]]:
    """The EDUs of each split, and the one of them that attaches by it."""
    heads: dict[Span, int] = {}
    for split in reversed(tree.splits):  # parts before the whole
        left, right = (heads.pop(part, part.start) for part in (split.left, split.right))
        head, dependent = (right, left) if split.nuclearity == "SN" else (left, right)
        heads[split.span] = head
        yield split.span.shift(first), dependent + first
