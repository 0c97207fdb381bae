"""What a run's folder says about itself: how it was made, which shards are there, and what was put aside.

``.shards/run.json`` is written first and names the settings and the inputs. ``.shards/NAME.json`` is written after
the shard ``NAME``, which it vouches for. ``manifest.json`` and ``aside.jsonl`` are put together from these at the end.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from rhetree.errors import ArgumentError, RhetreeError
from rhetree.jobs.records import Source
from rhetree.jobs.run_file import EarlierRun, Settings

if TYPE_CHECKING:
    from pathlib import Path

    from rhetree.jobs.sinks import IfExists
    from rhetree.scale.storage import Storage

MANIFEST = "manifest.json"
ASIDE = "aside.jsonl"
SHARDS = ".shards"
_RUN = "run.json"
_FORMAT = "rhetree-manifest"
_VERSION = 1
_READERS = 16

ShardFormat = Literal["jsonl", "parquet"]


@dataclass(frozen=True, slots=True)
class Aside:
    """A record that was left out, and why."""

    file: str
    line: int | None
    id: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What became of a shard."""

    shard: str
    file: str
    documents: int
    sentences: int
    edus: int
    n_bytes: int
    """Size of its file."""
    sha256: str
    """Hash of its file."""
    input: str
    """Hash of its records."""
    input_bytes: int
    aside: tuple[Aside, ...] = ()
    is_last: bool = False
    """Whether it is the last of its group of inputs."""

    def encode(self) -> bytes:
        return _encode(asdict(self))

    @classmethod
    def decode(cls, data: bytes | str) -> "Facts":
        """The facts of a file; :class:`ValueError` if it has none."""
        value = json.loads(data)
        try:
            value["aside"] = tuple(Aside(**entry) for entry in value["aside"])
            return cls(**value)
        except (TypeError, KeyError) as error:
            raise ValueError(f"no facts of a shard: {error}") from error


def facts_name(shard: str) -> str:
    """The file of a shard's facts."""
    return f"{SHARDS}/{shard}.json"


def open_run(
    storage: "Storage", settings: Settings, sources: Sequence[Source], if_exists: "IfExists"
) -> dict[str, Facts]:
    """Begin a run, or go on with one. Returns the facts of the shards that are finished, by their names."""
    inputs = [{"path": str(source.url or source.path), "bytes": source.n_bytes} for source in sources]
    earlier = storage.read(f"{SHARDS}/{_RUN}")
    shards = [name for name in storage.names() if name.startswith("part-")]
    if (earlier is not None or shards) and if_exists == "refuse":
        what = "has the shards of a run; resume it, name another folder, or replace them"
        raise ArgumentError(what, storage.place, "overwrite")
    storage.remove_parts("", SHARDS)
    if if_exists == "replace":
        # The manifest first: while it is there, it tells the truth.
        kept = [f"{SHARDS}/{name}" for name in storage.names(SHARDS)]
        for name in (MANIFEST, ASIDE, *kept, *shards):
            storage.remove(name)
        earlier = None
    if earlier is None:
        if shards and if_exists == "resume":
            what = f"cannot be resumed, since it has shards and no {SHARDS}/{_RUN}; name another folder, or replace them"
            raise ArgumentError(what, storage.place, "overwrite")
        storage.write(f"{SHARDS}/{_RUN}", _encode(_head(settings) | {"inputs": inputs}))
        return {}
    _check_same(earlier, settings, inputs, storage)
    return _read_facts(storage)


def close_run(
    storage: "Storage", settings: Settings, sources: Sequence[Source], facts: Iterable[Facts]
) -> dict[str, Any]:
    """Write what was put aside, then the manifest. Returns the manifest."""
    ordered = sorted(facts, key=lambda own: own.shard)
    aside = [entry for own in ordered for entry in own.aside]
    if aside:
        storage.write(ASIDE, b"".join(_encode(asdict(entry)) for entry in aside))
    else:
        storage.remove(ASIDE)
    manifest = _head(settings) | {
        "inputs": [{"path": str(source.url or source.path), "bytes": source.n_bytes} for source in sources],
        "documents": sum(own.documents for own in ordered),
        "sentences": sum(own.sentences for own in ordered),
        "edus": sum(own.edus for own in ordered),
        "aside": len(aside),
        "shards": [
            {
                "file": own.file,
                "documents": own.documents,
                "sentences": own.sentences,
                "edus": own.edus,
                "aside": len(own.aside),
                "bytes": own.n_bytes,
                "sha256": own.sha256,
            }
            for own in ordered
        ],
    }
    storage.write(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False).encode() + b"\n")
    return manifest


def _head(settings: Settings) -> dict[str, Any]:
    return {"format": _FORMAT, "version": _VERSION, "settings": dict(settings)}


def _check_same(earlier: bytes, settings: Settings, inputs: list[dict[str, Any]], storage: "Storage") -> None:
    """Raise :class:`RhetreeError` if a run with these settings and inputs cannot go on with the folder."""
    try:
        head = json.loads(earlier)
        version, found = head["version"], EarlierRun(_named(storage), head, 0)
        before: list[dict[str, Any]] = head["inputs"]
    except (ValueError, KeyError, TypeError) as error:
        raise RhetreeError(
            f"{storage.name_of(f'{SHARDS}/{_RUN}')}: not a run: {error}; start anew"
        ) from error
    if version != _VERSION:
        raise RhetreeError(
            f"{storage.place}: written by another version of Rhetree; resume it with that version, or start anew"
        )
    found.check_same(settings, _named(storage))
    if before != inputs:
        differing = next((own for own, other in zip(inputs, before, strict=False) if own != other), None) or {
            "path": f"{len(inputs)} inputs instead of {len(before)}"
        }
        raise RhetreeError(
            f"{storage.place}: cannot be resumed, since the inputs are others than those of the run that began it: "
            f"{differing['path']}; name another folder, or start anew"
        )


def _named(storage: "Storage") -> "Path":
    from pathlib import Path

    return Path(storage.place)


def _read_facts(storage: "Storage") -> dict[str, Facts]:
    names = [name for name in storage.names(SHARDS) if name.startswith("part-") and name.endswith(".json")]

    def read(name: str) -> Facts:
        try:
            return Facts.decode(storage.read(f"{SHARDS}/{name}") or b"")
        except ValueError as error:
            what = f"{storage.name_of(f'{SHARDS}/{name}')}: {error}; remove it, and resume"
            raise RhetreeError(what) from error

    # Where storage is far away, most of the time is waiting.
    with ThreadPoolExecutor(_READERS) as readers:
        return {facts.shard: facts for facts in readers.map(read, names)}


def _encode(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
