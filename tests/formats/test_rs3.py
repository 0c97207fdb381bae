import logging
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.annotation import Signal
from rhetree.domain.document import Document, Token, space_out
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.format import Layer
from rhetree.formats.rs3 import FORMAT, declare
from support.depth import DEEP
from support.golden_storm import GOLDEN, storm
from support.round_trip import read_all, written
from support.strategies import documents

HEADER = """<rst><header><relations>
<rel name="joint" type="multinuc"/><rel name="contrast" type="multinuc"/>
<rel name="cause" type="rst"/><rel name="purpose" type="rst"/>
<rel name="restatement" type="rst"/><rel name="restatement" type="multinuc"/>
</relations></header><body>
"""
"""Five lines, so that a file's first segment stands on line 6."""


def rs3(*units, header=HEADER, end="</body></rst>"):
    """A file with one unit a line: ``1 4 span`` is a segment, ``4:span`` a group."""
    lines = []
    for unit in units:
        name, *place = unit.split()
        id, _, type = name.partition(":")
        parent = 'parent="{}" relname="{}"'.format(*place) if place else ""
        if type:
            lines.append(f'<group id="{id}" type="{type}" {parent}/>')
        else:
            lines.append(f'<segment id="{id}" {parent}>word{id}</segment>')
    return header + "\n".join(lines) + end


def read_one(text, **options):
    (document,) = read_all(FORMAT, text, **options)
    return document


def drawn(*units, **options):
    """The units of the tree but for its root, each as ``start end relation``, ``-`` for a lone nucleus."""
    tree = read_one(rs3(*units), **options).as_drawn()
    return [f"{u.start} {u.end} {u.relation or '-'}{'*' * (u.role == 'nucleus')}" for u in tree.units[1:]]


def splits(*units, **options):
    return [str(split) for split in read_one(rs3(*units), **options).tree.splits]


def right_branching(n_edus, nuclearity="NS"):
    return Tree(tuple(Split(i, i + 1, n_edus, nuclearity, "joint") for i in range(n_edus - 1)))


# --- there and back -----------------------------------------------------------------------------


@given(documents(holds=FORMAT.holds))
def test_what_is_written_is_read_back_the_same(document):
    assert read_one(written(FORMAT, document)) == document
    assert not FORMAT.losses(document)


def test_the_golden_file_is_read_and_written():
    text = (GOLDEN / "storm.rs3").read_text(encoding="utf-8")
    assert read_one(text, name="storm") == storm()
    assert written(FORMAT, storm()) == text


def test_one_edu():
    document = replace(Document.from_edus(['He said " <go> & "'], name="doc"), tree=Tree())
    text = written(FORMAT, document)
    assert '<segment id="1">He said " &lt;go&gt; &amp; "</segment>' in text
    assert read_one(text) == document


@pytest.mark.large
@pytest.mark.parametrize("nuclearity", ["NS", "NN"])
def test_a_tree_deeper_than_pythons_stack_is_written_and_read(nuclearity):
    deep = replace(Document.from_edus(["x"] * DEEP, name="doc"), tree=right_branching(DEEP, nuclearity))
    assert read_one(written(FORMAT, deep)) == deep


@pytest.mark.parametrize("n", [DEEP + 1, pytest.param(100_001, marks=pytest.mark.slow)])
def test_a_tree_deeper_than_the_stack_is_read(n):
    segments = [f"{i} {i - 1} cause" if i > 1 else "1" for i in range(1, n + 1)]
    assert read_one(rs3(*segments)).tree.depth() == n - 1


def test_declared_relations_that_are_not_used_stay_declared():
    document = read_one(rs3("1 3 joint", "2 3 joint", "3:multinuc"))
    assert document.metadata == {
        "rs3.relations": "multinuc\tcontrast\nmultinuc\trestatement\nrst\tcause\nrst\tpurpose\nrst\trestatement"
    }
    text = written(FORMAT, document)
    assert read_one(text) == document
    assert text.count("<rel ") == 6
    assert not FORMAT.losses(document)
    assert FORMAT.losses(replace(document, metadata={"genre": "news"})) == [Layer.METADATA]


