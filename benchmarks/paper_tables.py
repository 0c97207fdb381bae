"""Reproduces the paper's tables on an open treebank: trains every row with several seeds, then prints the tables.

    python benchmarks/paper_tables.py train --corpus FOLDER --encoders FOLDER [--jobs 2] [--only ROW …]
    python benchmarks/paper_tables.py tables [--into docs/results.md]

``train`` runs what is missing: each finished run writes a small JSON to benchmarks/results/paper/, so
you can stop and restart it at any time. It repeats runs whose recipe has changed since. ``--jobs`` runs
go on at the same time, with one thread each. ``--encoders`` is a folder with ``minilm/``, a Hugging Face
encoder, and ``glove-50d/``, 50-dimensional word vectors. Models are kept in ``--work``. ``tables`` shows
all finished runs; ``--into`` also writes them into a page, between the lines ``<!-- paper -->`` and
``<!-- /paper -->``.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages import put

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "paper"
SPLITS = ("dev", "test")
METRICS = (
    "segmentation.inner",
    *(f"parseval.rst.{part}" for part in ("span", "nuclearity", "relation", "full")),
)


@dataclass(frozen=True)
class Row:
    """One row of a table: a recipe of Rhetree with some settings changed, over some seeds."""

    title: str
    config: str = ""
    settings: tuple[str, ...] = ()
    seeds: int = 5
    pipeline: tuple[str, str] | None = None
    """Instead of a recipe: the rows of a segmenter and of a parser, which run one after the other."""


FROZEN = "frozen encoder"
SEGBOT = ("network.segmenter.pointer=additive", "network.segmenter.input=embedding")
LONG = ("train.epochs=30", "train.patience=6")
"""On GloVe the score on dev still rises after the 12 epochs of the other rows."""
ROWS = {
    "pointer": Row(f"Pointer net, {FROZEN}", "frozen-segmenter"),
    "segbot": Row(f"SegBot, {FROZEN}", "segbot"),
    "wly": Row(f"WLY (BiLSTM-CRF), {FROZEN}", "wly"),
    "parser": Row("Stack pointer, partial tree", "frozen-parser"),
    "joint": Row(f"Joint, {FROZEN}", "frozen-joint"),
    "pipeline": Row("Pipeline of the two", pipeline=("pointer", "parser")),
    "segbot-glove": Row("SegBot, GloVe", "glove-segmenter", (*SEGBOT, *LONG), seeds=3),
    "pointer-glove": Row("Pointer net, GloVe", "glove-segmenter", LONG, seeds=3),
    "parser-plain": Row("Stack pointer", "frozen-parser", ("network.parser.partial_tree=none",), seeds=3),
    "parser-separate": Row(
        "Stack pointer, partial tree, separate classifiers",
        "frozen-parser",
        ("network.classifier.separate=true",),
        seeds=3,
    ),
    "parser-mean": Row(
        "Stack pointer, partial tree, mean span for decoder and labels",
        "frozen-parser",
        ("network.parser.span=mean",),
        seeds=3,
    ),
    "parser-mean-decoder": Row(
        "Stack pointer, partial tree, mean span for the decoder",
        "frozen-parser",
        ("network.parser.span=mean", "network.classifier.span=last"),
        seeds=3,
    ),
    "joint-tuned": Row("Joint, fine-tuned encoder", "tuned-joint", seeds=3),
    "pointer-tuned": Row(
        "Pointer net, fine-tuned encoder", "tuned-joint", ("network.task=segment",), seeds=3
    ),
}
"""All rows of the tables; those behind the paper's claims come first."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("train", "one"):
        command = commands.add_parser(name)
        command.add_argument("--corpus", type=Path, required=True)
        command.add_argument("--encoders", type=Path, required=True)
        command.add_argument("--work", type=Path, default=Path("runs") / "paper")
        if name == "train":
            command.add_argument("--jobs", type=int, default=2, help="runs side by side, one thread each")
            command.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS))
        else:
            command.add_argument("row", choices=ROWS)
            command.add_argument("seed", type=int)
    command = commands.add_parser("tables")
    command.add_argument("--into", type=Path, metavar="PAGE", help="also write them into this page")
    args = parser.parse_args()
    if args.command == "tables":
        text = "\n".join(tables()) + "\n"
        sys.stdout.write(text)
        if args.into is not None:
            put(text, args.into, "paper")
    elif args.command == "one":
        run_one(args)
    elif not train_missing(args):
        sys.exit(1)


def train_missing(args: argparse.Namespace) -> bool:
    """Run every row and seed without a current result; returns whether all succeeded."""
    rows = [name for name in ROWS if name in args.only]
    missing = [
        (name, seed)
        for seed in range(1, max(row.seeds for row in ROWS.values()) + 1)
        for name in rows
        if seed <= ROWS[name].seeds and not is_done(name, seed)
    ]
    trained = [run for run in missing if ROWS[run[0]].pipeline is None]
    piped = [run for run in missing if ROWS[run[0]].pipeline is not None]
    for stage in (trained, piped):
        with ThreadPoolExecutor(args.jobs) as pool:
            if not all(list(pool.map(lambda run: _subprocess(args, *run), stage))):
                return False
    return True


