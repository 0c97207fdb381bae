"""What the progress bar says."""

import pytest

from rhetree.cli.progress import Pace


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def run(seconds, n_documents, *, pause, at_start=0):
    """Let documents arrive at an even pace, as many at once as a pause of so many seconds holds back."""
    clock = Clock()
    pace = Pace(100 * n_documents, clock)
    start = clock.now
    arrived = at_start
    while clock.now - start < seconds:
        clock.now += 0.25
        passed = clock.now - start
        if passed % pause == 0:
            due = at_start + int((n_documents - at_start) * passed / seconds)
            for number in range(arrived, due):
                pace.advance(3, 100 * (number + 1), 100 * at_start)
            arrived = due
        yield passed, pace


@pytest.mark.parametrize("pause", [0.25, 1.0, 2.0])
@pytest.mark.parametrize("at_start", [0, 900])
def test_the_time_left_is_believable_from_the_first_seconds_on(pause, at_start):
    for passed, pace in run(600, 2400, pause=pause, at_start=at_start):
        if 10 <= passed < 590:
            assert pace.seconds_left == pytest.approx(600 - passed, rel=0.25, abs=2)


def test_nothing_is_said_of_the_time_left_before_anything_is_done():
    pace = Pace(1000)
    assert (pace.seconds_left, pace.time_left) == (None, "")
    pace = Pace(None)
    pace.advance(1, 50)
    assert (pace.seconds_left, pace.time_left, pace.share) == (None, "", None)


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.5, "about 10 seconds left"),
        (0.91, "about 1 second left"),
        (0.02, "about 8 minutes left"),
        (0.001, "about 2.8 hours left"),
    ],
)
def test_the_time_left_is_told_in_the_unit_that_people_use(share, told):
    clock = Clock()
    pace = Pace(100_000, clock)
    clock.now += 10
    pace.advance(5, round(share * 100_000))
    assert pace.time_left == told


def test_documents_are_counted():
    clock = Clock()
    pace = Pace(100, clock)
    clock.now += 10
    for at in (10, 30):
        pace.advance(40, at)
    assert (pace.n_documents, pace.speed, pace.share) == (2, "8.0", 0.3)
