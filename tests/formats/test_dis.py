import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rhetree.domain.document import Document, Token
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats import read
from rhetree.formats.dis import FORMAT
from support.depth import DEEP
from support.golden_storm import GOLDEN, storm
from support.round_trip import read_all, written
from support.strategies import WORDS, documents

QUIRKS = (*WORDS, "_!_!", "_", "!", "_!)", "(text", ")//TT_ERR", "//TT_ERR", "x<P>", "P>", "(rel2par", "))")

PAIR = """( Root (span 1 2)
  ( Nucleus (leaf 1) (rel2par span) (text _!He left_!) )
  ( Satellite (leaf 2) (rel2par purpose) (text _!to sleep ._!) )
)
"""


def read_one(text, **options):
    (document,) = read_all(FORMAT, text, **options)
    return document


def right_branching(n_edus):
    return Tree(tuple(Split(i, i + 1, n_edus, "NS", "elaboration") for i in range(n_edus - 1)))


def cannot_be_written(document):
    texts = [" ".join(document.forms_of(edu)) for edu in document.edus]
    return any("<P>" in text or re.search(r"_!\s*\)|\(text _!", text) for text in texts)


@given(documents(holds=FORMAT.holds, words=QUIRKS))
def test_what_is_written_is_read_back_the_same_or_refused(document):
    if cannot_be_written(document):
        with pytest.raises(UnwritableError):
            written(FORMAT, document)
    else:
        assert read_one(written(FORMAT, document)) == document


@given(documents(holds=FORMAT.holds), st.data())
def test_paragraphs_are_kept_wherever_they_end(document, data):
    assume(not cannot_be_written(document))
    text, tokens = "", []
    for number, token in enumerate(document.tokens):
        text += data.draw(st.sampled_from([" " if number else "", "\n\n"]))
        tokens.append(Token(token.form, len(text), len(text) + len(token.form)))
        text += token.form
    text += data.draw(st.sampled_from(["", "\n\n"]))
    parted = replace(document, text=text, tokens=tokens)
    assert read_one(written(FORMAT, parted)) == parted


def test_the_golden_file_is_read_and_written():
    text = (GOLDEN / "storm.dis").read_text(encoding="utf-8")
    assert read_one(text, name="storm") == storm(gap="\n\n")
    assert written(FORMAT, storm(gap="\n\n")) == text


def test_rst_dt_quirks():
    document = read_one(
        """
        // made by hand
        ( Root (span 1 3)
          ( Nucleus (leaf 1) (rel2par List) (text _!"Go home," (or (so) she said)<P>_!) )//TT_ERR
          ( Nucleus (span 2 3) (rel2par List)
            ( Satellite (leaf 2) (rel2par attribution-e ) (text _!she _! said //TT_ERR_! ) )
            ( Nucleus (leaf 3) (rel2par span) (text _!and again:<P>
              "Go!"_!) )
          ) //TT_ERR
        )
        """
    )
    assert document.edu_texts() == [
        '"Go home," (or (so) she said)',
        "she _! said //TT_ERR",
        'and again:\n\n"Go!"',
    ]
    assert document.text.startswith('"Go home," (or (so) she said)\n\nshe')
    assert document.tree == Tree((Split(0, 1, 3, "NN", "List"), Split(1, 2, 3, "SN", "attribution-e")))


@pytest.mark.parametrize("name", ["wsj_0601.out.dis", "wsj_0601.dis", "elsewhere/wsj_0601.out.dis"])
def test_the_name_is_that_of_the_text(name):
    assert read_one(PAIR, name=name.removesuffix(".dis")).name == "wsj_0601"


def test_one_edu():
    document = Document.from_edus(["Go ( now ) !"], name="doc").with_nary(NaryTree((Unit(0, 1, "root"),)))
    assert written(FORMAT, document) == "( Root (leaf 1) (text _!Go ( now ) !_!) )\n"
    assert read_one(written(FORMAT, document)) == document


