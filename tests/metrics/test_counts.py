import pytest
from hypothesis import given

from rhetree.metrics.counts import Counts
from support.strategies import counts


def test_scores_of_a_plain_case():
    some = Counts(matched=3, predicted=4, gold=6)
    assert (some.precision, some.recall, some.f1) == (0.75, 0.5, 0.6)


def test_counts_add_up():
    assert Counts(1, 2, 2) + Counts(1, 1, 2) == Counts(2, 3, 4)
    assert Counts.total([]) == Counts()


@pytest.mark.parametrize(
    ("empty", "score"),
    [
        (Counts(0, 0, 0), 1.0),  # nothing to find and nothing found
        (Counts(0, 0, 3), 0.0),  # something to find, nothing predicted
        (Counts(0, 3, 0), 0.0),  # nothing to find, something predicted
    ],
)
def test_empty_cases_are_decided(empty, score):
    assert empty.precision == empty.recall == empty.f1 == score


@pytest.mark.parametrize("wrong", [(3, 2, 4), (3, 4, 2), (-1, 2, 2)])
def test_wrong_counts_cannot_be_built(wrong):
    with pytest.raises(ValueError, match="matched items are among"):
        Counts(*wrong)


@given(counts())
def test_scores_lie_between_0_and_1_and_f1_is_the_harmonic_mean(some):
    assert all(0 <= score <= 1 for score in (some.precision, some.recall, some.f1))
    if some.precision + some.recall:
        mean = 2 * some.precision * some.recall / (some.precision + some.recall)
        assert some.f1 == pytest.approx(mean)
    else:
        assert some.f1 == 0


@given(counts())
def test_f1_does_not_care_which_side_is_gold(some):
    assert Counts(some.matched, some.gold, some.predicted).f1 == some.f1


@given(counts())
def test_counts_come_back_from_their_record(some):
    assert Counts.from_dict(some.to_dict()) == some
