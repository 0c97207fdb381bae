"""Runs the campaigns behind docs/reliability.md: many hostile inputs, and a long run, from a seed and in a given time.

    python benchmarks/campaign.py files [--seed N] [--seconds N] [--executions N] [--corpus FOLDER]
    python benchmarks/campaign.py text [--seed N] [--seconds N] [--texts N]
    python benchmarks/campaign.py long-run [--seed N] [--seconds N]
    python benchmarks/campaign.py tables [--into docs/reliability.md]

Each writes its figures to benchmarks/results/reliability/. A fault ends a campaign with the input that shows it and
the exit code 1; the same seed finds it again. ``tables`` prints all figures as Markdown and, with ``--into``, puts
them into a page between the lines ``<!-- campaigns -->`` and ``<!-- /campaigns -->``. ``files`` is guided by coverage
if atheris is installed (``pip install atheris``), and mutates blindly if it is not. Linux only, since memory is read
from /proc.
"""

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from pages import put
from speed_timing import versions

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "reliability"
CAMPAIGNS = ("files", "text", "long-run")

sys.path.insert(0, str(ROOT / "tests"))  # what is hostile is told there, for the short form of each campaign


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in CAMPAIGNS:
        own = commands.add_parser(name)
        own.add_argument("--seed", type=int, default=1)
        own.add_argument("--seconds", type=float, default=3600.0, help="the longest time (default: an hour)")
        if name == "files":
            own.add_argument("--executions", type=int, default=1_000_000, help="over all targets")
            own.add_argument("--only", nargs="+", metavar="TARGET", help="fuzz these targets alone")
            own.add_argument("--corpus", type=Path, help="keeps what each target was given, to go on with it")
        if name == "text":
            own.add_argument("--texts", type=int, default=100_000)
            own.add_argument(
                "--model", default="english", help="of the short texts; the large ones are parsed by english"
            )
    tables = commands.add_parser("tables")
    tables.add_argument("--into", type=Path, metavar="PAGE", help="also write the tables into this page")
    args = vars(parser.parse_args())
    command = args.pop("command")
    if command == "tables":
        text = "\n".join(all_tables())
        print(text)
        if args["into"] is not None:
            put(text, args["into"], "campaigns")
        return
    save(command, {"seed": args["seed"], **module_of(command).measure(**args)})


def module_of(campaign: str):
    return importlib.import_module(f"campaign_{campaign.replace('-', '_')}")


def save(campaign: str, record: dict) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    where = {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "versions": versions()}
    text = json.dumps({**where, **record}, indent=1)
    (RESULTS / f"{campaign}.json").write_text(f"{text}\n", encoding="utf-8")


def all_tables() -> Iterator[str]:
    """The figures of the last run of each campaign, in Markdown."""
    for campaign in CAMPAIGNS:
        path = RESULTS / f"{campaign}.json"
        if not path.exists():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        module = module_of(campaign)
        yield f"### {module.TITLE}\n"
        model = f" --model {record['model']}" if record.get("model", "english") != "english" else ""
        yield f"```\npython benchmarks/campaign.py {campaign} --seed {record['seed']}{model}\n```\n"
        yield from module.tables(record)
        named = [f"{package} {number}" for package, number in record["versions"].items()]
        yield f"\n{record['machine']}; {', '.join(named)}.\n"


if __name__ == "__main__":
    main()
