"""Measures what a model loses on genres that it did not learn from, and what a licence for companies costs.

    python benchmarks/genres.py train GUM ENCODER -o RUNS --recipe english-fast [--only RUN …] [--threads 1] [--dtype float32]
    python benchmarks/genres.py tables [--into docs/experiments.md]

Every run learns by one recipe, without teachers, from GUM's train split without some genres: none of them (``all``),
one that is then unseen, or those whose texts may not be used commercially. ENCODER is that of the recipe: e5-small for
english-teacher, and for english-fast what ``small_encoder.py`` makes of it. The best epoch is selected on the dev documents
of the genres that were learnt. All scores are of dev, by genre. Each finished run writes a small JSON to
benchmarks/results/genres/; a run that was stopped goes on where it was.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from data_sizes import add_dtype, genre_of, learn, names, score, subset, write
from pages import add_tables, print_tables

RESULTS = Path(__file__).parent / "results" / "genres"
NON_COMMERCIAL = ("essay", "fiction", "letter", "podcast", "whow")
"""Genres of GUM whose texts are under a licence without commercial use."""
UNSEEN = ("academic", "conversation", "court")
RUNS = {"all": (), "free": NON_COMMERCIAL} | {f"without-{genre}": (genre,) for genre in UNSEEN}
"""The genres that each run does not learn from."""
COLUMNS = ("segmentation", "gold-full", "full")
EPOCHS = 6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("train")
    command.add_argument("gum", type=Path)
    command.add_argument("encoder", type=Path)
    command.add_argument("-o", "--output", type=Path, required=True)
    command.add_argument("--recipe", choices=("english-fast", "english-teacher"), required=True)
    command.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), metavar="RUN")
    command.add_argument("--threads", type=int, default=1)
    add_dtype(command)
    add_tables(commands)
    args = parser.parse_args()
    if args.command == "train":
        for run in args.only:
            train(args, run)
    else:
        print_tables(tables(), args.into, "genres")


def train(args: argparse.Namespace, run: str) -> None:
    """Train without the genres of a run, and score the result on dev."""
    from rhetree.corpora.corpus import read_corpus

    folder = args.output / args.recipe / run
    learnt = [
        [name for name in names(args.gum, split) if genre_of(name) not in RUNS[run]]
        for split in ("train", "dev")
    ]
    settings = [
        f"data.corpus={subset(args.gum, folder / 'corpus', *learnt)}",
        "data.unseen_labels=ignore",
        f"network.embedding.path={args.encoder}",
        f"network.embedding.training_dtype={args.dtype}",
        f"train.threads={args.threads}",
        f"train.epochs={EPOCHS}",
        "distillation.teachers=[]",
        "distillation.texts=[]",
    ]
    record = learn(args.recipe, settings, folder / "run")
    dev = list(read_corpus(args.gum, split="dev").split_by_sentence().split("dev"))
    by_genre: dict[str, list] = {}
    for document in dev:
        by_genre.setdefault(genre_of(document.name), []).append(document)
    groups = {"all": dev} | dict(sorted(by_genre.items()))
    scores = {name: score(folder / "run" / "model", own, args.threads) for name, own in groups.items()}
    record |= {"recipe": args.recipe, "without": RUNS[run], "epochs": EPOCHS, "dev": scores}
    write(RESULTS / f"{args.recipe}-{run}.json", record)


def tables() -> Iterator[str]:
    """Both tables in Markdown, with all finished runs."""
    for recipe in ("english-fast", "english-teacher"):
        records = {run: record for run in RUNS if (record := _record(recipe, run)) is not None}
        if records:
            yield from _whole(recipe, records)
        if "all" in records and len(records) > 1:
            yield from _genres(recipe, records)


def _record(recipe: str, run: str) -> dict | None:
    path = RESULTS / f"{recipe}-{run}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _whole(recipe: str, records: dict[str, dict]) -> Iterator[str]:
    yield f"| `{recipe}`, dev | sentences | segmentation | gold Full | end to end Full |"
    yield "| --- | --- | --- | --- | --- |"
    for run, record in records.items():
        yield f"| {_title(run)} | {record['sentences']:,} | {_cells(record['dev']['all'])} |"
    yield ""


def _genres(recipe: str, records: dict[str, dict]) -> Iterator[str]:
    """The genres that some run did not learn: their scores with and without them."""
    yield f"| `{recipe}`, dev documents of | learnt: segmentation | gold Full | end to end Full | not learnt: segmentation | gold Full | end to end Full |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for run, record in records.items():
        for genre in record["without"]:
            with_it, without = records["all"]["dev"][genre], record["dev"][genre]
            beside = (
                f", without all of {_title(run).removeprefix('without ')}"
                if len(record["without"]) > 1
                else ""
            )
            yield f"| {genre}{beside} | {_cells(with_it)} | {_cells(without)} |"
    yield ""


def _title(run: str) -> str:
    return {"all": "all genres", "free": "without the five non-commercial genres"}.get(
        run, run.replace("-", " ")
    )


def _cells(scores: dict[str, float]) -> str:
    return " | ".join(f"{scores[name]:.1f}" for name in COLUMNS)


if __name__ == "__main__":
    main()
