import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from rhetree.domain.annotation import EmptyNode, FusedWord, Syntax
from rhetree.domain.blocks import Block
from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats import read_one
from rhetree.formats.conllu import CONLLU, TOK, misc
from support.golden_storm import storm
from support.strategies import rich_documents

PATH = Path("rain.conllu")

RAIN = """\
# newdoc id = rain
# global.Entity = id-type
# meta::genre = story
# meta::title = It  rained = all day
# newpar
# sent_id = rain-one
# s_type = decl
# text = I don't know, it rained.
1\tI\tI\tPRON\tPRP\tCase=Nom\t4\tnsubj\t4:nsubj\tDiscourse=attribution:1->2:0:_|Entity=(1)
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_
4\tknow\tknow\tVERB\tVB\t_\t0\troot\t0:root\tMSeg=know|SpaceAfter=No
4.1\tthat\tthat\tSCONJ\tIN\t_\t_\t_\t7:mark\tCopyOf=-1|Alpha=2
5\t,\t,\tPUNCT\t,\t_\t4\tpunct\t4:punct\t_
6\tit\tit\tPRON\tPRP\t_\t7\tnsubj\t7:nsubj\tDiscourse=ROOT:2:0
7\trained\train\tVERB\tVBD\t_\t4\tccomp\t4:ccomp\tMSeg=rain-ed|SpaceAfter=No
8\t.\t.\tPUNCT\t.\t_\t4\tpunct\t4:punct\t_

# sent_id = rain-two
# text = Here
# trailing_xml = <p/>
0.1\tis\tbe\t_\t_\t_\t_\t_\t_\t_
1\tHere\there\tADV\tRB\t_\t0\troot\t0:root\tDiscourse=joint:3->2:0:_

# newpar
# newpar_block = p (1 s)
# sent_id = rain-three
# text = There!
1\tThere\tthere\tADV\tRB\t_\t0\troot\t0:root\tDiscourse=joint:4->2:0:_|SpaceAfter=No
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t1:punct\tSpaceAfter=No

"""


def row(number, form, misc="_"):
    return "\t".join([str(number), form, *["_"] * 7, misc]) + "\n"


def read(text, lenient=False, path=PATH):
    format = TOK if path.suffix == ".tok" else CONLLU
    return list(format.read(io.StringIO(text), path, lenient=lenient))


def written(document, format=CONLLU):
    sink = io.StringIO()
    format.write(document, sink)
    return sink.getvalue()


def test_text_tokens_sentences_and_edus():
    (document,) = read(RAIN)
    assert document.name == "rain"
    assert document.text == "I don't know, it rained. Here\n\nThere!"
    assert document.forms_of(document.sentences[0]) == ["I", "do", "n't", "know", ",", "it", "rained", "."]
    assert [document.text[token.start : token.end] for token in document.tokens] == [
        token.form for token in document.tokens
    ]
    assert document.sentences == spans_of_lengths([8, 1, 2])
    assert document.edu_texts() == ["I don't know,", "it rained.", "Here", "There!"]
    assert document.metadata == {
        "conllu.global.Entity": "id-type",
        "genre": "story",
        "title": "It  rained = all day",
        "conllu.edus": "Discourse",
    }


def test_all_else_is_kept_beside_the_layers():
    (document,) = read(RAIN)
    assert document.syntax.columns[3] == ("know", "VERB", "VB", "_", "0", "root", "0:root", "MSeg=know")
    assert document.syntax.fused == (FusedWord(Span(1, 3)),)
    assert [(node.after, node.opens) for node in document.syntax.empty_nodes] == [(4, False), (8, True)]
    assert document.syntax.comments == (
        ("# newpar", "# sent_id = rain-one", "# s_type = decl", "# text"),
        ("# sent_id = rain-two", "# text", "# trailing_xml = <p/>"),
        ("# newpar", "# newpar_block = p (1 s)", "# sent_id = rain-three", "# text"),
    )


