"""A small text of our own with its tree over the whole document, for tests of what trees are for."""

from dataclasses import replace

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span
from rhetree.text import tokenize

EDUS = (
    "How we lost the mill",
    "The river rose in the night.",
    "Nobody heard it,",
    "because the wind was loud.",
    "In the morning the mill,",
    "which my father had built,",
    "was gone.",
    "We will build a new one",
    "if the bank lends us money.",
)

TEXT = (
    "How we lost the mill\n\n"
    "The river rose in the night. Nobody heard it, because the wind was loud.\n\n"
    "In the morning the mill, which my father had built, was gone. "
    "We will build a new one if the bank lends us money."
)

TREE = NaryTree(
    (
        Unit(0, 9, "root"),
        Unit(0, 1, "satellite", "organization-heading"),
        Unit(1, 9, "nucleus"),
        Unit(1, 4, "satellite", "context-background"),
        Unit(1, 2, "nucleus"),
        Unit(2, 4, "satellite", "elaboration-additional"),
        Unit(2, 3, "nucleus"),
        Unit(3, 4, "satellite", "causal-cause"),
        Unit(4, 9, "nucleus"),
        Unit(4, 7, "nucleus", "joint-sequence"),
        Unit(4, 6, "nucleus", "same-unit"),
        Unit(4, 5, "nucleus"),
        Unit(5, 6, "satellite", "elaboration-attribute"),
        Unit(6, 7, "nucleus", "same-unit"),
        Unit(7, 9, "nucleus", "joint-sequence"),
        Unit(7, 8, "nucleus"),
        Unit(8, 9, "satellite", "contingency-condition"),
    )
)


def flood() -> Document:
    """The document, with sentences, blocks, EDUs and its tree."""
    document = tokenize(TEXT, "flood")
    starts, at = [], 0
    for edu in EDUS:
        at = TEXT.index(edu, at)
        starts.append(next(n for n, token in enumerate(document.tokens) if token.start == at))
    edus = tuple(map(Span, starts, [*starts[1:], len(document.tokens)]))
    return replace(document, edus=edus).with_nary(TREE)
