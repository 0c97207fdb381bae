import multiprocessing
import threading

import pytest

from rhetree.runtime.workers import Workers


@pytest.mark.parametrize("n", [1, 2, 5])
def test_results_come_in_order(n):
    assert Workers(n).map(lambda number: number * number, range(50)) == [n * n for n in range(50)]
    assert Workers(n).map(str, []) == []


def test_work_is_shared_out():
    meeting = threading.Barrier(2, timeout=10)
    Workers(2).map(lambda _: meeting.wait(), range(2))  # one alone would wait for ever


def test_an_error_comes_through():
    with pytest.raises(ZeroDivisionError):
        Workers(2).map(lambda number: 1 / number, [1, 0])


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_process_that_was_forked_off_has_workers_too():
    workers = Workers(2)
    assert workers.map(abs, [-1, -2]) == [1, 2]
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    process = context.Process(target=lambda: results.put(workers.map(abs, [-3, -4])))
    process.start()
    process.join(20)
    assert process.exitcode == 0
    assert results.get() == [3, 4]
