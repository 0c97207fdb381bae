"""What annotators add beside the tree, kept with the document so that it can be written back."""

from dataclasses import dataclass, replace

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
class FusedWord:
    """Tokens that are written as one word: CoNLL-U's multiword tokens, ``don't`` of ``do n't``."""

    tokens: Span
    columns: tuple[str, ...] = ("_",) * 8
    """LEMMA to MISC of the line for the whole word."""

    def __post_init__(self) -> None:
        _check_columns(self, 8, "a fused word")


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A CoNLL-U line for a word that is understood but not said."""

    after: int
    """How many of the document's tokens come before it."""
    columns: tuple[str, ...]
    """FORM to MISC, as they stand."""
    opens: bool = False
    """Whether it opens a sentence, where ``after`` alone would leave it at the end of the one before."""

    def __post_init__(self) -> None:
        _check_columns(self, 9, "an empty node")


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a CoNLL-U file says beside tokens and sentences."""

    columns: tuple[tuple[str, ...], ...]
    """For each token LEMMA to MISC, without what the document says itself (spacing, EDUs)."""
    comments: tuple[tuple[str, ...], ...] = ()
    """For each sentence its comment lines; ``# text`` alone, since the document has its value."""
    fused: tuple[FusedWord, ...] = ()
    empty_nodes: tuple[EmptyNode, ...] = ()

    def __post_init__(self) -> None:
        for name in ("columns", "comments"):
            object.__setattr__(self, name, tuple(tuple(row) for row in getattr(self, name)))
        for name in ("fused", "empty_nodes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for row in self.columns:
            if len(row) != 8:
                raise ValueError(f"a token has 8 columns from LEMMA to MISC, got {len(row)}")
        n_tokens = len(self.columns)
        at = 0
        for word in self.fused:
            if not at <= word.tokens.start < word.tokens.end <= n_tokens:
                raise ValueError(f"the fused word {word.tokens} should lie within {at}..{n_tokens}")
            at = word.tokens.end
        at = 0
        for node in self.empty_nodes:
            if not at <= node.after <= n_tokens:
                raise ValueError(
                    f"an empty node after {node.after} tokens should lie within {at}..{n_tokens}"
                )
            at = node.after

    def without_misc(self, name: str) -> "Syntax":
        """The same without the field of this name in any token's MISC."""
        columns = [
            (*columns, "|".join(_fields_without(name, misc)) or "_") for *columns, misc in self.columns
        ]
        return replace(self, columns=tuple(columns))


def _fields_without(name: str, misc: str) -> list[str]:
    return [field for field in misc.split("|") if field.partition("=")[0] != name]


def _check_columns(line: FusedWord | EmptyNode, n_columns: int, what: str) -> None:
    object.__setattr__(line, "columns", tuple(line.columns))
    if len(line.columns) != n_columns:
        raise ValueError(f"{what} has {n_columns} columns, got {len(line.columns)}")
