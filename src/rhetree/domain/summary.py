"""A summary made of a document's own EDUs: the most salient ones, with what they need to be understood."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rhetree.domain.dependencies import Dependency, antecedents
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree

if TYPE_CHECKING:
    from rhetree.domain.document import Document

_SAME_UNIT = "same-unit"
"""The relation between the parts of a unit that another one interrupts."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Adjacent EDUs of a summary, at characters ``start..end`` of the document's text."""

    text: str
    start: int
    end: int
    edus: Span
    """Counted from the document's first."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The EDUs of a document that were kept, in the order of the text."""

    passages: tuple[Passage, ...]
    text: str
    """The passages, with a space between two of them, or a line end where a paragraph ends."""
    share: float
    """The part of the document's tokens that was kept, from 0 to 1."""

    def __str__(self) -> str:
        return self.text

    @property
    def edus(self) -> tuple[int, ...]:
        """The numbers of the EDUs that were kept, counted from 0."""
        return tuple(edu for passage in self.passages for edu in passage.edus.indices())

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain lists, numbers and strings."""
        return {
            "text": self.text,
            "share": round(self.share, 6),
            "passages": [
                {
                    "start": passage.start,
                    "end": passage.end,
                    "edus": [passage.edus.start, passage.edus.end],
                    "text": passage.text,
                }
                for passage in self.passages
            ],
        }


def summarize(document: "Document", n: int | None = None, share: float | None = None) -> Summary:
    """The summary of a document; :meth:`rhetree.Document.summary` describes the arguments."""
    if (n is None) == (share is None):
        raise ValueError("a summary has a number of EDUs (n) or a share of the tokens, give one of them")
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise ValueError(f"n is a whole number of EDUs from 1 on, got {n!r}")
    if share is not None and not 0 < share <= 1:
        raise ValueError(f"share is a number above 0 and at most 1, got {share!r}")
    if document.is_blank:
        return Summary((), "", 0.0)
    tree = whole_tree(document, "a summary")
    sizes = [1] * tree.n_edus if share is None else [len(edu) for edu in document.edus]
    room = float(n or 0) if share is None else round(share * len(document.tokens), 9)  # .29 of 100 is 29
    kept = _chosen(tree, document.salience(), _statements(document), sizes, room)
    return _summary(document, sorted(kept))


def whole_tree(document: "Document", what: str) -> Tree:
    """The tree over all EDUs; ``ValueError`` if there is none, which says what needs it."""
    if document.tree is not None:
        return document.tree
    trees = document.sentence_trees
    if len(trees) == 1 and trees[0] is not None:
        return trees[0]
    if trees:
        raise ValueError(
            f"{what} needs one tree over the whole document, and this one has a tree for each sentence; "
            'parse it with level="document"'
        )
    raise ValueError(f'{what} needs a tree, and this document has none; parse it with level="document"')


def _statements(document: "Document") -> list[int]:
    """The EDUs that are in no heading; all of them if the text has nothing else."""
    blocks = document.edu_blocks()
    outside = [edu for edu, number in enumerate(blocks) if document.blocks[number].kind != "heading"]
    return outside or list(range(len(document.edus)))


def _chosen(
    tree: Tree, salience: Sequence[float], candidates: Sequence[int], sizes: Sequence[int], room: float
) -> set[int]:
    """The candidates that fit, most salient first, each with those that it needs. The first always fits.

    One that needs another that did not fit is left out, so that each is looked at about once.
    """
    needs = antecedents(tree)
    parts = parts_of_units(tree)
    allowed = set(candidates)
    kept: set[int] = set()
    left_out: set[int] = set()
    for edu in sorted(candidates, key=lambda edu: (-salience[edu], edu)):
        if edu in kept:
            continue
        wanted = _with_needs(edu, kept, left_out, needs, parts) & allowed
        size = sum(sizes[one] for one in wanted)
        if (wanted and size <= room) or not kept:
            kept |= wanted
            room -= size
        else:
            left_out.add(edu)
        if room < 1:
            break
    return kept


def _with_needs(
    edu: int,
    kept: set[int],
    left_out: set[int],
    needs: Sequence[Dependency],
    parts: dict[int, tuple[int, ...]],
) -> set[int]:
    """The EDU, the nuclei above it and the other parts of interrupted units, as far as they are not kept yet.

    Nothing, if one of them was left out.
    """
    wanted: set[int] = set()
    waiting: list[int | None] = [edu]
    while waiting:
        one = waiting.pop()
        if one is None or one in kept or one in wanted:
            continue
        if one in left_out:
            return set()
        wanted.add(one)
        waiting += [needs[one].head, *parts.get(one, ())]
    return wanted


def parts_of_units(tree: Tree) -> dict[int, tuple[int, ...]]:
    """The heads of the parts of each unit that is interrupted, by each of them."""
    heads = {Span(edu, edu + 1): edu for edu in range(tree.n_edus)}
    parts: dict[int, tuple[int, ...]] = {}
    for split in reversed(tree.splits):  # parts before wholes
        left, right = heads[split.left], heads[split.right]
        heads[split.span] = right if split.nuclearity == "SN" else left
        if split.relation.lower().startswith(_SAME_UNIT):
            parts[left] = (*parts.get(left, ()), right)
            parts[right] = (*parts.get(right, ()), left)
    return parts


def _summary(document: "Document", kept: Sequence[int]) -> Summary:
    runs = [
        [edu for _, edu in run] for _, run in groupby(enumerate(kept), key=lambda pair: pair[1] - pair[0])
    ]
    passages = []
    for run in runs:
        edus = Span(run[0], run[-1] + 1)
        tokens = Span(document.edus[edus.start].start, document.edus[edus.end - 1].end)
        start, end = document.tokens[tokens.start].start, document.tokens[tokens.end - 1].end
        passages.append(Passage(document.text_of(tokens), start, end, edus))
    blocks = document.edu_blocks() or [0] * len(document.edus)
    text = ""
    for before, passage in zip([None, *passages], passages, strict=False):
        if before is not None:
            text += " " if blocks[before.edus.end - 1] == blocks[passage.edus.start] else "\n"
        text += passage.text
    n_tokens = sum(len(document.edus[edu]) for edu in kept)
    return Summary(tuple(passages), text, n_tokens / len(document.tokens))
