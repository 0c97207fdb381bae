import io
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.annotation import Signal
from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import ArgumentError, TreebankError, UnwritableError
from rhetree.formats import read, rels, write
from rhetree.text import tokenize_edus
from support.round_trip import written

EDUS = ["The man,", "who left", "early,", "came back", "because it rained.", "We laughed."]
STORY = replace(
    tokenize_edus(EDUS, "story"),
    tree=Tree(
        (
            Split(0, 5, 6, "NN", "joint"),
            Split(0, 4, 5, "NS", "cause"),
            Split(0, 3, 4, "NN", "same-unit"),
            Split(0, 1, 3, "NS", "elaboration"),
            Split(1, 2, 3, "NS", "mode"),
        )
    ),
)


def rows(document):
    return [
        dict(zip(rels.COLUMNS, line.split("\t"), strict=True))
        for line in written(rels.FORMAT, document).splitlines()
    ]


def test_rows_are_pairs_of_units_in_the_order_of_the_dependents():
    found = rows(STORY)
    assert [(row["unit1_toks"], row["unit2_toks"], row["dir"], row["label"]) for row in found] == [
        ("1-3,8-9", "4-5", "1<2", "elaboration"),
        ("4-5", "6-7", "1<2", "mode"),
        ("1-3,8-9", "10-13", "1<2", "cause"),
        ("1-3,8-9", "14-16", "1<2", "joint"),
    ]
    row = found[-1]
    assert (row["doc"], row["orig_label"], row["rel_type"]) == ("story", "joint", "none")
    assert (row["unit1_txt"], row["u1_raw"]) == ("The man , <*> came back", "The man, <*> came back")
    assert (row["s1_toks"], row["s2_toks"]) == ("1-13", "14-16")
    assert row["unit1_sent"] == "The man , who left early , came back because it rained ."
    assert row["unit2_sent"] == "We laughed ."


def test_a_satellite_on_the_left_points_to_the_right():
    document = replace(
        tokenize_edus(["If it rains,", "stay"], "a"), tree=Tree((Split(0, 1, 2, "SN", "condition"),))
    )
    (row,) = rows(document)
    assert (row["unit1_toks"], row["unit2_toks"], row["dir"]) == ("1-4", "5", "1>2")


def test_a_later_piece_of_a_unit_stands_for_itself():
    splits = (Split(0, 1, 3, "NN", "Same-Unit"), Split(1, 2, 3, "NS", "purpose"))
    document = replace(tokenize_edus(["The man", "came", "to help"], "a"), tree=Tree(splits))
    (row,) = rows(document)
    assert (row["unit1_txt"], row["unit2_txt"]) == ("came", "to help")


def test_pieces_are_joined_whether_the_tree_is_binary_or_not_and_neighbours_have_no_gap():
    pieces = (
        Split(0, 3, 4, "NS", "cause"),
        Split(0, 1, 3, "NN", "same-unit"),
        Split(1, 2, 3, "NN", "same-unit"),
    )
    (row,) = rows(replace(tokenize_edus(["a", "b", "c", "d"], "x"), tree=Tree(pieces)))
    assert (row["unit1_toks"], row["unit1_txt"]) == ("1-3", "a b c")


def test_a_discourse_marker_makes_a_relation_explicit():
    signals = (Signal(Span(4, 5), "dm", "dm", (9,)), Signal(Span(5, 6), "semantic", "repetition"))
    types = [row["rel_type"] for row in rows(replace(STORY, signals=signals))]
    assert types == ["implicit", "implicit", "explicit", "implicit"]


def test_trees_of_sentences_give_the_relations_inside_them():
    found = rows(STORY.split_by_sentence())
    assert [row["label"] for row in found] == ["elaboration", "mode", "cause"]
    later = Document.from_sentences([["Yes"], ["He", "left"]], "x")
    tree = Tree((Split(0, 1, 2, "NS", "purpose"),))
    later = replace(later, edus=spans_of_lengths([1, 1, 1]), sentence_trees=(None, tree))
    assert [(row["unit1_toks"], row["unit2_toks"]) for row in rows(later)] == [("2", "3")]
    assert [row["rel_type"] for row in rows(later)] == ["none"]
    for source, type in ((Span(2, 3), "explicit"), (Span(1, 2), "implicit")):
        marked = replace(later, signals=(Signal(source, "dm", "dm", (2,)),))
        assert [row["rel_type"] for row in rows(marked)] == [type]


def test_a_file_has_its_header_once(tmp_path, capsys):
    header = "\t".join(rels.COLUMNS)
    lost = write([STORY, STORY], tmp_path / "a.rels")
    assert "the document's tree" in {layer.value for layer in lost}
    assert (tmp_path / "a.rels").read_text(encoding="utf-8").splitlines().count(header) == 1
    write(STORY, tmp_path / "in" / "a.json")
    write(STORY, tmp_path / "in" / "b.json")
    for output in (tmp_path / "all.rels", tmp_path / "out"):
        assert main(["convert", str(tmp_path / "in"), str(output), "--to", "rels"]) == 0
    assert len((tmp_path / "all.rels").read_text(encoding="utf-8").splitlines()) == 9
    text = (tmp_path / "out" / "b.rels").read_text(encoding="utf-8")
    assert (text.splitlines()[0], len(text.splitlines())) == (header, 5)
    assert "converted 2 documents" in capsys.readouterr().err


def test_what_is_needed_is_asked_for():
    with pytest.raises(UnwritableError, match="story cannot be written as rels: it has no tree"):
        written(rels.FORMAT, STORY.without_trees())
    with pytest.raises(UnwritableError, match="it lacks sentences"):
        written(rels.FORMAT, replace(STORY, sentences=()))


def test_it_is_not_read(tmp_path):
    path = tmp_path / "a.rels"
    write(STORY, path)
    with pytest.raises(ArgumentError, match="its ending is none of"):
        read(path)
    with pytest.raises(TreebankError, match="pairs of units and no tree; read the .conllu"):
        rels.FORMAT.read(io.StringIO(), path)
