"""What the commands that score share: reading documents, and the options for how to compare them."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.relations import AS_THEY_ARE, add_relations_argument
from rhetree.cli.relations import choose_inventory as choose_inventory  # for the commands that score
from rhetree.errors import RhetreeError

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.metrics.parseval import Level
    from rhetree.treebanks.layouts import Layout


def add_comparison_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say what is compared, the same for every command that scores."""
    parser.add_argument(
        "--level",
        choices=("sentence", "document"),
        help="compare the trees of sentences, or one tree a document (default: sentence, "
        "or document where no sentences are known)",
    )
    add_relations_argument(
        parser, "compare classes of relations", "what a corpus in GUM's or RST-DT's layout has, else none"
    )
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FOLDER",
        help="Penn Treebank or CoNLL-U files with gold sentences, where the trees come without",
    )
    parser.add_argument(
        "--lenient", action="store_true", help="forgive the mistakes in files that can be, and say which"
    )
    parser.add_argument("--json", action="store_true", help="print JSON; docs/metrics.md has its keys")


def read_documents(
    path: Path, *, split: str | None = None, sentences: Path | None = None, lenient: bool = False
) -> "list[Document]":
    """The documents of a file, or of a folder in any layout that we know; notes go to stderr.

    A corpus whose layout we know has sentences. Other files have those that they hold: a score
    should not rest on sentences that were guessed.
    """
    from rhetree.treebanks import read
    from rhetree.treebanks.files import STDIN

    if path == STDIN:
        raise RhetreeError("-: this command does not read standard input; give it a file or a folder")
    if not path.is_dir() and split is None and sentences is None:
        return list(read(path, lenient=lenient))
    from rhetree.treebanks.corpus import no_such_split, read_corpus
    from rhetree.treebanks.layouts import find_layout

    layout = find_layout(path)
    if layout.name != "files" or sentences is not None:
        corpus = read_corpus(path, split=split, sentences=sentences, relations=AS_THEY_ARE, lenient=lenient)
        for note in corpus.notes:
            print(f"rhetree: {path}: {note}", file=sys.stderr)
        return list(corpus.documents if split is None else corpus.split(split))
    by_split: dict[str | None, list[Document]] = {}
    for document_split, document in _read_files(layout, lenient):
        by_split.setdefault(document_split, []).append(document)
    if split is None:
        return [document for documents in by_split.values() for document in documents]
    if set(by_split) == {None}:
        raise RhetreeError(
            f"{path}: it has no splits, so leave out --split {split}; docs/corpora.md says how a folder is split"
        )
    if split not in by_split:
        raise no_such_split(path, split, [name for name in by_split if name is not None])
    return by_split[split]


def read_predictions(path: Path, *, sentences: Path | None = None, lenient: bool = False) -> "list[Document]":
    """The documents of a system; those without sentences get the tokens and sentences that gold gets."""
    documents = read_documents(path, lenient=lenient)
    if sentences is None:
        return documents
    from rhetree.treebanks.gold import GoldFiles

    gold = GoldFiles(sentences, lenient=lenient)
    return [
        document if document.sentences else gold.complete(document, path).document for document in documents
    ]


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


def choose_level(asked: "Level | None", documents: "Sequence[Document]") -> "Level":
    """The level asked for, or the finer one that these documents allow."""
    if asked == "document":
        return asked
    without = [document for document in documents if document.tokens and not document.sentences]
    if not without:
        return "sentence"
    if asked is None and not any(document.sentences for document in documents):
        print("rhetree: no sentences are known, so trees of whole documents are compared", file=sys.stderr)
        return "document"
    raise RhetreeError(
        f"{without[0].name or 'a document'} has no sentences; compare whole documents with --level document, "
        "or bring the sentences of Penn Treebank or CoNLL-U files with --sentences FOLDER"
    )


def _read_files(layout: "Layout", lenient: bool) -> "Iterator[tuple[str | None, Document]]":
    """Each document with its split, by list or by folder; None without one."""
    from rhetree.treebanks import read

    for source in layout.sources:
        for document in read(source.path, format=source.format.name, lenient=lenient):
            name = document.name if source.name is None else source.name
            split = layout.lists[name].split if name in layout.lists else source.split
            yield split, replace(document, name=name)
