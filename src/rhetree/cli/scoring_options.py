"""What the commands that score share: options, and how the documents of two sides are paired."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.options import say
from rhetree.cli.relations import add_relations_argument
from rhetree.errors import RhetreeError

if TYPE_CHECKING:
    from rhetree.corpora.documents import Documents
    from rhetree.domain.document import Document
    from rhetree.metrics.parseval import Level


def add_comparison_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say what is compared, the same for every command that scores."""
    parser.add_argument(
        "--level",
        choices=("sentence", "document"),
        help="compare the trees of sentences, or one tree a document (default: sentence, "
        "or document if no sentences are known)",
    )
    add_relations_argument(
        parser, "compare classes of relations", "what a corpus in GUM's or RST-DT's layout has, else none"
    )
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FOLDER",
        help="Penn Treebank or CoNLL-U files with gold sentences, for trees that come without",
    )
    parser.add_argument(
        "--lenient", action="store_true", help="forgive the mistakes in files that can be, and say which"
    )
    parser.add_argument("--json", action="store_true", help="print JSON; docs/metrics.md has its keys")


def read_annotated(path: Path, args: argparse.Namespace, split: str | None = None) -> "list[Document]":
    """The documents that people annotated, or a split of them; notes go to standard error."""
    from rhetree.corpora.documents import read_documents

    return _told(read_documents(path, split=split, sentences=args.sentences, lenient=args.lenient))


def read_predicted(path: Path, args: argparse.Namespace) -> "list[Document]":
    """The documents of a system; notes go to standard error."""
    from rhetree.corpora.documents import read_predictions

    return _told(read_predictions(path, sentences=args.sentences, lenient=args.lenient))


def pair_files(
    path_a: Path, a: "list[Document]", path_b: Path, b: "list[Document]", split: str | None = None
) -> "list[Document]":
    """The documents of B that go with those of A.

    Where both files have one document each, they are a pair whatever they are called. Where A is
    a split of a corpus, B may have the others too.
    """
    if len(a) == len(b) == 1 and not path_a.is_dir() and not path_b.is_dir():
        return [replace(b[0], name=a[0].name)]
    if split is None:
        return b
    names = {document.name for document in a}
    return [document for document in b if document.name in names]


def choose_level(
    asked: "Level | None", gold: "Sequence[Document]", predicted: "Sequence[Document]" = ()
) -> "Level":
    """The level asked for, or the finest at which these documents can be compared.

    :param predicted: documents of the same names, whose sentences serve gold where it has none
    """
    from rhetree.metrics.comparability import default_level

    without = [document for document in gold if document.tokens and not document.sentences]
    if asked == "document" or not without:
        return asked or "sentence"
    level = asked or default_level(gold, predicted)
    if level == "document":
        say("no sentences are known, so trees of whole documents are compared")
        return level
    known = {document.name for document in predicted if document.sentences}
    unknown = [document.name for document in without if document.name not in known]
    if unknown:
        raise RhetreeError(
            f"{unknown[0] or 'a document'} has no sentences; compare whole documents with --level document, "
            "or bring the sentences of Penn Treebank or CoNLL-U files with --sentences FOLDER"
        )
    say(
        "gold has no sentences, so it is scored by those of the prediction; --sentences FOLDER brings its own"
    )
    return level


def _told(found: "Documents") -> "list[Document]":
    for note in found.notes:
        say(note)
    return found.documents
