"""A document as a model leaves it, with one tree and the readings of its sentences, in every format with trees."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from rhetree.domain.document import Document
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.draw.difference import compare, tally
from rhetree.draw.picture import draw
from rhetree.formats import FORMATS, write
from rhetree.formats.format import Layer
from rhetree.metrics.report import evaluate
from support.flood import flood


def parsed() -> Document:
    """The flood with readings of its sentences and probabilities of the splits above them."""
    document = replace(flood(), nary=None)
    readings = []
    for sentence, span, tree in zip(
        document.sentences, document.sentence_edus(), document.trees_by_sentence(), strict=True
    ):
        assert span is not None
        assert tree is not None
        edus = tuple(edu.shift(-sentence.start) for edu in document.edus[span.start : span.end])
        labels = tuple(((split.label, 0.8),) for split in tree.splits)
        readings.append((Reading(edus, tree, -0.5, (0.9,) * len(edus), (1.0,) * len(tree.splits), labels),))
    assert document.tree is not None
    above = [
        SplitProbs(split.span, 0.7, ((split.label, 0.6),))
        for split in document.tree.splits
        if not any(span is not None and span.contains(split.span) for span in document.sentence_edus())
    ]
    return replace(document, readings=tuple(readings), split_probs=tuple(above))


@pytest.mark.parametrize("format", ["rs3", "rs4", "dis", "rsd", "conllu", "json", "jsonl"])
def test_the_tree_of_a_parsed_document_comes_back(format, tmp_path):
    document = parsed()
    path = tmp_path / f"flood.{format}"
    lost = write(document, path)
    assert (Layer.READINGS in lost) == (format not in ("json", "jsonl"))
    (again,) = FORMATS[format].read(io.StringIO(path.read_text(encoding="utf-8")), Path(path.name))
    assert again.tree == document.tree
    assert len(again.edus) == len(document.edus)
    if format in ("json", "jsonl"):
        assert again == document
    assert again.salience() == (document if format.startswith("json") else flood()).salience()


def test_a_parsed_document_is_compared_with_gold():
    gold, found = flood(), parsed()
    assert found.tree is not None
    first = found.tree.splits[0]
    other = replace(
        found.tree, splits=(replace(first, relation="joint-list", nuclearity="NN"), *found.tree.splits[1:])
    )
    found = replace(found, tree=other, split_probs=())
    counts = tally(compare(gold, found))
    assert (counts.only_left, counts.only_right) == (0, 0)
    assert (counts.nuclearity > 0, counts.relation > 0) == (True, True)
    assert b"data-tokens" in draw(gold, "html", against=found)
    report = evaluate([gold], [found], level="document")
    assert report.total.n_trees == 1
