"""Convert treebank files from one format to another.

IN are files, folders (with all the folders in them) or - for standard input; OUT is a file, a
folder, or - for standard output. The ending of a file tells its format. A folder as OUT needs
--to, and gets a file for each of IN, or for each document of a file that holds several.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.errors import RhetreeError, UnwritableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rhetree.domain.relations import Inventory
    from rhetree.treebanks.convert import Outcome, Plan

SAME_REASON = 5
"""How many files are named that cannot be converted for the same reason; the others are counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree convert``."""
    parser.add_argument("inputs", nargs="+", type=Path, metavar="IN", help="files and folders, or -")
    parser.add_argument("output", type=Path, metavar="OUT", help="a file, a folder, or -")
    parser.add_argument(
        "--from", dest="from_format", metavar="FORMAT", help="read this format, whatever the files' ending"
    )
    parser.add_argument("--to", dest="to_format", metavar="FORMAT", help="write this format")
    parser.add_argument(
        "--relations",
        metavar="gum|rst-dt|FILE",
        help="turn relations into their classes, by one of our inventories or one from a file with lines like "
        "'Contrast: contrast, concession'",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--nary",
        dest="shape",
        action="store_const",
        const="nary",
        help="make one unit of a chain of the same multinuclear relation",
    )
    shape.add_argument(
        "--binary",
        dest="shape",
        action="store_const",
        const="binary",
        help="keep only the binary form of trees that were drawn n-ary",
    )
    parser.add_argument(
        "--by-sentence", action="store_true", help="one tree per sentence in place of the document's"
    )
    parser.add_argument(
        "--lenient", action="store_true", help="forgive the mistakes in files that can be, and say which"
    )
    parser.add_argument("--strict", action="store_true", help="refuse documents that would lose something")
    parser.add_argument("--overwrite", action="store_true", help="replace output files that exist")


def run(args: argparse.Namespace) -> int:
    """Convert, and report what was left out and what was not kept."""
    from rhetree.treebanks.convert import Changes, make_plan

    changes = Changes(relations=_inventory(args.relations), shape=args.shape, by_sentence=args.by_sentence)
    plan = make_plan(
        args.inputs,
        args.output,
        args.from_format,
        args.to_format,
        changes=changes,
        lenient=args.lenient,
        strict=args.strict,
        overwrite=args.overwrite,
    )
    losses: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    n_documents = 0
    for outcome in _with_progress(plan):
        n_documents += outcome.n_documents
        for layer, count in outcome.losses.items():
            losses[layer.value] += count
        if outcome.error is not None:
            reason = outcome.error.what if isinstance(outcome.error, UnwritableError) else str(outcome.error)
            reasons[reason] += 1
            if reasons[reason] <= SAME_REASON:
                _say(_placed(outcome))
    for reason, count in reasons.items():
        if count > SAME_REASON:
            _say(f"and {count - SAME_REASON} more files: {reason}")
    n_bad = sum(reasons.values())
    for name, count in losses.items():
        _say(f"not kept in {count} document{'s' if count > 1 else ''}: {name}")
    if n_bad:
        _say(f"{n_bad} of {len(plan.sources)} files could not be converted; {n_documents} documents were")
    return 1 if n_bad else 0


def _inventory(name: str | None) -> "Inventory | None":
    from rhetree.domain.relations import INVENTORIES, read_inventory

    if name is None:
        return None
    if name in INVENTORIES:
        return INVENTORIES[name]
    if not Path(name).is_file():
        raise RhetreeError(f"--relations {name}: expected one of {', '.join(INVENTORIES)}, or a file")
    return read_inventory(Path(name))


def _with_progress(plan: "Plan") -> "Iterator[Outcome]":
    """The outcomes, beside a bar on a terminal where there are several files."""
    if len(plan.sources) == 1 or not sys.stderr.isatty():
        yield from plan.carry_out()
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        plan.carry_out(),
        description="Converting",
        total=len(plan.sources),
        console=Console(stderr=True),
        transient=True,
    )


def _placed(outcome: "Outcome") -> str:
    message = str(outcome.error)
    return message if message.startswith(str(outcome.source)) else f"{outcome.source}: {message}"


def _say(what: str) -> None:
    print(f"rhetree: {what}", file=sys.stderr)