def is_done(name: str, seed: int) -> bool:
    """Whether there is a result that was made by the current recipe."""
    from rhetree.learning.training.recipe import Recipe
    from rhetree.learning.training.settings import build

    if not result_path(name, seed).exists():
        return False
    made_by = json.loads(result_path(name, seed).read_text(encoding="utf-8")).get("recipes", {})
    parts = ROWS[name].pipeline or (name,)
    return made_by.keys() == set(parts) and all(
        kept(build(Recipe, made_by[part])) == kept(read_row(ROWS[part], seed)) for part in parts
    )


def read_row(row: Row, seed: int, *assignments: str):
    """The recipe of a row."""
    from rhetree.learning.training.recipe import read_recipe
    from rhetree.learning.training.shipped_recipes import find_recipe

    settings = [f"train.seed={seed}", "train.threads=1", *row.settings, *assignments]
    return read_recipe(find_recipe(row.config), settings)


def kept(recipe) -> dict[str, Any]:
    """The settings of a recipe, without the corpus's path, and with the encoder's name instead of its path."""
    from rhetree.learning.training.settings import as_dict

    settings = as_dict(recipe)
    settings["data"]["corpus"] = ""
    settings["network"]["embedding"]["path"] = Path(settings["network"]["embedding"]["path"]).name
    return settings


def _subprocess(args: argparse.Namespace, name: str, seed: int) -> bool:
    started = time.perf_counter()
    command = [sys.executable, __file__, "one", name, str(seed)]
    for option in ("corpus", "encoders", "work"):
        command += [f"--{option}", str(getattr(args, option))]
    args.work.mkdir(parents=True, exist_ok=True)
    with (args.work / f"{name}-{seed}.log").open("a") as log:
        done = subprocess.run(command, stdout=log, stderr=log, env=os.environ | {"OMP_NUM_THREADS": "1"})
    said = "done" if done.returncode == 0 else f"FAILED, see {log.name}"
    print(
        f"{name} seed {seed}: {said} after {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True
    )
    return done.returncode == 0


def run_one(args: argparse.Namespace) -> None:
    """Score one row with one seed, after training it unless it is a pipeline."""
    import torch

    from rhetree.corpora.corpus import read_corpus
    from rhetree.learning.evaluation import evaluate_models
    from rhetree.learning.training.commit import source_commit
    from rhetree.learning.training.experiment import run
    from rhetree.learning.training.recipe import read_recipe
    from rhetree.learning.training.run_folder import LOG, RECIPE

    torch.set_num_threads(1)
    row = ROWS[args.row]
    started = time.perf_counter()
    commit = source_commit()
    segmenter = None
    if row.pipeline is None:
        folder = args.work / f"{args.row}-{args.seed}"
        encoder = args.encoders / Path(read_row(row, args.seed).network.embedding.path).name
        recipe = read_row(row, args.seed, f"data.corpus={args.corpus}", f"network.embedding.path={encoder}")
        if (folder / RECIPE).exists() and kept(read_recipe(folder / RECIPE)) != kept(recipe):
            shutil.rmtree(folder)  # the recipe has changed since
        for event in run(recipe, folder, resume=(folder / LOG).exists()):
            if hasattr(event, "scores"):
                print(event.epoch, dict(event.scores), flush=True)
    else:
        segmenter, folder = (args.work / f"{name}-{args.seed}" for name in row.pipeline)
    corpus = read_corpus(args.corpus).split_by_sentence()
    record = {"row": args.row, "seed": args.seed, "config": row.config, "settings": list(row.settings)}
    for split in SPLITS:
        results = evaluate_models(
            folder / "model",
            corpus.split(split),
            segmenter=None if segmenter is None else segmenter / "model",
        )
        record[split] = {
            name: {
                document.name: {metric: _counts(document.scores, metric) for metric in METRICS}
                for document in evaluation.documents
            }
            for name, evaluation in (("gold", results.gold), ("auto", results.auto))
            if evaluation is not None
        }
    record["seconds"] = round(time.perf_counter() - started)
    record["commit"] = commit
    record["recipes"] = {part: kept(read_row(ROWS[part], args.seed)) for part in row.pipeline or (args.row,)}
    RESULTS.mkdir(parents=True, exist_ok=True)
    result_path(args.row, args.seed).write_text(
        json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8"
    )


def _counts(scores, metric: str) -> list[int] | None:
    counts = scores.counts(metric)
    return None if counts is None else [counts.matched, counts.predicted, counts.gold]


def result_path(name: str, seed: int) -> Path:
    return RESULTS / f"{name}-{seed}.json"