def test_a_header_written_for_a_document_from_elsewhere_has_what_it_uses():
    assert not read_one(written(FORMAT, storm())).metadata


def test_the_relations_of_a_model_are_declared_in_the_header_and_kept():
    document = declare(storm(), ["list-NN", "list-NS", "same-unit-NN", "cause-SN", "cause-NS"])
    header = written(FORMAT, document).partition("</header>")[0]
    for name, type in [("list", "multinuc"), ("list", "rst"), ("same-unit", "multinuc"), ("cause", "rst")]:
        assert header.count(f'<rel name="{name}" type="{type}"/>') == 1
    assert '<rel name="cause" type="multinuc"/>' not in header
    assert FORMAT.losses(document) == FORMAT.losses(storm())
    again = read_one(written(FORMAT, document))
    assert written(FORMAT, again) == written(FORMAT, document)
    assert written(FORMAT, declare(again, ["list-NN"])) == written(FORMAT, document)


def test_an_untyped_declaration_is_kept_unless_uses_tell_its_type():
    header = '<rst><header><relations><rel name="cause"/><rel name="list"/><rel name="" type="rst"/></relations></header><body>'
    document = read_one(rs3("1", "2 1 cause", header=header))
    assert document.metadata == {"rs3.relations": "-\tlist"}
    assert '<rel name="cause" type="rst"/>\n\t\t\t<rel name="list"/>' in written(FORMAT, document)


def test_white_space_in_a_form_makes_several_words():
    text, tokens = space_out(["1\xa0000", "goats"])
    document = Document(text=text, tokens=tokens, edus=spans_of_lengths([2]), tree=Tree())
    assert Layer.FORMS in FORMAT.losses(document)
    assert read_one(written(FORMAT, document)).forms_of(Span(0, 3)) == ["1", "000", "goats"]


# --- what a file says ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        # rstWeb: a span group over a nucleus and its satellites, on either side.
        (("1 4 span", "2 1 cause", "4:span"), ["0..1 | 1..2 cause-NS"]),
        (("1 2 cause", "2 4 span", "4:span"), ["0..1 | 1..2 cause-SN"]),
        # The nearer satellite first, on one side; then the right side before the left.
        (
            ("1 9 span", "2 1 cause", "3 1 purpose", "9:span"),
            ["0..2 | 2..3 purpose-NS", "0..1 | 1..2 cause-NS"],
        ),
        (
            ("1 3 cause", "2 3 purpose", "3 9 span", "9:span"),
            ["0..1 | 1..3 cause-SN", "1..2 | 2..3 purpose-SN"],
        ),
        (
            ("1 2 cause", "2 9 span", "3 2 purpose", "9:span"),
            ["0..1 | 1..3 cause-SN", "1..2 | 2..3 purpose-NS"],
        ),
        (
            ("1 2 cause", "2 9 span", "3 2 purpose", "4 2 restatement", "9:span"),
            ["0..1 | 1..4 cause-SN", "1..3 | 3..4 restatement-NS", "1..2 | 2..3 purpose-NS"],
        ),
        # Satellites of a group, and of a satellite.
        (
            ("1 8 span", "2 1 cause", "3 8 purpose", "8:span 9 span", "9:span"),
            ["0..2 | 2..3 purpose-NS", "0..1 | 1..2 cause-NS"],
        ),
        (
            ("1 9 span", "2 1 cause", "3 2 purpose", "9:span"),
            ["0..1 | 1..3 cause-NS", "1..2 | 2..3 purpose-NS"],
        ),
        # Several nuclei.
        (
            ("1 9 joint", "2 9 joint", "3 9 joint", "9:multinuc"),
            ["0..1 | 1..3 joint-NN", "1..2 | 2..3 joint-NN"],
        ),
        # RSTTool: no span group above, here at the root.
        (("1 2 cause", "2"), ["0..1 | 1..2 cause-SN"]),
        (("1 2 cause", "2", "3 2 purpose"), ["0..1 | 1..3 cause-SN", "1..2 | 2..3 purpose-NS"]),
        # RSTTool: a span group more than needed at the top, and over one EDU.
        (("1 7 span", "2 8 span", "7:span 2 cause", "8:span 9 span", "9:span"), ["0..1 | 1..2 cause-SN"]),
    ],
)
def test_satellites_and_nuclei(units, expected):
    assert splits(*units) == expected


