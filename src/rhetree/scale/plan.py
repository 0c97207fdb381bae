"""How inputs are divided: groups of sources that are read together, and shards of records that are written together.

The division depends on the inputs and on one setting alone, never on the machines, so that a run that was killed
finds its shards again, and a shard that is worked on twice has the same bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from rhetree.errors import FileError, RhetreeError
from rhetree.jobs.portions import size_of
from rhetree.jobs.records import Record, Source
from rhetree.jobs.run_file import hash_of
from rhetree.jobs.sources import Records

if TYPE_CHECKING:
    from rhetree.runtime.pipeline import Edus

SHARD_SIZE = 1_000_000
"""Characters of text in a shard: half a minute of work, and some ten megabytes of JSON."""
_GROUP_BYTES = 64 << 20
"""Bytes of small sources that are read one after the other; a larger source is a group of its own."""
_GROUP_SOURCES = 10_000


@dataclass(frozen=True, slots=True)
class Group:
    """Sources that are read one after the other, by one reader."""

    number: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Records that are written into one file."""

    name: str
    """What its file is called, without an ending; in this order the shards are in that of the inputs."""
    records: tuple[Record | RhetreeError, ...]
    """In place of a record that cannot be read, what is wrong with it."""
    n_bytes: int = 0
    """About how much of the inputs it is."""
    is_last: bool = False
    """Whether it is the last of its group."""

    def hash_input(self) -> str:
        """A hash of all that its file depends on beside the settings."""
        whole = sha256()
        for record in self.records:
            whole.update((hash_of(record) if isinstance(record, Record) else str(record)).encode())
            whole.update(b"\n")
        return whole.hexdigest()[:16]


def group_sources(sources: Sequence[Source]) -> list[Group]:
    """The sources in order, one or more in each group."""
    groups: list[Group] = []
    own: list[Source] = []
    n_bytes = 0
    for source in sources:
        size = source.n_bytes or 0
        if own and (n_bytes + size > _GROUP_BYTES or len(own) == _GROUP_SOURCES):
            groups.append(Group(len(groups), tuple(own)))
            own, n_bytes = [], 0
        own.append(source)
        n_bytes += size
    if own:
        groups.append(Group(len(groups), tuple(own)))
    return groups


def shards_of(group: Group, edus: "Edus | None", shard_size: int = SHARD_SIZE) -> Iterator[Shard]:
    """Read a group, one shard at a time; a group without records has one empty shard.

    :param shard_size: characters after which a shard is complete
    """
    divided = _divide(Records(group.sources, edus=edus), shard_size)
    records = next(divided, ())
    number = before = 0
    while True:
        following = next(divided, None)
        at = max((record.at for record in records if isinstance(record, Record)), default=before)
        name = f"part-{group.number:05}-{number:05}"
        yield Shard(name, records, at - before, following is None)
        if following is None:
            return
        records, number, before = following, number + 1, at


def _divide(
    records: Iterable[Record | RhetreeError], shard_size: int
) -> Iterator[tuple[Record | RhetreeError, ...]]:
    own: list[Record | RhetreeError] = []
    size = 0
    for record in records:
        own.append(record)
        size += size_of(record) if isinstance(record, Record) else _size_of_error(record)
        if size >= shard_size:
            yield tuple(own)
            own, size = [], 0
    if own:
        yield tuple(own)


def _size_of_error(error: RhetreeError) -> int:
    """A file with nothing but bad records is divided, too."""
    return len(error.what if isinstance(error, FileError) else str(error))
