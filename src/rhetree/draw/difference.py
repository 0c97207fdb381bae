"""Two analyses of one text: which units only one of them has, and where their labels differ.

Units are named by their tokens, so that the comparison holds where the EDUs differ too. A unit
that both have is compared by its split: the roles of its children, and their relations.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rhetree.domain.document import Document
from rhetree.domain.nary import Unit
from rhetree.domain.span import Span
from rhetree.draw.panel import Panel, Shape, document_panels
from rhetree.errors import MismatchError


@dataclass(frozen=True, slots=True)
class Mark:
    """How a unit differs from the other side's."""

    only_here: bool = False
    """The other side has no unit of just these tokens."""
    nuclearity: bool = False
    """Both split it, and differ in which parts are nuclei."""
    relation: bool = False
    """Both split it, and differ in the relation."""

    def __bool__(self) -> bool:
        return self.only_here or self.nuclearity or self.relation

    @property
    def sign(self) -> str:
        """The mark of a split in letters: ``≠N``, ``≠R``, ``≠NR``, or nothing."""
        letters = ("N" if self.nuclearity else "") + ("R" if self.relation else "")
        return f"≠{letters}" if letters else ""


SAME = Mark()

Marks = Mapping[Span, Mark]
"""By the tokens of a unit; units that are the same are left out."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The panels of both sides for one stretch of text, with the marks of each."""

    left: tuple[Panel, ...]
    right: tuple[Panel, ...]
    left_marks: Marks
    right_marks: Marks


@dataclass(frozen=True, slots=True)
class Tally:
    """How many units are the same, and how many differ in which way."""

    same: int
    only_left: int
    only_right: int
    nuclearity: int
    relation: int


def compare(
    left: Document, right: Document, shape: Shape = "binary", by_sentence: bool = False
) -> list[Pair]:
    """Both documents' panels side by side, parted wherever both have the edge of a panel.

    By sentence, the sentences of one serve the other too where it has none: the tokens are the same.
    """
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
    """Panels of the same text, with their marks."""
    ours, theirs = _splits(left), _splits(right)
    return Pair(tuple(left), tuple(right), _marks(ours, theirs), _marks(theirs, ours))


def tally(pairs: Iterable[Pair]) -> Tally:
    """Counts over all pairs."""
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
    """Raise :class:`MismatchError` unless both documents are of the same tokens."""
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
    """For each unit, by its tokens, how it is split; None for an EDU."""
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
            continue  # one side does not split it: what the other side has inside is marked
        mark = Mark(
            nuclearity=split.nuclearity != other.nuclearity, relation=split.relations != other.relations
        )
        if mark:
            marks[tokens] = mark
    return marks


def _same_stretches(
    left: Sequence[Panel], right: Sequence[Panel]
) -> Iterator[tuple[list[Panel], list[Panel]]]:
    """The shortest runs of panels, left and right, that start and end at the same tokens."""
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
