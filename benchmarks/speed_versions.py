"""Compares the speed of two checkouts with the same model, in turns: what a change costs.

    python benchmarks/speed_versions.py BEFORE AFTER --gum GUM --model FOLDER [--rounds 3] [--threads 1 2]

BEFORE and AFTER are folders of checkouts. In each round each of them parses some documents of GUM's dev split in a process
of its own, from tokens and from raw text, after a turn that does not count. The fastest turn of all rounds counts: in
processor time with one thread, in wall-clock time with more.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

_TURNS = 2
WAYS = {"tokens": "from tokens", "text": "from raw text"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--gum", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="a model that both can read")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--documents", type=int, default=6)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child is not None:
        print(json.dumps(measure(args)))
        return 0
    versions = {"before": args.before, "after": args.after}
    best: dict[tuple[int, str, str], float] = {}
    for _ in range(args.rounds):
        for threads in args.threads:
            for version, folder in versions.items():
                for way, seconds in in_a_process(folder, threads).items():
                    key = (threads, way, version)
                    best[key] = min(seconds, best.get(key, seconds))
    print("| threads | | before, s | after, s | speed after / before |\n| --- | --- | --- | --- | --- |")
    for threads in args.threads:
        for way, title in WAYS.items():
            before, after = (best[threads, way, version] for version in versions)
            print(f"| {threads} | {title} | {before:.2f} | {after:.2f} | {before / after:.2f} |")
    return 0


def in_a_process(folder: Path, threads: int) -> dict[str, float]:
    """Seconds of the fastest turn of each way."""
    command = [sys.executable, __file__, *sys.argv[1:], "--child", str(threads)]
    own = {**os.environ, "PYTHONPATH": str(folder.resolve() / "src")}
    done = subprocess.run(command, env=own, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(args: argparse.Namespace) -> dict[str, float]:
    """What one checkout takes; only calls that both have."""
    import rhetree

    parser = rhetree.load(args.model, threads=args.child)
    names = (args.gum / "dev.txt").read_text(encoding="utf-8").split()
    names = names[:: max(1, len(names) // args.documents)][: args.documents]
    documents = [next(iter(rhetree.read(args.gum / "conllu" / f"{name}.conllu"))) for name in names]
    plain = [document.without_edus() for document in documents]
    texts = [document.text for document in documents]
    ways = {
        "tokens": lambda: list(parser.parse_documents(plain)),
        "text": lambda: list(parser.parse_many(texts)),
    }
    clock = time.process_time if args.child == 1 else time.perf_counter
    found = {}
    for name, way in ways.items():
        way()
        times = []
        for _ in range(_TURNS):
            begun = clock()
            way()
            times.append(clock() - begun)
        found[name] = min(times)
    return found


if __name__ == "__main__":
    sys.exit(main())
