"""A document as a table with a row for each EDU."""

from dataclasses import asdict, replace

import pytest
from hypothesis import given

from rhetree.domain.dependencies import dependencies
from rhetree.domain.document import Document
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.rows import COLUMNS, edu_rows
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from support.strategies import rich_documents

TREE = Tree((Split(0, 1, 3, "SN", "contrast"), Split(1, 2, 3, "NN", "joint")))
EDUS = spans_of_lengths([2, 2, 2])


def parsed():
    """Two sentences, the second with three EDUs, of which the middle one is the head."""
    reading = Reading(
        EDUS,
        TREE,
        -1.0,
        edu_probs=(0.9, 0.8, 1.0),
        split_probs=(0.5, 1.0),
        label_probs=((("contrast-SN", 0.6), ("joint-NN", 0.4)), (("causal-NS", 0.7), ("joint-NN", 0.2))),
    )
    first = Reading(spans_of_lengths([2]), Tree(), -0.1, edu_probs=(0.95,))
    return replace(
        Document.from_sentences([["Good", "."], ["Although", "old", "he", "ran", "and", "won"]], "a"),
        edus=spans_of_lengths([2, 2, 2, 2]),
        sentence_trees=(Tree(), TREE),
        readings=((first,), (reading,)),
    )


def test_each_edu_has_a_row_that_says_how_it_attaches_and_how_sure_that_is():
    rows = [asdict(row) for row in edu_rows(parsed())]
    assert tuple(rows[0]) == COLUMNS
    assert rows[1] == {
        "document": "a",
        "sentence": 2,
        "edu": 2,
        "start": 7,
        "end": 19,
        "text": "Although old",
        "role": "S",
        "relation": "contrast",
        "attaches_to": 3,
        "edu_probability": 0.9,
        "relation_probability": pytest.approx(0.5 * 0.6),
    }
    told = [(row["role"], row["relation"], row["attaches_to"], row["relation_probability"]) for row in rows]
    assert told[0] == told[2] == ("N", None, None, None)
    assert told[3] == ("N", "joint", 3, pytest.approx(0.2))
    assert [row["edu_probability"] for row in rows] == [0.95, 0.9, 0.8, 1.0]


def test_splits_above_sentences_have_their_own_probabilities():
    tree = Tree().join(TREE, "SN", "background")
    probs = [SplitProbs(Span(0, 4), 0.5, (("joint-NN", 0.7), ("background-SN", 0.1)))]
    rows = list(edu_rows(replace(parsed(), tree=tree, sentence_trees=(), split_probs=probs)))
    assert [row.relation_probability for row in rows] == [
        pytest.approx(0.05),
        pytest.approx(0.3),
        None,
        pytest.approx(0.2),
    ]
    assert (rows[0].relation, rows[0].attaches_to) == ("background", 3)


def test_without_trees_rows_tell_the_edus_alone():
    document = Document.from_edus(["It rained ,", "so we stayed ."])
    first, second = edu_rows(document)
    assert (second.sentence, second.edu, second.text) == (None, 2, "so we stayed .")
    assert (first.role, first.relation, first.attaches_to, first.edu_probability) == (None,) * 4
    assert list(edu_rows(Document(text=" "))) == []


@given(rich_documents())
def test_rows_agree_with_the_document(document):
    rows = list(edu_rows(document))
    assert [row.text for row in rows] == document.edu_texts()
    if document.tree is not None:
        drawn = dependencies(document.as_drawn())
        assert [row.attaches_to for row in rows] == [
            None if found.head is None else found.head + 1 for found in drawn
        ]
