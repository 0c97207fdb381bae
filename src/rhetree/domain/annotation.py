"""What annotators add beside the tree, kept with the document so that it can be written back."""

from dataclasses import dataclass

from rhetree.domain.span import Span


@dataclass(frozen=True, slots=True)
class SecondaryEdge:
    """A relation beside the tree, from one unit to another, each named by its span of EDUs."""

    source: Span
    target: Span
    relation: str

    def __post_init__(self) -> None:
        if not self.relation:
            raise ValueError("a secondary edge needs a relation")


@dataclass(frozen=True, slots=True)
class Signal:
    """What in the text shows a relation: of a unit to its parent, or of a secondary edge."""

    source: Span | SecondaryEdge
    type: str
    subtype: str
    tokens: tuple[int, ...] = ()
    """The document's tokens that signal it, from 0; none for, say, the layout of the page."""
    status: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A CoNLL-U line for a word that is understood but not said."""

    after: int
    """How many of the document's tokens come before it."""
    columns: tuple[str, ...]
    """FORM to MISC, as they stand."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a CoNLL-U file says beside tokens and sentences."""

    columns: tuple[tuple[str, ...], ...]
    """For each token LEMMA to MISC, without what the document says itself (spacing, EDUs)."""
    comments: tuple[tuple[str, ...], ...] = ()
    """For each sentence its comment lines, without those the document says itself."""
    fused: tuple[Span, ...] = ()
    """Token spans that are written as one word (CoNLL-U's multiword tokens)."""
    empty_nodes: tuple[EmptyNode, ...] = ()

    def __post_init__(self) -> None:
        for row in self.columns:
            if len(row) != 8:
                raise ValueError(f"a token has 8 columns from LEMMA to MISC, got {len(row)}")
