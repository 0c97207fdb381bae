"""How far two annotators agree over the documents that both annotated.

A and B are files or folders with the same documents, annotated twice; documents are paired by name
and must have the same tokens. F1 does not depend on which of the two comes first.
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
)
from rhetree.errors import MismatchError

if TYPE_CHECKING:
    from rhetree.cli.console import Console
    from rhetree.metrics.agreement import Agreement


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree agreement``."""
    parser.add_argument("a", type=Path, metavar="A", help="a file, or a folder, of the first annotator")
    parser.add_argument("b", type=Path, metavar="B", help="and of the second")
    parser.add_argument("--split", metavar="NAME", help="where A is a corpus, only this split, such as dev")
    add_comparison_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    from rhetree.cli.console import make_console
    from rhetree.metrics.agreement import agreement
    from rhetree.metrics.report import by_name

    inventory = choose_inventory(args.relations, args.a)
    read_a = read_documents(args.a, split=args.split, sentences=args.sentences, lenient=args.lenient)
    read_b = read_documents(args.b, sentences=args.sentences, lenient=args.lenient)
    read_b = pair_files(args.a, read_a, args.b, read_b, args.split)
    a, b = by_name(read_a, "A's"), by_name(read_b, "B's")
    both = [name for name in a if name in b]
    only = {"a": [name for name in a if name not in b], "b": [name for name in b if name not in a]}
    if not both:
        raise MismatchError(
            f"no document is in both; A has {', '.join(only['a']) or 'none'}, B has {', '.join(only['b']) or 'none'}"
        )
    for whose, names in only.items():
        if names:
            print(f"rhetree: only in {whose.upper()}, left out: {', '.join(names)}", file=sys.stderr)
    documents_a, documents_b = [a[name] for name in both], [b[name] for name in both]
    # One of the two is enough to know the sentences of a document.
    level = choose_level(args.level, [a[name] if a[name].sentences else b[name] for name in both])
    found = agreement(documents_a, documents_b, level=level, inventory=inventory)
    console = make_console()
    if args.json:
        console.print_json({**found.to_dict(), "only_in": only})
    else:
        _print_tables(console, found)
    return 0


def _print_tables(console: "Console", found: "Agreement") -> None:
    from rhetree.cli import score_tables as tables

    console.show(tables.agreement_scope(found), tables.boundaries_table(found.segmentation))
    if found.trees.n_trees:
        title = f"Trees of {found.level}s that both have: {found.trees.n_trees}"
        console.show(title, tables.trees_table(found.trees))
    if found.trees_same_edus.n_trees:
        title = f"Those of them with the same EDUs on both sides: {found.trees_same_edus.n_trees}"
        console.show(title, tables.trees_table(found.trees_same_edus))
    title = "Kappa (Siegel & Castellan 1988), over the judgements of Marcu et al. (1999)"
    console.show(title, tables.kappa_table(found))