def test_a_file_is_written_back_to_the_byte():
    (document,) = read(RAIN)
    assert written(document) == RAIN


@pytest.mark.parametrize("format", [CONLLU, TOK], ids=["conllu", "tok"])
def test_the_golden_file_is_read_and_written(format, golden):
    n_tokens = len(storm().tokens)
    sentences = spans_of_lengths([n_tokens - 7, 7])
    document = storm(gap="\n\n").without_trees()
    if format is CONLLU:
        n_first = len(document.text) - len("\n\nNothing else was to be done .")
        blocks = (Block(0, n_first), Block(n_first + 2, len(document.text)))
        document = replace(document, sentences=sentences, blocks=blocks)
    text = written(document, format)
    golden(f"storm.{format.name}", text)
    assert read(text, path=Path(f"storm.{format.name}")) == [document]


def test_gum_files_are_written_back_to_the_byte_and_have_the_tokens_and_edus_of_their_trees(gum, gum_files):
    for path in gum_files("conllu/*.conllu"):
        source = path.read_text(encoding="utf-8")
        (document,) = read(source, path=path)
        assert written(document) == source, path
        tree = read_one(gum / "trees" / f"{path.stem}.dis")
        assert [token.form for token in document.tokens] == [token.form for token in tree.tokens], path
        assert document.edus == tree.edus, path


@pytest.mark.slow
def test_gum_has_all_its_edus(gum_files):
    paths = gum_files("conllu/*.conllu")
    assert sum(len(read_one(path).edus) for path in paths) == 30_165


@pytest.mark.parametrize(
    ("first", "other", "key"),
    [
        ("Seg=B-seg", "Seg=O", None),
        ("Seg=B-seg", "_", None),
        ("Seg=B-seg", "O", None),
        ("BeginSeg=Yes", "_", "BeginSeg"),
    ],
)
def test_both_of_disrpts_conventions_are_read(first, other, key):
    text = row(1, "It", first) + row(2, "rained", other) + row(3, "hard", f"MSeg=x|{first}|XSeg=y")
    (document,) = read(text)
    assert document.edus == spans_of_lengths([2, 1])
    assert document.metadata.get("conllu.edus") == key
    assert document.syntax.columns[2][-1] == "MSeg=x|XSeg=y"
    assert read(written(document)) == [document]


def test_edus_are_written_in_disrpts_way_of_2024_unless_the_file_had_another():
    document = replace(Document.from_sentences([["It", "rained"]], name="a"), edus=spans_of_lengths([1, 1]))
    document = replace(document, edus=(Span(0, 2),))
    assert written(document) == (
        "# newdoc id = a\n# sent_id = a-1\n# text = It rained\n"
        + row(1, "It", "Seg=B-seg")
        + row(2, "rained", "Seg=O")
        + "\n"
    )
    older = replace(document, metadata={"conllu.edus": "BeginSeg"})
    assert row(1, "It", "BeginSeg=Yes") + row(2, "rained") in written(older)
    with pytest.raises(
        UnwritableError, match="conllu.edus is 'Begin', expected one of Seg, BeginSeg, Discourse"
    ):
        written(replace(document, metadata={"conllu.edus": "Begin"}))


def test_discourse_fields_go_when_the_edus_are_no_longer_theirs():
    (document,) = read(RAIN)
    assert "Discourse" not in written(document.without_edus())
    assert read(written(document.without_edus()))[0].edus == ()
    other = replace(document.without_trees(), edus=document.sentences)
    assert "Discourse" not in written(other)
    assert read(written(other))[0].edus == document.sentences


