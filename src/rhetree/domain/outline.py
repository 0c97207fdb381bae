"""The outline of a document: a line for each heading and paragraph, indented by how far it is from the main line."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rhetree.domain.blocks import BlockKind
from rhetree.domain.dependencies import antecedents
from rhetree.domain.span import Span
from rhetree.domain.summary import parts_of_units, whole_tree

if TYPE_CHECKING:
    from rhetree.domain.document import Document


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """The main point of a paragraph, or a heading."""

    level: int
    """0 on the main line of the text, 1 for what supports it, 2 for what supports that, and so on. A heading
    has the level of what follows it."""
    kind: BlockKind
    text: str
    """A heading, or the main point of the paragraph."""
    start: int
    end: int
    """The characters of the text: of an interrupted unit from its first part to its last."""
    edu: int
    """The EDU with the main point, counted from 0."""
    relation: str | None
    """How it relates to what it supports; None on the main line."""

    def __str__(self) -> str:
        relation = "" if self.relation is None or self.kind == "heading" else f" ({self.relation})"
        return f"{'  ' * self.level}{' '.join(self.text.split())}{relation}"

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain numbers and strings."""
        return {
            name: getattr(self, name) for name in ("level", "kind", "text", "start", "end", "edu", "relation")
        }


def outline(document: "Document", depth: int | None = None) -> tuple[OutlineEntry, ...]:
    """The outline of a document; :meth:`rhetree.Document.outline` describes the arguments."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 0):
        raise ValueError(f"depth is a whole number from 0 on, or None, got {depth!r}")
    if document.is_blank:
        return ()
    tree = whole_tree(document, "an outline")
    above = antecedents(tree)
    levels: list[int] = [-1] * tree.n_edus
    for edu in range(tree.n_edus):
        path = []
        at: int | None = edu
        while at is not None and levels[at] < 0:
            path.append(at)
            at = above[at].head
        level = -1 if at is None else levels[at]
        for one in reversed(path):
            level += 1
            levels[one] = level
    scores, parts = document.salience(), parts_of_units(tree)
    entries: list[OutlineEntry] = []
    for edus, kind in _parts(document):
        # What the tree has on its main line comes before what may matter more by the labels' probabilities.
        edu = max(edus.indices(), key=lambda one: (-levels[one], scores[one], -one))
        shown = edus if kind == "heading" else _unit(edu, parts)
        tokens = Span(document.edus[shown.start].start, document.edus[shown.end - 1].end)
        start, end = document.tokens[tokens.start].start, document.tokens[tokens.end - 1].end
        text = document.text_of(tokens)
        entries.append(OutlineEntry(levels[edu], kind, text, start, end, edu, above[edu].relation))
    for number in reversed(range(len(entries) - 1)):
        if entries[number].kind == "heading":
            entries[number] = replace(entries[number], level=entries[number + 1].level)
    return tuple(entry for entry in entries if depth is None or entry.level <= depth)


def _unit(edu: int, parts: Mapping[int, tuple[int, ...]]) -> Span:
    """The EDU, or the whole unit from its first part to its last where something is inserted."""
    found, waiting = {edu}, [edu]
    while waiting:
        more = set(parts.get(waiting.pop(), ())) - found
        found |= more
        waiting += more
    return Span(min(found), max(found) + 1)


def _parts(document: "Document") -> list[tuple[Span, BlockKind]]:
    """The EDUs of each block, or of each sentence where blocks are not known, or each EDU alone."""
    n_edus = len(document.edus)
    numbers = document.edu_blocks()
    if not numbers:
        starts = [span.start for span in document.sentence_edus() if span is not None] or list(range(n_edus))
        edges = sorted({0, *starts, n_edus})
        return [(Span(*pair), "paragraph") for pair in pairwise(edges)]
    starts = [edu for edu in range(n_edus) if edu == 0 or numbers[edu] != numbers[edu - 1]]
    return [
        (Span(start, end), document.blocks[numbers[start]].kind) for start, end in pairwise([*starts, n_edus])
    ]
