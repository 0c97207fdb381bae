"""Measures how the scores of a fine-tuned encoder grow with the number of training documents.

    python benchmarks/data_sizes.py train GUM ENCODER -o RUNS [--sizes 80 10 20 40] [--epochs N] [--threads 1] [--dtype float32]
    python benchmarks/data_sizes.py tables [--into docs/training.md]

Each run learns by the recipe english-teacher from the first documents of one random order of GUM's train
split, so that a larger set contains the smaller ones. The genres of LEFT_OUT are not among them:
``benchmarks/fine_tuning.py`` goes on from the run of 80 documents, which must not have seen them. The best
epoch is selected on six documents of dev; the scores are those of the whole dev split. Each finished run
writes a small JSON to benchmarks/results/data_sizes/; a run that was stopped goes on where it was.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

from pages import add_tables, print_tables

RESULTS = Path(__file__).parent / "results" / "data_sizes"
EPOCHS = {10: 12, 20: 8, 40: 5, 80: 3}
"""Number of passes over so many documents: fewer over more, or the runs would take hours."""
LEFT_OUT = ("conversation", "vlog")
N_SELECTION = 6
WHOLE = "| 177 | 10,224 | 177,410 | 6 | not measured | 89.9 | 75.1 | 66.4 |"
"""The row of the whole train split, all genres, which was trained before (docs/experiments.md)."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("train")
    command.add_argument("gum", type=Path)
    command.add_argument("encoder", type=Path, help="the Hugging Face folder of e5-small")
    command.add_argument("-o", "--output", type=Path, required=True)
    command.add_argument("--sizes", type=int, nargs="+", choices=EPOCHS, default=list(EPOCHS))
    command.add_argument("--epochs", type=int, help="for all sizes, in place of those of EPOCHS")
    command.add_argument("--threads", type=int, default=1)
    add_dtype(command)
    add_tables(commands)
    args = parser.parse_args()
    if args.command == "train":
        for size in args.sizes:
            train(args, size)
    else:
        print_tables(tables(), args.into, "sizes")


def train(args: argparse.Namespace, size: int) -> None:
    """Train on this many documents, and score the result on dev."""
    from rhetree.corpora.corpus import read_corpus

    folder = args.output / f"documents-{size}"
    order = [name for name in names(args.gum, "train") if genre_of(name) not in LEFT_OUT]
    random.Random(1).shuffle(order)
    selection = names(args.gum, "dev")
    random.Random(1).shuffle(selection)
    corpus = subset(args.gum, folder / "corpus", order[:size], selection[:N_SELECTION])
    settings = [
        f"data.corpus={corpus}",
        "data.unseen_labels=ignore",
        f"network.embedding.path={args.encoder}",
        f"network.embedding.training_dtype={args.dtype}",
        f"train.threads={args.threads}",
        f"train.epochs={args.epochs or EPOCHS[size]}",
    ]
    record = learn("english-teacher", settings, folder / "run")
    dev = read_corpus(args.gum, split="dev").split_by_sentence().split("dev")
    record |= {
        "documents": size,
        "epochs": args.epochs or EPOCHS[size],
        "dev": score(folder / "run" / "model", dev, args.threads),
    }
    write(RESULTS / f"{size}.json", record)


def add_dtype(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--dtype",
        choices=("bfloat16", "float32"),
        default="bfloat16",
        help="of the encoder while it is trained; float32 is faster on processors without AVX512-BF16",
    )


def learn(recipe: str, settings: list[str], folder: Path) -> dict[str, object]:
    """Train by a recipe, or go on; returns how long it took and what it learnt from."""
    from rhetree.learning.training.commit import source_commit
    from rhetree.learning.training.experiment import Data, run
    from rhetree.learning.training.loop import Evaluated
    from rhetree.learning.training.recipe import read_recipe
    from rhetree.learning.training.shipped_recipes import find_recipe

    commit = source_commit()
    processor = time.process_time()
    n_sentences = n_tokens = 0
    best = None
    resume = (folder / "log.jsonl").exists()
    for event in run(read_recipe(find_recipe(recipe), settings), folder, resume=resume):
        if isinstance(event, Data):
            n_sentences = sum(len(document.sentences) for document in event.train)
            n_tokens = sum(len(document.tokens) for document in event.train)
        elif isinstance(event, Evaluated):
            best = event.epoch if event.is_best else best
            _count(folder, time.process_time() - processor)
            processor = time.process_time()
            print(folder, event.epoch, dict(event.scores), flush=True)
    return {
        "sentences": n_sentences,
        "tokens": n_tokens,
        "best_epoch": best,
        "processor_seconds": _count(folder),
        "commit": commit,
    }


def _count(folder: Path, seconds: float = 0) -> int:
    """Add to the processor time of a run, which may have been stopped and resumed."""
    path = folder / "processor_seconds.txt"
    total = seconds + (float(path.read_text()) if path.exists() else 0)
    path.write_text(f"{total:.0f}")
    return round(total)


def score(model: Path, documents, threads: int) -> dict[str, float]:
    """Segmentation inside sentences, and Full with gold EDUs and end to end, in percent."""
    from rhetree.learning.evaluation import evaluate_models

    results = evaluate_models(model, documents, threads=threads)
    return {name: round(value, 2) for name, value in results.named().items()}


def subset(gum: Path, folder: Path, train: list[str], dev: list[str]) -> Path:
    """A folder with links to GUM's files, and with lists of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in gum.iterdir():
        if part.stem not in ("train", "dev") and not (folder / part.name).is_symlink():
            (folder / part.name).symlink_to(part.resolve())
    for split, own in (("train", train), ("dev", dev)):
        (folder / f"{split}.txt").write_text("".join(f"{name}\n" for name in sorted(own)), encoding="utf-8")
    return folder


def names(gum: Path, split: str) -> list[str]:
    return (gum / f"{split}.txt").read_text(encoding="utf-8").split()


def genre_of(name: str) -> str:
    return name.split("_")[1]


def write(path: Path, record: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def tables() -> Iterator[str]:
    """The table in Markdown, with all finished runs."""
    yield "| documents | sentences | tokens | epochs | minutes | segmentation | gold Full | end to end Full |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for size in sorted(EPOCHS):
        path = RESULTS / f"{size}.json"
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            scores = [record["dev"][name] for name in ("segmentation", "gold-full", "full")]
            minutes = record["processor_seconds"] / 60
            yield (
                f"| {size} | {record['sentences']:,} | {record['tokens']:,} | {record['epochs']} | {minutes:.0f} | "
                f"{' | '.join(f'{value:.1f}' for value in scores)} |"
            )
    yield WHOLE


if __name__ == "__main__":
    main()
