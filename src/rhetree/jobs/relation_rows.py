"""A document as a table with a row for each split of its trees; :mod:`rhetree.domain.rows` has one for each EDU.

EDUs and sentences are counted from 1, as there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rhetree.domain.binarize import as_nary
from rhetree.domain.dependencies import heads
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Nuclearity


@dataclass(frozen=True, slots=True)
class RelationRow:
    """One split of a tree: two adjacent parts and the relation between them."""

    document: str
    """Name of the document."""
    sentence: int | None
    """Number of the sentence that holds both parts; None above sentences."""
    relation: str
    nuclearity: Nuclearity
    first_edu: int
    """Number of the first EDU of the left part."""
    right_edu: int
    """Number of the first EDU of the right part."""
    last_edu: int
    """Number of the last EDU of the right part."""
    start: int
    """First character of both parts in the document's text, from 0."""
    end: int
    """The character after their last."""
    left_head: int
    """Number of the EDU that is the head of the left part."""
    right_head: int
    depth: int
    """Number of splits above; 0 at the root of a tree."""


def relation_rows(document: Document) -> Iterator[RelationRow]:
    """The rows of a document: its trees from left to right, the splits of each in pre-order."""
    sentences = _sentences(document)
    for first, tree in document.placed_trees():
        nary = as_nary(tree)
        head_of = {unit.span: first + edu + 1 for unit, (edu, _) in zip(nary.units, heads(nary), strict=True)}
        depths = {Span(0, tree.n_edus): 0}
        for split in tree.splits:
            depth = depths.pop(split.span)
            depths[split.left] = depths[split.right] = depth + 1
            edus = split.span.shift(first)
            sentence = sentences[edus.start]
            yield RelationRow(
                document=document.name,
                sentence=sentence if sentence == sentences[edus.end - 1] else None,
                relation=split.relation,
                nuclearity=split.nuclearity,
                first_edu=edus.start + 1,
                right_edu=first + split.split + 1,
                last_edu=edus.end,
                start=document.tokens[document.edus[edus.start].start].start,
                end=document.tokens[document.edus[edus.end - 1].end - 1].end,
                left_head=head_of[split.left],
                right_head=head_of[split.right],
                depth=depth,
            )


def _sentences(document: Document) -> list[int | None]:
    """The sentence of each EDU, from 1; None for an EDU that lies in no sentence."""
    found: list[int | None] = [None] * len(document.edus)
    for number, span in enumerate(document.sentence_edus(), start=1):
        if span is not None:
            found[span.start : span.end] = [number] * len(span)
    return found
