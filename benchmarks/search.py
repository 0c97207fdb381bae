"""Measures how the best reading of a sentence is searched for: how many hypotheses, and what EDUs and trees are worth.

    python benchmarks/search.py MODEL GUM [--widths 1 2 3 4] [--trees 1 0.5 0.3] [--per-edu 0 0.15 0.3 0.5]
    python benchmarks/search.py MODEL GUM --write WIDTH PER_EDU TREE

MODEL is a model's name or folder. Scores are of dev with gold sentences, RST-Parseval; times are processor time of one thread
with own EDUs, the shortest turn, relative to greedy search in the same run. With --write the given settings go into the
config.json of a model's folder, and nothing is measured.
"""

import argparse
import time
from dataclasses import asdict
from pathlib import Path

from model_settings import write_setting
from rhetree.corpora.corpus import read_corpus
from rhetree.domain.document import Document
from rhetree.metrics.report import evaluate
from rhetree.runtime.installed import find_model
from rhetree.runtime.loading import load_any
from rhetree.runtime.model import RuntimeModel
from rhetree.runtime.pipeline import Edus, Pipeline
from rhetree.runtime.search import GREEDY, Search


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("gum", type=Path)
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--per-edu", type=float, nargs="+", default=[0, 0.15, 0.3, 0.5])
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--trees", type=float, nargs="+", default=[1, 0.5, 0.3])
    parser.add_argument("--write", nargs=3, metavar=("WIDTH", "PER_EDU", "TREE"))
    args = parser.parse_args()
    if args.write:
        search = Search(int(args.write[0]), *map(float, args.write[1:]))
        write_setting(Path(args.model), "search", asdict(search))
        return
    model = load_any(find_model(args.model), threads=1)
    documents = list(read_corpus(args.gum, split="dev").split_by_sentence().split("dev"))
    searches = [GREEDY] + [
        Search(width, each, tree)
        for width in args.widths
        if width > 1
        for tree in args.trees
        for each in args.per_edu
    ]
    times: dict[Search, float] = dict.fromkeys(searches, float("inf"))
    for _ in range(args.turns):
        for search in searches:
            start = time.process_time()
            predict(model, documents, search, "auto")
            times[search] = min(times[search], time.process_time() - start)
    print(
        "| hypotheses | a tree's weight | an EDU's worth | time | segmentation | gold EDUs Full | own EDUs S | N | R | Full |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for search in searches:
        gold, own = (
            evaluate(documents, predict(model, documents, search, edus)).total for edus in ("gold", "auto")
        )
        scores = (
            own.segmentation.inner,
            gold.rst.full,
            own.rst.span,
            own.rst.nuclearity,
            own.rst.relation,
            own.rst.full,
        )
        cells = " | ".join(f"{100 * counts.f1:.1f}" for counts in scores if counts is not None)
        ratio = times[search] / times[GREEDY]
        print(
            f"| {search.width} | {search.tree:g} | {search.per_edu:g} | {ratio:.2f} | {cells} |", flush=True
        )


def predict(model: RuntimeModel, documents: list[Document], search: Search, edus: Edus) -> list[Document]:
    pipeline = Pipeline(model.network, model.labels, heads=model.heads, search=search)
    return list(pipeline.predict(documents, edus=edus))


if __name__ == "__main__":
    main()
