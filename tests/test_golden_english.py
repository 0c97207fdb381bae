"""What the shipped models find in texts that we wrote, word for word: a change of it is seen in a diff.

Trees are compared exactly. Probabilities are too within one machine; between processors and versions of ONNX Runtime
their last digits may differ, so the file is held to a tolerance. A new model has other trees: read the difference
after ``pytest -n0 --regenerate tests/test_golden_english.py``.
"""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

import rhetree
from rhetree.formats.brackets import format_tree

GOLDEN = Path(__file__).parent / "golden"
MODELS = ("english", "english-fast")
BREAD = "How to bake bread\n\nMix the flour with water. Then let it rest for an hour, because the dough must rise."
NEAR = 0.15
"""Difference of two labels' log-probabilities that another processor may turn round."""
NEAR_VALUES = 0.1
"""The same of two readings' values, in which trees count for less."""
TOLERANCE = 0.05
"""Largest difference of a probability; ONNX Runtime 1.20 and 1.31 differ by up to 0.022 (the int8 encoder rounds differently)."""


def parse_all(model, **settings):
    sentences = (GOLDEN / model / "sentences.txt").read_text(encoding="utf-8").splitlines()
    return list(rhetree.load(model, **settings).parse_many(sentences))


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return request.param


@pytest.fixture(scope="module")
def parsed(model):
    return parse_all(model, threads=1)


def test_trees_are_those_of_the_golden_file(model, parsed, golden):
    lines = []
    for document in parsed:
        lines.append(" | ".join(document.edu_texts()))
        lines += [f"    {format_tree(tree)}" for tree in document.sentence_trees]
    golden(f"{model}/trees.txt", "\n".join(lines) + "\n")


def test_probabilities_are_those_of_the_golden_file(model, parsed, request):
    found = [
        [round(p, 6) for (best, *_) in document.readings for p in (*best.edu_probs, *best.split_probs)]
        for document in parsed
    ]
    path = GOLDEN / model / "probabilities.json"
    if request.config.getoption("--regenerate"):
        path.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n", encoding="utf-8")
    expected = json.loads(path.read_text(encoding="utf-8"))
    assert [len(own) for own in found] == [len(own) for own in expected]
    differences = [
        abs(one - other)
        for a, b in zip(found, expected, strict=True)
        for one, other in zip(a, b, strict=True)
    ]
    assert max(differences) <= TOLERANCE


def test_no_sentence_has_near_ties(model):
    """Else another processor, which rounds differently, may find another tree."""
    search = rhetree.load(model, threads=1).pipeline.search
    for document in parse_all(model, threads=1, beam=4):
        for readings in document.readings:
            of_edus = np.array([sum(map(log, reading.edu_probs)) for reading in readings])
            of_trees = np.array([reading.log_prob for reading in readings]) - of_edus
            values = search.value(of_edus, of_trees, np.array([len(reading.edus) for reading in readings]))
            assert (values[0] - values[1:] > NEAR_VALUES).all(), document.text
            best = readings[0]
            for labels in best.label_probs:
                assert len(labels) == 1 or log(labels[0][1] / labels[1][1]) > NEAR, document.text


def test_threads_and_batches_change_nothing_to_the_last_bit(model, parsed):
    assert parse_all(model, threads=2, batch_cost=100) == parsed


@pytest.fixture(scope="module")
def bread():
    return rhetree.load(threads=1).parse(BREAD, level="document")


def test_the_tree_of_a_whole_text_is_that_of_the_golden_file(bread, golden):
    assert bread.tree is not None
    tree = format_tree(bread.tree)
    golden("english-document/tree.txt", f"{' | '.join(bread.edu_texts())}\n    {tree}\n")


def test_a_whole_text_has_no_near_ties(bread):
    for split in bread.split_probs:
        assert split.prob > 0.7
        assert log(split.labels[0][1] / split.labels[1][1]) > NEAR
