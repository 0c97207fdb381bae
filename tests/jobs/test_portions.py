"""How many records are worked on together."""

from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.jobs.portions import Portions
from rhetree.jobs.records import record_of


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def records(*lengths):
    return [record_of(Document(text="x" * length)) for length in lengths]


@given(st.lists(st.integers(0, 20_000), max_size=30), st.lists(st.floats(0, 10), max_size=30))
def test_portions_hold_every_record_once_and_in_order(lengths, times):
    portions, found = Portions(), []
    given_records = records(*lengths)
    for number, portion in enumerate(portions.divide(given_records)):
        assert portion
        found += portion
        portions.learn(portion, times[number % len(times)] if times else 1.0)
    assert found == given_records


def test_portions_come_to_take_about_a_second():
    portions = Portions()
    times = []
    for portion in portions.divide(records(*[100] * 20_000)):
        times.append(sum(len(record.document.text) for record in portion) / 20_000)  # characters a second
        portions.learn(portion, times[-1])
    assert times[0] < 0.5
    assert all(0.5 < seconds < 1.5 for seconds in times[4:-1])


def test_a_slow_machine_gets_small_portions_and_one_record_at_least():
    portions = Portions()
    sizes = []
    for portion in portions.divide(records(*[3000] * 20)):
        sizes.append(len(portion))
        portions.learn(portion, 60.0 * len(portion))
    assert sizes[0] == 2
    assert sizes[-1] == 1


def test_a_large_document_does_not_keep_small_ones_waiting():
    portions = Portions()
    found = [
        [len(record.document.text) for record in portion]
        for portion in portions.divide(records(9, 90_000, 9))
    ]
    assert found == [[9], [90_000], [9]]


def test_records_that_come_slowly_are_not_waited_for():
    clock = Clock()

    def slow():
        for record in records(10, 10, 10, 10):
            clock.now += 0.7
            yield record

    portions = Portions(clock=clock)
    assert [len(portion) for portion in portions.divide(slow())] == [2, 2]
