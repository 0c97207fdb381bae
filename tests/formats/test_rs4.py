import re
from dataclasses import replace

import pytest
from hypothesis import assume, given

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats import dis, rs3
from rhetree.formats.files import open_source
from rhetree.formats.rs4 import FORMAT
from support.golden_storm import GOLDEN, storm
from support.round_trip import read_all, written
from support.strategies import annotated_documents, documents

LATE = SecondaryEdge(Span(3, 4), Span(0, 1), "causal-result")


def annotated_storm():
    """The storm with edges and signals on an EDU, a group, the nuclei of one, and an edge."""
    whole = SecondaryEdge(Span(5, 6), Span(1, 5), "restatement-partial")
    return replace(
        storm(),
        secondary_edges=[LATE, whole],
        signals=[
            Signal(Span(0, 1), "dm", "dm", (0,), "gold"),
            Signal(Span(1, 3), "graphical", "parentheses", (7, 11)),
            Signal(Span(1, 5), "syntactic", "parallel"),
            Signal(LATE, "semantic", "lexical_chain", (16, 18)),
        ],
    )


def file(*units, header="", edges="", signals=""):
    """One unit a line from the fourth on; edges and signals stand on the line after the last."""
    body = "\n".join(units) + "\n"
    body += f"<secedges>{edges}</secedges>" if edges else ""
    body += f"<signals>{signals}</signals>" if signals else ""
    return f"<rst>\n<header>{header}</header>\n<body>\n{body}</body></rst>"


PAIR = (
    '<segment id="1">He left</segment>',
    '<segment id="2" parent="1" relname="purpose">to sleep .</segment>',
)


def read_one(text, **options):
    (document,) = read_all(FORMAT, text, **options)
    return document


def edge_between(source, target, relation="cause"):
    return f'<secedge source="{source}" target="{target}" relname="{relation}"/>'


def signal_of(source, tokens=""):
    return f'<signal source="{source}" type="dm" subtype="dm" tokens="{tokens}"/>'


# --- there and back -----------------------------------------------------------------------------


@given(documents(holds=FORMAT.holds).flatmap(annotated_documents))
def test_what_is_written_is_read_back_the_same(document):
    ends = [(edge.source, edge.target) for edge in document.secondary_edges]
    assume(len(set(ends)) == len(ends))
    assert read_one(written(FORMAT, document)) == document
    assert not FORMAT.losses(document)


def test_the_golden_file_is_read_and_written():
    text = (GOLDEN / "storm.rs4").read_text(encoding="utf-8")
    assert read_one(text, name="storm") == annotated_storm()
    assert written(FORMAT, annotated_storm()) == text


def test_rs3_reads_the_signals_that_older_rstweb_put_there():
    text = written(FORMAT, annotated_storm())
    (document,) = read_all(rs3.FORMAT, text, name="storm")
    assert document == annotated_storm()


def test_declared_signals_that_are_not_used_stay_declared():
    sigtypes = '<sigtypes><sig type="dm" subtypes="dm;other"/><sig type="layout" subtypes=""/></sigtypes>'
    document = read_one(file(*PAIR, header=sigtypes, signals=signal_of(2)))
    assert document.metadata == {"rs3.sigtypes": "dm\tother\nlayout\t"}
    text = written(FORMAT, document)
    assert '<sig type="dm" subtypes="dm;other"/>\n\t\t\t<sig type="layout" subtypes=""/>' in text
    assert read_one(text) == document
    assert not FORMAT.losses(document)


def test_a_type_declared_without_subtypes_has_those_that_are_used():
    document = read_one(
        file(*PAIR, header='<sigtypes><sig type="dm" subtypes=""/></sigtypes>', signals=signal_of(2))
    )
    assert not document.metadata


@pytest.mark.parametrize(
    ("declared", "kept", "types"),
    [
        ([], {}, ["rst"]),
        (["rst"], {}, ["rst"]),
        (["multinuc"], {"rs3.relations": "multinuc\tjoint"}, ["multinuc"]),
        (["rst", "multinuc"], {"rs3.relations": "multinuc\tjoint\nrst\tjoint"}, ["multinuc", "rst"]),
    ],
)
def test_a_relation_of_secondary_edges_alone_is_declared_as_it_was_or_as_rst(declared, kept, types):
    relations = "".join(f'<rel name="joint" type="{type}"/>' for type in declared)
    header = f'<relations><rel name="purpose" type="rst"/>{relations}</relations>'
    document = read_one(file(*PAIR, header=header, edges=edge_between(1, 2, "joint")))
    assert document.metadata == kept
    text = written(FORMAT, document)
    assert re.findall('<rel name="joint" type="(.*)"/>', text) == types
    assert read_one(text) == document


