"""Score a model on a split of a corpus: segmentation, and trees with gold and with its own EDUs."""

import argparse
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.domain.tree import Tree
from rhetree.errors import RhetreeError, UnwritableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rhetree.cli.console import Console
    from rhetree.domain.document import Document
    from rhetree.metrics.report import Evaluation
    from rhetree.treebanks.format import Layer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a model directory, such as runs/joint/model, or an installed model's name",
    )
    parser.add_argument(
        "corpus", type=Path, metavar="CORPUS", help="the folder of a treebank (docs/corpora.md)"
    )
    parser.add_argument("--split", default="dev", help="which part of the corpus (default: dev)")
    parser.add_argument(
        "--edus",
        choices=("gold", "auto"),
        help="only with gold EDUs, or only with the model's own (default: both)",
    )
    parser.add_argument(
        "--segmenter",
        metavar="MODEL",
        help="another model to find the EDUs that the first one parses",
    )
    parser.add_argument(
        "--relations", help="relation classes: gum, rst-dt, none or a file (default: the model's)"
    )
    parser.add_argument("--sentences", type=Path, help="for RST-DT: a folder of files with its sentences")
    parser.add_argument("--per-document", action="store_true", help="each document's scores too")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE|FOLDER",
        help="write the predicted documents, in any format: with the model's own EDUs unless --edus gold",
    )
    parser.add_argument(
        "--to", metavar="FORMAT", help="the format of what is written (default: by its ending)"
    )
    parser.add_argument("--threads", type=int, default=0, help="0 for as many as there are cores")


def run(args: argparse.Namespace) -> int:
    """Evaluate and print."""
    from rhetree.cli.console import make_console
    from rhetree.cli.extras import training_extra
    from rhetree.cli.options import say
    from rhetree.learning.evaluation import evaluate_models, relations_of, task_of
    from rhetree.runtime.installed import find_model
    from rhetree.treebanks.corpus import read_corpus

    if args.to is not None and args.output is None:
        raise RhetreeError("--to names the format of what -o writes, and there is no -o")
    predictions = None if args.output is None else _Predictions(args.output, args.to)
    model = find_model(args.model)
    segmenter = None if args.segmenter is None else find_model(args.segmenter)
    parses = task_of(model) != "segment"
    corpus = read_corpus(
        args.corpus,
        split=args.split,
        sentences=args.sentences,
        relations=args.relations or (relations_of(model) if parses else None),
    ).split_by_sentence()
    for note in corpus.notes:
        say(note)
    documents = corpus.split(args.split)
    if predictions is not None:
        predictions.check_room_for(documents, has_trees=parses)
    _tell_unknown_labels(model, documents)
    with training_extra():
        results = evaluate_models(model, documents, segmenter=segmenter, edus=args.edus, threads=args.threads)
    evaluations = {
        name: replace(evaluation, inventory=corpus.relations)
        for name, evaluation in (("gold", results.gold), ("auto", results.auto))
        if evaluation is not None
    }
    console = make_console()
    if args.json:
        record = {
            name: evaluation.to_dict(per_document=args.per_document, per_genre=True, per_relation=True)
            for name, evaluation in evaluations.items()
        }
        console.print_json(record)
    else:
        _print_tables(console, evaluations, args)
    if predictions is not None:
        # Both were asked for: what the model finds by itself says more.
        predictions.write(results.predictions["auto" if "auto" in evaluations else "gold"])
    return 0


def _tell_unknown_labels(model: Path, documents: "Sequence[Document]") -> None:
    """Say where gold has relations that the model never saw: its scores then tell of names, not of trees."""
    from rhetree.cli.options import say
    from rhetree.runtime.model import read_config

    labels = set(read_config(model)["labels"])
    gold = [
        split.label
        for document in documents
        for tree in document.sentence_trees
        if tree is not None
        for split in tree.splits
    ]
    unknown = Counter(label for label in gold if labels and label not in labels)
    if unknown:
        most = ", ".join(label for label, _ in unknown.most_common(3))
        say(
            f"{unknown.total()} of {len(gold)} gold labels are none of the model's, most often {most}; "
            "--relations names other classes"
        )


class _Predictions:
    """Where predicted documents go: a file, or a folder with a file for each."""

    def __init__(self, path: Path, format: str | None) -> None:
        from rhetree.treebanks import format_of
        from rhetree.treebanks.files import STDIN, check_folder, names_folder

        if path == STDIN:
            raise RhetreeError("-o -: standard output has the scores; name a file")
        self.path = path
        self.is_folder = names_folder(path)
        if self.is_folder and format is None:
            raise RhetreeError(f"-o {path}: a folder; name what to write into it with --to")
        self.format = format_of(path, format, argument="--to")
        check_folder(path if self.is_folder else path.parent)

    def check_room_for(self, documents: "Sequence[Document]", *, has_trees: bool) -> None:
        """Raise :class:`RhetreeError` where predictions of these documents could not be written."""
        if self.is_folder and self.format.name == "dis" and has_trees:
            return
        if len(documents) > 1 and not (self.is_folder or self.format.many):
            raise RhetreeError(
                f"-o {self.path}: {self.format.name} holds one document a file, and there are {len(documents)}; "
                "name a folder"
            )
        for document in documents[:1]:
            leaves = (Tree(),) * len(document.sentences) if has_trees else ()
            stand_in = replace(document.without_trees(), edus=document.sentences, sentence_trees=leaves)
            try:
                self.format.write(stand_in, StringIO())
            except UnwritableError as error:
                raise RhetreeError(
                    f"-o {self.path}: {self.format.name} cannot hold what this model finds: {error.what}; "
                    f"json, jsonl and {'rs3' if has_trees else 'conllu'} can"
                ) from error

    def write(self, documents: "Sequence[Document]") -> None:
        from rhetree.cli.options import say
        from rhetree.treebanks import write

        if self.is_folder:
            lost = {layer for document in documents for layer in self._write_one(document)}
        else:
            lost = set(write(documents, self.path, format=self.format.name))
        for layer in sorted(lost, key=lambda layer: layer.value):
            say(f"{self.path}: not kept: {layer.value}")

    def _write_one(self, document: "Document") -> "Iterable[Layer]":
        from rhetree.cli.parsed_formats import write_sentences
        from rhetree.treebanks import write
        from rhetree.treebanks.convert import file_name

        path = self.path / file_name(document.name)
        if self.format.name != "dis" or document.tree is not None:
            ending = self.format.suffixes[0]
            return write(document, path.with_name(path.name + ending), format=self.format.name)
        write_sentences(document, path)
        return ()


def _print_tables(
    console: "Console", evaluations: "Mapping[str, Evaluation]", args: argparse.Namespace
) -> None:
    from rhetree.cli import score_tables as tables

    titles = {"gold": "With gold EDUs", "auto": "With the model's own EDUs"}
    for name, evaluation in evaluations.items():
        kinds = list(tables.KINDS) if evaluation.total.n_trees and evaluation.total.rst.span.predicted else []
        title = f"{titles[name]}:\n{tables.scope(evaluation)}"
        console.show(title, tables.scores_table(evaluation.total, kinds))
        kind = "rst" if kinds else None
        console.show("F1 by genre", tables.f1_table(evaluation.by_genre(), kind, "Genre"))
        if args.per_document:
            rows = {document.name: document.scores for document in evaluation.documents}
            console.show("F1 by document", tables.f1_table(rows, kind, "Document"))