def test_the_text_gives_the_order_and_ids_do_not():
    text = rs3("10 9 joint", "2 9 joint", "7 9 joint", "9:multinuc")
    assert read_one(text).edu_texts() == ["word10", "word2", "word7"]


RSTTOOL = """<rst>
  <header>
    <relations>
      <rel name="preparation" type="rst" />
      <rel name="concession" type="rst" />
      <rel name="" type="rst" />
      <rel name="conjunction" type="multinuc" />
    </relations>
  </header>
  <body>
    <segment id="1">

The dog</segment>
    <segment id="10" parent="14" relname="preparation">

There is more to say .</segment>
    <segment id="2" parent="13" relname="concession">  It may bark at &quot; guests &quot; ,</segment>
    <segment id="12" parent="13" relname="conjunction"> but it is kind</segment>
    <segment id="11" parent="13" relname="conjunction"> and
    does not bite .</segment>
<group id="13" type="multinuc" parent="14" relname="span" />
<group id="14" type="span" parent="15" relname="span" />
<group id="15" type="span" />
<group id="16" type="multinuc" />
  </body>
</rst>
"""


def test_a_file_as_rsttool_writes_it_with_its_title_left_unconnected():
    with pytest.raises(
        TreebankError, match=r"doc\.rs3:23: 2 roots: segment 1 \(line 11\), group 15 \(line 23\)"
    ):
        read_one(RSTTOOL)
    document = read_one(RSTTOOL, lenient=True)
    assert document.edu_texts() == [
        "The dog",
        "There is more to say .",
        'It may bark at " guests " ,',
        "but it is kind",
        "and does not bite .",
    ]
    assert [str(split) for split in document.tree.splits] == [
        "0..1 | 1..5 virtual-root-NN",
        "1..2 | 2..5 preparation-SN",
        "2..3 | 3..5 concession-SN",
        "3..4 | 4..5 conjunction-NN",
    ]
    assert read_one(written(FORMAT, document)) == document


def test_satellites_of_a_multinuclear_group_stand_around_its_nuclei_where_a_span_group_says_so():
    units = ("1 8 cause", "2 8 joint", "3 8 joint", "4 8 purpose", "8:multinuc 9 span", "9:span")
    assert drawn(*units) == ["0 1 cause", "1 3 -*", "1 2 joint*", "2 3 joint*", "3 4 purpose"]
    assert splits(*units) == ["0..1 | 1..4 cause-SN", "1..3 | 3..4 purpose-NS", "1..2 | 2..3 joint-NN"]


def test_satellites_of_a_multinuclear_group_alone_stand_beside_its_nuclei():
    units = ("1 8 cause", "2 8 joint", "3 8 joint", "4 8 purpose", "8:multinuc")
    assert drawn(*units) == ["0 1 cause", "1 2 joint*", "2 3 joint*", "3 4 purpose"]
    assert splits(*units) == ["0..1 | 1..4 cause-SN", "1..3 | 3..4 purpose-NS", "1..2 | 2..3 joint-NN"]


@pytest.mark.parametrize("top", [("8:multinuc",), ("8:multinuc 9 span", "9:span")])
def test_a_satellite_between_two_nuclei_belongs_to_the_left_one(top):
    units = ("1 8 joint", "2 8 cause", "3 8 joint", *top)
    assert drawn(*units) == ["0 1 joint*", "1 2 cause", "2 3 joint*"]
    assert splits(*units) == ["0..2 | 2..3 joint-NN", "0..1 | 1..2 cause-NS"]


