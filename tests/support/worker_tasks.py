"""Tasks for worker processes that need no model, and go wrong as they are told."""

import os
import signal
import time
from dataclasses import dataclass, replace

from rhetree.errors import MismatchError, ModelError
from rhetree.jobs.portions import Worked
from rhetree.jobs.work import Task


class StubbornError(Exception):
    """An exception that cannot be rebuilt from what is pickled of it."""

    def __init__(self, *, number):
        super().__init__(f"number {number}")


@dataclass(frozen=True, kw_only=True)
class PlayTask(Task):
    """Does what the text of a document says, and puts the process that did it into its metadata."""

    loads: bool = True

    def load(self):
        if not self.loads:
            raise ModelError("no such model")
        return self

    def work_on(self, portion):
        return Worked([play(document) for document, _ in portion], 0.1)


def play(document):
    what, _, value = document.text.partition(" ")
    if what == "sleep":
        time.sleep(float(value))
    elif what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "leave":
        os._exit(3)
    elif what == "stubborn":
        raise StubbornError(number=7)
    elif what == "wrong":
        raise ZeroDivisionError("a mistake of ours")
    elif what == "mismatch":
        return MismatchError("tokens differ")
    return replace(document, metadata={"process": str(os.getpid())})


@dataclass(frozen=True, kw_only=True)
class ClusterTask(Task):
    """The same for workers of a cluster: what comes out is always the same, and who works is written into a folder."""

    folder: str
    identity: str = "play 1"

    def load(self):
        return ClusterWorker(self)

    def identify_model(self):
        return self.identity


class ClusterWorker:
    """Does what texts say: ``die``, ``wrong``, ``mismatch``, ``sleep 0.2``, or nothing."""

    def __init__(self, task):
        self._task = task
        self.identity = "play 1"

    def work_on(self, portion):
        results = []
        for document, _ in portion:
            with open(f"{self._task.folder}/{os.getpid()}", "a", encoding="utf-8") as file:
                file.write(f"{document.name}\n")
            done = play(document)
            results.append(done if isinstance(done, MismatchError) else document)
        return Worked(results, 0.1)
