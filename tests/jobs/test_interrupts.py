"""Ctrl-C at a good moment."""

import json
import os
import signal
import threading

import pytest

from rhetree.domain.document import Document
from rhetree.jobs.interrupts import born_deaf, held_interrupts, open_to_interrupts
from rhetree.jobs.job import Job
from rhetree.jobs.portions import Worked
from rhetree.jobs.records import record_of
from rhetree.jobs.sinks import open_sink


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block():
    passed = []
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        press()
        passed.append("written")
    assert passed == ["written"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_is_let_through_where_nothing_is_lost():
    passed = []
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        press()
        passed.append("written")
        with open_to_interrupts():
            passed.append("worked on")
    assert passed == ["written"]


def test_a_second_interrupt_is_let_through_anywhere():
    passed = []
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        press()
        passed.append("first")
        press()
        passed.append("second")
    assert passed == ["first"]


def test_an_interrupt_that_was_let_through_is_not_raised_again():
    with held_interrupts():
        with pytest.raises(KeyboardInterrupt), open_to_interrupts():
            press()
        with open_to_interrupts():
            pass


def test_other_threads_and_other_handlers_are_left_alone():
    handled = []

    def block():
        with held_interrupts(), open_to_interrupts(), born_deaf():
            handled.append("passed")

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    before = signal.signal(signal.SIGINT, lambda *_: handled.append("own"))
    try:
        with held_interrupts():
            press()
    finally:
        signal.signal(signal.SIGINT, before)
    assert handled == ["passed", "own"]


def test_whoever_is_interrupted_while_writing_keeps_all_that_was_worked_out(tmp_path):
    path = tmp_path / "out.jsonl"
    documents = [Document(name=str(number), text="Good. " * 400) for number in range(20)]

    worked_on = []

    def work(portions):
        for portion in portions:
            worked_on.append(len(portion))
            yield Worked([document for document, _ in portion], 0.1)

    job = Job(map(record_of, documents), work, open_sink(path, "jsonl"))
    seen = []
    with pytest.raises(KeyboardInterrupt):
        for done in job.run():
            seen.append(done.document.name)
            if len(seen) == 3:
                press()
    written = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert written == seen == [document.name for document in documents[: len(seen)]]
    assert 3 < len(seen) == sum(worked_on) < len(documents)
