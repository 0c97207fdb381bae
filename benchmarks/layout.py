"""Counts how much of the layout of GUM's documents is found in their plain text.

    python benchmarks/layout.py GUM [--split dev]

GUM says which paragraphs, headings and items of lists its documents had. Here they are found again in the text alone, in
which a blank line ends a paragraph and items have no bullets. A block counts if it has the same characters, a heading
if it is one in both.
"""

import argparse
from pathlib import Path

from rhetree.corpora.corpus import AS_THEY_ARE, read_corpus
from rhetree.metrics.counts import Counts
from rhetree.text import tokenize


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("--split", default="dev")
    args = parser.parse_args()
    totals = {"all blocks": Counts(0, 0, 0), "headings": Counts(0, 0, 0), "items": Counts(0, 0, 0)}
    for document in read_corpus(args.gum, split=args.split, relations=AS_THEY_ARE).documents:
        found = tokenize(document.text).blocks
        for name in totals:
            kind = {"headings": "heading", "items": "item"}.get(name)
            ours, gold = (
                {(block.start, block.end) for block in blocks if kind in (None, block.kind)}
                for blocks in (found, document.blocks)
            )
            totals[name] += Counts(len(ours & gold), len(ours), len(gold))
    print("| | in GUM | found | of these right |\n| --- | --- | --- | --- |")
    for name, counts in totals.items():
        print(f"| {name} | {counts.gold} | {counts.predicted} | {counts.matched} |")


if __name__ == "__main__":
    main()
