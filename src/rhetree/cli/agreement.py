"""How far two annotators agree over the documents that both annotated.

A and B are files or folders with the same documents, annotated twice; documents are paired by name
and must have the same tokens. F1 does not depend on which of the two comes first.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.confusion import add_confusion_argument, draw_confusion, picture_path
from rhetree.cli.options import say
from rhetree.cli.relations import choose_inventory
from rhetree.cli.scoring_options import (
    add_comparison_arguments,
    choose_level,
    pair_files,
    read_annotated,
)
from rhetree.errors import MismatchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rhetree.cli.console import Console
    from rhetree.metrics.agreement import Agreement


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree agreement``."""
    parser.add_argument("a", type=Path, metavar="A", help="a file, or a folder, of the first annotator")
    parser.add_argument("b", type=Path, metavar="B", help="and of the second")
    parser.add_argument("--split", metavar="NAME", help="where A is a corpus, only this split, such as dev")
    add_comparison_arguments(parser)
    parser.add_argument("--per-document", action="store_true", help="also each document")
    parser.add_argument("--per-relation", action="store_true", help="also each relation")
    add_confusion_argument(parser, "which relation of A is which of B's")


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    from rhetree.cli.console import make_console
    from rhetree.metrics.agreement import Agreement, document_agreement
    from rhetree.metrics.report import by_name

    picture = picture_path(args.confusion)
    inventory = choose_inventory(args.relations, args.a)
    read_a = read_annotated(args.a, args, args.split)
    read_b = read_annotated(args.b, args)
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
            say(f"only in {whose.upper()}, left out: {', '.join(names)}")
    # One of the two is enough to know the sentences of a document.
    level = choose_level(args.level, [a[name] if a[name].sentences else b[name] for name in both])
    documents = {
        name: document_agreement(a[name], b[name], level=level, inventory=inventory) for name in both
    }
    found = sum(
        documents.values(),
        start=Agreement(level=level, inventory=None if inventory is None else inventory.name),
    )
    if picture is not None:
        draw_confusion(found.trees.confusion, picture, rows="A", columns="B")
    console = make_console()
    if args.json:
        record = found.to_dict(per_relation=args.per_relation, confusion=args.confusion is not None)
        if args.per_document:
            record["per_document"] = [{"name": name, **part.to_dict()} for name, part in documents.items()]
        console.print_json({**record, "only_in": only})
    else:
        _print_tables(console, found, documents, args)
    return 0


def _print_tables(
    console: "Console", found: "Agreement", documents: "Mapping[str, Agreement]", args: argparse.Namespace
) -> None:
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
    if args.per_document:
        title = "F1 by document, RST-Parseval, and K of relations"
        console.show(title, tables.agreement_by_document_table(documents))
    if args.per_relation and found.trees.n_trees:
        title = "Relations, RST-Parseval, and K of each"
        console.show(title, tables.agreement_by_relation_table(found))
    if args.confusion == Path() and found.trees.n_trees:
        confusion = found.trees.confusion
        console.show(tables.confusion_title(confusion), tables.confusion_table(confusion, "A", "B"))