def test_tokens_are_counted_as_they_are_written():
    tree = Tree((Split(0, 1, 2, "NS", "cause"),))
    document = Document(
        text="1 000 goats bleat",
        tokens=(Token("1 000", 0, 5), Token("goats", 6, 11), Token("bleat", 12, 17)),
        edus=spans_of_lengths([2, 1]),
        tree=tree,
        signals=(Signal(Span(1, 2), "dm", "dm", (0, 2)),),
    )
    (signal,) = read_one(written(FORMAT, document)).signals
    assert signal.tokens == (0, 1, 3)


# --- which unit is meant ------------------------------------------------------------------------


def test_a_unit_below_a_span_group_is_its_core_and_one_without_is_all_of_it():
    units = (
        '<segment id="1" parent="8" relname="span">a</segment>',
        '<segment id="2" parent="1" relname="cause">b</segment>',
        '<segment id="3" parent="2" relname="cause">c</segment>',
        '<group id="8" type="span" parent="9" relname="span"/>',
        '<segment id="4" parent="8" relname="cause">d</segment>',
        '<group id="9" type="span"/>',
    )
    document = read_one(file(*units, signals="".join(map(signal_of, [1, 2, 3, 4, 8, 9]))))
    sources = [str(signal.source) for signal in document.signals]
    assert sources == ["0..1", "1..3", "2..3", "3..4", "0..3", "0..4"]


def test_a_group_that_is_drawn_flat_is_named_with_its_satellites():
    nuclei = [f'<segment id="{i}" parent="8" relname="list">x</segment>' for i in (1, 2)]
    satellite = '<segment id="3" parent="{}" relname="cause">x</segment>'
    groups = '<group id="8" type="multinuc" parent="9" relname="{}"/><group id="9" type="{}"/>'
    flat = file(
        *nuclei, satellite.format(9), groups.format("span", "span"), signals=signal_of(8) + signal_of(9)
    )
    nested = file(
        *nuclei, satellite.format(8), groups.format("span", "span"), signals=signal_of(8) + signal_of(9)
    )
    assert [str(signal.source) for signal in read_one(flat).signals] == ["0..3", "0..3"]
    assert [str(signal.source) for signal in read_one(nested).signals] == ["0..2", "0..3"]


def test_signals_find_an_edge_by_its_ends_and_by_its_own_id():
    edge = '<secedge id="e1" source="1" target="2" relname="cause"/>'
    document = read_one(file(*PAIR, edges=edge, signals=signal_of("e1", "1") + signal_of("1-2", "2")))
    assert [signal.source for signal in document.signals] == [*document.secondary_edges] * 2
    assert read_one(written(FORMAT, document)) == document


def test_two_edges_that_mean_the_same_units_are_one():
    units = [PAIR[0], PAIR[1].replace('parent="1" relname="purpose"', 'parent="3" relname="span"')]
    units.append('<group id="3" type="span" parent="1" relname="purpose"/>')
    document = read_one(file(*units, edges=edge_between(1, 2) + edge_between(1, 3), signals=signal_of("1-3")))
    assert document.secondary_edges == (SecondaryEdge(Span(0, 2), Span(1, 2), "cause"),)
    assert document.signals[0].source == document.secondary_edges[0]


def test_signals_stay_as_they_are_even_twice():
    document = read_one(file(*PAIR, signals=signal_of(2, "3,3") * 2))
    assert document.signals == (Signal(Span(1, 2), "dm", "dm", (2, 2)),) * 2
    assert read_one(written(FORMAT, document)) == document


# --- what is wrong with a file ------------------------------------------------------------------

