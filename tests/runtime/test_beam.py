"""Beam search against brute force: every segmentation, every tree over it, every way to label the tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.span import Span
from rhetree.runtime.beam import Beam, best_of_each
from rhetree.runtime.pipeline import Pipeline
from support.brute_force import brute_force, check_same, signature
from support.fake_network import LABELS, FakeNetwork

WIDE = 100_000


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(0, 9),
)
def test_a_wide_beam_is_brute_force(batch, seed):
    network = FakeNetwork(seed)
    found = Pipeline(network, LABELS, beam=WIDE, batch_cost=WIDE * 100).analyse(batch)
    for tokens, readings in zip(batch, found, strict=True):
        check_same(readings, brute_force(network, LABELS, tokens))


@pytest.mark.parametrize("width", [1, 7, 500])
def test_enough_hypotheses_give_the_best_of_all_in_order(width):
    network = FakeNetwork(seed=3)
    tokens = list("abcab")
    expected = brute_force(network, LABELS, tokens)
    (wide,) = Pipeline(network, LABELS, beam=2000, batch_cost=WIDE).analyse([tokens])
    assert len(wide) == len(expected) == 1795
    check_same(wide, expected)
    (found,) = Pipeline(network, LABELS, beam=width, batch_cost=WIDE).analyse([tokens])
    assert len(found) == width
    scores = dict(expected)
    for one in found:
        assert one.log_prob == pytest.approx(scores[signature(one)], abs=1e-4)


@pytest.mark.parametrize("name", ["paper", "biaffine pointers"])
def test_a_wide_beam_is_brute_force_with_a_trained_kind_of_network(name):
    pytest.importorskip("torch", reason="needs the extra train")
    from rhetree.learning.torch_network import TorchNetwork
    from support.networks import VARIATIONS, make_network

    network = TorchNetwork(make_network(VARIATIONS[name]))
    labels = network.network.labels
    batch = [["He", "came", ",", "saw"], ["Yes"], ["They", "left", "."]]
    found = Pipeline(network, labels, beam=WIDE, batch_cost=WIDE * 100, top_labels=len(labels)).analyse(batch)
    for tokens, readings in zip(batch, found, strict=True):
        expected = brute_force(network, labels, tokens)
        check_same(readings, expected)
        # These are distributions: all readings together are certain.
        assert sum(np.exp(one.log_prob) for one in readings) == pytest.approx(1, abs=1e-4)
        assert signature(readings[0]) == expected[0][0]


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), min_size=1, max_size=5),
    st.integers(0, 9),
    st.integers(1, 6),
)
def test_company_does_not_matter_to_a_beam(batch, seed, width):
    pipeline = Pipeline(FakeNetwork(seed), LABELS, beam=width)
    together = pipeline.analyse(batch)
    assert [pipeline.analyse([tokens])[0] for tokens in batch] == together
    for readings in together:
        assert len({signature(one) for one in readings}) == len(readings) <= width


def test_a_label_that_is_not_among_the_told_is_told_where_it_is_chosen():
    (found,) = Pipeline(FakeNetwork(), LABELS, beam=WIDE, batch_cost=WIDE, top_labels=1).analyse([["a", "b"]])
    pairs = [one for one in found if one.tree.splits]
    assert len(pairs) == len(LABELS)
    for one in pairs:
        told = [label for label, _ in one.label_probs[0]]
        own = one.tree.splits[0].label
        assert told == ([own] if one is pairs[0] else [pairs[0].tree.splits[0].label, own])


def test_given_edus_are_certain():
    (found,) = Pipeline(FakeNetwork(), LABELS, beam=4).analyse([["a", "b", "c"]], [[Span(0, 2), Span(2, 3)]])
    assert len(found) == len(LABELS)
    assert {one.edu_probs for one in found} == {(1.0, 1.0)}


@pytest.mark.parametrize("width", [1, 3])
def test_steps_and_rows_grow_as_the_sentence_does(width):
    rows = {}
    for n in (20, 40, 80):
        network = FakeNetwork(seed=2)
        Pipeline(network, LABELS, beam=width).analyse([["x"] * n], [[Span(at, at + 1) for at in range(n)]])
        assert len(network.named("parse")) < n
        rows[n] = sum(len(asked.rows) for _, asked in network.named("parse"))
        assert rows[n] <= width * (n - 2)
    assert rows[80] < 5 * rows[20]


def test_a_search_ends_when_no_hypothesis_can_become_one_of_the_best():
    beam = Beam(1, 2)
    origins, places = beam.advance(np.log(np.array([[0.5, 0.3, 0.2]], np.float32)))
    assert (origins.tolist(), places.tolist()) == ([0, 0], [0, 1])
    assert beam.finish(np.array([True, False])).tolist() == [1]
    # The finished one has .5, the open one .3: its parts have .24 and .06.
    beam.advance(np.log(np.array([[0.8, 0.2]], np.float32)))
    assert beam.finish(np.array([True, False])).tolist() == []
    found = beam.found()
    np.testing.assert_allclose(np.exp(found.scores), [0.5, 0.24], rtol=1e-6)
    assert found.owners.tolist() == [0, 1, 1]
    np.testing.assert_allclose(np.exp(found.log_probs), [0.5, 0.3, 0.8], rtol=1e-6)


def test_ties_are_broken_by_position():
    beam = Beam(2, 2)
    origins, places = beam.advance(np.log(np.full((2, 4), 0.25, np.float32)))
    assert (origins.tolist(), places.tolist()) == ([0, 0, 1, 1], [0, 1, 0, 1])
    origins, places = beam.advance(np.log(np.full((4, 3), 0.25, np.float32)))
    assert (origins.tolist(), places.tolist()) == ([0, 0, 2, 2], [0, 1, 0, 1])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 0)), min_size=1), st.integers(1, 5))
def test_the_best_of_each_group(items, width):
    groups, scores = (np.array(column) for column in zip(*items, strict=True))
    expected = []
    for group in sorted(set(groups.tolist())):
        own = [number for number, item in enumerate(items) if item[0] == group]
        expected += sorted(own, key=lambda number: -items[number][1])[:width]
    assert best_of_each(groups, scores.astype(float), width).tolist() == expected


def test_a_beam_has_a_width():
    with pytest.raises(ValueError, match="at least 1 wide, got 0"):
        Beam(1, 0)
