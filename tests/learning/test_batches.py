from hypothesis import given
from hypothesis import strategies as st

from rhetree.learning.training.batches import share, shuffled_batches
from rhetree.learning.training.optimisation import OptimizerConfig, rate_factor


@given(st.lists(st.integers(1, 90), min_size=1, max_size=300), st.integers(1, 7), st.integers(0, 5))
def test_every_sentence_comes_once_an_epoch(lengths, batch_size, epoch):
    batches = shuffled_batches(lengths, batch_size, seed=1, epoch=epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert max(map(len, batches)) <= batch_size
    assert len(batches) == -(-len(lengths) // batch_size)
    assert batches == shuffled_batches(lengths, batch_size, seed=1, epoch=epoch)


def test_seeds_and_epochs_shuffle_otherwise():
    lengths = list(range(1, 200))
    orders = {str(shuffled_batches(lengths, 4, seed, epoch)) for seed in (1, 2) for epoch in (0, 1)}
    assert len(orders) == 4


@given(st.lists(st.integers(), min_size=1, unique=True), st.integers(1, 5))
def test_processes_share_a_batch(batch, n_ranks):
    shares = [share(batch, rank, n_ranks) for rank in range(n_ranks)]
    assert all(shares)
    assert {number for part in shares for number in part} == set(batch)
    if len(batch) >= n_ranks:
        assert sum(map(len, shares)) == len(batch)


def test_the_rate_rises_and_falls_on_schedule():
    linear = OptimizerConfig(schedule="linear", warmup=0.1)
    factors = [rate_factor(linear, step, 100, 10) for step in range(100)]
    assert factors[0] < factors[5] < factors[10] == 1.0
    assert factors[10:] == sorted(factors[10:], reverse=True)
    assert factors[-1] < 0.02
    cosine = OptimizerConfig(schedule="cosine")
    assert rate_factor(cosine, 50, 100, 10) == 0.5
    step = OptimizerConfig(schedule="step", step_epochs=2, step_factor=0.5)
    assert [rate_factor(step, at, 100, 10) for at in (0, 19, 20, 59)] == [1.0, 1.0, 0.5, 0.25]
    assert rate_factor(OptimizerConfig(), 99, 100, 10) == 1.0
