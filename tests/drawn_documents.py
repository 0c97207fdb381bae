"""Documents for tests of pictures."""

from dataclasses import replace

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree

TREASURY_TREE = Tree(
    (
        Split(0, 2, 4, "NS", "Condition"),
        Split(0, 1, 2, "SN", "Attribution"),
        Split(2, 3, 4, "NN", "Temporal"),
    )
)
"""The tree of the paper's first figure."""

HOSTILE = "<script>alert(\"1\")</script> & ]]> 'q' \x1b[31m\x00 --> \ud800"


def treasury():
    """The sentence of the paper's first figure."""
    return replace(
        Document.from_edus(
            [
                "The Treasury also said",
                "noncompetitive tenders will be considered timely",
                "if postmarked no later than Sunday, Oct. 29,",
                "and received no later than tomorrow.",
            ],
            name="treasury",
        ),
        tree=TREASURY_TREE,
    )


def treasury_as_parsed():
    """The same text with three EDUs and another tree."""
    return replace(
        Document.from_edus(
            [
                "The Treasury also said",
                "noncompetitive tenders will be considered timely",
                "if postmarked no later than Sunday, Oct. 29, and received no later than tomorrow.",
            ],
            name="treasury",
        ),
        tree=Tree((Split(0, 1, 3, "SN", "Attribution"), Split(1, 2, 3, "NS", "Temporal"))),
    )


def three_sentences():
    """One EDU, a tree, and two EDUs without one."""
    document = Document.from_edus(
        ["A storm came.", "They said", "that it rained", "and snowed.", "Then", "it stopped."], name="weather"
    )
    return replace(
        document,
        sentences=(Span(0, 3), Span(3, 10), Span(10, 13)),
        sentence_trees=(
            Tree(),
            Tree((Split(0, 1, 3, "SN", "attribution"), Split(1, 2, 3, "NN", "joint"))),
            None,
        ),
    )


def drawn_nary():
    """Several nuclei with satellites on both sides and between, annotated beside the tree."""
    tree = NaryTree(
        tuple(
            Unit(*unit)
            for unit in [
                (0, 8, "root"),
                (0, 1, "satellite", "background"),
                (1, 2, "satellite", "circumstance"),
                (2, 4, "nucleus", "list"),
                (2, 3, "nucleus"),
                (3, 4, "satellite", "elaboration-object-attribute-e"),
                (4, 5, "satellite", "example"),
                (5, 6, "nucleus", "list"),
                (6, 7, "satellite", "evaluation"),
                (7, 8, "satellite", "purpose"),
            ]
        )
    )
    edus = [
        "Once",
        "in a land",
        "lived a fox",
        "that ran far",
        "say, twice",
        "and a dog",
        "(good)",
        "to see.",
    ]
    edge = SecondaryEdge(Span(2, 3), Span(5, 6), "contrast")
    return replace(
        Document.from_edus(edus, name="fable").with_nary(tree),
        secondary_edges=(edge,),
        signals=(
            Signal(Span(6, 7), "dm", "dm", (0,)),
            Signal(edge, "semantic", "antonymy", (4, 14)),
        ),
    )


def hostile():
    """Text and relations that would break a page or a terminal if they were not escaped."""
    return replace(
        Document.from_edus([HOSTILE, f"again {HOSTILE}"], name=HOSTILE),
        tree=Tree((Split(0, 1, 2, "NS", HOSTILE),)),
    )


def right_branching(n_edus, text="unit {} says something that takes more than a line of a narrow column"):
    tree = Tree(tuple(Split(i, i + 1, n_edus, "NS", "elaboration") for i in range(n_edus - 1)))
    return replace(Document.from_edus([text.format(i) for i in range(n_edus)], name="deep"), tree=tree)