def test_groups_without_children_are_ignored_and_reported(caplog):
    with caplog.at_level(logging.INFO, logger="rhetree.formats"):
        assert splits(
            "1 9 joint", "2 9 joint", "9:multinuc", "5:span", "6:span 7 span", "7:multinuc 1 cause"
        ) == ["0..1 | 1..2 joint-NN"]
    assert caplog.messages == [
        "doc.rs3:10: ignored group 6, which has no children",
        "doc.rs3:11: ignored group 7, which has no children",
        "doc.rs3:9: ignored group 5, which has no children",
    ]


# --- which relations are multinuclear -----------------------------------------------------------

NO_HEADER = "<rst>\n\n\n\n<body>\n"


def test_without_a_header_children_that_share_a_relation_are_nuclei(caplog):
    text = rs3("1 8 list", "2 8 list", "3 8 reason", "8:multinuc 9 span", "9:span", header=NO_HEADER)
    with caplog.at_level(logging.INFO, logger="rhetree.formats"):
        assert [str(split) for split in read_one(text).tree.splits] == [
            "0..2 | 2..3 reason-NS",
            "0..1 | 1..2 list-NN",
        ]
    assert caplog.messages == ["doc.rs3: relations without declaration: list, reason"]


def test_without_a_header_satellites_elsewhere_tell_a_relation_too():
    # Two children have either relation, but reason is one of satellites further down.
    text = rs3(
        "1 8 reason", "2 8 reason", "3 8 list", "4 8 list", "5 4 reason", "8:multinuc 9 span", "9:span",
        header=NO_HEADER,
    )  # fmt: skip
    assert str(read_one(text).tree.splits[-1]) == "3..4 | 4..5 reason-NS"
    assert str(read_one(text).tree.splits[-2]) == "2..3 | 3..5 list-NN"


def test_without_a_type_a_group_is_what_its_children_make_it():
    text = rs3("1 8 list", "2 8 list", "3 8 reason", "8:x 9 span", "9:x", header=NO_HEADER).replace(
        'type="x"', ""
    )
    assert [split.label for split in read_one(text).tree.splits] == ["reason-NS", "list-NN"]


def test_a_relation_of_both_types_is_what_the_others_are_not():
    nuclei = ("1 8 restatement", "2 8 restatement", "3 8 cause", "8:multinuc 9 span", "9:span")
    assert [split.rpartition(" ")[2] for split in splits(*nuclei)] == ["cause-NS", "restatement-NN"]
    satellite = ("1 8 joint", "2 8 joint", "3 8 restatement", "8:multinuc 9 span", "9:span")
    assert [split.rpartition(" ")[2] for split in splits(*satellite)] == ["restatement-NS", "joint-NN"]
    tie = ("1 8 restatement", "2 8 restatement", "3 8 joint", "4 8 joint", "8:multinuc 9 span", "9:span")
    assert splits(*tie)[-1] == "2..3 | 3..4 joint-NN"


def test_a_relation_declared_as_rst_alone_may_still_be_that_of_all_nuclei(caplog):
    with caplog.at_level(logging.INFO, logger="rhetree.formats"):
        assert splits("1 9 cause", "2 9 cause", "9:multinuc") == ["0..1 | 1..2 cause-NN"]
    assert caplog.messages == ["doc.rs3:8: took cause for the relation of group 9"]


