"""Score a model on a split of a corpus: segmentation, and trees with gold and with its own EDUs."""

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.options import add_device_argument, naming_options, say, whole_number, with_option
from rhetree.cli.treebank_options import add_treebank_arguments, check_seed
from rhetree.errors import ArgumentError, RhetreeError, counted
from rhetree.runtime.workers import MOST_THREADS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rhetree.cli.console import Console
    from rhetree.corpora.corpus import Corpus
    from rhetree.domain.document import Document
    from rhetree.jobs.predictions import Predictions
    from rhetree.metrics.parseval import Parseval
    from rhetree.metrics.report import Evaluation
    from rhetree.runtime.pipeline import Edus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree evaluate``."""
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
        "--level",
        choices=("sentence", "document"),
        default="sentence",
        help="the trees to score: those of sentences (the default), or those of whole documents",
    )
    parser.add_argument(
        "--document-model",
        metavar="MODEL",
        help="the model that joins sentences, for --level document (default: english-document)",
    )
    parser.add_argument(
        "--segmenter",
        metavar="MODEL",
        help="another model to find the EDUs that the first one parses",
    )
    parser.add_argument(
        "--relations", help="relation classes: gum, rst-dt, none or a file (default: the model's)"
    )
    add_treebank_arguments(
        parser,
        share="default: the share that was held out to train the model, for a corpus without a split dev",
        seed="default: the model's",
    )
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
    parser.add_argument(
        "--threads",
        type=whole_number(0, MOST_THREADS),
        default=0,
        help="number of threads (default: 0, one per core)",
    )
    add_device_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate and print."""
    from rhetree.cli.console import make_console
    from rhetree.cli.extras import training_extra
    from rhetree.learning.evaluation import evaluate_models, task_of
    from rhetree.runtime.installed import DOCUMENTS, find_model

    if args.to is not None and args.output is None:
        raise RhetreeError("--to names the format of what -o writes, and there is no -o")
    if args.document_model is not None and args.level == "sentence":
        raise RhetreeError("--document-model joins sentences, which --level document scores")
    if args.segmenter is not None and args.level == "document":
        raise RhetreeError("--segmenter is for trees of sentences; leave out --level document")
    check_seed(args)
    predictions = None if args.output is None else _choose_predictions(args.output, args.to)
    model = find_model(args.model)
    segmenter = None if args.segmenter is None else find_model(args.segmenter)
    parses = task_of(model) != "segment"
    with naming_options():
        corpus = _read_corpus(args, model, parses=parses)
    for note in corpus.notes:
        say(note)
    documents = corpus.split(args.split)
    if predictions is not None:
        predictions.check_room_for(documents, has_trees=parses)
    models = [model]
    if args.level == "document":
        models.append(find_model(args.document_model or DOCUMENTS))
    _tell_unknown_labels(models, documents)
    for folder in filter(None, (model, segmenter)):
        _tell_trained_on(folder, documents)
    with training_extra():
        if args.level == "document":
            from rhetree.learning.documents.evaluation import evaluate_documents

            results = evaluate_documents(
                args.model,
                documents,
                document_model=args.document_model,
                edus=args.edus,
                threads=args.threads,
                device=args.device,
            )
        else:
            results = evaluate_models(
                model,
                documents,
                segmenter=segmenter,
                edus=args.edus,
                threads=args.threads,
                device=args.device,
            )
    found: dict[Edus, Evaluation | None] = {"gold": results.gold, "auto": results.auto}
    evaluations = {
        name: replace(evaluation, inventory=corpus.relations)
        for name, evaluation in found.items()
        if evaluation is not None
    }
    places: dict[Edus, dict[str, Parseval]] = {}
    if args.level == "document":
        from rhetree.metrics.places import score_places
        from rhetree.text.blocks import with_blocks

        laid_out = [document if document.blocks else with_blocks(document) for document in documents]
        places = {name: score_places(laid_out, results.predictions[name]) for name in evaluations}
    console = make_console()
    if args.json:
        record = {
            name: evaluation.to_dict(per_document=args.per_document, per_genre=True, per_relation=True)
            for name, evaluation in evaluations.items()
        }
        for name, scores in places.items():
            record[name]["places"] = {place: parseval.to_dict() for place, parseval in scores.items()}
        console.print_json(record)
    else:
        _print_tables(console, evaluations, places, args)
    if predictions is not None:
        # If both were asked for, the trees over the model's own EDUs say more.
        best = results.predictions["auto" if "auto" in evaluations else "gold"]
        for layer in predictions.write(_naming_models(best, segmenter, model)):
            say(f"{args.output}: not kept: {layer.value}")
    return 0


