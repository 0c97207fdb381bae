"""The document of tests/golden/storm.*, as its treebank files should be read."""

from pathlib import Path

from rhetree.domain.document import Document, Token
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import spans_of_lengths

GOLDEN = Path(__file__).parents[1] / "golden"

EDUS = (
    "When the storm came ,",
    "the miller ( a careful man )",
    "shut the gates ,",
    "fed the goats",
    "and went to bed .",
    "Nothing else was to be done .",
)

TREE = NaryTree(
    (
        Unit(0, 6, "root"),
        Unit(0, 5, "nucleus"),
        Unit(0, 1, "satellite", "context-circumstance"),
        Unit(1, 5, "nucleus"),
        Unit(1, 3, "nucleus", "joint-list"),
        Unit(1, 2, "nucleus", "same-unit"),
        Unit(2, 3, "nucleus", "same-unit"),
        Unit(3, 4, "nucleus", "joint-list"),
        Unit(4, 5, "nucleus", "joint-list"),
        Unit(5, 6, "satellite", "evaluation-comment"),
    )
)


def storm(gap=" "):
    """The document, with this between its first five EDUs, a paragraph, and its sixth."""
    first, last = " ".join(EDUS[:5]), EDUS[5]
    tokens, at = [], 0
    for part in (first, last):
        for form in part.split():
            tokens.append(Token(form, at, at + len(form)))
            at += len(form) + 1
        at += len(gap) - 1
    return Document(
        name="storm",
        text=first + gap + last,
        tokens=tuple(tokens),
        edus=spans_of_lengths(len(edu.split()) for edu in EDUS),
    ).with_nary(TREE)
