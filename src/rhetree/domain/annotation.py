"""What annotators add to the tree; the document keeps it, so that it can be written again."""

from dataclasses import dataclass, replace

from rhetree.domain.span import Span


@dataclass(frozen=True, slots=True)
class SecondaryEdge:
    """A relation outside the tree, from one unit to another, each named by its span of EDUs."""

    source: Span
    target: Span
    relation: str

    def __post_init__(self) -> None:
        if not self.relation:
            raise ValueError("a secondary edge needs a relation")


@dataclass(frozen=True, slots=True)
class Signal:
    """What in the text signals a relation: that of a unit to its parent, or a secondary edge."""

    source: Span | SecondaryEdge
    type: str
    subtype: str
    tokens: tuple[int, ...] = ()
    """The tokens of the document that signal it, counted from 0. Empty for signals such as page layout."""
    status: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))


@dataclass(frozen=True, slots=True)
class FusedWord:
    """Tokens that are written as one word, such as ``do`` and ``n't`` as ``don't``: CoNLL-U's multiword tokens."""

    tokens: Span
    columns: tuple[str, ...] = ("_",) * 8
    """The columns LEMMA to MISC of the line for the whole word."""

    def __post_init__(self) -> None:
        _check_columns(self, 8, "a fused word")


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A CoNLL-U line for a word that is understood but not written."""

    after: int
    """Number of the document's tokens before it."""
    columns: tuple[str, ...]
    """The columns FORM to MISC, as in the file."""
    opens: bool = False
    """Whether it opens a sentence; by ``after`` alone it could also end the sentence before."""

    def __post_init__(self) -> None:
        _check_columns(self, 9, "an empty node")


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a CoNLL-U file holds besides tokens and sentences."""

    columns: tuple[tuple[str, ...], ...]
    """The columns LEMMA to MISC of each token, without what the document itself holds (spacing, EDUs)."""
    comments: tuple[tuple[str, ...], ...] = ()
    """The comment lines of each sentence; ``# text`` without its value, which the document has."""
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
        """The same without the field of this name in the MISC column of any token."""
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