def test_words_that_are_not_the_letters_of_their_fused_word():
    text = (
        "# text = Du lac\n"
        + row("1-2", "Du")
        + row(1, "De", "Seg=B-seg")
        + row(2, "le", "Seg=B-seg")
        + row(3, "lac", "Seg=O")
    )
    (document,) = read(text)
    assert document.tokens == (Token("De", 0, 2), Token("le", 2, 2), Token("lac", 3, 6))
    assert document.edu_texts() == ["Du", " lac"]
    assert read(written(document)) == [document]


def test_fused_words_keep_their_own_line():
    line = "1-2\tcan't\t_\t_\t_\tTypo=Yes\t_\t_\t_\tLang=en|SpaceAfter=No\n"
    text = (
        "# newdoc id = a\n# sent_id = a-1\n# text = can't.\n"
        + line
        + row(1, "ca")
        + row(2, "n't")
        + row(3, ".")
        + "\n"
    )
    (document,) = read(text)
    assert document.text == "can't."
    assert document.syntax.fused[0].columns == ("_", "_", "_", "Typo=Yes", "_", "_", "_", "Lang=en")
    assert written(document) == text


def test_spacing_survives_to_the_character():
    text = (
        "# newdoc id = a\n# sent_id = a-1\n# text = a b c| d\n"
        + row(1, "a", "SpacesAfter=\\s\\s|SpacesBefore=\\n")
        + row(2, "b", "SpacesAfter=\\t\\p\\\\\\r")
        + row(3, "c|", "SpacesAfter=\\n\\n")
        + row(4, "d", "SpacesAfter=\\s")
        + "\n"
    )
    (document,) = read(text)
    assert document.text == "\na  b\t|\\\rc|\n\nd "
    assert written(document) == text


def test_a_word_may_have_another_text_than_its_form():
    tokens = (Token("-LRB-", 0, 1), Token("a b", 1, 4), Token("trace", 4, 4), Token("c", 5, 6))
    document = Document(name="a", text="(a\tb c", tokens=tokens, sentences=(Span(0, 4),))
    text = written(document)
    assert "# text = (a b c\n" in text
    assert row(1, "-LRB-", "SpaceAfter=No|SpacesInToken=(") in text
    assert row(3, "trace", "SpacesInToken=") in text
    assert read(text) == [document]


def test_a_paragraph_is_said_by_newpar_or_by_spaces():
    document = Document.from_sentences([["One"], ["Two"], ["Three"]], name="a")
    tokens = (Token("One", 0, 3), Token("Two", 5, 8), Token("Three", 8, 13))
    document = replace(document, text="One\n\nTwoThree", tokens=tokens)
    assert "newpar" not in written(document)
    assert read(written(document)) == [document]
    document = replace(document, blocks=(Block(0, 3, "heading"), Block(5, 13)))
    text = written(document)
    assert text.startswith("# newdoc id = a\n# newpar\n# newpar_block = head (1 s)\n# sent_id = a-1\n")
    assert "# newpar\n# sent_id = a-2\n# text = Two\n" + row(1, "Two", "SpaceAfter=No") in text
    assert "SpacesAfter" not in text
    assert read(text) == [document]
    spaced = "# x\n" + row(1, "One", "SpacesAfter=\\n\\n") + "\n# x\n" + row(1, "Two", "SpacesAfter=") + "\n"
    spaced = "# newdoc id = a\n" + spaced + "# newpar\n# x\n" + row(1, "Three") + "\n"
    assert read(spaced)[0].text == document.text
    assert written(read(spaced)[0]) == spaced


def test_gums_comments_say_what_a_paragraph_is():
    said = [
        "head (1 s)",
        'item n:::"1" (2 s) | p (1 s)',
        "figure (1 s) | caption (1 s)",
        "item (1 s) | head (1 s)",
    ]
    text = "".join(
        f"# newpar\n# newpar_block = {block}\n# sent_id = a-{number}\n# text = {form}\n{row(1, form)}\n"
        for number, (block, form) in enumerate(zip(said, "abcd", strict=True), start=1)
    )
    (document,) = read(f"# newdoc id = a\n{text}")
    assert [block.kind for block in document.blocks] == ["heading", "item", "paragraph", "heading"]
    assert written(document) == f"# newdoc id = a\n{text}"
    # Other blocks than those of the file are written in their place.
    merged = replace(document, blocks=(Block(0, document.blocks[-1].end),))
    assert written(merged).count("newpar") == 1
    (again,) = read(written(merged))
    assert again.blocks == merged.blocks


