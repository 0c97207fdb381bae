"""Measures what it gains to go on from a model instead of from its encoder, on a few documents of a new genre.

    python benchmarks/fine_tuning.py train GUM ENCODER START -o RUNS [--seeds 1 2 3] [--epochs 2 4] [--threads 1] [--dtype float32]
    python benchmarks/fine_tuning.py tables [--into docs/results.md]
    python benchmarks/fine_tuning.py restored MODEL GUM [--every 1] [--threads 1]

START is the run of ``benchmarks/data_sizes.py`` on 80 documents, which has seen no document of the genres
conversation and vlog. Its model is exported in 8 bits, as the shipped one is, and training goes on from that export by
the recipe fine-tune. The other way trains the same network from the encoder, by the recipe english-teacher. Both learn
from the same 20 documents of the two genres and select their epoch on the two others of the train split. Scored are
the four documents of dev. Each finished run writes a small JSON to benchmarks/results/fine_tuning/. ``restored`` scores an exported model and the network that is
restored from its graphs, on every n-th document of dev.
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from data_sizes import LEFT_OUT, add_dtype, genre_of, learn, names, score, subset, write
from pages import add_tables, print_tables

RESULTS = Path(__file__).parent / "results" / "fine_tuning"
N_DOCUMENTS = 20
WAYS = {"start": "the start, as it is", "model": "fine-tuned from it", "encoder": "trained from the encoder"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("train")
    command.add_argument("gum", type=Path)
    command.add_argument("encoder", type=Path, help="the Hugging Face folder of e5-small")
    command.add_argument("start", type=Path, help="folder of a model that has not seen the genres")
    command.add_argument("-o", "--output", type=Path, required=True)
    command.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    command.add_argument("--epochs", type=int, nargs=2, default=[2, 4], metavar=("MODEL", "ENCODER"))
    command.add_argument("--threads", type=int, default=1)
    add_dtype(command)
    add_tables(commands)
    command = commands.add_parser("restored")
    command.add_argument("model", help="an exported model: its name or folder")
    command.add_argument("gum", type=Path)
    command.add_argument("--every", type=int, default=1)
    command.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    if args.command == "train":
        train(args)
    elif args.command == "restored":
        compare(args)
    else:
        print_tables(tables(), args.into, "fine-tuning")


def train(args: argparse.Namespace) -> None:
    from rhetree.corpora.corpus import read_corpus
    from rhetree.learning.export import export_model

    start = args.output / "start"
    if not start.exists():
        export_model(args.start, start)
    of_genres = [name for name in names(args.gum, "dev") if genre_of(name) in LEFT_OUT]
    documents = read_corpus(args.gum, split="dev").split_by_sentence().split("dev")
    documents = [document for document in documents if document.name in of_genres]
    if not (RESULTS / "start.json").exists():
        write(RESULTS / "start.json", {"dev": score(start, documents, args.threads)})
    order = [name for name in names(args.gum, "train") if genre_of(name) in LEFT_OUT]
    random.Random(1).shuffle(order)
    corpus = subset(args.gum, args.output / "corpus", order[:N_DOCUMENTS], order[N_DOCUMENTS:])
    shared = [
        f"data.corpus={corpus}",
        "data.unseen_labels=ignore",
        f"network.embedding.training_dtype={args.dtype}",
        f"train.threads={args.threads}",
    ]
    recipes = {
        "model": ("fine-tune", [f'train.start="{start}"']),
        "encoder": ("english-teacher", [f"network.embedding.path={args.encoder}"]),
    }
    epochs = dict(zip(recipes, args.epochs, strict=True))
    for seed in args.seeds:
        for way, (recipe, settings) in recipes.items():
            result = RESULTS / f"{way}-{seed}.json"
            if result.exists():
                continue
            settings = [*shared, *settings, f"train.seed={seed}", f"train.epochs={epochs[way]}"]
            folder = args.output / f"{way}-{seed}"
            record = learn(recipe, settings, folder)
            record |= {"epochs": epochs[way], "seed": seed}
            write(result, record | {"dev": score(folder / "model", documents, args.threads)})


def compare(args: argparse.Namespace) -> None:
    """Score an exported model and the network restored from its graphs, both by greedy search."""
    import torch

    from rhetree.corpora.corpus import read_corpus
    from rhetree.learning import scoring
    from rhetree.learning.restoration import restore_model
    from rhetree.runtime.installed import find_model
    from rhetree.runtime.loading import load_any
    from rhetree.runtime.pipeline import Pipeline

    torch.set_num_threads(args.threads)
    folder = find_model(args.model)
    documents = read_corpus(args.gum, split="dev").split_by_sentence().split("dev")[:: args.every]
    print(f"{len(documents)} documents")
    model = load_any(folder, threads=args.threads)
    print("graphs", scoring.score_pipeline(Pipeline(model.network, model.labels), documents).named())
    print("restored", scoring.score(restore_model(folder).network, documents).named())


def tables() -> Iterator[str]:
    """The table in Markdown, with all finished runs."""
    scores = {"segmentation": "segmentation", "gold-full": "gold Full", "full": "end to end Full"}
    yield f"| | seeds | epochs | {' | '.join(scores.values())} | end to end Full of each seed |"
    yield f"| --- | --- | --- | {' | '.join('---' for _ in scores)} | --- |"
    means = {}
    for way, title in WAYS.items():
        paths = sorted(RESULTS.glob(f"{way}*.json"))
        records = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        if records:
            means[way] = [mean(record["dev"][name] for record in records) for name in scores]
            each = ", ".join(f"{record['dev']['full']:.1f}" for record in records)
            epochs = records[0].get("epochs", "")
            seeds = len(records) if way != "start" else ""
            yield f"| {title} | {seeds} | {epochs} | {' | '.join(f'{one:.1f}' for one in means[way])} | {each} |"
    if "model" in means and "encoder" in means:
        yield ""
        yield f"End to end, {means['model'][-1] - means['encoder'][-1]:+.1f} points of Full from the model."


if __name__ == "__main__":
    main()
