"""One shard from its records to its file: what a worker process of a cluster does, with a model of its own.

A shard whose facts are there is finished, and not worked on again. A record that the model cannot take is put aside
with the reason; so is one at which the process has died twice.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rhetree.errors import FileError, ModelError, RhetreeError, UnwritableError
from rhetree.jobs.encoding import encode_bytes, encoding_of, with_edu_texts
from rhetree.jobs.records import Record
from rhetree.jobs.work import Item, Task, Worker
from rhetree.scale.manifest import SHARDS, Aside, Facts, ShardFormat, facts_name
from rhetree.scale.plan import Shard
from rhetree.scale.storage import Storage

if TYPE_CHECKING:
    from rhetree.domain.document import Document

_DEATHS = 2
"""So often a process may die at a shard before its records are taken one by one, and then at one record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask:
    """What to do with shards, and where they go; it can be sent to another machine."""

    task: Task
    identity: str
    """Name and hash of the model, which must be the same on all machines."""
    storage: Storage
    format: ShardFormat = "jsonl"
    edu_texts: bool = False


class ShardWorker:
    """Writes one shard after the other; its model is loaded when the first one comes."""

    def __init__(self, job: ShardTask) -> None:
        self._job = job
        self._storage = job.storage
        self._encoding = with_edu_texts(job.format) if job.edu_texts else encoding_of(job.format)
        self._worker: Worker | None = None

    def write(self, shard: Shard) -> Facts:
        """Parse a shard and write it, unless that was done before."""
        known = self._storage.read(facts_name(shard.name))
        if known is not None:
            return Facts.decode(known)
        tries = _Tries(self._storage, shard.name)
        try:
            results = self._results(shard, tries)
            data = self._encoded(results)
            facts = self._facts(shard, results, data)
            self._storage.write(facts.file, data)
            self._storage.write(facts_name(shard.name), facts.encode())
        except Exception:
            tries.forget()  # whoever lives to raise an error has not died
            raise
        tries.forget()
        return facts

    def _results(self, shard: Shard, tries: "_Tries") -> "list[_Outcome]":
        """What becomes of each record."""
        records = [record for record in shard.records if isinstance(record, Record)]
        found: list[Document | str] = []
        if tries.n_deaths < _DEATHS:
            found = self._together(records)
        else:
            for number, record in enumerate(records):
                if tries.n_deaths_at(number) >= _DEATHS:
                    found.append(f"the worker process died {_DEATHS} times while it worked on this record")
                else:
                    tries.note(number)
                    found += self._together([record])
        following = iter(found)
        return [
            _Outcome.of(record, next(following))
            if isinstance(record, Record)
            else _Outcome(_unreadable(record))
            for record in shard.records
        ]

    def _together(self, records: list[Record]) -> "list[Document | str]":
        return work_on_any(self._loaded(), [(record.document, record.edus) for record in records])

    def _loaded(self) -> Worker:
        if self._worker is None:
            worker = self._job.task.load()
            found = worker.identity
            if found != self._job.identity:
                what = f"this machine has the model {found}, and the run was begun with {self._job.identity}"
                raise ModelError(f"{what}; install the same model everywhere")
            self._worker = worker
        return self._worker

    def _encoded(self, results: "list[_Outcome]") -> bytes:
        """The content of the shard's file. A document that cannot be written is put aside."""
        whole = io.BytesIO()
        table = None
        if self._job.format == "parquet":
            from rhetree.jobs.tables import ParquetSink

            table = ParquetSink(whole)
        for number, result in enumerate(results):
            if result.record is None or result.document is None:
                continue
            try:
                if table is not None:
                    table.add(result.document)
                else:
                    whole.write(encode_bytes(result.document, self._encoding, result.record.extra))
            except (UnwritableError, ValueError) as error:
                results[number] = _Outcome.of(result.record, str(error))
        if table is not None:
            table.close()
        return whole.getvalue()

    def _facts(self, shard: Shard, results: "list[_Outcome]", data: bytes) -> Facts:
        documents = [result.document for result in results if result.document is not None]
        return Facts(
            shard=shard.name,
            file=shard.name + self._encoding.suffix,
            documents=len(documents),
            sentences=sum(len(document.sentences) for document in documents),
            edus=sum(len(document.edus) for document in documents),
            n_bytes=len(data),
            sha256=sha256(data).hexdigest(),
            input=shard.hash_input(),
            input_bytes=shard.n_bytes,
            aside=tuple(result.aside for result in results if result.aside is not None),
            is_last=shard.is_last,
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a record: a document, or why it was put aside."""

    aside: Aside | None
    document: "Document | None" = None
    record: Record | None = None

    @staticmethod
    def of(record: Record, result: "Document | str") -> "_Outcome":
        if isinstance(result, str):
            return _Outcome(Aside(str(record.path), record.line, record.document.name, result))
        return _Outcome(None, result, record)


def work_on_any(worker: Worker, items: "Sequence[Item]") -> "list[Document | str]":
    """What a model makes of documents; of one that it cannot take, why. Only a broken model raises."""
    try:
        results = worker.work_on(items).results
    except ModelError:
        raise  # it would be the same for all
    except Exception as error:  # whatever it is, it must not end a run of days
        if len(items) > 1:
            return [result for item in items for result in work_on_any(worker, [item])]
        return [f"{type(error).__name__}: {error}"]
    return [str(result) if isinstance(result, RhetreeError) else result for result in results]


class _Tries:
    """How often processes have died at a shard: they write down that they begin, and end without a word."""

    def __init__(self, storage: Storage, shard: str) -> None:
        self._storage = storage
        self._name = f"{SHARDS}/{shard}.tries"
        known = storage.read(self._name)
        value: dict[str, Any] = json.loads(known) if known else {}
        self.n_deaths: int = value.get("begun", 0)
        self._records: dict[str, int] = value.get("records", {})
        self._current: int | None = None
        """The record that this process works on, once they are taken one by one."""
        self._write()

    def n_deaths_at(self, number: int) -> int:
        """How often processes have died at this record."""
        return self._records.get(str(number), 0)

    def note(self, number: int) -> None:
        """Say which record comes next: it is blamed if nothing is heard any more."""
        if self._current is not None:
            del self._records[str(self._current)]  # the process has survived it
        self._current = number
        self._records[str(number)] = self.n_deaths_at(number) + 1
        self._write()

    def forget(self) -> None:
        self._storage.remove(self._name)

    def _write(self) -> None:
        value = {"begun": self.n_deaths + 1, "records": self._records}
        self._storage.write(self._name, json.dumps(value).encode())


def _unreadable(error: RhetreeError) -> Aside:
    if isinstance(error, FileError):
        return Aside(str(error.path), error.line, None, error.what)
    return Aside("", None, None, str(error))