def test_several_documents_in_a_file():
    text = (
        row(1, "a")
        + "\n# newdoc_id = b\n"
        + row(1, "b")
        + "\n\n\n# newdoc\n"
        + row(1, "c")
        + "\n"
        + row(1, "d")
    )
    documents = read(text)
    assert [document.name for document in documents] == ["rain", "b", "rain-3"]
    assert [document.text for document in documents] == ["a", "b", "c d"]
    assert read("".join(map(written, documents))) == documents


def test_tok_has_one_block_per_document_and_no_sentences():
    text = (
        "# newdoc id = a\n"
        + row(1, "It", "Seg=B-seg")
        + row(2, "rained", "Seg=O")
        + row(3, ".", "Seg=B-seg")
        + "\n"
    )
    both = text + text.replace("= a", "= b")
    documents = read(both, path=Path("x.tok"))
    assert [document.name for document in documents] == ["a", "b"]
    assert documents[0].sentences == ()
    assert documents[0].edus == spans_of_lengths([2, 1])
    assert documents[0].syntax is None
    assert "".join(written(document, TOK) for document in documents) == both
    with pytest.raises(TreebankError, match=r"x\.tok:3: found a blank line inside a document"):
        read(row(1, "a") + "\n" + row(1, "b"), path=Path("x.tok"))


def test_tok_leaves_out_syntax_whose_numbers_would_be_wrong():
    (document,) = read(RAIN)
    assert [layer.name for layer in TOK.losses(document)] == [
        *("SENTENCES", "TREE", "NARY", "SYNTAX", "BLOCKS")
    ]
    (again,) = read(written(document, TOK), path=Path("rain.tok"))
    assert again.tokens == document.tokens
    assert again.edus == document.edus
    assert again.syntax is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 It rained\n", r"rain\.conllu:1: expected 10 columns between tabs, found 1: '1 It rained'"),
        (row(1, "a").replace("_\n", "\n"), "column 10 is empty, expected a value or _"),
        (row(1, ""), "column 2 is empty"),
        (row(1, "a") + row(3, "b"), r":2: expected word 2, found 3"),
        (row("1a", "a"), "expected an ID like 1, 1-2 or 1.1, found '1a'"),
        (row("9" * 5000, "a"), "expected an ID like 1"),
        (row("2-3", "a"), "expected words from 1 on to be fused, found 2-3"),
        (row("1-1", "a"), "expected words from 1 on to be fused, found 1-1"),
        (row("1-3", "abc") + row(1, "a") + row("2-3", "bc"), ":3: expected words from 2 on to be fused"),
        (row("1-2", "ab") + row(1, "a") + "\n", ":3: the fused word needs words up to 2, found 1"),
        (row("1-2", "ab"), "the fused word needs words up to 2, found 0"),
        (row(1, "a") + row("0.1", "b"), "expected empty node 1.1, found 0.1"),
        (row(1, "a") + row("1.2", "b"), "expected empty node 1.1, found 1.2"),
        (row(1, "a") + "# text = a\n", ":2: found a comment among the words, expected a blank line"),
        ("# sent_id = 1\n\n" + row(1, "a"), ":1: found comments or empty nodes without words"),
        (row("0.1", "a"), "found comments or empty nodes without words"),
        ("# text = a  b\n" + row(1, "a") + row(2, "b"), r":1: # text .* found 'a  b', expected 'a b'"),
        (
            "# text = It rains.\n" + row(1, "It") + row(2, "rains"),
            "found 'It rains.', expected 'It rains' from",
        ),
        ("# text = a\n# text = a\n" + row(1, "a"), ":2: found a second # text in one sentence"),
        (row(1, "a") + row(2, "b", "Seg=B-seg"), ":1: the document's first word starts no EDU"),
        (row(1, "a", "Seg=O") + row(2, "b", "Seg=O"), ":1: the document's first word starts no EDU"),
        (row(1, "a", "Seg=B-Conn"), "found Seg=B-Conn, expected Seg=B-seg or Seg=O"),
        (row(1, "a", "BeginSeg=Maybe"), "found BeginSeg=Maybe, expected BeginSeg=Yes"),
    ],
)
def test_a_broken_file_is_reported_with_its_line(text, message):
    with pytest.raises(TreebankError, match=message):
        read(text)


