"""Greedy decoding, driven by a network that points anywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.span import Span, check_tiling, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.runtime.edu_search import Segmentation, find_segmentations
from rhetree.runtime.network import Encoded, SpansToSplit, Tags
from rhetree.runtime.readings import find_readings
from support.fake_network import LABELS, FakeNetwork
from support.strategies import segmented, sentences


def edus_of(n):
    return spans_of_lengths([1] * n)


def best_segmentations(network, encoded, **settings):
    found = find_segmentations(network, encoded, **settings)
    assert all(len(own) == 1 for own in found)
    return [own[0] for own in found]


def best_readings(network, encoded, edus, labels=LABELS, **settings):
    found = find_readings(network, encoded, [[Segmentation.given(own)] for own in edus], labels, **settings)
    assert all(len(own) == 1 for own in found)
    return [own[0] for own in found]


@given(sentences(), st.integers(0, 9))
def test_wherever_the_pointer_goes_edus_cover_the_sentence(batch, seed):
    network = FakeNetwork(seed)
    found = best_segmentations(network, network.encode(batch))
    for tokens, segmentation in zip(batch, found, strict=True):
        check_tiling(segmentation.edus, len(tokens), "EDU")
        assert len(segmentation.probs) == len(segmentation.edus)
        assert np.log(segmentation.probs).sum() == pytest.approx(segmentation.log_prob, rel=1e-5)


@given(sentences(), st.integers(0, 9), st.integers(1, 9))
def test_no_edu_is_longer_than_the_reach(batch, seed, reach):
    network = FakeNetwork(seed)
    for segmentation in best_segmentations(network, network.encode(batch), reach=reach):
        assert max(map(len, segmentation.edus)) <= reach


@given(segmented(), st.integers(0, 9))
def test_wherever_the_pointer_goes_the_tree_is_one(given_edus, seed):
    batch, edus = given_edus
    network = FakeNetwork(seed)
    found = best_readings(network, network.encode(batch), edus)
    for spans, one in zip(edus, found, strict=True):
        assert one.edus == tuple(spans)
        assert one.tree.n_edus == len(spans)  # and Tree itself checks that it is a tree
        total = np.log(one.split_probs).sum()
        for split, prob, labels in zip(one.tree.splits, one.split_probs, one.label_probs, strict=True):
            assert split.end - split.start > 2 or prob == 1
            assert labels[0][0] == split.label
            total += np.log(labels[0][1])
        assert total == pytest.approx(one.log_prob, rel=1e-5)


@given(segmented(), st.integers(0, 9))
def test_decoding_in_a_batch_is_the_plain_loop_over_each_sentence(given_edus, seed):
    batch, edus = given_edus
    network = FakeNetwork(seed)
    encoded = network.encode(batch)
    found = best_readings(network, encoded, edus)
    for tokens, spans, segmentation, one in zip(
        batch, edus, best_segmentations(network, encoded), found, strict=True
    ):
        assert [edu.end for edu in segmentation.edus] == plain_segmentation(network, tokens)
        assert [(s.start, s.split, s.end) for s in one.tree.splits] == plain_structure(network, tokens, spans)


def plain_segmentation(network, tokens):
    encoded = network.encode([tokens])
    ends, hidden = [0], encoded.segmenter.hidden
    while ends[-1] < len(tokens):
        step = network.segment_step(encoded, np.array([0]), np.array([ends[-1]]), hidden, 512)
        ends.append(ends[-1] + int(step.log_probs[0].argmax()) + 1)
        hidden = step.hidden
    return ends[1:]


def plain_structure(network, tokens, edus):
    encoded = network.encode([tokens])
    edges = [0, *(edu.end for edu in edus)]
    splits, hidden = [], encoded.parser.hidden
    stack = [(0, len(edus), (0, 0), (0, 0))]
    while stack:
        start, end, parent, sibling = stack.pop()
        if end - start < 2:
            continue
        middle = start + 1
        if end - start > 2:
            asked = SpansToSplit(
                rows=np.array([0]),
                spans=np.array([[edges[start], edges[end]]]),
                parents=np.array([[edges[edu] for edu in parent]]),
                siblings=np.array([[edges[edu] for edu in sibling]]),
                candidates=np.array([edges[start + 1 : end]]) - 1,
            )
            step = network.parse_step(encoded, asked, hidden)
            middle += int(step.log_probs[0].argmax())
            hidden = step.hidden
        splits.append((start, middle, end))
        stack += [(middle, end, (start, end), (start, middle)), (start, middle, (start, end), (0, 0))]
    return splits


@given(segmented(), st.integers(0, 9))
def test_a_sentence_is_decoded_alone_as_in_company(given_edus, seed):
    batch, edus = given_edus
    network = FakeNetwork(seed)
    encoded = network.encode(batch)
    together = zip(find_segmentations(network, encoded), best_readings(network, encoded, edus), strict=True)
    for tokens, spans, (segmentation, one) in zip(batch, edus, together, strict=True):
        encoded = network.encode([tokens])
        assert find_segmentations(network, encoded) == [segmentation]
        assert best_readings(network, encoded, [spans]) == [one]


@given(segmented(), st.integers(0, 9))
def test_a_step_tells_the_network_parent_and_left_sibling(given_edus, seed):
    batch, edus = given_edus
    network = FakeNetwork(seed)
    found = best_readings(network, network.encode(batch), edus)
    expected = []
    for row, (spans, one) in enumerate(zip(edus, found, strict=True)):
        edges = [0, *(span.end for span in spans)]
        for split in one.tree.splits:
            if split.end - split.start < 3:
                continue
            parent, sibling = (0, 0), (0, 0)
            for up in one.tree.splits:
                if split.span in (up.left, up.right):
                    parent = (edges[up.start], edges[up.end])
                if split.span == up.right:
                    sibling = (edges[up.start], edges[up.split])
            ends = [edges[edu + 1] - 1 for edu in range(split.start, split.end - 1)]
            expected.append((row, (edges[split.start], edges[split.end]), parent, sibling, ends))
    told = []
    for _, asked in network.named("parse"):
        rows = zip(
            asked.rows.tolist(), asked.spans, asked.parents, asked.siblings, asked.candidates, strict=True
        )
        for row, span, parent, sibling, candidates in rows:
            ends = [end for end in candidates.tolist() if end >= 0]
            told.append((row, tuple(span), tuple(parent), tuple(sibling), ends))
    assert sorted(told) == sorted(expected)


def test_one_edu_asks_the_network_for_nothing():
    network = FakeNetwork()
    found = best_readings(network, network.encode([["Yes"], ["No", "."]]), [edus_of(1), [Span(0, 2)]])
    assert [one.tree for one in found] == [Tree(), Tree()]
    assert not network.named("parse")
    assert not network.named("label")


def test_two_edus_are_only_labelled():
    network = FakeNetwork()
    (one,) = best_readings(network, network.encode([["a", "b", "c"]]), [(Span(0, 2), Span(2, 3))])
    assert [(split.start, split.split, split.end) for split in one.tree.splits] == [(0, 1, 2)]
    assert one.split_probs == (1.0,)
    assert not network.named("parse")
    assert network.named("label") == [("label", [0], [[0, 2, 3]])]


def test_all_sentences_advance_together_and_are_labelled_in_one_call():
    network = FakeNetwork()
    batch = [["x"] * n for n in (3, 9, 1, 2, 6)]
    found = best_readings(network, network.encode(batch), [edus_of(len(tokens)) for tokens in batch])
    (labelling,) = network.named("label")
    assert labelling[1] == [0] * 2 + [1] * 8 + [3] + [4] * 5
    larger = [sum(split.end - split.start > 2 for split in one.tree.splits) for one in found]
    assert len(network.named("parse")) == max(larger)
    at_work = [len(asked.rows) for _, asked in network.named("parse")]
    assert at_work == [sum(n > step for n in larger) for step in range(max(larger))]


def test_segmentation_takes_as_many_steps_as_the_sentence_with_most_edus():
    network = FakeNetwork(seed=4)
    found = best_segmentations(network, network.encode([["x"] * n for n in (1, 30, 5, 12)]))
    n_edus = [len(segmentation.edus) for segmentation in found]
    assert max(n_edus) > 1
    assert len(network.named("segment")) == max(n_edus)
    assert sum(len(rows) for _, rows, _ in network.named("segment")) == sum(n_edus)


@pytest.mark.parametrize("where", ["first", "last"])
def test_a_thousand_edus_that_branch_to_one_side(where):
    class OneSided(FakeNetwork):
        def parse_step(self, encoded, spans, hidden):
            step = super().parse_step(encoded, spans, hidden)
            scores = np.full_like(step.log_probs, -np.inf)
            scores[:, 0 if where == "first" else -1] = 0
            return type(step)(scores, step.hidden)

    network = OneSided()
    (one,) = best_readings(network, network.encode([["x"] * 1000]), [edus_of(1000)])
    assert one.tree.depth() == 999
    assert len(network.named("parse")) == 998


def test_tags_say_where_edus_begin():
    begins = np.array([[False, False, True, True], [True, True, True, True]])
    log_probs = np.log(np.array([[0.5, 0.1, 0.8, 0.9], [1, 0.7, 0.5, 0.5]], dtype=np.float32))
    encoded = Encoded(lengths=np.array([4, 2]), tags=Tags(begins, log_probs))
    first, second = best_segmentations(FakeNetwork(), encoded, width=2)
    assert first.edus == (Span(0, 2), Span(2, 3), Span(3, 4))
    assert first.probs == pytest.approx((0.8, 0.9, 1))
    assert first.log_prob == pytest.approx(np.log(0.8 * 0.9))
    assert second.edus == (Span(0, 1), Span(1, 2))


def test_a_network_is_not_asked_for_what_it_cannot():
    network = FakeNetwork(segments=False, parses=False)
    encoded = network.encode([["a", "b"]])
    with pytest.raises(ValueError, match="does not segment"):
        find_segmentations(network, encoded)
    with pytest.raises(ValueError, match="does not parse"):
        best_readings(network, encoded, [edus_of(2)])


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_of_each_split_the_likeliest_labels_are_told(n):
    network = FakeNetwork()
    (one,) = best_readings(network, network.encode([["a"] * 4]), [edus_of(4)], top_labels=n)
    encoded = network.encode([["a"] * 4])
    for split, told in zip(one.tree.splits, one.label_probs, strict=True):
        places = np.array([[split.start, split.split, split.end]])
        probs = np.exp(network.label(encoded, np.array([0]), places)[0])
        expected = sorted(zip(LABELS, probs, strict=True), key=lambda pair: -pair[1])[:n]
        assert [label for label, _ in told] == [label for label, _ in expected]
        assert [prob for _, prob in told] == pytest.approx([prob for _, prob in expected])
