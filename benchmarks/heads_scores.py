"""Scores fine relations beside classes, and signals, on GUM: with gold EDUs and end to end.

    python benchmarks/heads_scores.py GUM [--model english] [--split dev test]

Tokens and sentences are gold; trees are the model's. A signal counts by its tokens and kind: for each kind tokens that
it has anywhere in the text, whichever relation they are attached to, and, in the last row, markers and orphans together.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import rhetree
from rhetree.corpora.corpus import read_corpus
from rhetree.domain.document import Document
from rhetree.metrics.report import evaluate

MARKERS = ("dm", "orphan")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("--model", default="english")
    parser.add_argument("--split", nargs="+", default=["dev"])
    args = parser.parse_args()
    model = rhetree.load(args.model, threads=1, relations="fine", signals=True)
    for split in args.split:
        corpus = read_corpus(args.gum, split=(split,), relations="none")
        gold = corpus.split_by_sentence().split(split)
        signalled = read_corpus(args.gum, split=(split,), relations="none", trees="rs4", lenient=True).split(
            split
        )
        found = {edus: list(model.parse_documents(gold, edus=edus)) for edus in ("gold", "auto")}
        print(f"\n| {split} | R, classes | Full | R, fine | Full |\n| --- | --- | --- | --- | --- |")
        for edus, predicted in found.items():
            cells = []
            for name in (rhetree_class, None):
                mapped = [
                    [document if name is None else document.map_relations(name) for document in documents]
                    for documents in (gold, predicted)
                ]
                total = evaluate(*mapped).total
                cells += [
                    f"{100 * (total.f1(f'parseval.rst.{part}') or 0):.1f}" for part in ("relation", "full")
                ]
            print(f"| {edus} EDUs | {' | '.join(cells)} |")
        report_signals(split, signalled, found)


def rhetree_class(relation: str) -> str:
    from rhetree.domain.relations import GUM

    return GUM.class_of(relation)


def report_signals(split: str, gold: Sequence[Document], found: dict[str, list[Document]]) -> None:
    kinds = sorted({(one.type, one.subtype) for document in found["gold"] for one in document.signals})
    print(
        f"\n| {split}: tokens of signals, F1 | gold tokens | gold EDUs | own EDUs |\n| --- | --- | --- | --- |"
    )
    for kind in [*kinds, None]:
        wanted = tokens(gold, kind)
        cells = [f"{100 * f1(wanted, tokens(own, kind)):.1f}" for own in found.values()]
        print(
            f"| {'markers and orphans' if kind is None else ' '.join(kind)} | {len(wanted)} | {' | '.join(cells)} |"
        )


def tokens(documents: Sequence[Document], kind: tuple[str, str] | None) -> set[tuple[str, int]]:
    return {
        (document.name, token)
        for document in documents
        for one in document.signals
        if (one.type in MARKERS if kind is None else (one.type, one.subtype) == kind)
        for token in one.tokens
    }


def f1(gold: set[tuple[str, int]], predicted: set[tuple[str, int]]) -> float:
    return 2 * len(gold & predicted) / max(1, len(gold) + len(predicted))


if __name__ == "__main__":
    main()
