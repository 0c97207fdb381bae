"""Compares two analyses of one text: units that only one of them has, and labels that differ.

Units are identified by their tokens, so analyses with different EDUs can be compared. A unit that
both have is compared by its split: the roles of its children, and their relations.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rhetree.domain.document import Document
from rhetree.domain.nary import Unit
from rhetree.domain.retokenized import adopt_tokens
from rhetree.domain.span import Span
from rhetree.draw.panel import Panel, Shape, document_panels
from rhetree.errors import MismatchError


@dataclass(frozen=True, slots=True)
class Mark:
    """How a unit differs from that of the other side."""

    only_here: bool = False
    """The other side has no unit of exactly these tokens."""
    nuclearity: bool = False
    """Both sides split the unit, with different parts as nuclei."""
    relation: bool = False
    """Both sides split the unit, with different relations."""

    def __bool__(self) -> bool:
        return self.only_here or self.nuclearity or self.relation

    @property
    def sign(self) -> str:
        """The mark of a split: ``≠N``, ``≠R``, ``≠NR``, or empty."""
        letters = ("N" if self.nuclearity else "") + ("R" if self.relation else "")
        return f"≠{letters}" if letters else ""


SAME = Mark()

Marks = Mapping[Span, Mark]
"""Marks of units, by the units' tokens; units without a difference are left out."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The panels of both sides for the same piece of text, with their marks."""

    left: tuple[Panel, ...]
    right: tuple[Panel, ...]
    left_marks: Marks
    right_marks: Marks


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of units that are the same, and of those that differ, by kind of difference."""

    same: int
    only_left: int
    only_right: int
    nuclearity: int
    relation: int


def compare(
    left: Document, right: Document, shape: Shape = "binary", by_sentence: bool = False
) -> list[Pair]:
    """Pair the panels of both documents; a pair ends wherever a panel ends on both sides.

    A document without sentences is compared over the other's tokens. With ``by_sentence`` it borrows those sentences.
    """
    left, right = adopt_tokens(left, right), adopt_tokens(right, left)
    check_tokens(left, right)
    by_sentence = by_sentence or bool(left.sentence_trees or right.sentence_trees)
    if by_sentence:
        left = replace(left, sentences=left.sentences or right.sentences)
        right = replace(right, sentences=right.sentences or left.sentences)
    return [
        pair_panels(lefts, rights)
        for lefts, rights in _same_stretches(
            document_panels(left, shape, by_sentence), document_panels(right, shape, by_sentence)
        )
    ]


def pair_panels(left: Sequence[Panel], right: Sequence[Panel]) -> Pair:
    """Mark the differences between panels of the same text; only the trees are kept to be compared."""
    ours, theirs = _splits(left), _splits(right)
    return Pair(
        tuple(panel.without_annotations() for panel in left),
        tuple(panel.without_annotations() for panel in right),
        _marks(ours, theirs),
        _marks(theirs, ours),
    )


def tally(pairs: Iterable[Pair]) -> Tally:
    """Count the differences over all pairs."""
    same = only_left = only_right = nuclearity = relation = 0
    for pair in pairs:
        units = {panel.tokens_of(unit.span) for panel in pair.left for unit in panel.units()}
        only_left += sum(mark.only_here for mark in pair.left_marks.values())
        only_right += sum(mark.only_here for mark in pair.right_marks.values())
        nuclearity += sum(mark.nuclearity for mark in pair.left_marks.values())
        relation += sum(mark.relation for mark in pair.left_marks.values())
        same += sum(unit not in pair.left_marks for unit in units)
    return Tally(same, only_left, only_right, nuclearity, relation)


def check_tokens(left: Document, right: Document) -> None:
    """Raise :class:`MismatchError` unless both documents have the same tokens."""
    names = f"{left.name or 'document'} and {right.name or 'document'}"
    for number, (ours, theirs) in enumerate(zip(left.tokens, right.tokens, strict=False), start=1):
        if ours.form != theirs.form:
            raise MismatchError(
                f"{names} are not of the same text: token {number} is {ours.form!r} and {theirs.form!r}"
            )
    if len(left.tokens) != len(right.tokens):
        raise MismatchError(
            f"{names} are not of the same text: {len(left.tokens)} and {len(right.tokens)} tokens"
        )


@dataclass(frozen=True, slots=True)
class _Split:
    nuclearity: str
    relations: tuple[str, ...]


def _splits(panels: Iterable[Panel]) -> dict[Span, _Split | None]:
    """The split of each unit, by the unit's tokens; None for an EDU."""
    found: dict[Span, _Split | None] = {}
    for panel in panels:
        units = panel.units()
        families = [[] for _ in units] if panel.tree is None else panel.tree.children()
        for unit, family in zip(units, families, strict=True):
            found[panel.tokens_of(unit.span)] = _split(family) if family else None
    return found


def _split(family: list[Unit]) -> _Split:
    letters = "".join("N" if child.role == "nucleus" else "S" for child in family)
    # A list of three and a list of four nuclei differ in their units, not in their nuclearity.
    while "NNN" in letters:
        letters = letters.replace("NNN", "NN")
    relations = dict.fromkeys(child.relation for child in family if child.relation is not None)
    return _Split(letters, tuple(relations))


def _marks(ours: Mapping[Span, _Split | None], theirs: Mapping[Span, _Split | None]) -> Marks:
    marks = {}
    for tokens, split in ours.items():
        if tokens not in theirs:
            marks[tokens] = Mark(only_here=True)
            continue
        other = theirs[tokens]
        if split is None or other is None:
            continue  # one side does not split it, so the other side's units inside it are marked
        mark = Mark(
            nuclearity=split.nuclearity != other.nuclearity, relation=split.relations != other.relations
        )
        if mark:
            marks[tokens] = mark
    return marks


def _same_stretches(
    left: Sequence[Panel], right: Sequence[Panel]
) -> Iterator[tuple[list[Panel], list[Panel]]]:
    """The shortest runs of panels on both sides that start and end at the same tokens."""
    ours: list[Panel] = []
    theirs: list[Panel] = []
    remaining = iter(right)
    for panel in left:
        ours.append(panel)
        while not theirs or theirs[-1].tokens[-1].end < panel.tokens[-1].end:
            theirs.append(next(remaining))
        if theirs[-1].tokens[-1].end == panel.tokens[-1].end:
            yield ours, theirs
            ours, theirs = [], []