@pytest.mark.parametrize("n", [DEEP + 1, pytest.param(100_001, marks=pytest.mark.slow)])
def test_a_file_deeper_than_the_stack_is_read(n):
    leaf = "(Nucleus (leaf {}) (rel2par span) (text _!x_!))".format
    rest = "(Satellite (span {} {}) (rel2par elaboration)".format
    text = f"(Root (span 1 {n}){leaf(1)}" + "".join(f"{rest(i, n)}{leaf(i)}" for i in range(2, n))
    text += f"(Satellite (leaf {n}) (rel2par elaboration) (text _!x_!))" + ")" * (n - 1)
    assert read_one(text).tree == right_branching(n)


def test_a_tree_deeper_than_pythons_stack_is_written_and_read():
    deep = replace(Document.from_edus(["x"] * DEEP, name="doc"), tree=right_branching(DEEP))
    text = written(FORMAT, deep)
    assert max(map(len, text.splitlines())) < 200, "indentation is capped"
    assert read_one(text) == deep


def test_a_deep_file_that_is_cut_off_is_no_recursion_error():
    text = "( Root (span 1 20000)\n" + "( Nucleus (span 1 20000) (rel2par span)\n" * 20_000
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == (
        "doc.dis:20001: no closing bracket for Nucleus span (1 20000); is the file cut off?"
    )