def tables() -> Iterator[str]:
    """The three tables in Markdown, with all finished runs."""
    yield from _table(
        "Segmentation, F1 of boundaries inside sentences",
        "auto",
        {"P": ("segmentation.inner", 0), "R": ("segmentation.inner", 1), "F1": ("segmentation.inner", 2)},
        (
            "segbot",
            "wly",
            "pointer",
            "segbot-glove",
            "pointer-glove",
            "joint",
            "pointer-tuned",
            "joint-tuned",
        ),
        versus={
            "pointer": ("segbot", "wly"),
            "pointer-glove": ("segbot-glove",),
            "joint": ("pointer",),
            "joint-tuned": ("pointer-tuned",),
        },
    )
    parseval = {
        title: (f"parseval.rst.{part}", 2)
        for title, part in (("S", "span"), ("N", "nuclearity"), ("R", "relation"), ("Full", "full"))
    }
    yield from _table(
        "Parsing with gold EDUs, RST-Parseval F1",
        "gold",
        parseval,
        (
            "parser-plain",
            "parser",
            "parser-separate",
            "parser-mean-decoder",
            "parser-mean",
            "joint",
            "joint-tuned",
        ),
        versus={
            "parser": ("parser-plain", "parser-separate", "parser-mean-decoder", "parser-mean"),
            "joint": ("parser",),
        },
    )
    yield from _table(
        "End to end, RST-Parseval F1",
        "auto",
        parseval,
        ("pipeline", "joint", "joint-tuned"),
        versus={"joint": ("pipeline",)},
    )


def _table(
    title: str,
    edus: str,
    columns: dict[str, tuple[str, int]],
    rows: Sequence[str],
    versus: dict[str, tuple[str, ...]],
) -> Iterator[str]:
    records = {name: _records(name, edus) for name in rows}
    records = {name: found for name, found in records.items() if found}
    yield f"### {title}\n"
    heads = [f"{split} {column}" for split in reversed(SPLITS) for column in columns]
    yield f"| | seeds | {' | '.join(heads)} |"
    yield f"| --- | --- | {' | '.join('---' for _ in heads)} |"
    for name, found in records.items():
        cells = [
            _mean_and_deviation([_micro(record[split][edus], metric)[which] for record in found])
            for split in reversed(SPLITS)
            for metric, which in columns.values()
        ]
        yield f"| {ROWS[name].title} | {len(found)} | {' | '.join(cells)} |"
    yield ""
    for better, others in versus.items():
        for worse in others:
            seeds = [{record["seed"] for record in records.get(name, ())} for name in (worse, better)]
            if seeds[0] & seeds[1]:
                column, (metric, _) = list(columns.items())[-1]
                yield _compared(records[worse], records[better], worse, better, edus, column, metric)
    yield ""


def _records(name: str, edus: str) -> list[dict[str, Any]]:
    paths = [result_path(name, seed) for seed in range(1, ROWS[name].seeds + 1)]
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
    return [record for record in found if edus in record["test"]]


def _micro(documents: dict[str, dict[str, Any]], metric: str) -> tuple[float, float, float]:
    from rhetree.metrics.counts import Counts

    total = Counts.total(Counts(*counts[metric]) for counts in documents.values())
    return 100 * total.precision, 100 * total.recall, 100 * total.f1


def _mean_and_deviation(values: Sequence[float]) -> str:
    from rhetree.metrics.significance import Runs

    runs = Runs(tuple(values))
    return f"{runs.mean:.2f}" + ("" if runs.deviation is None else f" ± {runs.deviation:.2f}")


def _compared(
    a: list[dict[str, Any]],
    b: list[dict[str, Any]],
    name_a: str,
    name_b: str,
    edus: str,
    column: str,
    metric: str,
) -> str:
    """Paired t-tests on the test split, over documents and over seeds, with the seeds that both rows have."""
    by_seed = {record["seed"]: record for record in b}
    both = [(record, by_seed[record["seed"]]) for record in a if record["seed"] in by_seed]
    runs = [[_micro(run["test"][edus], metric)[2] for run in pair] for pair in both]
    documents = [
        [
            sum(_micro({"": run["test"][edus][name]}, metric)[2] for run in own) / len(both)
            for own in zip(*both, strict=True)
        ]
        for name in a[0]["test"][edus]
    ]
    mean = sum(second - first for first, second in runs) / len(runs)
    return (
        f"- {ROWS[name_b].title} against {ROWS[name_a].title}, {column}: {mean:+.2f} "
        f"({_chance(documents)} over {len(documents)} documents, {_chance(runs)} over {_seeds(len(runs))})"
    )


def _chance(pairs: list[list[float]]) -> str:
    from rhetree.metrics.significance import paired_t_test

    p = paired_t_test([first for first, _ in pairs], [second for _, second in pairs]).p
    return "no test" if p is None else "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _seeds(n: int) -> str:
    return f"{n} seed{'s' if n > 1 else ''}"


if __name__ == "__main__":
    main()
