import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.runtime.batching import batches_by_cost


@given(st.lists(st.integers(1, 600)), st.integers(1, 2000))
def test_batches_cover_every_item_once_and_fit_the_budget(costs, budget):
    batches = list(batches_by_cost(costs, budget))
    assert sorted(i for batch in batches for i in batch) == list(range(len(costs)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(costs[i] for i in batch) <= budget


@given(st.lists(st.integers(1, 600)), st.integers(1, 2000))
def test_no_item_would_have_fitted_into_the_batch_before(costs, budget):
    batches = list(batches_by_cost(costs, budget))
    for before, after in zip(batches, batches[1:], strict=False):
        assert (len(before) + 1) * costs[after[0]] > budget


@pytest.mark.parametrize(("costs", "expected"), [([], []), ([5], [[0]]), ([3, 1, 1], [[1, 2], [0]])])
def test_batches_hold_like_with_like(costs, expected):
    assert list(batches_by_cost(costs, 3)) == expected
