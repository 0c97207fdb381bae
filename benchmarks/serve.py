"""Measures the service under load on this machine, against the bare parser on the same texts in the same run.

    python benchmarks/serve.py [--seconds 5] [--turns 3] [--memory-seconds 600] [--only PART …] [--into docs/results.md]
    python benchmarks/serve.py --tables [--into docs/results.md]

- throughput: sentences per second of 32 clients, and of ``Parser.parse_many`` in this process, for texts of 1, 10 and
  100 sentences. The two take turns, and the best turn of each counts. The clients run on the same cores as the service,
  so the ratio includes their share.
- latency: p50 and p99 at half and at twice the capacity, for texts of 10 sentences.
- memory: of the service's process while 32 clients are at work for ten minutes.

Any answer of 500 or more but 503 ends the run with an error. Numbers go to benchmarks/results/serve.json, where ``--only``
leaves the parts that it does not name as they were (latency needs those of throughput); ``--into`` writes
the tables into a page, between the lines ``<!-- serve -->`` and ``<!-- /serve -->``. Linux only.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from pages import put
from serve_load import Load, closed_load, open_load
from speed_timing import versions

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "serve.json"
PARTS = ("throughput", "latency", "memory")
SIZES = (1, 10, 100)
LATENCY_SIZE = 10
"""Sentences in the texts for latency and memory."""
N_TEXTS = 64
PACKAGES = ("rhetree", "numpy", "onnxruntime", "fastapi", "uvicorn")

SENTENCES = (
    "Although the ferry was late, nobody complained, because the captain had bought ice cream for everyone on board.",
    "It rained.",
    "The committee, which had met twice already, decided to wait until the engineers had measured the bridge again.",
    "If you open the lower valve first, the pressure drops slowly, and you can close the upper one by hand.",
    "She said that the letters were in the attic, but that she would rather not read them.",
    "We planted the beans in May and harvested them in August.",
    "Prices rose by a tenth while wages stayed as they were, so many families moved to the suburbs to save rent.",
    "To find the leak, he filled the tank with coloured water and looked for stains under the floor.",
    "The museum opens at nine, except on Mondays, when it is closed.",
    "After the storm had passed, the fishermen went out to look for their nets, hoping that most of them had held.",
    "What surprised the reviewers was not the result itself but how little data it had taken to get it.",
    "Turn left at the mill; then follow the river until you see a white house with a green roof.",
)
"""Ours, of 2 to 22 words."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tables", action="store_true", help="measure nothing, print earlier results")
    add("--into", type=Path, metavar="PAGE", help="also write the tables into this page")
    add("--model", help="an installed model, or the folder of one (default: the shipped one)")
    add("--clients", type=int, default=32)
    add(
        "--sizes",
        type=int,
        nargs="+",
        default=list(SIZES),
        help=f"sentences in a text; {LATENCY_SIZE} among them",
    )
    add("--seconds", type=float, default=5.0, help="of each turn, and of each rate")
    add("--turns", type=int, default=3)
    add("--memory-seconds", type=float, default=600.0)
    add("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    add("--options", default="", help="further options of rhetree serve, such as '--workers 3'")
    args = parser.parse_args()
    if LATENCY_SIZE not in args.sizes:
        parser.error(f"--sizes needs {LATENCY_SIZE}, for the capacity that latency is measured at")
    if not args.tables:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(measure(args), indent=1) + "\n", encoding="utf-8")
    text = "\n".join(tables(json.loads(RESULTS.read_text(encoding="utf-8"))))
    print(text)
    if args.into is not None:
        put(text, args.into, "serve")


def texts_of(n_sentences: int) -> list[str]:
    """Texts of this many sentences, no two the same."""
    stream = cycle(f"{sentence} " for sentence in SENTENCES)
    return [
        f"This is text {number}. " * (n_sentences > 1)
        + "".join(islice(stream, max(1, n_sentences - 1))).strip()
        for number in range(N_TEXTS)
    ]


def measure(args: argparse.Namespace) -> dict:
    import rhetree

    bare = rhetree.load(args.model)
    loads: list[Load] = []
    command = ["--places", "256", *(["--model", args.model] if args.model else []), *args.options.split()]
    record: dict = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"statuses": {}}
    record |= {
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores",
        "busy": os.getloadavg()[0],
        "versions": versions(PACKAGES),
        "clients": args.clients,
        "options": args.options,
    }
    with service(command) as (process, port):
        if "throughput" in args.only:
            record["throughput"] = {}
            for size in args.sizes:
                say(f"throughput, texts of {size} sentences")
                record["throughput"][str(size)] = throughput(bare, port, size, args, loads)
        if "latency" in args.only:
            record["latency"] = {}
            capacity = record["throughput"][str(LATENCY_SIZE)]["requests_per_second"]
            for share in (0.5, 2.0):
                say(f"latency at {share:g} of the capacity")
                load = open_load(port, texts_of(LATENCY_SIZE), rate=share * capacity, seconds=args.seconds)
                loads.append(load)
                record["latency"][f"{share:g}"] = load.to_dict()
        if "memory" in args.only:
            say("memory")
            record["memory"] = memory(process, port, args, loads)
    statuses = sum((load.statuses for load in loads), Counter[int]())
    for status, n in sorted(statuses.items()):
        record["statuses"][str(status)] = record["statuses"].get(str(status), 0) + n
    bad = {status: n for status, n in statuses.items() if (status >= 500 and status != 503) or status == 0}
    if bad:
        sys.exit(f"serve.py: answers that must not be: {bad}")
    return record


