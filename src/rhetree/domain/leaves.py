"""Trees with larger leaves: sentences or paragraphs in place of EDUs."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, get_args

from rhetree.domain.reading import SplitProbs
from rhetree.domain.salience import tree_salience
from rhetree.domain.span import Span
from rhetree.domain.summary import whole_tree
from rhetree.domain.tree import Split, Tree

if TYPE_CHECKING:
    from rhetree.domain.document import Document

Leaves = Literal["sentence", "paragraph"]
"""What may be a leaf in place of an EDU; a heading and an item of a list count as paragraphs."""


def with_leaves(document: "Document", leaves: Leaves) -> "Document":
    """The document with larger leaves; :meth:`rhetree.Document.with_leaves` describes them."""
    if leaves not in get_args(Leaves):
        raise ValueError(f"leaves are 'sentence' or 'paragraph', got {leaves!r}")
    if document.is_blank:
        return document
    tree = whole_tree(document, "a tree of larger leaves")
    if leaves == "sentence":
        starts, unknown = [sentence.start for sentence in document.sentences], "sentences"
    else:
        first = [sentence.start for sentence in document.sentences] or [edu.start for edu in document.edus]
        numbers = document.sentence_blocks() if document.sentences else document.edu_blocks()
        starts = [
            start
            for start, number, before in zip(first, numbers, [-1, *numbers], strict=False)
            if number != before
        ]
        unknown = "paragraphs"
    if not starts:
        raise ValueError(f"the {unknown} of this document are not known")
    edus = {edu.start: number for number, edu in enumerate(document.edus)}
    missing = [start for start in starts if start not in edus]
    if missing:
        token = document.tokens[missing[0]].form
        raise ValueError(f"an EDU crosses the edge of a {leaves}, at token {missing[0] + 1} ({token!r})")
    edges = [edus[start] for start in starts]
    chosen = _representatives(tree, edges)
    splits = [(split, _shrunk(split, chosen)) for split in tree.splits]
    probs = {one.edus: one for one in document.split_probs}
    return replace(
        document.without_trees(),
        edus=tuple(map(Span, starts, [*starts[1:], len(document.tokens)])),
        tree=Tree(tuple(shrunk for _, shrunk in splits if shrunk is not None)),
        split_probs=tuple(
            SplitProbs(shrunk.span, probs[split.span].prob, probs[split.span].labels)
            for split, shrunk in splits
            if shrunk is not None and split.span in probs
        ),
    )


def _representatives(tree: Tree, edges: Sequence[int]) -> list[int]:
    """For each number of EDUs from 0 on, how many of the leaves' most salient EDUs are among so many first ones."""
    scores = tree_salience(tree)
    marks = [0] * tree.n_edus
    for start, end in zip(edges, [*edges[1:], tree.n_edus], strict=True):
        marks[max(range(start, end), key=lambda edu: (scores[edu], -edu))] = 1
    return [0, *accumulate(marks)]


def _shrunk(split: Split, before: Sequence[int]) -> Split | None:
    """The split between larger leaves; None if it is inside one of them."""
    start, middle, end = before[split.start], before[split.split], before[split.end]
    return replace(split, start=start, split=middle, end=end) if start < middle < end else None
