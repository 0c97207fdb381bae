"""A job on a cluster: readers divide the inputs into shards, and workers write them, each with its own model.

Ray moves shards from readers to workers, holds readers back while workers are busy, and does again what was lost
with a process or a machine. Whatever it does twice has the same name and the same bytes (:mod:`rhetree.scale.shards`).
"""

import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rhetree.errors import RhetreeError
from rhetree.jobs.records import Source
from rhetree.jobs.run_file import Settings
from rhetree.scale.manifest import Facts, close_run, open_run
from rhetree.scale.plan import SHARD_SIZE, Group, group_sources, shards_of
from rhetree.scale.shards import ShardTask, ShardWorker

if TYPE_CHECKING:
    from rhetree.jobs.sinks import IfExists
    from rhetree.runtime.pipeline import Edus

_FAILED = "failed: "
"""What a row begins with that tells of an error that ends the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads groups of sources; it can be sent to another machine."""

    edus: "Edus | None" = None
    shard_size: int = SHARD_SIZE
    finished: Mapping[str, str]
    """Names of the shards that are there, with the hashes of their inputs."""

    def read(self, group: Group) -> Iterator[bytes]:
        """The shards of a group that are not there yet, pickled; an error that ends the run as text."""
        for shard in shards_of(group, self.edus, self.shard_size):
            known = self.finished.get(shard.name)
            if known is None:
                yield pickle.dumps(shard)
            elif known != shard.hash_input():
                what = (
                    f"the shard {shard.name} was made of other records than there are now; "
                    "only a run with the same inputs can be resumed"
                )
                yield pickle.dumps(RhetreeError(what))
                return


class Rows:
    """What a worker process does with each row that a reader gave."""

    def __init__(self, job: ShardTask) -> None:
        self._worker = ShardWorker(job)

    def write(self, row: bytes) -> str:
        """The facts of a shard as JSON, or the error that ends the run."""
        shard = pickle.loads(row)
        if isinstance(shard, RhetreeError):
            return f"{_FAILED}{shard}"
        try:
            return self._worker.write(shard).encode().decode()
        except RhetreeError as error:
            return f"{_FAILED}{error}"


Execute = Callable[[Sequence[Group], Reader, ShardTask, int | None], Generator[str, None, None]]
"""Takes each group through a reader and each of its shards through a worker, in any order."""


class ClusterJob:
    """Takes sources to shards in a folder; ``rhetree parse --engine ray``."""

    def __init__(
        self,
        sources: Sequence[Source],
        job: ShardTask,
        settings: Settings,
        *,
        edus: "Edus | None" = None,
        shard_size: int = SHARD_SIZE,
        n_workers: int | None = None,
        if_exists: "IfExists" = "refuse",
        execute: Execute | None = None,
    ) -> None:
        """Say what to do.

        :param settings: whatever changes the output; only a run with the same settings can be resumed
        :param n_workers: number of worker processes; None is one for each processor of the cluster
        :param execute: who does the work; None is the Ray cluster to which this process is connected
        """
        self._sources = [_from_anywhere(source) for source in sources]
        self._job = job
        self._settings = {**settings, "format": job.format, "shard size": shard_size}
        self._reader = Reader(edus=edus, shard_size=shard_size, finished={})
        self._n_workers = n_workers
        self._if_exists = if_exists
        self._execute = execute or on_ray
        self.n_earlier = 0
        """Shards that an earlier run had finished."""
        self.manifest: dict[str, Any] = {}
        """What was written at the end of the run."""

    def run(self) -> Generator[Facts, None, None]:
        """Do the work, giving the facts of each shard after it is written, in any order."""
        known = open_run(self._job.storage, self._settings, self._sources, self._if_exists)
        self.n_earlier = len(known)
        yield from known.values()
        reader = replace(self._reader, finished={name: facts.input for name, facts in known.items()})
        groups = [group for group in group_sources(self._sources) if not _is_finished(group, known)]
        with closing(self._execute(groups, reader, self._job, self._n_workers)) as rows:
            for row in rows:
                if row.startswith(_FAILED):
                    raise RhetreeError(row.removeprefix(_FAILED))
                facts = Facts.decode(row)
                known[facts.shard] = facts
                yield facts
        self.manifest = close_run(self._job.storage, self._settings, self._sources, known.values())


def in_this_process(
    groups: Sequence[Group],
    reader: Reader,
    job: ShardTask,
    n_workers: int | None = None,  # noqa: ARG001
) -> Generator[str, None, None]:
    """The same work without a cluster, for a debugger and for file systems that only this process sees."""
    rows = Rows(job)
    for group in groups:
        for row in reader.read(group):
            yield rows.write(row)


def on_ray(
    groups: Sequence[Group], reader: Reader, job: ShardTask, n_workers: int | None = None
) -> Generator[str, None, None]:
    """The work on the Ray cluster to which this process is connected."""
    from rhetree.scale.cluster import failing_as_one, n_cpus, ray, small_blocks

    if not groups:
        return
    n_workers = n_workers or n_cpus()
    with small_blocks():
        named = [{"group": pickle.dumps(group)} for group in groups]
        dataset = ray.data.from_items(named, override_num_blocks=len(named))
        # Readers take no processor: they have little to do, and would wait for ever if workers had them all.
        shards = dataset.map_batches(
            _ReadRows(reader), batch_size=1, batch_format="pyarrow", num_cpus=0, zero_copy_batch=True
        )
        facts = shards.map_batches(
            _WriteRows,
            fn_constructor_args=(job,),
            batch_size=1,
            batch_format="pyarrow",
            num_cpus=1,
            compute=ray.data.ActorPoolStrategy(size=n_workers),
        )
        with failing_as_one():
            for row in facts.iter_rows():
                yield row["facts"]


class _ReadRows:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __call__(self, batch: Any) -> Iterator[Any]:
        import pyarrow

        for group in batch["group"].to_pylist():
            for row in self._reader.read(pickle.loads(group)):
                yield pyarrow.table({"shard": pyarrow.array([row], pyarrow.large_binary())})


class _WriteRows:
    """The class of which each worker process has one."""

    def __init__(self, job: ShardTask) -> None:
        self._rows = Rows(job)

    def __call__(self, batch: Any) -> Any:
        import pyarrow

        return pyarrow.table({"facts": [self._rows.write(row) for row in batch["shard"].to_pylist()]})


def _is_finished(group: Group, known: Mapping[str, Facts]) -> bool:
    """Whether all shards of a group are there, so that its sources need not be read again."""
    number = 0
    while facts := known.get(f"part-{group.number:05}-{number:05}"):
        if facts.is_last:
            return True
        number += 1
    return False


def _from_anywhere(source: Source) -> Source:
    """The source with a path that means the same in other folders and on other machines."""
    if source.text is not None or source.url is not None:
        return source
    if not source.path.is_file():
        raise RhetreeError(
            f"{source.path}: the engine ray reads files, which all machines can open; name a file"
        )
    return replace(source, path=source.path.absolute())
