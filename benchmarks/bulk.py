"""Sentences of equal length together against one by one, through the same parser's encoder, in turns.

    python benchmarks/bulk.py --gum GUM

Processor time of one thread. The documents must be the same, probabilities included, or the run fails.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from speed_encoder import words_of
from speed_sentences import gum_documents


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--gum", type=Path, default=os.environ.get("RHETREE_GUM"), help="default: RHETREE_GUM"
    )
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--every", type=int, default=4, help="take every n-th document (default: 4)")
    args = parser.parse_args()
    if args.gum is None:
        parser.error("name the folder of GUM with --gum or RHETREE_GUM")
    from rhetree.runtime.parser import load

    texts = [document.text for document in gum_documents(Path(args.gum), "dev")[:: args.every]]
    ways = {"one by one": load(threads=1), "together": load(threads=1)}
    one_by_one(ways["one by one"])
    found = {name: list(own.parse_many(texts)) for name, own in ways.items()}
    if found["one by one"] != found["together"]:
        raise SystemExit("the documents differ")
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(args.turns):
        for name, own in ways.items():
            begun = time.thread_time()
            for _ in own.parse_many(texts):
                pass
            seconds[name].append(time.thread_time() - begun)
    n = sum(len(document.sentences) for document in found["together"])
    print(
        f"{n:,} sentences of {len(texts)} documents of GUM's dev split, from raw text; shortest of {args.turns} turns.\n"
    )
    print("| through the encoder | sentences/s | against one by one |\n| --- | --- | --- |")
    for name, own in seconds.items():
        print(f"| {name} | {n / min(own):,.0f} | {min(seconds['one by one']) / min(own):.2f} |")
    print("\nAll documents are the same, probabilities included.")
    return 0


def one_by_one(parser) -> None:
    """Take the second graph away from a parser's encoder."""
    words_of(parser)._read_batch_graph = lambda: None


if __name__ == "__main__":
    sys.exit(main())
