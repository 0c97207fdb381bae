"""Trees in CoNLL-U: GUM's ``Discourse`` fields."""

import logging
from dataclasses import replace

import pytest

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats import read_one
from rhetree.formats.conllu import CONLLU
from support import round_trip


def rows(*fields):
    """A sentence with a word for each of these MISC columns."""
    words = (f"{number}\tw\t" + "_\t" * 7 + misc for number, misc in enumerate(fields, start=1))
    return (
        "# newdoc id = doc\n# sent_id = doc-1\n# text = "
        + " ".join("w" * len(fields))
        + "\n"
        + "\n".join(words)
    )


def read(*fields, **options):
    (document,) = round_trip.read_all(CONLLU, rows(*fields) + "\n\n", **options)
    return document


def written(document):
    return round_trip.written(CONLLU, document)


STORY = (
    "Discourse=context-circumstance:1->2:1:dm-when-1-gold|Entity=1",
    "Discourse=ROOT:2:0",
    "Entity=2",
    "Discourse=joint-list_m:3->2:0:_",
    "Discourse=joint-list_m:4->2:0:_;joint-other:4->1:0:0:orp-also-5-gold",
)


def test_the_tree_comes_as_it_was_drawn():
    document = read(*STORY)
    assert document.as_drawn() == NaryTree(
        (
            Unit(0, 4, "root"),
            Unit(0, 1, "satellite", "context-circumstance"),
            Unit(1, 4, "nucleus"),
            Unit(1, 2, "nucleus", "joint-list"),
            Unit(2, 3, "nucleus", "joint-list"),
            Unit(3, 4, "nucleus", "joint-list"),
        )
    )
    assert document.edus == spans_of_lengths([1, 2, 1, 1])


def test_signals_and_secondary_edges_stay_as_they_are_while_the_tree_does():
    document = read(*STORY)
    assert CONLLU.losses(document) == []
    assert written(document) == rows(*STORY) + "\n\n"
    renamed = written(document.map_relations(str.upper))
    assert "Discourse=CONTEXT-CIRCUMSTANCE:1->2:1:_|Entity=1\n" in renamed
    assert "signal" not in renamed
    assert "orp-also" not in renamed
    bare = written(document.without_trees())
    assert "Discourse" not in bare
    assert read(*STORY).without_trees().edus == round_trip.read_all(CONLLU, bare)[0].edus


def test_depths_may_be_missing():
    document = read("Discourse=a:1->2", "Discourse=ROOT:2", "Discourse=b:3->2")
    assert [split.label for split in document.tree.splits] == ["a-SN", "b-NS"]


def test_a_tree_of_another_origin_is_written_beside_the_labels_of_its_edus():
    document = Document.from_sentences([["He", "left"], ["Why"]], name="doc")
    tree = Tree((Split(0, 2, 3, "SN", "x"), Split(0, 1, 2, "NS", "y")))
    document = replace(document, edus=spans_of_lengths([1, 1, 1]), tree=tree)
    text = written(document)
    assert "\tDiscourse=x:1->3:0:_|Seg=B-seg\n" in text
    assert "\tDiscourse=ROOT:3:0|Seg=B-seg\n" in text
    assert round_trip.read_all(CONLLU, text) == [document]


@pytest.mark.parametrize("fields", [("Discourse=x", "Discourse=y"), ("Discourse=a:1->0", "Discourse=ROOT")])
def test_fields_of_another_kind_tell_of_edus_alone(fields):
    document = read(*fields)
    assert (document.tree, len(document.edus)) == (None, 2)
    assert written(document) == rows(*fields) + "\n\n"


def test_fields_beside_other_edus_tell_no_tree():
    document = read("Discourse=ROOT:1:0|Seg=B-seg", "Seg=B-seg")
    assert document.tree is None
    assert "Discourse" not in written(document)


BROKEN = {
    "a gap": (
        ("Discourse=ROOT:1:0", "Discourse=x", "Discourse=a:3->1:0:_"),
        "5: expected Discourse=relation:EDU->head:depth, found 'Discourse=x'; without it there is no tree",
    ),
    "a wrong number": (
        ("Discourse=ROOT:1:0", "Discourse=a:3->1:0:_"),
        "5: the Discourse field is that of EDU 3, expected EDU 2",
    ),
    "two roots": (
        ("Discourse=ROOT:1:0", "Discourse=ROOT:2:0"),
        "5: the Discourse fields make no tree: EDU 2 has no head, nor has one before it",
    ),
    "a cycle": (
        ("Discourse=a:1->2:0:_", "Discourse=b:2->1:0:_"),
        "4: the Discourse fields make no tree: EDU 1 depends on itself, or on others that do",
    ),
    "no such head": (
        ("Discourse=a:1->9:0:_", "Discourse=ROOT:2:0"),
        "4: the Discourse fields make no tree: EDU 1 depends on one after the last",
    ),
}


@pytest.mark.parametrize(("fields", "message"), BROKEN.values(), ids=BROKEN)
def test_fields_that_contradict_each_other_are_refused_or_tell_of_edus_alone(fields, message, caplog):
    with pytest.raises(TreebankError) as caught:
        read(*fields)
    assert str(caught.value) == f"doc.conllu:{message}"
    with caplog.at_level(logging.WARNING):
        document = read(*fields, lenient=True)
    assert (document.tree, len(document.edus)) == (None, len(fields))
    assert caplog.messages == [f"doc.conllu:{message}"]


@pytest.mark.parametrize("relation", ["a:b", "a|b", "a;b", "list_m", "two\nlines"])
def test_a_relation_that_a_field_cannot_hold_is_refused(relation):
    document = Document.from_sentences([["He", "left"]], name="doc")
    tree = Tree((Split(0, 1, 2, "NS", relation),))
    with pytest.raises(UnwritableError, match="a relation called .* which a Discourse field cannot hold"):
        written(replace(document, edus=spans_of_lengths([1, 1]), tree=tree))


def test_gums_trees_are_those_of_its_rs4_files(gum, gum_files):
    for path in gum_files("conllu/*.conllu"):
        assert read_one(path).as_drawn() == read_one(gum / "rs4" / f"{path.stem}.rs4").as_drawn(), path.stem