def test_a_relation_that_the_header_calls_multinuc_alone_is_a_satellite_where_no_sibling_shares_it(caplog):
    # As isanlp_rst writes it: contrast is used both ways, and declared one way.
    units = ("1 8 joint", "2 8 joint", "3 8 contrast", "8:multinuc 9 span", "9:span")
    assert splits(*units) == ["0..2 | 2..3 contrast-NS", "0..1 | 1..2 joint-NN"]
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (
        "doc.rs3:8: read segment 3 as a satellite, although the header declares the relation as multinuc only: "
        "contrast (1)"
    )


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (
            ("1 2 contrast", "2 4 joint", "3 4 joint", "4:multinuc"),
            ["0..2 | 2..3 joint-NN", "0..1 | 1..2 contrast-SN"],
        ),
        (
            ("1 8 contrast", "2 8 contrast", "3 8 contrast", "4 3 contrast", "8:multinuc 9 span", "9:span"),
            ["0..2 | 2..4 contrast-NS", "0..1 | 1..2 contrast-NN", "2..3 | 3..4 contrast-NS"],
        ),
        (
            [
                "1 7 span",
                "2 1 contrast",
                "3 8 contrast",
                "4 8 contrast",
                "7:span 8 contrast",
                "8:multinuc 9 span",
                "9:span",
            ],
            ["0..2 | 2..4 contrast-SN", "0..1 | 1..2 contrast-NS", "2..3 | 3..4 contrast-NN"],
        ),
        (
            ("1 8 contrast", "2 8 contrast", "3 8 contrast", "4 3 contrast", "8:multinuc"),
            ["0..1 | 1..4 contrast-NN", "1..2 | 2..4 contrast-NN", "2..3 | 3..4 contrast-NS"],
        ),
        (
            ("1 8 contrast", "2 8 contrast", "3 8 contrast", "8:multinuc 9 span", "9:span"),
            ["0..1 | 1..3 contrast-NN", "1..2 | 2..3 contrast-NN"],
        ),
    ],
    ids=["elsewhere", "last child", "group before its parent", "no span group around", "never a satellite"],
)
def test_a_span_group_around_nuclei_alone_tells_that_one_of_them_is_a_satellite(units, expected):
    assert splits(*units) == expected


def test_several_nuclei_called_span_keep_their_satellites(caplog):
    units = ("1 9 span", "2 9 span", "3 9 cause", "9:span")
    assert drawn(*units, lenient=True) == ["0 1 joint*", "1 2 joint*", "2 3 cause"]
    assert len(caplog.records) == 1


def test_nuclei_of_several_relations_take_the_most_frequent_one_leniently():
    units = ("1 9 joint", "2 9 joint", "3 9 contrast", "4 9 contrast", "5 9 contrast", "9:multinuc")
    assert {unit.rpartition(" ")[2] for unit in drawn(*units, lenient=True)} == {"contrast*"}


# --- what is wrong with a file ------------------------------------------------------------------

BOMB = (
    '<!DOCTYPE rst [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>\n<rst>&i;</rst>"
)
REFUSED = "a DOCTYPE or an entity, which could reach outside the file; remove it"

