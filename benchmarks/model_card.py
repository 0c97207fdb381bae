"""Measure a model and write its scores into its card.

    python benchmarks/model_card.py MODEL CORPUS

Replaces the part of MODEL/MODEL_CARD.md between ``<!-- scores -->`` and ``<!-- /scores -->`` by tables
from ``rhetree evaluate``: scores of the shipped model on dev and test.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pages import put

CARD = "MODEL_CARD.md"
SPLITS = ("test", "dev")
PARTS = {"span": "S", "nuclearity": "N", "relation": "R", "full": "Full"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    args = parser.parse_args()
    measured = {split: evaluate(args.model, args.corpus, split) for split in SPLITS}
    tables = "\n".join([*segmentation(measured), *parsing(measured), *genres(measured["test"])])
    put(tables, args.model / CARD, "scores")


def evaluate(model: Path, corpus: Path, split: str) -> dict:
    command = [
        sys.executable,
        "-m",
        "rhetree",
        "evaluate",
        str(model),
        str(corpus),
        "--split",
        split,
        "--json",
    ]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def segmentation(measured: dict[str, dict]) -> Iterator[str]:
    yield "Segmentation, both ways of counting:\n"
    yield "| split | inside sentences P | R | F1 | all EDU starts P | R | F1 |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for split, found in measured.items():
        counted = [found["auto"]["segmentation"][way] for way in ("inner", "starts")]
        cells = [percent(one[part]) for one in counted for part in ("precision", "recall", "f1")]
        yield row(split, *cells)
    yield ""


def parsing(measured: dict[str, dict]) -> Iterator[str]:
    for kind, title in (("rst", "RST-Parseval"), ("original", "Original Parseval")):
        yield f"{title}, F1 of sentences' trees:\n"
        yield row(
            "split", *(f"{edus} {part}" for edus in ("gold EDUs", "own EDUs") for part in PARTS.values())
        )
        yield "| --- |" + " --- |" * 2 * len(PARTS)
        for split, found in measured.items():
            counted = [found[edus]["parseval"][kind] for edus in ("gold", "auto")]
            yield row(split, *(percent(one[part]["f1"]) for one in counted for part in PARTS))
        yield ""


def genres(found: dict) -> Iterator[str]:
    yield "By genre, on test: segmentation inside sentences, and RST-Parseval Full:\n"
    yield "| genre | sentences | segmentation F1 | gold EDUs Full | own EDUs Full |"
    yield "| --- | --- | --- | --- | --- |"
    for genre, own in found["auto"]["per_genre"].items():
        gold = found["gold"]["per_genre"][genre]
        yield row(
            genre,
            str(own["sentences"]),
            percent(own["segmentation"]["inner"]["f1"]),
            *(percent(one["parseval"]["rst"]["full"]["f1"]) for one in (gold, own)),
        )
    yield ""


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


if __name__ == "__main__":
    main()
