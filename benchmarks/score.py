"""Measures how long scoring takes: all metrics on 10,000 sentence pairs with different EDUs and trees.

    python benchmarks/score.py [--sentences 10000]

The documents are random, with 40 sentences of 18 tokens and about two EDUs, as in GUM. In about half
of the sentences the predicted boundaries are gold's. Making the documents is not timed.
"""

import argparse
import random
import time

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from rhetree.metrics.report import evaluate

N_TOKENS = 18
SENTENCES_PER_DOCUMENT = 40
RELATIONS = [
    f"{name}-{number}" for name in ("joint", "causal", "elaboration", "context") for number in range(8)
]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the scoring of random sentence pairs.")
    parser.add_argument("--sentences", type=int, default=10_000)
    n_sentences = parser.parse_args().sentences
    chance = random.Random(0)
    n_documents = -(-n_sentences // SENTENCES_PER_DOCUMENT)
    gold = [make_document(chance, f"document-{number}") for number in range(n_documents)]
    predicted = [vary(chance, document) for document in gold]
    for level in ("sentence", "document"):
        start = time.perf_counter()
        total = evaluate(gold, predicted, level=level).total
        seconds = time.perf_counter() - start
        print(
            f"{level:8} trees: {total.n_sentences} sentence pairs, {total.segmentation.starts.gold} EDUs in "
            f"{seconds:.2f} s, {total.n_sentences / seconds:,.0f} a second; Full F1 {100 * total.rst.full.f1:.1f}"
        )


def make_document(chance: random.Random, name: str) -> Document:
    cuts = [random_cuts(chance) for _ in range(SENTENCES_PER_DOCUMENT)]
    return assemble(chance, name, cuts)


def vary(chance: random.Random, document: Document) -> Document:
    """Another annotation of the same tokens, which keeps the boundaries of about half of the sentences."""
    starts = {edu.start for edu in document.edus}
    cuts = []
    for sentence in document.sentences:
        inner = {token - sentence.start for token in starts if sentence.start < token < sentence.end}
        cuts.append(inner if chance.random() < 0.5 else random_cuts(chance))
    return assemble(chance, document.name, cuts)


def assemble(chance: random.Random, name: str, cuts: list[set[int]]) -> Document:
    lengths = []
    for inner in cuts:
        edges = [0, *sorted(inner), N_TOKENS]
        lengths += [end - start for start, end in zip(edges, edges[1:], strict=False)]
    plain = Document.from_sentences([["word"] * N_TOKENS] * len(cuts), name)
    splits: list[Split] = []
    first = 0
    n_edus = len(lengths)
    for inner in cuts:
        # Sentences are joined in a right-branching chain, so each has a node of its own.
        last = first + len(inner) + 1
        if last < n_edus:
            splits.append(Split(first, last, n_edus, "NN", "joint-0"))
        splits += random_splits(chance, first, last)
        first = last
    return Document(
        name=name,
        text=plain.text,
        tokens=plain.tokens,
        sentences=plain.sentences,
        edus=spans_of_lengths(lengths),
        tree=Tree.from_splits(splits),
    )


def random_cuts(chance: random.Random) -> set[int]:
    return set(chance.sample(range(1, N_TOKENS), k=chance.choice([0, 0, 0, 1, 1, 1, 2, 2, 3, 5])))


def random_splits(chance: random.Random, start: int, end: int) -> list[Split]:
    splits, waiting = [], [(start, end)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            middle = chance.randrange(start + 1, end)
            splits.append(Split(start, middle, end, chance.choice(NUCLEARITIES), chance.choice(RELATIONS)))
            waiting += [(start, middle), (middle, end)]
    return splits


if __name__ == "__main__":
    main()