def _naming_models(documents: "Sequence[Document]", *models: Path | None) -> "list[Document]":
    """The documents with the models that made them in their metadata."""
    from rhetree.runtime.identity import identify
    from rhetree.runtime.model import read_config

    names = ", ".join(identify(model, read_config(model)) for model in models if model is not None)
    return [replace(document, metadata={**document.metadata, "model": names}) for document in documents]


def _choose_predictions(path: Path, format: str | None) -> "Predictions":
    from rhetree.jobs.places import STANDARD
    from rhetree.jobs.predictions import Predictions

    if path == STANDARD:
        raise RhetreeError("-o -: standard output has the scores; name a file")
    with naming_options():
        return Predictions(path, format)


def _read_corpus(args: argparse.Namespace, model: Path, *, parses: bool) -> "Corpus":
    """Read the split to score on, with trees of sentences or of documents.

    If the corpus has no split dev, that is the documents held out when the model was trained.
    """
    from rhetree.corpora.corpus import read_corpus
    from rhetree.corpora.layouts import find_layout
    from rhetree.corpora.splits import ALL
    from rhetree.learning.evaluation import dev_share_of, relations_of

    own_share, own_seed = dev_share_of(model)

    def read(dev_share: float | None) -> "Corpus":
        corpus = read_corpus(
            args.corpus,
            split=args.split,
            trees=args.trees,
            sentences=args.sentences,
            relations=args.relations or (relations_of(model) if parses else None),
            dev_share=dev_share,
            seed=own_seed if args.seed is None else args.seed,
            lenient=args.lenient,
        )
        return corpus if args.level == "document" else corpus.split_by_sentence()

    try:
        return read(args.dev_share)
    except ArgumentError as error:
        if error.argument != "dev_share" or args.dev_share is not None:
            raise
        if own_share is not None:
            return read(own_share)
        if find_layout(args.corpus, args.trees).is_split:
            raise
        raise RhetreeError(f"{with_option(error)}, or score all of it with --split {ALL}") from error


def _tell_trained_on(model: Path, documents: "Sequence[Document]") -> None:
    """Warn of documents whose text the model saw in training: its scores on them mean little."""
    from rhetree.learning.evaluation import trained_on

    names = trained_on(model, documents)
    if names:
        some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        say(
            f"warning: {model} was trained on {len(names)} of {counted(len(documents), 'document')} "
            f"({some}); scores on them do not show how well it does on new text"
        )


def _tell_unknown_labels(models: "Sequence[Path]", documents: "Sequence[Document]") -> None:
    """Say where gold has relations that no model ever saw: its scores then tell of names, not of trees."""
    from rhetree.runtime.model import read_config

    labels = {label for model in models for label in read_config(model)["labels"]}
    gold = [
        split.label for document in documents for _, tree in document.placed_trees() for split in tree.splits
    ]
    unknown = Counter(label for label in gold if labels and label not in labels)
    if unknown:
        most = ", ".join(label for label, _ in unknown.most_common(3))
        say(
            f"{unknown.total()} of {len(gold)} gold labels are none of the model's, most often {most}; "
            "--relations names other classes"
        )


def _print_tables(
    console: "Console",
    evaluations: "Mapping[Edus, Evaluation]",
    places: "Mapping[Edus, Mapping[str, Parseval]]",
    args: argparse.Namespace,
) -> None:
    from rhetree.cli import score_tables as tables

    titles = {"gold": "With gold EDUs", "auto": "With the model's own EDUs"}
    for name, evaluation in evaluations.items():
        kinds = list(tables.KINDS) if evaluation.total.n_trees and evaluation.total.rst.span.predicted else []
        title = f"{titles[name]}:\n{tables.scope(evaluation)}"
        console.show(title, tables.scores_table(evaluation.total, kinds))
        if name in places:
            console.show("Original Parseval by where a node lies, F1", tables.places_table(places[name]))
        kind = "rst" if kinds else None
        console.show("F1 by genre", tables.f1_table(evaluation.by_genre(), kind, "Genre"))
        if args.per_document:
            rows = {document.name: document.scores for document in evaluation.documents}
            console.show("F1 by document", tables.f1_table(rows, kind, "Document"))
