"""Disks that are slow, full, or come back; inputs that are larger than the memory."""

import errno
import os
from pathlib import Path

import pytest

from rhetree.domain.document import Document
from rhetree.errors import RhetreeError
from rhetree.jobs import resumable_sinks
from rhetree.jobs.job import Job
from rhetree.jobs.portions import Worked
from rhetree.jobs.records import Record
from rhetree.jobs.sinks import open_sink

SETTINGS = {"model": "none"}


def work(portions):
    for portion in portions:
        yield Worked([document for document, _ in portion], 0.001)


def record(number):
    return Record(Document(name=str(number), text="It rained. " * 20), Path(str(number)))


class Endless:
    """Records without an end, and how many of them were read."""

    def __init__(self, most=10**9):
        self.n_read = 0
        self._most = most

    def __iter__(self):
        for number in range(self._most):
            self.n_read += 1
            yield record(number)


def job(records, path, if_exists="refuse", format="jsonl"):
    sink = open_sink(path, format, if_exists=if_exists, folder=format == "json", settings=SETTINGS)
    return Job(records, work, sink)


@pytest.mark.parametrize("format", ["jsonl", "json", "csv"])
def test_reading_waits_for_writing(format, tmp_path):
    """However slow the disk: what is read and not written yet fits into one portion, which is bounded."""
    records = Endless()
    running = job(records, tmp_path / ("out" if format == "json" else f"out.{format}"), format=format).run()
    most = 0
    for n_written in range(1, 400):
        next(running)
        most = max(most, records.n_read - n_written)
    running.close()
    assert most * 220 <= 2 * 250_000  # characters of the largest portion, and the one record that filled it


def test_a_disk_that_is_full_and_comes_back(tmp_path, monkeypatch):
    """At each write in turn the disk is full; with room again, the run goes on to the same bytes."""
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    list(job(Endless(6), whole).run())
    for n_before in range(14):
        left = n_before

        def fills_up(file, data, path, n_left=[left]):  # noqa: B006  # the default is the counter
            if n_left[0] == 0:
                os.write(file.fileno(), bytes(data)[: len(data) // 2])
                raise RhetreeError(f"{path}: cannot be written: {os.strerror(errno.ENOSPC)}")
            n_left[0] -= 1
            file.write(data)

        for path in tmp_path.glob("out.jsonl*"):
            path.unlink()
        with monkeypatch.context() as patch:
            patch.setattr(resumable_sinks, "write_whole", fills_up)
            patch.setattr("rhetree.jobs.run_file.write_whole", fills_up)
            if n_before < 13:
                with pytest.raises(RhetreeError, match="No space left on device"):
                    list(job(Endless(6), out).run())
            else:
                list(job(Endless(6), out).run())
        list(job(Endless(6), out, "resume").run())
        assert out.read_bytes() == whole.read_bytes()
        assert Path(f"{out}.run").read_bytes() == Path(f"{whole}.run").read_bytes()
