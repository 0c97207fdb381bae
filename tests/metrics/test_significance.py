import json
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.errors import MismatchError
from rhetree.metrics.counts import Counts
from rhetree.metrics.report import evaluate
from rhetree.metrics.significance import (
    Runs,
    compare,
    compare_counts,
    incomplete_beta,
    paired_bootstrap,
    paired_t_test,
    t_distribution_p,
)
from support.scored_pairs import document, tree
from support.strategies import counts


@pytest.mark.parametrize(
    ("t", "df", "p"),
    [
        # Two-sided critical values of the printed tables.
        (12.7062, 1, 0.05),
        (4.30265, 2, 0.05),
        (2.228139, 10, 0.05),
        (3.169273, 10, 0.01),
        (2.042272, 30, 0.05),
        (2.749996, 30, 0.01),
        (1.980, 120, 0.05),
        (0.0, 7, 1.0),
    ],
)
def test_t_distribution_has_its_published_values(t, df, p):
    assert t_distribution_p(t, df) == pytest.approx(p, abs=1e-5 if t != 1.980 else 5e-5)
    assert t_distribution_p(-t, df) == t_distribution_p(t, df)


@given(st.floats(0.001, 1000))
def test_t_distribution_has_its_closed_forms(t):
    assert t_distribution_p(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(t), rel=1e-9, abs=1e-12)
    assert t_distribution_p(t, 2) == pytest.approx(1 - t / math.sqrt(t * t + 2), rel=1e-6, abs=1e-12)


def test_t_distribution_nears_the_normal_one():
    for t in (0.5, 1.96, 4.0):
        assert t_distribution_p(t, 10**7) == pytest.approx(math.erfc(t / math.sqrt(2)), rel=1e-5)


@given(st.floats(0.1, 400), st.floats(0.1, 400), st.integers(0, 1024))
def test_incomplete_beta_keeps_its_symmetry(a, b, n):
    x = n / 1024  # so that 1 - x is exact; near 0 it is not, and the two sides ask of different points
    value = incomplete_beta(a, b, x)
    assert -1e-12 <= value <= 1 + 1e-12
    assert value + incomplete_beta(b, a, 1 - x) == pytest.approx(1, abs=1e-9)


@given(st.floats(0.1, 400), st.floats(1e-300, 1))
def test_incomplete_beta_has_its_closed_form(a, x):
    assert incomplete_beta(a, 1, x) == pytest.approx(x**a, rel=1e-9, abs=1e-300)


def test_incomplete_beta_of_whole_numbers_is_a_binomial_tail():
    # I_x(a, b) is the chance of at least a successes in a+b-1 trials.
    tail = sum(math.comb(9, k) * 0.3**k * 0.7 ** (9 - k) for k in range(4, 10))
    assert incomplete_beta(4, 6, 0.3) == pytest.approx(tail, rel=1e-12)
    with pytest.raises(ValueError, match="between 0 and 1"):
        incomplete_beta(1, 1, 1.5)


def test_paired_t_test_on_students_sleep_data():
    # Student (1908), hours of sleep gained under two drugs: t = 4.0621 on 9 degrees, p = 0.002833.
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    test = paired_t_test(first, second)
    assert test.t == pytest.approx(4.0621, abs=5e-5)
    assert test.df == 9
    assert test.p == pytest.approx(0.002833, abs=5e-7)
    back = paired_t_test(second, first)
    assert (back.t, back.p) == (negative(test.t), test.p)


def negative(number):
    return -number


@pytest.mark.parametrize(
    ("a", "b", "df", "p"),
    [
        ([], [], 0, None),
        ([0.5], [0.6], 0, None),
        ([0.5, 0.7], [0.5, 0.7], 1, 1.0),  # no difference at all
        ([0.5, 0.5], [0.75, 0.75], 1, 0.0),  # always the same difference
    ],
)
def test_a_t_test_without_variance_is_decided(a, b, df, p):
    test = paired_t_test(a, b)
    assert (test.t, test.df, test.p) == (None, df, p)


def test_mean_and_sample_deviation_over_runs():
    values = (0.91, 0.92, 0.90, 0.93)
    assert Runs(values).mean == pytest.approx(statistics.mean(values))
    assert Runs(values).deviation == pytest.approx(statistics.stdev(values))
    assert Runs((0.5,)).deviation is None
    with pytest.raises(ValueError, match="at least one run"):
        Runs(())


A = [[Counts(8, 10, 10), Counts(5, 9, 10), Counts(3, 4, 6), Counts(7, 8, 8)]]
B = [[Counts(9, 10, 10), Counts(7, 9, 10), Counts(4, 4, 6), Counts(7, 8, 8)]]


def test_bootstrap_is_the_same_for_the_same_seed():
    assert paired_bootstrap(A, B, n_samples=500, seed=3) == paired_bootstrap(A, B, n_samples=500, seed=3)
    assert paired_bootstrap(A, B, n_samples=500, seed=3) != paired_bootstrap(A, B, n_samples=500, seed=4)