def test_lenient_forgives_and_says_so(caplog):
    text = "# header\n\n# text = wrong\n" + row(1, "a") + row(2, "b", "Seg=B-seg")
    (document,) = read(text, lenient=True)
    assert document.text == "a b"
    assert document.edus == spans_of_lengths([1, 1])
    assert [record.getMessage()[:14] for record in caplog.records] == [
        "rain.conllu:1:",
        "rain.conllu:3:",
        "rain.conllu:4:",
    ]


def one_sentence(**changes):
    return replace(Document.from_sentences([["a", "b"], ["c"]], name="a"), **changes)


ROW = ("_",) * 8
ROWS = (ROW,) * 3


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            one_sentence(sentences=()),
            "a cannot be written as conllu: its sentences are not known; .tok needs none",
        ),
        (one_sentence(metadata={"a=b": ""}), "metadata 'a=b' has a name that a comment cannot have"),
        (one_sentence(metadata={"a": "b\rc"}), "a comment is one line"),
        (one_sentence(name="a\nb"), "a comment is one line"),
        (one_sentence(syntax=Syntax(ROWS, (("sent_id = 1",), ()))), "starts with #, got 'sent_id = 1'"),
        (one_sentence(syntax=Syntax((("a\tb", *ROW[1:]), ROW, ROW))), r"word 1 has a column .* 'a\\tb'"),
        (one_sentence(tokens=(Token("a\n", 0, 1), Token("b", 2, 3), Token("c", 4, 5))), r"line ends: 'a\\n'"),
        (
            one_sentence(syntax=Syntax(ROWS, fused=(FusedWord(Span(1, 3)),))),
            "goes beyond its sentence 0..2",
        ),
        (one_sentence(syntax=Syntax(ROWS, fused=(FusedWord(Span(0, 2)),))), "stand elsewhere in it"),
        (
            one_sentence(syntax=Syntax(ROWS, empty_nodes=(EmptyNode(1, ("_",) * 9, True),))),
            "opens a sentence",
        ),
    ],
)
def test_what_conllu_cannot_say_is_refused(document, message):
    with pytest.raises(UnwritableError, match=message):
        written(document)


def test_tok_needs_tokens():
    with pytest.raises(UnwritableError, match="a cannot be written as tok: it has no tokens"):
        written(Document(name="a", text="It rained."), TOK)


@pytest.mark.parametrize("text", ["", " ", "a|b\\s\\", "\t\n\r|\\ \u2028"])
def test_spaces_are_escaped_as_udpipe_does(text):
    assert misc.unescape(misc.escape(text)) == text
    assert not set(misc.escape(text)) & set("\t\n\r |")


@given(rich_documents(CONLLU.holds).filter(lambda document: document.sentences))
def test_what_is_written_is_read_back_the_same(document):
    assert not CONLLU.losses(document)
    assert read(written(document)) == [document]


@given(rich_documents(TOK.holds))
def test_what_is_written_as_tok_is_read_back_the_same(document):
    assert not TOK.losses(document)
    assert read(written(document, TOK), path=Path("doc.tok")) == [document]
