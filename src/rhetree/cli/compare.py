"""Compare two systems on the same gold documents, and test whether the difference is luck.

A paired t-test (the pairs are documents, with the mean of their runs) and a paired bootstrap
over documents. With --runs each SYSTEM is a folder with a file or a folder for each of its runs.
"""

import argparse
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.options import say
from rhetree.cli.relations import choose_inventory
from rhetree.cli.scoring_options import (
    add_comparison_arguments,
    choose_level,
    pair_files,
    read_annotated,
    read_predicted,
)
from rhetree.errors import MismatchError, RhetreeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rhetree.cli.console import Console
    from rhetree.domain.document import Document
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
    from rhetree.metrics.comparability import adopt_sentences
    from rhetree.metrics.report import METRICS, evaluate
    from rhetree.metrics.significance import compare

    if args.samples < 1:
        raise RhetreeError(f"--samples {args.samples}: expected at least 1")
    if args.seed < 0:
        raise RhetreeError(f"--seed {args.seed}: expected 0 or more")
    inventory = choose_inventory(args.relations, args.gold)
    gold = read_annotated(args.gold, args, args.split)
    predicted = [
        {path: _read_run(path, gold, args) for path in (_runs_of(system) if args.runs else [system])}
        for system in (args.a, args.b)
    ]
    runs = [run for system in predicted for run in system.values()]
    level = choose_level(args.level, gold, [document for run in runs for document in run])
    if level == "sentence":
        gold = [adopt_sentences(document, versions) for document, *versions in zip(gold, *runs, strict=True)]
    systems: list[list[Evaluation]] = [[], []]
    for system, evaluations in zip(predicted, systems, strict=True):
        for path, run in system.items():
            with _blame(path):
                evaluations.append(evaluate(gold, run, level=level, inventory=inventory))
    a, b = systems
    comparisons = {
        metric: compare(a, b, metric, n_samples=args.samples, seed=args.seed) for metric in METRICS
    }
    if not a[0].total.n_trees:
        say("gold has no trees, so only EDUs are compared")
    console = make_console()
    if args.json:
        console.print_json(_record(a, comparisons))
    else:
        _print_table(console, a, comparisons)
    return 0


def _read_run(path: Path, gold: "list[Document]", args: argparse.Namespace) -> "list[Document]":
    """The documents of a run, in the order of gold."""
    from rhetree.metrics.report import pair_by_name

    predicted = pair_files(args.gold, gold, path, read_predicted(path, args), args.split)
    with _blame(path):
        return pair_by_name(gold, predicted)[1]


@contextmanager
def _blame(path: Path) -> "Iterator[None]":
    try:
        yield
    except MismatchError as error:
        raise MismatchError(f"{path}: {error}") from error


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