def test_bootstrap_agrees_with_every_resample_there_is():
    # All 4^4 resamples of four documents, each as likely as another.
    def f1(table, drawn):
        return Counts.total(table[0][document] for document in drawn).f1

    everything = np.array(
        [f1(B, drawn) - f1(A, drawn) for drawn in np.ndindex(4, 4, 4, 4)],
    )
    observed = f1(B, range(4)) - f1(A, range(4))
    exact = np.mean(np.abs(everything - observed) >= observed - 1e-12)
    found = paired_bootstrap(A, B, n_samples=20_000, seed=1)
    assert found.p == pytest.approx(exact, abs=0.01)
    low, high = np.quantile(everything, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.01)
    assert found.high == pytest.approx(high, abs=0.01)


def test_bootstrap_without_a_difference_finds_none():
    same = paired_bootstrap(A, A, n_samples=200)
    assert (same.p, same.low, same.high) == (1.0, 0.0, 0.0)


def test_bootstrap_of_many_documents_goes_in_chunks_and_stays_the_same():
    many = [[Counts(1, 2, 2), Counts(2, 2, 2), Counts()] * 1000]
    better = [[Counts(2, 2, 2), Counts(2, 2, 2), Counts()] * 1000]
    found = paired_bootstrap(many, better, n_samples=1500)
    assert found == paired_bootstrap(many, better, n_samples=1500)
    assert found.p == 1 / 1501


@pytest.mark.parametrize("table", [[[]], [[Counts(1, 2, 3)]], [[Counts(1, 2, 3), Counts()]]])
def test_bootstrap_of_fewer_than_two_documents_says_nothing(table):
    found = paired_bootstrap(table, table)
    assert (found.p, found.low, found.high) == (None, None, None)


def test_bootstrap_needs_samples():
    with pytest.raises(ValueError, match="at least one sample"):
        paired_bootstrap(A, B, n_samples=0)


def test_runs_make_no_more_pairs():
    found, once = compare_counts(A * 3, B * 3, n_samples=100), compare_counts(A, B, n_samples=100)
    assert found.t_test.df == 4 - 1
    assert found.t_test.p == pytest.approx(once.t_test.p)
    assert found.a.deviation == 0
    assert found.a.mean == pytest.approx(2 * 23 / (31 + 34))
    assert found.difference == pytest.approx(2 * 4 / (31 + 34))
    assert is_ordered(found.bootstrap.low, found.difference, found.bootstrap.high)


def is_ordered(*numbers):
    return list(numbers) == sorted(numbers)


def test_a_document_in_which_nothing_is_found_is_no_pair():
    empty = [Counts(), Counts(0, 0, 0)]
    assert compare_counts([A[0] + empty], [B[0] + empty], n_samples=10).t_test.df == 3
    guess = [Counts(0, 1, 0), Counts()]
    assert compare_counts([A[0] + empty], [B[0] + guess], n_samples=10).t_test.df == 4


def test_a_pair_is_a_document_with_the_mean_of_its_runs():
    better, same = [Counts(2, 2, 2), Counts(1, 2, 2)], [Counts(1, 2, 2), Counts(1, 2, 2)]
    found = compare_counts([same, same], [better, same], n_samples=10).t_test
    expected = paired_t_test([0.5, 0.5], [0.75, 0.5])
    assert found.df == expected.df == 1
    assert found.t == pytest.approx(expected.t)
    assert found.p == pytest.approx(expected.p)


def test_runs_are_compared_in_pairs():
    with pytest.raises(MismatchError, match="A has 1 run and B has 2"):
        compare_counts(A, B * 2)


@given(st.lists(st.tuples(counts(), counts()), min_size=1, max_size=6))
def test_comparing_the_other_way_round_turns_the_signs(some):
    a, b = [[first for first, _ in some]], [[second for _, second in some]]
    there, back = compare_counts(a, b, n_samples=50), compare_counts(b, a, n_samples=50)
    assert there.difference == -back.difference
    assert there.t_test.p == back.t_test.p
    assert there.bootstrap.p == back.bootstrap.p
    json.dumps(there.to_dict(), allow_nan=False)


def test_evaluations_are_compared_by_a_named_metric():
    right, wrong = tree((0, 1, 2, "NN", "joint")), tree((0, 1, 2, "NS", "joint"))
    gold = [document([1, 1], right, [2], name=name) for name in "abc"]
    mixed = [gold[0], gold[1], document([1, 1], wrong, [2], name="c")]
    runs_a, runs_b = [evaluate(gold, mixed)], [evaluate(gold, gold)]
    found = compare(runs_a, runs_b, "parseval.rst.nuclearity", n_samples=100)
    assert (found.a.values, found.b.values) == ((pytest.approx(5 / 6),), (1.0,))
    assert compare(runs_a, runs_b, "segmentation.inner", n_samples=10).difference == 0
    with pytest.raises(MismatchError, match="not over the same documents"):
        compare(runs_a, [evaluate(gold[:2], gold[:2])], "segmentation.inner")


def test_what_was_not_measured_is_not_compared():
    gold = [document([1, 1], sentences=[2])]
    runs = [evaluate(gold, gold)]
    assert compare(runs, runs, "parseval.rst.span") is None