BROKEN = {
    "empty": ("", "doc.dis: no tree in it; expected ( Root (span 1 N) …"),
    "only a comment": ("\n//TT_ERR\n", "doc.dis: no tree in it; expected ( Root (span 1 N) …"),
    "no bracket": ("\nRoot\n", "doc.dis:2: expected a bracket and Root, found 'Root'"),
    "closed first": (")", "doc.dis:1: expected a bracket and Root, found ')'"),
    "other root": ("\n( Tree (span 1 2)", "doc.dis:2: expected Root, found Tree"),
    "rooted in a nucleus": (
        "( Nucleus (leaf 1) (rel2par span) (text _!x_!) )",
        "doc.dis:1: expected Root, found Nucleus",
    ),
    "unknown node type": (
        PAIR.replace("Satellite", "Satelite"),
        "doc.dis:3: expected Nucleus or Satellite, found Satelite",
    ),
    "second root": (
        PAIR.replace("Satellite", "Root"),
        "doc.dis:3: expected Nucleus or Satellite, found Root",
    ),
    "text among nodes": (
        PAIR.replace("( Satellite", "Satellite"),
        "doc.dis:3: expected a bracket and Nucleus or Satellite, found 'Satellite (leaf 2) (rel2par purpose) (te'",
    ),
    "no leaf or span": (
        PAIR.replace("(leaf 2) ", ""),
        "doc.dis:3: Satellite needs (leaf N) or (span N M), found '(rel2par purpose) (text _!to sleep ._!) '",
    ),
    "half a span": (
        PAIR.replace("(span 1 2)", "(span 1)"),
        "doc.dis:1: Root needs (leaf N) or (span N M), found '(span 1)'",
    ),
    "a number too large": (
        PAIR.replace("(leaf 2)", f"(leaf {'2' * 5000})"),
        f"doc.dis:3: Satellite needs (leaf N) or (span N M), found '(leaf {'2' * 34}'",
    ),
    "no rel2par": (
        PAIR.replace(" (rel2par purpose)", ""),
        "doc.dis:3: Satellite leaf 2 needs (rel2par NAME), found '(text _!to sleep ._!) )'",
    ),
    "empty rel2par": (
        PAIR.replace("(rel2par purpose)", "(rel2par )"),
        "doc.dis:3: Satellite leaf 2 needs (rel2par NAME), found '(rel2par ) (text _!to sleep ._!) )'",
    ),
    "satellite without a relation": (
        PAIR.replace("purpose", "span"),
        "doc.dis:3: Satellite leaf 2 needs a relation, found span",
    ),
    "no text": (
        PAIR.replace(" (text _!He left_!)", ""),
        "doc.dis:2: Nucleus leaf 1 needs (text _!…_!), found ')'",
    ),
    "empty text": (PAIR.replace("He left", " <P> "), "doc.dis:2: the text of Nucleus leaf 1 is empty"),
    "text without end": (
        PAIR.replace("._!)", ".)"),
        "doc.dis:3: the text of Satellite leaf 2 has no end; expected _!) after it",
    ),
    "text that runs on": (
        PAIR.replace("left_!)", "left)"),
        "doc.dis:2: the text of Nucleus leaf 1 runs into the next; expected _!) after it",
    ),
    "text of a span": (
        PAIR.replace("(span 1 2)", "(span 1 2) (text _!He left_!)"),
        "doc.dis:1: expected the children of Root span (1 2), found (text _!",
    ),
    "leaf not closed": (
        PAIR.replace("left_!) )", "left_!)"),
        "doc.dis:3: expected a closing bracket after Nucleus leaf 1, found '( Satellite (leaf 2) (rel2par purpose) ('",
    ),
    "cut off": (
        PAIR.rstrip(")\n"),
        "doc.dis:3: expected a closing bracket after Satellite leaf 2, found the end of the file",
    ),
    "cut off after a leaf": (
        PAIR.rpartition(")")[0],
        "doc.dis:1: no closing bracket for Root span (1 2); is the file cut off?",
    ),
    "text after the tree": (PAIR + "(x)", "doc.dis:5: expected nothing after the tree, found '(x)'"),
    "one bracket too many": (PAIR + ")", "doc.dis:5: expected nothing after the tree, found ')'"),
    "two trees": (
        PAIR + PAIR,
        "doc.dis:5: expected nothing after the tree, found '( Root (span 1 2)'",
    ),
    "leaves out of order": (
        PAIR.replace("leaf 1", "leaf 2").replace("leaf 2", "leaf 1", 1).replace("leaf 1", "leaf 2", 1),
        "doc.dis:2: expected EDU 1 next, found leaf 2; is a leaf missing?",
    ),
    "a leaf left out": (
        PAIR.replace("leaf 2", "leaf 3").replace("span 1 2", "span 1 3"),
        "doc.dis:3: expected EDU 2 next, found leaf 3; is a leaf missing?",
    ),
    "leaves left out at the end": (
        PAIR.replace("span 1 2", "span 1 9"),
        "doc.dis:1: span (1 9) holds 2 EDUs, not 9; is a leaf missing?",
    ),
    "too many leaves": (
        PAIR.replace("span 1 2", "span 1 1"),
        "doc.dis:1: span (1 1) holds 2 EDUs, not 1; is a bracket out of place?",
    ),
    "no children": (
        "( Root (span 1 1) )",
        "doc.dis:1: span (1 1) holds 0 EDUs, not 1; is a leaf missing?",
    ),
    "an only child": (
        "( Root (span 1 1)\n  ( Nucleus (leaf 1) (rel2par span) (text _!x_!) )\n)",
        "doc.dis:1: Root span (1 1) needs two children or more, found 1",
    ),
    "no nucleus": (
        PAIR.replace("Nucleus", "Satellite").replace("rel2par span", "rel2par cause"),
        "doc.dis:1: Root span (1 2) needs a nucleus, found only satellites",
    ),
    "nuclei without a relation": (
        PAIR.replace("Satellite", "Nucleus").replace("purpose", "span"),
        "doc.dis:1: the 2 nuclei of Root span (1 2) need a relation, found span",
    ),
    "binary": ("\x00\x01PK", "doc.dis:1: expected a bracket and Root, found '\\x00\\x01PK'"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_says_where_and_how(text, message):
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["no nucleus", "no text", "cut off", "two trees", "no rel2par"])
def test_leniency_does_not_mend_a_tree(name):
    text, message = BROKEN[name]
    with pytest.raises(TreebankError) as caught:
        read_one(text, lenient=True)
    assert str(caught.value) == message


FORGIVEN = {
    "nuclei that differ": (
        PAIR.replace("Satellite", "Nucleus").replace("rel2par span", "rel2par cause"),
        "doc.dis:1: the nuclei of Root span (1 2) need one relation, found cause, purpose",
        "cause-NN",
    ),
    "nuclei that differ, one without a relation": (
        PAIR.replace("Satellite", "Nucleus"),
        "doc.dis:1: the nuclei of Root span (1 2) need one relation, found span, purpose",
        "purpose-NN",
    ),
    "the only nucleus with a relation": (
        PAIR.replace("rel2par span", "rel2par cause"),
        "doc.dis:2: Nucleus leaf 1 is the only nucleus, expected (rel2par span), found cause",
        "purpose-NS",
    ),
    "a root with a relation": (
        PAIR.replace("(span 1 2)", "(span 1 2) (rel2par cause)"),
        "doc.dis:1: expected no relation of the root, found cause",
        "purpose-NS",
    ),
    "numbers from elsewhere": (
        PAIR.replace("span 1 2", "span 8 9").replace("leaf 1", "leaf 8").replace("leaf 2", "leaf 9"),
        "doc.dis:1: expected EDU 1 next, found span (8 9); is a leaf missing?",
        "purpose-NS",
    ),
    "numbers that do not add up": (
        PAIR.replace("span 1 2", "span 1 9"),
        "doc.dis:1: span (1 9) holds 2 EDUs, not 9; is a leaf missing?",
        "purpose-NS",
    ),
}


@pytest.mark.parametrize(("text", "message", "label"), FORGIVEN.values(), ids=FORGIVEN)
def test_leniency_forgives_and_says_so(text, message, label, caplog):
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == message
    assert not caplog.records
    assert read_one(text, lenient=True).tree.splits[0].label == label
    assert [(record.name, record.getMessage()) for record in caplog.records] == [("rhetree.formats", message)]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            Document.from_edus(["He left"], name="a"),
            "a cannot be written as dis: it lacks the document's tree",
        ),
        (
            replace(Document.from_edus(["a _! ) b"], name="a"), tree=Tree()),
            "a cannot be written as dis: EDU 1 holds what ends or starts a text there: 'a _! ) b'",
        ),
        (
            replace(Document.from_edus(["a <P>"]), tree=Tree()),
            "document cannot be written as dis: token '<P>' holds <P>, which ends a paragraph there",
        ),
        (
            Document(text="\u2003", tokens=(Token("\u2003", 0, 1),), edus=(Span(0, 1),), tree=Tree()),
            "document cannot be written as dis: EDU 1 is white space",
        ),
        *(
            (
                replace(Document.from_edus(["a", "b"]), tree=Tree((Split(0, 1, 2, "NN", relation),))),
                f"document cannot be written as dis: it has a relation called '{relation}'",
            )
            for relation in ("span", "a(b", " a")
        ),
    ],
)
def test_what_cannot_be_written_is_refused(document, message):
    with pytest.raises(UnwritableError) as caught:
        written(FORMAT, document)
    assert str(caught.value) == message


def test_gum_trees_are_read_whole_and_written_the_same(gum_files):
    for path in gum_files("trees/*.dis"):
        text = path.read_text(encoding="utf-8")
        document = read_one(text, name=path.stem)
        assert len(document.tree.splits) == text.count("(leaf ") - 1, path
        assert read_one(written(FORMAT, document), name=path.stem) == document, path


@pytest.mark.slow
def test_gum_trees_have_all_their_edus_and_splits(gum_files):
    documents = [document for path in gum_files("trees/*.dis") for document in read(path)]
    assert sum(len(document.edus) for document in documents) == 30_165
    trees = [document.tree for document in documents if document.tree is not None]
    assert sum(len(tree.splits) for tree in trees) == 30_165 - 237
