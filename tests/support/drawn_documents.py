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
        (
            Unit(0, 8, "root"),
            Unit(0, 1, "satellite", "background"),
            Unit(1, 2, "satellite", "circumstance"),
            Unit(2, 4, "nucleus", "list"),
            Unit(2, 3, "nucleus"),
            Unit(3, 4, "satellite", "elaboration-object-attribute-e"),
            Unit(4, 5, "satellite", "example"),
            Unit(5, 6, "nucleus", "list"),
            Unit(6, 7, "satellite", "evaluation"),
            Unit(7, 8, "satellite", "purpose"),
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


def long_list(n_edus, text="item {} is early-to-mid-FALL or an incomprehensibility"):
    """Many EDUs under one relation, which no cut makes narrower."""
    units = [Unit(0, n_edus, "root"), *(Unit(i, i + 1, "nucleus", "joint-list") for i in range(n_edus))]
    edus = [text.format(i) for i in range(n_edus)]
    return Document.from_edus(edus, name="list").with_nary(NaryTree(tuple(units)))


def criss_crossed(n_edus):
    """A deep tree with secondary edges that cross, and a signal for each relation."""
    document = right_branching(n_edus)
    edges = tuple(
        SecondaryEdge(
            Span(at * 7 % n_edus, at * 7 % n_edus + 1), Span(at * 3 + 1, at * 3 + 2), f"edge-{at}-relation"
        )
        for at in range(12)
    )
    signals = tuple(
        Signal(Span(edu, edu + 1), "dm", "dm", (document.edus[edu].start + 1,)) for edu in range(1, n_edus)
    )
    return replace(document, secondary_edges=edges, signals=signals)


def hebrew():
    """Text from right to left, with digits, a bracket and words of another script."""
    document = Document.from_edus(
        [
            "הסערה הגיעה בשעה 7:30,",
            "כי הרוח (מצפון) התחזקה;",
            "RST הוא שם של תאוריה על מבנה הטקסט,",
            "ואנחנו נשארנו בבית.",
        ],
        name="סערה",
    )
    return replace(document, tree=TREASURY_TREE)
