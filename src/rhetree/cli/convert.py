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

from rhetree.cli.options import (
    add_tree_arguments,
    naming_options,
    say,
    with_option,
)
from rhetree.cli.relations import choose_inventory
from rhetree.errors import ArgumentError, RhetreeError, UnwritableError, counted
from rhetree.formats import OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rhetree.formats.format import Layer
    from rhetree.jobs.conversion import Outcome, Plan

SAME_REASON = 5
"""Files to name that failed for the same reason; further ones are only counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree convert``."""
    add = parser.add_argument
    add("inputs", nargs="+", type=Path, metavar="IN", help="files and folders, or -")
    add("output", type=Path, metavar="OUT", help="a file, a folder, or -")
    add("--to", dest="to_format", metavar="FORMAT", help=f"write this format: {', '.join(OUTPUTS)}")
    add_tree_arguments(parser)
    add("--by-sentence", action="store_true", help="one tree per sentence in place of the document's")
    add(
        "--sentences",
        type=Path,
        metavar="FOLDER",
        help="Penn Treebank .mrg or CoNLL-U files with the gold sentences and tokens of the documents",
    )
    add("--lenient", action="store_true", help="forgive the mistakes in files that can be, and say which")
    add("--strict", action="store_true", help="refuse documents that would lose something")
    add("--overwrite", action="store_true", help="replace output files that exist")


def run(args: argparse.Namespace) -> int:
    """Convert, and report what was done, what was left out and what was not kept."""
    with naming_options():
        plan = _plan(args)
        report = _Report(plan)
        for outcome in _with_progress(plan):
            report.add(outcome)
        return report.finish()


def _plan(args: argparse.Namespace) -> "Plan":
    from rhetree.jobs.conversion import Changes, make_plan

    return make_plan(
        args.inputs,
        args.output,
        args.from_format,
        args.to_format,
        changes=Changes(
            relations=choose_inventory(args.relations), shape=args.shape, by_sentence=args.by_sentence
        ),
        sentences=args.sentences,
        lenient=args.lenient,
        strict=args.strict,
        overwrite=args.overwrite,
    )


class _Report:
    """Adds up what became of the files, and reports it."""

    def __init__(self, plan: "Plan") -> None:
        self.plan = plan
        self.n_documents = 0
        self.n_files = 0
        self.losses: Counter[Layer] = Counter()
        self.reasons: Counter[str] = Counter()

    def add(self, outcome: "Outcome") -> None:
        self.n_documents += outcome.n_documents
        self.n_files += outcome.n_files
        self.losses.update(outcome.losses)
        for note in outcome.notes:
            say(note)
        error = outcome.error
        if error is not None:
            reason = error.what if isinstance(error, (ArgumentError, UnwritableError)) else str(error)
            self.reasons[reason] += 1
            if self.reasons[reason] <= SAME_REASON:
                say(_placed(error, outcome.source))

    def finish(self) -> int:
        """The last lines, and the exit code."""
        for reason, count in self.reasons.items():
            if count > SAME_REASON:
                say(f"and {counted(count - SAME_REASON, 'more file')}: {reason}")
        if self.losses:
            say(_not_kept(self.losses))
        n_bad, n_sources = self.reasons.total(), len(self.plan.sources)
        if n_bad and not self.n_documents:
            say(f"nothing was converted: {n_bad} of {counted(n_sources, 'file')} could not be")
            return 2
        done = f"converted {counted(self.n_documents, 'document')}"
        if self.plan.to_folder:
            done += f" in {counted(self.n_files, 'file')}"
        left = f"; {n_bad} of {counted(n_sources, 'file')} could not be, or not wholly" if n_bad else ""
        if left or self.plan.output != Path("-"):
            say(f"{done} into {self.plan.output}{left}")
        return 1 if n_bad else 0


def _not_kept(losses: "Counter[Layer]") -> str:
    """One line for all layers, grouped by the number of documents that lost them."""
    by_count: dict[int, list[str]] = {}
    for layer, count in losses.most_common():
        by_count.setdefault(count, []).append(layer.value)
    parts = (f"in {counted(count, 'document')}: {', '.join(names)}" for count, names in by_count.items())
    return f"not kept {'; '.join(parts)}"


def _with_progress(plan: "Plan") -> "Iterator[Outcome]":
    """The outcomes; several files show a progress bar on a terminal."""
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


def _placed(error: RhetreeError, source: Path) -> str:
    """The message, after the file that it is about."""
    message = with_option(error)
    has_path = isinstance(error, ArgumentError) or message.startswith(str(source))
    return message if has_path else f"{source}: {message}"
