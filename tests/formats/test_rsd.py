import re
from dataclasses import replace

import pytest
from hypothesis import given

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats import rs3, rs4
from rhetree.formats.format import Layer
from rhetree.formats.rsd import FORMAT
from support.golden_storm import GOLDEN, storm
from support.round_trip import read_all, written
from support.strategies import WORDS, annotated_documents, documents

QUIRKS = (*WORDS, "|", ";", ":", "_", "so-called", "9-11", "3", "4,5", "@1", "0")

THREE = (
    "1\tIf it rains ,\t1\t_\t_\t_\t2\tcondition_r\t_\t_\n"
    "2\tthey stay\t0\t_\t_\t_\t0\tROOT\t_\t_\n"
    "3\tand sing .\t0\t_\t_\t_\t2\tlist_m\t_\t_\n"
)
from support.depth import DEEP


def read_one(text, **options):
    (document,) = read_all(FORMAT, text, **options)
    return document


def loosely(document):
    """What is the same whatever the order of edges and signals."""
    return (
        replace(document, secondary_edges=(), signals=()),
        sorted(map(repr, document.secondary_edges)),
        sorted(map(repr, document.signals)),
    )


def annotated_storm():
    edge = SecondaryEdge(Span(3, 4), Span(1, 5), "causal-result")
    signals = (
        Signal(Span(0, 1), "dm", "dm", (0,), "gold"),
        Signal(Span(1, 3), "graphical", "parentheses", (7, 11)),
        Signal(edge, "orphan", "orphan", (19, 20)),
        Signal(edge, "lexical", "indicative_word", (16,)),
        Signal(Span(4, 5), "dm", "dm", (19,), "gold"),
        Signal(Span(5, 6), "graphical", "layout"),
        Signal(Span(5, 6), "semantic", "lexical_chain", (16, 17, 18, 24, 29)),
    )
    return replace(storm(), secondary_edges=(edge,), signals=signals)


@given(documents(holds=FORMAT.holds, words=QUIRKS))
def test_what_is_written_is_read_back_the_same(document):
    assert read_one(written(FORMAT, document)) == document


@given(documents(holds=FORMAT.holds, words=QUIRKS).flatmap(annotated_documents))
def test_secondary_edges_and_signals_are_read_back_the_same(document):
    assert loosely(read_one(written(FORMAT, document))) == loosely(document)


def test_the_golden_file_is_read_and_written():
    text = (GOLDEN / "storm.rsd").read_text(encoding="utf-8")
    assert written(FORMAT, annotated_storm()) == text
    assert loosely(read_one(text, name="storm")) == loosely(annotated_storm())


def test_a_file_of_li_et_al_without_depths_is_read_by_the_rule():
    text = THREE.replace("\t1\t_", "\t_\t_").replace("\t0\t_", "\t_\t_")
    assert read_one(text).tree == Tree((Split(0, 1, 3, "SN", "condition"), Split(1, 2, 3, "NN", "list")))


def test_features_and_the_columns_before_them_are_passed_over():
    text = THREE.replace("\t1\t_\t_\t_", "\t1\t12\t1-2:x\tpos1=IN|len=4")
    assert read_one(text) == read_one(THREE)


def test_older_signals_have_no_status():
    text = THREE.replace("condition_r\t_\t_", "condition_r\t_\tdm-if-1;syntactic-so-called-1-3,8")
    assert read_one(text).signals == (
        Signal(Span(0, 1), "dm", "dm", (0,)),
        Signal(Span(0, 1), "syntactic", "so-called", (0, 1, 2, 7)),
    )


def test_a_token_with_white_space_counts_as_often_as_it_is_read():
    document = Document(
        name="doc",
        text="of course not",
        tokens=(Token("of course", 0, 9), Token("not", 10, 13)),
        edus=spans_of_lengths([1, 1]),
        tree=Tree((Split(0, 1, 2, "NS", "cause"),)),
        signals=(Signal(Span(1, 2), "dm", "dm", (1,)), Signal(Span(0, 1), "lexical", "word", (0,))),
    )
    back = read_one(written(FORMAT, document))
    assert [signal.tokens for signal in back.signals] == [(0, 1), (2,)]
    assert Layer.FORMS in FORMAT.losses(document)


@pytest.mark.large
def test_a_tree_deeper_than_pythons_stack():
    tree = Tree(tuple(Split(i, i + 1, DEEP, "SN", "elaboration") for i in range(DEEP - 1)))
    document = replace(Document.from_edus(["x"] * DEEP, name="doc"), tree=tree)
    assert read_one(written(FORMAT, document)) == document


