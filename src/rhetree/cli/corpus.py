"""Look at a treebank: GUM's layout, RST-DT's, or any folder of trees (see docs/corpora.md)."""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.options import naming_options, say
from rhetree.cli.treebank_options import add_treebank_arguments, check_seed

if TYPE_CHECKING:
    from rhetree.cli.console import Console
    from rhetree.corpora.stats import CorpusStats

ROWS = {
    "documents": "documents",
    "sentences": "sentences",
    "one_edu": "  of one EDU",
    "with_tree": "  with a tree",
    "without_tree": "  without a tree",
    "crossed": "    an EDU crosses their edge",
    "edus": "EDUs",
    "tokens": "tokens",
}
"""The title of each count in the table."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree corpus``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    stats = actions.add_parser(
        "stats",
        help="count documents, sentences, EDUs, and the labels inside sentences",
        description="Count documents, sentences, EDUs and tokens, and the labels inside sentence trees. "
        "A sentence has a tree where one node spans just its EDUs.",
    )
    stats.add_argument("folder", type=Path, metavar="FOLDER", help="a treebank, or a file of one")
    stats.add_argument("--split", metavar="NAME", help="only this split, such as dev")
    stats.add_argument("--json", action="store_true", help="print JSON")
    stats.add_argument(
        "--relations",
        metavar="gum|rst-dt|FILE|none",
        help="the classes to count: ours, or from a file with lines like 'Contrast: contrast, concession'; "
        "none for relations as they are (default: by the treebank's layout)",
    )
    add_treebank_arguments(stats)


def run(args: argparse.Namespace) -> int:
    """Read, count, print."""
    from rhetree.cli.console import make_console
    from rhetree.corpora.corpus import read_corpus
    from rhetree.corpora.stats import count

    check_seed(args)
    with naming_options():
        corpus = read_corpus(
            args.folder,
            split=args.split,
            trees=args.trees,
            sentences=args.sentences,
            relations=args.relations,
            dev_share=args.dev_share,
            seed=1 if args.seed is None else args.seed,
            lenient=args.lenient,
        )
    for note in corpus.notes:
        say(note)
    total = count(corpus.documents)
    splits = {split: count(documents) for split, documents in corpus.splits.items()}
    console = make_console()
    if args.json:
        by_split = {split: stats.as_dict() for split, stats in splits.items()}
        console.print_json(total.as_dict() | ({} if args.split else {"splits": by_split}))
    else:
        _print_tables(console, splits if len(splits) == 1 else {**splits, "all": total}, total)
    return 0


def _print_tables(console: "Console", columns: "Mapping[str, CorpusStats]", total: "CorpusStats") -> None:
    from rhetree.cli.console import Table
    from rhetree.domain.relations import label_parts
    from rhetree.domain.tree import NUCLEARITIES

    counts = Table(("", *columns))
    for name, title in ROWS.items():
        counts.add(title, *(str(getattr(stats, name)) for stats in columns.values()))

    by_class: dict[str, Counter[str]] = {}
    for label, n_splits in total.labels.items():
        relation, nuclearity = label_parts(label)
        by_class.setdefault(relation, Counter())[nuclearity] += n_splits
    labels = Table(("inside sentences", *NUCLEARITIES, "all"))
    for relation, found in sorted(by_class.items(), key=lambda item: (-item[1].total(), item[0])):
        labels.add(
            relation, *(str(found[nuclearity] or "·") for nuclearity in NUCLEARITIES), str(found.total())
        )
    sums = [sum(found[nuclearity] for found in by_class.values()) for nuclearity in NUCLEARITIES]
    labels.add_line()
    labels.add("all", *map(str, [*sums, sum(sums)]))

    console.show("", counts)
    console.show("", labels)