BROKEN = {
    "empty": ("\n", "1: the file is empty; expected an <rst> element"),
    "binary": ("\x00\x01PK", "1: not well-formed XML: not well-formed (invalid token)"),
    "cut off": (rs3("1 2 cause", "2", end=""), "7: not well-formed XML: no element found"),
    "other XML": ("<html><body/></html>", "1: found <html>; expected <rst> around the whole file"),
    "entity bomb": (BOMB, f"1: {REFUSED}"),
    "outside entity": (
        '<!DOCTYPE rst [\n<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<rst>&x;</rst>',
        f"1: {REFUSED}",
    ),
    "outside DTD": ('\n<!DOCTYPE rst SYSTEM "http://example.org/rst.dtd">\n<rst/>', f"2: {REFUSED}"),
    "unknown entity": ("<rst>\n&nbsp;</rst>", "2: not well-formed XML: undefined entity"),
    "unknown element": (
        rs3("1", end="\n<edge/></body></rst>"),
        "7: unexpected <edge> in <body>; remove it, or read leniently",
    ),
    "stray text": (
        rs3("1", end="\nword2</body></rst>"),
        "7: unexpected text outside a segment, 'word2'; remove it, or read leniently",
    ),
    "no segment": (rs3("1:span"), " no segment in it; expected <segment> elements in <body>"),
    "segment without text": (
        rs3("1 2 cause", "2").replace("word2", " "),
        "7: segment 2 has no text; expected at least one word",
    ),
    "segment without id": (rs3("1").replace('id="1"', ""), '6: a <segment> without id; expected id="…"'),
    "parent without relation": (
        rs3("1", "2 1 cause").replace('relname="cause"', ""),
        '7: a <segment> without relname; expected relname="…"',
    ),
    "unknown type": (
        rs3("1 9 span", "9:schema"),
        "7: group 9 has type 'schema'; expected span or multinuc",
    ),
    "id twice": (
        rs3("1 9 joint", "2 9 joint", "2:multinuc"),
        "8: group 2 has the id of segment 2 on line 7; expected one of its own",
    ),
    "unknown parent": (
        rs3("1", "2 7 cause"),
        "7: segment 2 has the parent 7, which is not in the file; expected the id of a segment or group",
    ),
    "several roots": (
        rs3("1", "2 9 joint", "3 9 joint", "9:multinuc"),
        "9: 2 roots: segment 1 (line 6), group 9 (line 9); expected one unit without parent; "
        "connect them, or read leniently to join them as virtual-root",
    ),
    "many roots": (
        rs3(*map(str, range(1, 13))),
        "7: 12 roots: "
        + ", ".join(f"segment {i} (line {i + 5})" for i in range(1, 11))
        + ", …; expected one unit without parent; connect them, or read leniently to join them as virtual-root",
    ),
    "cycle": (
        rs3("1", "2 7 joint", "7:multinuc 8 span", "8:span 2 cause"),
        "7: a cycle of parents: segment 2 → group 7 → group 8 → segment 2; expected a tree with one root",
    ),
    "nothing but a cycle": (
        rs3("1 1 cause"),
        "6: a cycle of parents: segment 1 → segment 1; expected a tree with one root",
    ),
    "span of a segment": (
        rs3("1", "2 1 span"),
        "7: segment 2 has relname span, but its parent is segment 1; expected a group",
    ),
    "two nuclei in a span group": (
        rs3("1 9 span", "2 9 span", "9:span"),
        "8: group 9 has 2 nuclei by relname span (segment 1, segment 2); expected one",
    ),
    "no nucleus in a span group": (
        rs3("1 9 cause", "9:span"),
        "7: group 9 has type span, but none of its children (segment 1) has relname span; expected one",
    ),
    "a span group of nuclei": (
        rs3("1 9 joint", "2 9 joint", "9:span"),
        "8: group 9 has type span, but none of its children (segment 1, segment 2) has relname span; "
        "expected one, or type multinuc",
    ),
    "span in a multinuclear group": (
        rs3("1 9 span", "2 9 joint", "9:multinuc"),
        "6: group 9 is multinuclear, but its child segment 1 has relname span; expected the relation of "
        "its other nuclei",
    ),
    "only satellites in a multinuclear group": (
        rs3("1 9 cause", "2 9 purpose", "9:multinuc"),
        "8: no way to tell the nuclei of the multinuclear group 9: the header declares none of cause, purpose "
        "as multinuc; declare the one that is",
    ),
    "no way to tell nuclei": (
        rs3("1 9 list", "2 9 reason", "9:multinuc", header=NO_HEADER),
        "8: no way to tell the nuclei of the multinuclear group 9: the header declares none of list, reason "
        "as multinuc; declare the one that is",
    ),
    "nuclei of two relations": (
        rs3("1 9 joint", "2 9 contrast", "9:multinuc"),
        "7: the nuclei of group 9 have different relations, joint and contrast; expected one for all",
    ),
    "satellite too far away": (
        rs3("1 9 span", "2 4 joint", "3 1 cause", "4:multinuc 9 purpose", "9:span 8 span", "8:span"),
        "8: segment 3 is a satellite of segment 1, but they do not follow each other: segment 2 (line 7) "
        "stands between and belongs to neither",
    ),
    "satellite too far to the left": (
        rs3("1 3 cause", "2 9 purpose", "3 9 span", "9:span 8 span", "8:span"),
        "6: segment 1 is a satellite of segment 3, but they do not follow each other: segment 2 (line 7) "
        "stands between and belongs to neither",
    ),
    "crossing nuclei": (
        rs3("1 8 joint", "2 9 joint", "3 8 joint", "4 9 joint", "8:multinuc", "9:multinuc 8 cause"),
        "9: the nuclei of group 9 do not follow each other: segment 3 (line 8) stands between and belongs "
        "to neither",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_says_where_and_how(text, message):
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == f"doc.rs3:{message}"


FORGIVEN = {
    "unknown element": [],
    "stray text": [],
    "segment without text": [],
    "unknown type": [],
    "several roots": ["0..1 | 1..3 virtual-root-NN", "1..2 | 2..3 joint-NN"],
    "a span group of nuclei": ["0..1 | 1..2 joint-NN"],
    "nuclei of two relations": ["0..1 | 1..2 joint-NN"],
    "two nuclei in a span group": ["0..1 | 1..2 joint-NN"],
    "span in a multinuclear group": ["0..1 | 1..2 joint-NN"],
}


@pytest.mark.parametrize("name", FORGIVEN)
def test_leniency_reports_what_it_forgives(name, caplog):
    text, message = BROKEN[name]
    if name == "segment without text":
        text = rs3("1", "2 1 cause").replace("word2", " ")
    document = read_one(text, lenient=True)
    assert [str(split) for split in document.tree.splits] == FORGIVEN[name]
    (record,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    forgiven = message.replace("unexpected", "skipped").removesuffix("; remove it, or read leniently")
    assert record.getMessage() == f"doc.rs3:{forgiven}"


@pytest.mark.parametrize("name", sorted(BROKEN.keys() - FORGIVEN.keys() - {"many roots"}))
def test_leniency_does_not_mend_a_tree(name):
    text, message = BROKEN[name]
    with pytest.raises(TreebankError) as caught:
        read_one(text, lenient=True)
    assert str(caught.value) == f"doc.rs3:{message}"


def test_a_file_with_no_text_at_all_is_no_document_however_leniently():
    with pytest.raises(TreebankError, match=r"doc\.rs3: no segment with text in it"):
        read_one(rs3("1").replace("word1", ""), lenient=True)


def test_roots_that_cross_cannot_be_joined():
    units = ("1 8 joint", "2", "3 8 joint", "8:multinuc")
    with pytest.raises(TreebankError, match="the nuclei of group 8 do not follow each other: segment 2"):
        splits(*units, lenient=True)


def test_the_header_may_hold_what_other_tools_note_there(caplog):
    text = rs3("1").replace("<header>", '<header><encoding name="utf-8"><x/></encoding>')
    with caplog.at_level(logging.INFO, logger="rhetree.formats"):
        assert read_one(text).tree == Tree()
    assert caplog.messages == ["doc.rs3:1: skipped <encoding> in <header>"]


def test_the_encoding_that_a_file_claims_does_not_matter_once_it_is_text():
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + rs3("1").replace("word1", "schön")
    assert read_one(text).edu_texts() == ["schön"]


# --- what cannot be written ---------------------------------------------------------------------


def pair(relation="cause", words=("a", "b")):
    tree = Tree((Split(0, 1, 2, "NS", relation),))
    tokens = (Token(words[0], 0, 1), Token(words[1], 2, 3))
    return Document(name="doc", text="a b", tokens=tokens, edus=spans_of_lengths([1, 1]), tree=tree)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document.from_edus(["a"], name="doc"), "it lacks the document's tree"),
        (pair(words=("a", "x\x01y")), r"XML has no place for the character U+0001 in 'x\x01y'"),
        (pair(words=("a", "\ud800")), r"XML has no place for the character U+D800 in '\ud800'"),
        (pair("x\x01y"), r"XML has no place for the character U+0001 in 'x\x01y'"),
        (pair(words=("a", "\xa0")), "its EDU 2 has no text"),
        (pair("span"), "a relation is called span, as nuclei are there"),
        (pair("cause \n"), r"'cause \n' has white space that would be lost"),
        (
            replace(pair(), metadata={"rs3.relations": "rst cause"}),
            "its metadata rs3.relations has the line 'rst cause'; expected two fields with a tab between",
        ),
    ],
)
def test_what_rs3_cannot_say_is_refused(document, message):
    with pytest.raises(UnwritableError) as caught:
        written(FORMAT, document)
    assert str(caught.value) == f"doc cannot be written as rs3: {message}"


