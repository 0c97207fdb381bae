"""Work in several processes, whatever becomes of them."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rhetree.domain.document import Document
from rhetree.errors import MismatchError, ModelError, RhetreeError
from rhetree.jobs.interrupts import held_interrupts
from rhetree.jobs.processes import Processes
from support.worker_tasks import PlayTask


def portions(*texts):
    return ([(Document(name=str(number), text=text), "auto")] for number, text in enumerate(texts))


def names(worked):
    return [document.name for portion in worked for document in portion.results]


@pytest.fixture(autouse=True)
def nobody_is_left_behind():
    yield
    assert multiprocessing.active_children() == []


def test_results_come_in_order_from_several_processes():
    texts = ["sleep 0.3", "", "", "sleep 0.3", *[""] * 20]
    worked = list(Processes(PlayTask(), 2)(portions(*texts)))
    assert names(worked) == [str(number) for number in range(len(texts))]
    processes = {portion.results[0].metadata["process"] for portion in worked}
    assert len(processes) == 2
    assert str(os.getpid()) not in processes


def test_no_more_processes_are_started_than_there_are_portions():
    (worked,) = Processes(PlayTask(), 64)(portions("sleep 0"))
    assert names([worked]) == ["0"]


def test_what_is_read_ahead_is_bounded():
    n_read = 0

    def counted():
        nonlocal n_read
        for portion in portions("sleep 1.5", *[""] * 100):
            n_read += 1
            yield portion

    results = Processes(PlayTask(), 2)(counted())
    next(results)
    assert n_read <= 9
    results.close()


def test_an_error_of_a_record_takes_its_place():
    worked = list(Processes(PlayTask(), 2)(portions("", "mismatch", "")))
    (error,) = worked[1].results
    assert isinstance(error, MismatchError)
    assert str(error) == "tokens differ"
    assert names([worked[0], worked[2]]) == ["0", "2"]


@pytest.mark.parametrize(
    ("text", "told"), [("die", "ended by SIGKILL, perhaps for lack of memory"), ("leave", "with exit code 3")]
)
def test_a_process_that_dies_is_told_after_what_came_before(text, told):
    results = Processes(PlayTask(), 2)(portions("sleep 0.5", "", text, *[""] * 50))
    assert names([next(results), next(results)]) == ["0", "1"]
    with pytest.raises(RhetreeError, match=told):
        list(results)


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        ("wrong", ZeroDivisionError, "a mistake of ours"),
        ("stubborn", RuntimeError, "StubbornError: number 7"),
    ],
)
def test_a_mistake_of_ours_comes_back_with_its_traceback(text, kind, told):
    with pytest.raises(kind, match=told) as caught:
        list(Processes(PlayTask(), 2)(portions("", text)))
    assert "worker_tasks.py" in str(caught.value.__cause__)


def test_a_model_that_cannot_be_loaded_is_told_once():
    with pytest.raises(ModelError, match="no such model"):
        list(Processes(PlayTask(loads=False), 2)(portions("", "", "")))


def press():
    os.kill(os.getpid(), signal.SIGINT)


def interrupted(again=None):
    """Portions of which the second takes long; Ctrl-C comes when later ones are done, and perhaps again."""
    for number, portion in enumerate(portions("", "sleep 3", *[""] * 30)):
        if number == 4:
            press()
            if again is not None:
                threading.Timer(again, press).start()
        yield portion


def test_after_an_interrupt_nothing_that_was_done_is_lost():
    found = []
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        for worked in Processes(PlayTask(), 2)(interrupted()):
            found += names([worked])
    assert found[:4] == ["0", "1", "2", "3"]
    assert len(found) < 8


def test_a_second_interrupt_ends_the_waiting():
    found = []
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        for worked in Processes(PlayTask(), 2)(interrupted(again=0.5)):
            found += names([worked])
    assert found == ["0"]


def test_an_interrupt_does_not_wait_for_what_nobody_waits_for():
    start = time.monotonic()
    found = []
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        for worked in Processes(PlayTask(), 2)(portions("", *["sleep 60"] * 4)):
            found += names([worked])
            press()
    assert found == ["0"]
    assert time.monotonic() - start < 50


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks processes up in /proc")
def test_processes_end_when_their_parent_is_killed():
    program = (
        "import multiprocessing\n"
        "from rhetree.domain.document import Document\n"
        "from rhetree.jobs.processes import Processes\n"
        "from support.worker_tasks import PlayTask\n"
        "portions = ([(Document(text='sleep 0.1'), 'auto')] for _ in range(1000))\n"
        "for number, _ in enumerate(Processes(PlayTask(), 2)(portions)):\n"
        "    if number == 2:\n"
        "        print(*(child.pid for child in multiprocessing.active_children()), flush=True)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as run:
        children = run.stdout.readline().split()
        run.kill()
    assert len(children) == 2
    for _ in range(100):
        if not any(map(is_alive, children)):
            return
        time.sleep(0.1)
    pytest.fail("a process goes on without its parent")


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
