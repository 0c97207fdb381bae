"""One process with two threads, two worker processes, and a Ray cluster of two workers, on the same texts, in turns.

    python benchmarks/scale.py --gum GUM --turns 3 [--into docs/results.md]

Each engine parses N sentences and then twice as many, from loading the model to the last byte. All write the same lines;
the run fails if one does not.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from pages import put
from speed_sentences import gum_documents

ENGINES = ("1 process, 2 threads", "2 worker processes", "Ray, 2 workers")
_PER_DOCUMENT = 8
_SECONDS = 10.0
"""How long an engine takes for N sentences, about."""
_SHARDS = 24
"""Shards of the longer run, and half as many of the shorter: enough that both workers end at about the same time."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--gum", type=Path, default=os.environ.get("RHETREE_GUM"), help="default: RHETREE_GUM"
    )
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--into", type=Path, metavar="PAGE", help="also write the table into this page")
    parser.add_argument("--sentences", type=int, help="N (default: what takes about ten seconds here)")
    parser.add_argument(
        "--price", type=float, default=0.04, help="of a core for an hour, for the plan (default: 0.04)"
    )
    args = parser.parse_args()
    if args.gum is None:
        parser.error("name the folder of GUM with --gum or RHETREE_GUM")
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(f"{line}\n" for line in tables(measure(Path(folder), args), args))
    print(text)
    if args.into is not None:
        put(text, args.into, "scale")
    return 0


def measure(home: Path, args: argparse.Namespace) -> dict:
    from rhetree.scale.cluster import connected

    sentences = [
        document.text_of(sentence)
        for document in gum_documents(Path(args.gum), "dev")
        for sentence in document.sentences
    ]
    n = args.sentences or _calibrated(sentences)
    files = {size: _write(home / f"{size}.jsonl", islice(cycle(sentences), size)) for size in (n, 2 * n)}
    engines = (_threads, _workers, partial(_ray, shard_size=files[2 * n].stat().st_size // _SHARDS))
    seconds: dict[str, dict[int, list[float]]] = {name: {n: [], 2 * n: []} for name in ENGINES}
    with connected("local", 2):
        for turn in range(args.turns):
            for size, path in files.items():
                outputs = {}
                for name, engine in zip(ENGINES, engines, strict=True):
                    begun = time.perf_counter()
                    outputs[name] = engine(path, home / f"out-{turn}-{size}-{ENGINES.index(name)}")
                    seconds[name][size].append(time.perf_counter() - begun)
                differing = [name for name in ENGINES if outputs[name] != outputs[ENGINES[0]]]
                if differing:
                    raise SystemExit(f"not what {ENGINES[0]} writes: {', '.join(differing)}")
    return {"n": n, "seconds": seconds, "characters": files[n].stat().st_size}


def tables(record: dict, args: argparse.Namespace) -> Iterator[str]:
    n, seconds = record["n"], record["seconds"]
    whole = {name: min(own[2 * n]) for name, own in seconds.items()}
    yield (
        f"{n:,} and {2 * n:,} sentences of GUM's dev split, shortest of {args.turns} turns; seconds, with loading the model and "
        "starting workers (Ray's cluster runs already). All engines write the same bytes.\n"
    )
    yield "| engine | N | 2N | sentences/s of 2N | time of 2N against workers |"
    yield "| --- | --- | --- | --- | --- |"
    for name, own in seconds.items():
        share = 100 * whole[name] / whole[ENGINES[1]]
        yield f"| {name} | {min(own[n]):.1f} | {whole[name]:.1f} | {2 * n / whole[name]:,.0f} | {share:.0f} % |"
    yield ""
    per_core = 2 * n / whole[ENGINES[2]] / 2
    hours = 100e6 / per_core / 3600
    yield (
        f"100 million sentences at {per_core:,.0f} a second and core (Ray): {hours:,.0f} core hours; with 256 cores "
        f"{hours / 256:.1f} hours; at {args.price} an hour and core {hours * args.price:,.0f} in all, "
        f"{hours * args.price / 100:.2f} per million sentences."
    )


def _calibrated(sentences: list[str]) -> int:
    """How many sentences two cores parse in about the time that a run is to take."""
    import rhetree

    parser = rhetree.load(threads=2)
    list(parser.parse_many(sentences[:50]))
    begun = time.perf_counter()
    list(parser.parse_many(sentences[:400]))
    return max(200, round(400 / (time.perf_counter() - begun) * _SECONDS))


def _write(path: Path, sentences: Iterator[str]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while own := list(islice(sentences, _PER_DOCUMENT)):
            file.write(json.dumps({"id": str(number), "text": "\n\n".join(own)}) + "\n")
            number += 1
    return path


def _threads(path: Path, out: Path) -> bytes:
    from rhetree.jobs.work import Task

    return _local(path, out, Task(threads=2).load())


def _workers(path: Path, out: Path) -> bytes:
    from rhetree.jobs.processes import Processes
    from rhetree.jobs.work import Task

    return _local(path, out, Processes(Task(threads=1), 2))


def _local(path: Path, out: Path, work: Callable) -> bytes:
    from rhetree.jobs.job import Job
    from rhetree.jobs.sinks import open_sink
    from rhetree.jobs.sources import Records, find_sources

    target = out.with_suffix(".jsonl")
    with closing(Job(Records(find_sources(path)), work, open_sink(target, "jsonl")).run()) as results:
        for _ in results:
            pass
    return target.read_bytes()


def _ray(path: Path, out: Path, shard_size: int) -> bytes:
    from rhetree.jobs.sources import find_sources
    from rhetree.jobs.work import Task
    from rhetree.scale.engine import ClusterJob
    from rhetree.scale.shards import ShardTask
    from rhetree.scale.storage import Storage

    task = Task(threads=1)
    model = task.identify_model()
    shard_task = ShardTask(task=task, identity=model, storage=Storage(str(out)))
    job = ClusterJob(find_sources(path), shard_task, {"model": model}, n_workers=2, shard_size=shard_size)
    list(job.run())
    return b"".join(shard.read_bytes() for shard in sorted(out.glob("part-*.jsonl")))


if __name__ == "__main__":
    sys.exit(main())
