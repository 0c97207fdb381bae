"""Compare two systems on the same gold documents, and test whether the difference is luck.

A paired t-test (the pairs are documents, and runs where there are several) and a paired bootstrap
over documents. With --runs each SYSTEM is a folder with a file or a folder for each of its runs.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.scored_documents import (
    add_comparison_arguments,
    choose_inventory,
    choose_level,
    pair_files,
    read_documents,
    read_predictions,
)
from rhetree.errors import MismatchError, RhetreeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rhetree.cli.console import Console
    from rhetree.metrics.report import Evaluation
    from rhetree.metrics.significance import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree compare``."""
    parser.add_argument("gold", type=Path, metavar="GOLD", help="a file, or a folder, with the right trees")
    parser.add_argument("a", type=Path, metavar="SYSTEM_A", help="the same documents as one system has them")
    parser.add_argument("b", type=Path, metavar="SYSTEM_B", help="and as another has them")
    parser.add_argument(
        "--runs",
        action="store_true",
        help="each SYSTEM is a folder of runs, as many of each; run k of one is paired with run k of the other, "
        "in the order of their names",
    )
    parser.add_argument("--split", metavar="NAME", help="of a gold corpus, only this split, such as dev")
    add_comparison_arguments(parser)
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="bootstrap samples (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Read, score every run, compare, print."""
    from rhetree.cli.console import make_console
    from rhetree.metrics.report import METRICS, evaluate, pair_by_name
    from rhetree.metrics.significance import compare

    if args.samples < 1:
        raise RhetreeError(f"--samples {args.samples}: expected at least 1")
    if args.seed < 0:
        raise RhetreeError(f"--seed {args.seed}: expected 0 or more")
    inventory = choose_inventory(args.relations, args.gold)
    gold = read_documents(args.gold, split=args.split, sentences=args.sentences, lenient=args.lenient)
    level = choose_level(args.level, gold)
    systems: list[list[Evaluation]] = []
    for system in (args.a, args.b):
        runs = []
        for path in _runs_of(system) if args.runs else [system]:
            predicted = read_predictions(path, sentences=args.sentences, lenient=args.lenient)
            predicted = pair_files(args.gold, gold, path, predicted, args.split)
            try:
                pairs = pair_by_name(gold, predicted)
                runs.append(evaluate(*pairs, level=level, inventory=inventory))
            except MismatchError as error:
                raise MismatchError(f"{path}: {error}") from error
        systems.append(runs)
    a, b = systems
    comparisons = {
        metric: compare(a, b, metric, n_samples=args.samples, seed=args.seed) for metric in METRICS
    }
    if not a[0].total.n_trees:
        print("rhetree: gold has no trees, so only EDUs are compared", file=sys.stderr)
    console = make_console()
    if args.json:
        console.print_json(_record(a, comparisons))
    else:
        _print_table(console, a, comparisons)
    return 0


def _runs_of(system: Path) -> list[Path]:
    if not system.is_dir():
        raise RhetreeError(f"{system}: expected a folder of runs (--runs)")
    runs = sorted(path for path in system.iterdir() if not path.name.startswith("."))
    if not runs:
        raise RhetreeError(f"{system}: no run in it")
    return runs


def _record(a: "list[Evaluation]", comparisons: "Mapping[str, Comparison | None]") -> dict[str, object]:
    return {
        "level": a[0].level,
        "relations": a[0].inventory,
        "documents": a[0].total.n_documents,
        "runs": len(a),
        "metrics": {
            metric: None if comparison is None else comparison.to_dict()
            for metric, comparison in comparisons.items()
        },
    }


def _print_table(
    console: "Console", a: "list[Evaluation]", comparisons: "Mapping[str, Comparison | None]"
) -> None:
    from rhetree.cli import score_tables as tables

    runs = "" if len(a) == 1 else f";\nmean and deviation of {len(a)} runs each"
    console.show(tables.scope(a[0]) + runs, tables.comparison_table(comparisons))