NO_SOURCE = "expected the id of a segment or group with text"
BROKEN = {
    "edge from nowhere": (
        {"edges": edge_between(7, 2)},
        f"secondary edge 7-2 names 7; {NO_SOURCE}",
    ),
    "edge to a group without children": (
        {"edges": edge_between(1, 5)},
        f"secondary edge 1-5 names 5; {NO_SOURCE}",
    ),
    "edge twice": (
        {"edges": edge_between(2, 1) + edge_between(2, 1, "purpose")},
        "a second secondary edge from 2 to 1; expected one",
    ),
    "signal of nothing": (
        {"signals": signal_of(7)},
        f"a signal of 7; {NO_SOURCE}, or of a secondary edge",
    ),
    "signal of an unknown edge": (
        {"signals": signal_of("2-1")},
        f"a signal of 2-1; {NO_SOURCE}, or of a secondary edge",
    ),
    "tokens that are no numbers": (
        {"signals": signal_of(2, "1-3")},
        "a signal's tokens are '1-3'; expected numbers with commas between",
    ),
    "a huge token": (
        {"signals": signal_of(2, "9" * 5000)},
        f"a signal's tokens are '{'9' * 5000}"[:500] + "…",
    ),
    "a token beyond the last": (
        {"signals": signal_of(2, "5,6")},
        "a signal names token 6; expected one from 1 to 5",
    ),
    "token 0": ({"signals": signal_of(2, "0")}, "a signal names token 0; expected one from 1 to 5"),
}


@pytest.mark.parametrize(("parts", "message"), BROKEN.values(), ids=BROKEN)
def test_what_names_nothing_is_refused_or_left_out(parts, message, caplog):
    text = file(*PAIR, '<group id="5" type="span" parent="1" relname="purpose"/>', **parts)
    with pytest.raises(TreebankError) as caught:
        read_one(text)
    assert str(caught.value) == f"doc.rs4:7: {message}"
    forgiven = read_one(text, lenient=True)
    assert len(forgiven.secondary_edges) == message.startswith("a second ")
    assert not forgiven.signals
    assert caplog.messages == [f"doc.rs4:7: {message}"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"signals": signal_of("")}, 'a <signal> without source; expected source="…"'),
        ({"edges": edge_between("", 1)}, 'a <secedge> without source; expected source="…"'),
        ({"edges": edge_between(1, "")}, 'a <secedge> without target; expected target="…"'),
        ({"edges": edge_between(1, 2, "")}, 'a <secedge> without relname; expected relname="…"'),
    ],
)
def test_an_annotation_without_what_makes_it_one_is_refused_always(parts, message):
    for lenient in (False, True):
        with pytest.raises(TreebankError) as caught:
            read_one(file(*PAIR, **parts), lenient=lenient)
        assert str(caught.value) == f"doc.rs4:6: {message}"


def test_a_second_edge_between_two_units_cannot_be_written():
    document = replace(storm(), secondary_edges=[LATE, replace(LATE, relation="causal-cause")])
    with pytest.raises(UnwritableError) as caught:
        written(FORMAT, document)
    assert str(caught.value) == (
        "storm cannot be written as rs4: it has two secondary edges from 3..4 to 0..1; "
        "an edge is known by its ends"
    )


def test_white_space_that_an_attribute_would_lose_is_refused():
    document = replace(storm(), signals=[Signal(Span(0, 1), "dm", " dm")])
    with pytest.raises(UnwritableError, match="' dm' has white space that would be lost"):
        written(FORMAT, document)


# --- GUM ----------------------------------------------------------------------------------------


def read_file(format, path):
    with open_source(path) as source:
        (document,) = format.read(source, path)
    return document


def lines_of_body(text):
    """The lines from the first segment on, without ids, in alphabetical order."""
    body = text[text.index("<body>") :].splitlines()
    return sorted(re.sub(r' (id|parent|source|target)="[^"]*"', "", line) for line in body)


def test_gum_has_the_trees_of_its_dis_files_and_comes_back_whole(gum, gum_files):
    for path in gum_files("rs4/*.rs4"):
        document = read_file(FORMAT, path)
        assert document.tree == read_file(dis.FORMAT, gum / "trees" / f"{path.stem}.dis").tree, path
        text = written(FORMAT, document)
        assert read_one(text, name=path.stem) == document, path
        assert lines_of_body(text) == lines_of_body(path.read_text(encoding="utf-8")), path


@pytest.mark.slow
def test_gum_has_all_its_splits_edges_and_signals(gum_files):
    documents = [read_file(FORMAT, path) for path in gum_files("rs4/*.rs4")]
    assert sum(len(document.tree.splits) for document in documents) == 29_928
    assert sum(len(document.secondary_edges) for document in documents) == 1_193
    assert sum(len(document.signals) for document in documents) == 34_909
