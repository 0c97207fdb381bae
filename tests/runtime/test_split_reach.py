"""Long spans are split near one of their ends."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.span import spans_of_lengths
from rhetree.runtime.tree_search import find_structures
from support.fake_network import FakeNetwork


def splits_of(n_edus, seed, **options):
    network = FakeNetwork(seed)
    encoded = network.encode([["a"] * n for n in n_edus])
    edus = [spans_of_lengths([1] * n) for n in n_edus]
    found = find_structures(network, encoded, np.arange(len(n_edus)), edus, **options)
    return [found.edus[found.owners == item].tolist() for item in range(len(n_edus))]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 9), st.integers(1, 9))
def test_no_split_is_farther_from_both_ends_than_the_reach(n_edus, seed, reach):
    for n, splits in zip(n_edus, splits_of(n_edus, seed, reach=reach), strict=True):
        assert len(splits) == n - 1
        for start, middle, end in splits:
            assert min(middle - start, end - middle) <= reach


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 9))
def test_a_reach_of_half_the_sentence_changes_nothing(n_edus, seed):
    assert splits_of(n_edus, seed, reach=(max(n_edus) + 1) // 2) == splits_of(n_edus, seed)


def test_both_ends_are_within_reach():
    splits = [tuple(split) for seed in range(20) for split in splits_of([12], seed, reach=2)[0]]
    whole = {middle for start, middle, end in splits if (start, end) == (0, 12)}
    assert whole == {1, 2, 10, 11}