BROKEN = {
    "empty": ("", "doc.rsd: no EDU in it; expected 10 columns a line"),
    "no columns": ("He left\n", "doc.rsd:1: expected 10 columns between tabs, found 1"),
    "a column short": (
        THREE.replace("\tlist_m\t_\t_", "\tlist_m\t_"),
        "doc.rsd:3: expected 10 columns between tabs, found 9",
    ),
    "a blank line": (THREE.replace("\n2", "\n\n2"), "doc.rsd:2: expected 10 columns between tabs, found 1"),
    "out of order": (THREE.replace("\n2", "\n3"), "doc.rsd:2: expected EDU 2, found '3'"),
    "no text": (THREE.replace("they stay", " "), "doc.rsd:2: expected the text of an EDU, found none"),
    "no depth": (
        THREE.replace("sing .\t0", "sing .\tx"),
        "doc.rsd:3: expected a depth in column 3, found 'x'",
    ),
    "no head": (
        THREE.replace("2\tlist_m", "-\tlist_m"),
        "doc.rsd:3: expected a head in column 7, 0 for none, found '-'",
    ),
    "a huge head": (
        THREE.replace("2\tlist_m", f"{'2' * 5000}\tlist_m"),
        f"doc.rsd:3: expected a head in column 7, 0 for none, found '{'2' * 20}'",
    ),
    "no relation": (THREE.replace("list_m", "_m"), "doc.rsd:3: expected a relation in column 8, found '_m'"),
    "a head too far": (
        THREE.replace("2\tlist_m", "9\tlist_m"),
        "doc.rsd:3: EDU 3 depends on one after the last",
    ),
    "two roots": (
        THREE.replace("2\tlist_m", "0\tROOT"),
        "doc.rsd:3: EDU 3 has no head, nor has one before it",
    ),
    "a circle": (
        THREE.replace("0\tROOT", "3\tlist_m"),
        "doc.rsd:1: EDU 1 depends on itself, or on others that do",
    ),
    "crossing": (
        THREE.replace("2\tcondition_r", "3\tcondition_r"),
        "doc.rsd:3: EDU 3 has dependents, direct or not, with others between them",
    ),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("lenient", [False, True])
def test_a_broken_file_says_where_and_how(text, message, lenient):
    with pytest.raises(TreebankError) as caught:
        read_one(text, lenient=lenient)
    assert str(caught.value) == message


AS_EVER = ["condition-SN", "list-NN"]
EDGE = "expected a secondary edge as TARGET:RELATION:HEIGHT:TARGET-HEIGHT:SIGNALS, between units of the tree"
SIGNAL = "expected a signal as TYPE-SUBTYPE-TOKENS-STATUS"

FORGIVEN = {
    "no root relation": (
        THREE.replace("ROOT", "_"),
        "doc.rsd:2: expected ROOT without a head, found '_'",
        AS_EVER,
    ),
    "no suffix": (
        THREE.replace("list_m", "list"),
        "doc.rsd:3: expected a relation that ends in _m or _r, found 'list'",
        ["condition-SN", "list-NS"],
    ),
    "a depth that cannot be": (
        THREE.replace("3\tand sing .\t0", "3\tand sing .\t1")
        + "4\tNobody minds .\t0\t_\t_\t_\t2\tcomment_r\t_\t_\n",
        "doc.rsd:4: EDU 4 attaches before one that is nearer to its head",
        ["condition-SN", "comment-NS", "list-NN"],
    ),
    "a nucleus before its head": (
        THREE.replace("condition_r", "list_m"),
        "doc.rsd:1: EDU 1 is a nucleus to the left of its head",
        ["list-NN", "list-NN"],
    ),
    "an edge out of the tree": (
        THREE.replace("list_m\t_", "list_m\t2:cause:0:7:_"),
        f"doc.rsd:3: {EDGE}, found '2:cause:0:7:_'",
        AS_EVER,
    ),
    "no edge": (
        THREE.replace("list_m\t_", "list_m\tcause"),
        f"doc.rsd:3: {EDGE}, found 'cause'",
        AS_EVER,
    ),
    "no signal": (
        THREE.replace("condition_r\t_\t_", "condition_r\t_\tbecause"),
        f"doc.rsd:1: {SIGNAL}, found 'because'",
        AS_EVER,
    ),
    "a signal without tokens": (
        THREE.replace("condition_r\t_\t_", "condition_r\t_\tdm-if-x-gold"),
        f"doc.rsd:1: {SIGNAL}, found 'dm-if-x-gold'",
        AS_EVER,
    ),
    "a signal outside the text": (
        THREE.replace("condition_r\t_\t_", "condition_r\t_\tdm-if-1-900000000-gold"),
        f"doc.rsd:1: {SIGNAL}, found 'dm-if-1-900000000-gold'",
        AS_EVER,
    ),
    "a signal above the tree": (
        THREE.replace("condition_r\t_\t_", "condition_r\t_\tdm-if-1-gold@2"),
        "doc.rsd:1: expected a signal's height up to 0, found 2",
        AS_EVER,
    ),
    "an edge's signal with a height": (
        THREE.replace("list_m\t_", "list_m\t2:cause:0:0:dm-and-8-gold@0"),
        f"doc.rsd:3: {SIGNAL}, found 'dm-and-8-gold@0'",
        AS_EVER,
    ),
}


@pytest.mark.parametrize(("text", "message", "labels"), FORGIVEN.values(), ids=FORGIVEN)
def test_leniency_forgives_and_says_so(text, message, labels, caplog):
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == message
    document = read_one(text, lenient=True)
    assert [split.label for split in document.tree.splits] == labels
    assert not document.signals
    assert [record.getMessage() for record in caplog.records] == [message]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tree": None, "nary": None}, "it lacks the document's tree"),
        ({"tree": Tree((Split(0, 1, 2, "NN", "a\tb"),))}, "it has a relation called 'a\\tb'"),
        (
            {"secondary_edges": [SecondaryEdge(Span(0, 1), Span(1, 2), "a:b")]},
            "it has a secondary edge called 'a:b'",
        ),
        (
            {"signals": [Signal(Span(0, 1), "a-b", "c")]},
            "it has a signal of type 'a-b', subtype 'c' and status ''",
        ),
        (
            {"signals": [Signal(Span(1, 2), "a", "b", (), "c@1")]},
            "it has a signal of type 'a', subtype 'b' and status 'c@1'",
        ),
        (
            {"signals": [Signal(Span(0, 1), "a", "b;c")]},
            "it has a signal of type 'a', subtype 'b;c' and status ''",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(change, message):
    pair = replace(Document.from_edus(["a", "b"], name="d"), tree=Tree((Split(0, 1, 2, "NN", "list"),)))
    with pytest.raises(UnwritableError) as caught:
        written(FORMAT, replace(pair, **change))
    assert str(caught.value) == f"d cannot be written as rsd: {message}"


# --- beside rst2dep ------------------------------------------------------------------------------


def rows_of(text):
    return [line.split("\t") for line in text.splitlines()]


@given(documents(holds=frozenset({Layer.TEXT, Layer.EDUS, Layer.TREE}), words=tuple("abcdef")))
def test_rst2dep_makes_the_same_dependencies_of_our_rs3(document):
    rst2dep = pytest.importorskip("rst2dep.rst2dep")
    if document.tree.n_edus == 1:
        return
    # rs3 tells the nuclei of a multinuclear unit from its satellites by their relations' names.
    told_apart = Tree(
        tuple(replace(s, relation=f"{s.relation}-{s.nuclearity == 'NN'}") for s in document.tree.splits)
    )
    document = replace(document, tree=told_apart)
    theirs = rst2dep.make_rsd(written(rs3.FORMAT, document), as_text=True)
    assert rows_of(written(FORMAT, document)) == rows_of(theirs)


def test_rst2dep_reads_what_we_write():
    dep2rst = pytest.importorskip("rst2dep.dep2rst")
    (back,) = read_all(rs4.FORMAT, dep2rst.rsd2rs3(written(FORMAT, annotated_storm())), name="storm")
    assert back.nary == annotated_storm().nary


def test_gum_has_the_dependencies_that_rst2dep_finds(gum_files):
    rst2dep = pytest.importorskip("rst2dep.rst2dep")
    for path in gum_files("rs4/*.rs4"):
        with path.open(encoding="utf-8") as source:
            (document,) = rs4.FORMAT.read(source, path)
        text = written(FORMAT, document)
        again = read_one(text)
        assert again.as_drawn() == document.as_drawn()
        assert loosely(again)[1:] == loosely(document)[1:]
        theirs = rst2dep.make_rsd(path.read_text(encoding="utf-8"), as_text=True)
        assert [row[:8] for row in rows_of(text)] == [row[:8] for row in rows_of(theirs)]
        assert read_one(theirs, lenient=True).as_drawn() == document.as_drawn()


@pytest.mark.large
def test_signals_that_name_more_words_than_a_file_can_mean_are_refused():
    words = " ".join(["word"] * 10_000)
    signals = ";".join(["dm-dm-1-10000-gold"] * 1_000)
    text = f"1\t{words}\t0\t_\t_\t_\t0\tROOT\t_\t{signals}\n"
    with pytest.raises(TreebankError, match=re.escape(f"doc.rsd:1: {SIGNAL}, found 'dm-dm-1-10000-gold'")):
        read_one(text)