def test_signals_are_listed_as_lost_and_not_written():
    document = replace(pair(), signals=[Signal(Span(1, 2), "dm", "dm", (1,))])
    assert FORMAT.losses(document) == [Layer.SIGNALS]
    assert written(FORMAT, document) == written(FORMAT, pair())


# --- shapes that could be misread ---------------------------------------------------------------


def nary(*units):
    return NaryTree(tuple(Unit(*unit) for unit in units))


MIXED = (
    (0, 1, "nucleus", "joint"),
    (1, 2, "nucleus", "joint"),
    (2, 3, "satellite", "cause"),
)


@pytest.mark.parametrize("satellite", ["cause", "joint"])
@pytest.mark.parametrize("outer", ["cause", "joint"])
def test_nuclei_and_satellites_keep_apart_from_those_around_them(satellite, outer):
    tree = nary(
        (0, 4, "root"),
        (0, 3, "nucleus"),
        *MIXED[:2],
        (2, 3, "satellite", satellite),
        (3, 4, "satellite", outer),
    )
    document = Document.from_edus("abcd", name="doc").with_nary(tree)
    assert read_one(written(FORMAT, document)) == document


def test_groups_are_those_that_rstweb_makes_where_nothing_can_be_misread():
    tree = nary((0, 4, "root"), (0, 3, "nucleus"), *MIXED, (3, 4, "satellite", "cause"))
    simple = nary((0, 3, "root"), (0, 2, "nucleus"), *MIXED)
    groups = [
        line
        for line in written(FORMAT, Document.from_edus("abc").with_nary(simple)).split("\n")
        if "<group" in line
    ]
    assert groups == [
        '\t\t<group id="4" type="multinuc" parent="5" relname="span"/>',
        '\t\t<group id="5" type="span"/>',
    ]
    assert written(FORMAT, Document.from_edus("abcd").with_nary(tree)).count("<group") == 3


@given(st.data())
def test_any_rs3_is_read_or_refused_in_words(data):
    kinds = st.sampled_from(["", ":span", ":multinuc"])
    ids = [f"{number}{data.draw(kinds)}" for number in range(1, data.draw(st.integers(2, 7)))]
    parent = st.integers(1, len(ids))
    relname = st.sampled_from(["span", "joint", "cause", "restatement", "list"])
    units = [
        f"{id} {data.draw(parent)} {data.draw(relname)}" if data.draw(st.booleans()) else id for id in ids
    ]
    try:
        document = read_one(rs3(*units), lenient=data.draw(st.booleans()))
    except TreebankError:
        return
    assert read_one(written(FORMAT, document)) == document


def test_a_relation_that_can_only_be_multinuclear_makes_the_nuclei():
    # Three restatements could be nuclei too, and are more; but then two joints would have no place.
    assert drawn(
        "1 6 joint", "2 6 joint", "3 6 restatement", "4 6 restatement", "5 6 restatement", "6:multinuc"
    ) == ["0 1 joint*", "1 2 joint*", "2 3 restatement", "3 4 restatement", "4 5 restatement"]
