"""Score predicted EDUs and trees against gold ones.

GOLD and PREDICTED are files or folders; documents are paired by name and must have the same tokens.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
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
    read_predicted,
)
from rhetree.errors import counted

if TYPE_CHECKING:
    from rhetree.cli.console import Console
    from rhetree.domain.document import Document
    from rhetree.domain.relations import Inventory
    from rhetree.metrics.report import Evaluation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree score``."""
    parser.add_argument("gold", type=Path, metavar="GOLD", help="a file, or a folder, with the right trees")
    parser.add_argument("predicted", type=Path, metavar="PREDICTED", help="the same documents as predicted")
    parser.add_argument("--split", metavar="NAME", help="of a gold corpus, only this split, such as dev")
    add_comparison_arguments(parser)
    parser.add_argument(
        "--parseval",
        choices=("rst", "original", "both"),
        default="rst",
        help="which Parseval the tables show (default: rst, the paper's; JSON has both)",
    )
    parser.add_argument("--per-document", action="store_true", help="also each document")
    parser.add_argument(
        "--per-genre", action="store_true", help="also each genre, by the documents' metadata"
    )
    parser.add_argument("--per-relation", action="store_true", help="also each relation")
    add_confusion_argument(parser, "which relations are taken for which")


def run(args: argparse.Namespace) -> int:
    """Read, score, print."""
    from rhetree.cli.console import make_console
    from rhetree.metrics.report import evaluate, pair_by_name

    picture = picture_path(args.confusion)
    inventory = choose_inventory(args.relations, args.gold)
    gold = read_annotated(args.gold, args, args.split)
    predicted = read_predicted(args.predicted, args)
    predicted = pair_files(args.gold, gold, args.predicted, predicted, args.split)
    gold, predicted = pair_by_name(gold, predicted)
    level = choose_level(args.level, gold, predicted)
    evaluation = evaluate(gold, predicted, level=level, inventory=inventory)
    if not evaluation.total.n_trees:
        say("gold has no trees, so only EDUs are scored")
    elif evaluation.total.rst.span.gold and not evaluation.total.rst.span.predicted:
        say("no tree is predicted where gold has one")
    else:
        _tell_other_relations(gold, predicted, inventory)
    if picture is not None:
        draw_confusion(evaluation.total.confusion, picture)
    console = make_console()
    if args.json:
        record = evaluation.to_dict(
            per_document=args.per_document,
            per_genre=args.per_genre,
            per_relation=args.per_relation,
            confusion=args.confusion is not None,
        )
        console.print_json(record)
    else:
        _print_tables(console, evaluation, args)
    return 0


def _tell_other_relations(
    gold: "Sequence[Document]", predicted: "Sequence[Document]", inventory: "Inventory | None"
) -> None:
    """Say where most predicted relations never occur in gold: the scores then tell of names, not of trees."""
    known, found = (_relations(documents, inventory) for documents in (gold, predicted))
    other = Counter({name: count for name, count in found.items() if name not in known})
    if 2 * other.total() > found.total():
        most = ", ".join(name for name, _ in other.most_common(3))
        say(
            f"{other.total()} of {counted(found.total(), 'predicted relation')} never occur in gold, most often {most}; "
            "--relations compares classes"
        )


def _relations(documents: "Sequence[Document]", inventory: "Inventory | None") -> "Counter[str]":
    return Counter(
        split.relation if inventory is None else inventory.class_of(split.relation)
        for document in documents
        for _, tree in document.placed_trees()
        for split in tree.splits
    )


def _print_tables(console: "Console", evaluation: "Evaluation", args: argparse.Namespace) -> None:
    from rhetree.cli import score_tables as tables

    total = evaluation.total
    kinds = tables.kinds_of(args.parseval) if total.n_trees else []
    console.show(tables.scope(evaluation), tables.scores_table(total, kinds))
    for kind in kinds or ["rst"]:
        name = f", {tables.KINDS[kind]}" if kinds else ""
        if args.per_genre:
            console.show(f"F1 by genre{name}", tables.f1_table(evaluation.by_genre(), kind, "Genre"))
        if args.per_document:
            rows = {document.name: document.scores for document in evaluation.documents}
            console.show(f"F1 by document{name}", tables.f1_table(rows, kind, "Document"))
    for kind in kinds:
        if args.per_relation:
            by_relation = (total.rst if kind == "rst" else total.original).by_relation
            console.show(f"Relations, {tables.KINDS[kind]}", tables.relations_table(by_relation))
    if args.confusion == Path() and kinds:
        title = tables.confusion_title(total.confusion)
        console.show(title, tables.confusion_table(total.confusion))