def throughput(bare, port: int, size: int, args: argparse.Namespace, loads: list[Load]) -> dict:  # type: ignore[no-untyped-def]
    """Sentences per second of the best turn of each."""
    texts = texts_of(size)
    n_sentences = sum(len(document.sentences) for document in bare.parse_many(texts)) / len(texts)
    closed_load(port, texts, clients=args.clients, seconds=min(1.0, args.seconds))  # warms up
    turns: dict[str, list[float]] = {"bare": [], "service": []}
    requests = []
    for _ in range(args.turns):
        turns["bare"].append(bare_rate(bare, texts, args.seconds))
        load = closed_load(port, texts, clients=args.clients, seconds=args.seconds)
        loads.append(load)
        requests.append(load.per_second())
        turns["service"].append(load.per_second() * n_sentences)
    best = {name: max(rates) for name, rates in turns.items()}
    return {
        "sentences_per_text": n_sentences,
        "turns": turns,
        "ratio": best["service"] / best["bare"],
        "requests_per_second": max(requests),
    }


def bare_rate(bare, texts: Sequence[str], seconds: float) -> float:  # type: ignore[no-untyped-def]
    """Sentences per second of the parser alone, over an endless stream of the texts."""
    started = time.perf_counter()
    n_sentences = 0

    def in_time() -> Iterator[str]:
        for text in cycle(texts):
            if time.perf_counter() - started > seconds:
                return
            yield text

    for document in bare.parse_many(in_time()):
        n_sentences += len(document.sentences)
    return n_sentences / (time.perf_counter() - started)


def memory(process: subprocess.Popen, port: int, args: argparse.Namespace, loads: list[Load]) -> dict:
    """Resident memory of the service, in bytes, at regular moments of a long load."""
    samples = []
    with ThreadPoolExecutor(1) as thread:
        loading = thread.submit(
            closed_load, port, texts_of(LATENCY_SIZE), clients=args.clients, seconds=args.memory_seconds
        )
        while not loading.done():
            status = Path(f"/proc/{process.pid}/status").read_text()
            samples.append(int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024)
            time.sleep(args.memory_seconds / 60)
    loads.append(loading.result())
    return {"seconds": args.memory_seconds, "samples": samples}


@contextmanager
def service(options: Sequence[str]) -> Iterator[tuple[subprocess.Popen, int]]:
    """``rhetree serve`` on a free port, in a process of its own."""
    command = [sys.executable, "-m", "rhetree", "serve", "--port", "0", *options]
    with tempfile.NamedTemporaryFile("w+") as log, subprocess.Popen(command, stderr=log) as process:
        try:
            port = None
            while port is None:
                if process.poll() is not None:
                    sys.exit(f"serve.py: the service did not start: {Path(log.name).read_text()}")
                time.sleep(0.1)
                found = re.search(
                    r'"listening", "address": "http://[\d.]+:(\d+)"', Path(log.name).read_text()
                )
                port = int(found[1]) if found else None
            yield process, port
        finally:
            process.terminate()
            process.wait(timeout=60)


def tables(record: dict) -> Iterator[str]:
    """The results in Markdown."""
    yield "### The service under load\n"
    yield "```\npython benchmarks/serve.py\n```\n"
    yield f"{record['clients']} clients on the same cores as the service, against `Parser.parse_many` in a process by itself.\n"
    yield "| sentences in a text | parser alone, sentences/s | service, sentences/s | ratio |"
    yield "| --- | --- | --- | --- |"
    for own in record["throughput"].values():
        rates = [f"{max(own['turns'][name]):,.0f}" for name in ("bare", "service")]
        yield f"| {own['sentences_per_text']:.0f} | {' | '.join(rates)} | {own['ratio']:.2f} |"
    yield f"\n| load, texts of {LATENCY_SIZE} sentences | answered | refused (503) | p50 | p99 |"
    yield "| --- | --- | --- | --- | --- |"
    for share, own in record["latency"].items():
        counts = [own["statuses"].get(status, 0) for status in ("200", "503")]
        times = ["–" if own[name] is None else f"{own[name] * 1000:,.0f} ms" for name in ("p50", "p99")]
        yield f"| {share} of the capacity | {counts[0]:,} | {counts[1]:,} | {' | '.join(times)} |"
    samples = record["memory"]["samples"]
    early, late = max(samples[: len(samples) // 2]), max(samples[len(samples) // 2 :])
    yield (
        f"\nMemory of the service over {record['memory']['seconds'] / 60:.1f} minutes: at most {early / 1e6:,.0f} MB in the first "
        f"half, {late / 1e6:,.0f} MB in the second. Answers in all: "
        + ", ".join(f"{n:,} with {status}" for status, n in record["statuses"].items())
        + "."
    )
    named = [f"{package} {number}" for package, number in record["versions"].items()]
    yield f"\n{record['machine']}; {', '.join(named)}.\n"


def say(what: str) -> None:
    print(f"measuring: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
