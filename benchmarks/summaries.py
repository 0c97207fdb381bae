"""Compares summaries made from trees with the summaries that people wrote of GUM's documents.

    python benchmarks/summaries.py GUM [--split dev] [--tokens 60] [--seed 0]

GUM has one to five summaries by people of each document. Each system may keep the same number of tokens: the summary
from the gold tree, the first EDUs of the text (lead), the last ones, and EDUs drawn at random, headings aside. Content
words are counted: the share of those in a human summary that the system has (recall), and the harmonic mean with the
share of the system's that are in the human's (F1), averaged over the human summaries and then over documents. "Human"
compares each human summary with the others. The interval is that of a paired bootstrap over documents, tree against
lead.
"""

import argparse
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

from rhetree.corpora.corpus import AS_THEY_ARE, read_corpus
from rhetree.domain.document import Document

Score = tuple[float, float]
"""Recall and F1."""

_LETTERS = re.compile(r"[^\W\d_]{3,}")
_STOP = frozenset(
    """
    a about after all also an and any are as at be because been before being both but by can could did do does during each
    few for from had has have having he her here hers him his how if in into is it its itself just may might more most must
    my nor not now of off on once one only or other our out over own she should so some such than that the their them then
    there these they this those through to too two under until up upon very was we were what when where which while who whom
    why will with would you your
    """.split()  # noqa: SIM905  # a list has a line for each
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--tokens", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    corpus = read_corpus(args.gum, split=args.split, relations=AS_THEY_ARE)
    documents = list(corpus.documents)
    chance = random.Random(args.seed)
    systems: dict[str, Callable[[Document], str]] = {
        "tree": lambda document: from_tree(document, args.tokens),
        "lead": lambda document: from_order(document, args.tokens, statements(document)),
        "end": lambda document: from_order(document, args.tokens, statements(document)[::-1]),
        "random": lambda document: from_order(
            document, args.tokens, chance.sample(statements(document), len(statements(document)))
        ),
    }
    scores: dict[str, list[Score]] = {name: [] for name in (*systems, "human")}
    sizes: dict[str, list[int]] = {name: [] for name in systems}
    for document in documents:
        human = human_summaries(document)
        for name, summarize in systems.items():
            text = summarize(document)
            sizes[name].append(len(text.split()))
            scores[name].append(average([score(text, one) for one in human]))
        pairs = [score(one, other) for one in human for other in human if one is not other]
        scores["human"] += [average(pairs)] if pairs else []
    print(f"{len(documents)} documents of {args.split}, {args.tokens} tokens each")
    print("| summary | recall | F1 | words |\n| --- | --- | --- | --- |")
    for name, found in scores.items():
        recall, f1 = average(found)
        words = f"{mean(sizes[name]):.0f}" if name in sizes else ""
        print(f"| {name} | {100 * recall:.1f} | {100 * f1:.1f} | {words} |")
    low, high = interval(
        [a[1] - b[1] for a, b in zip(scores["tree"], scores["lead"], strict=True)], args.seed
    )
    print(f"tree - lead, F1, 95 % of bootstrap samples: {100 * low:+.1f} to {100 * high:+.1f}")


def human_summaries(document: Document) -> list[str]:
    """The summaries that people wrote, without who wrote them."""
    found = [document.metadata.get(f"summary{number}", "") for number in range(1, 6)]
    return [text.partition(")")[2] for text in found if text.startswith("(human")]


def from_tree(document: Document, n_tokens: int) -> str:
    return document.summary(share=min(1.0, n_tokens / len(document.tokens))).text


def statements(document: Document) -> list[int]:
    """The EDUs that are in no heading."""
    blocks = document.edu_blocks()
    return [edu for edu in range(len(document.edus)) if document.blocks[blocks[edu]].kind != "heading"]


def from_order(document: Document, n_tokens: int, order: Sequence[int]) -> str:
    """The EDUs that fit, in this order."""
    kept = []
    for edu in order:
        if len(document.edus[edu]) <= n_tokens:
            n_tokens -= len(document.edus[edu])
            kept.append(edu)
    return " ".join(document.text_of(document.edus[edu]) for edu in sorted(kept))


def content(text: str) -> set[str]:
    """The content words, without a plural's s."""
    words = (word.lower() for word in _LETTERS.findall(text))
    return {word.removesuffix("s") for word in words if word not in _STOP}


def score(text: str, human: str) -> Score:
    ours, theirs = content(text), content(human)
    shared = len(ours & theirs)
    recall = shared / len(theirs) if theirs else 1.0
    precision = shared / len(ours) if ours else 0.0
    return recall, 2 * precision * recall / (precision + recall) if shared else 0.0


def average(scores: Sequence[Score]) -> Score:
    return mean(recall for recall, _ in scores), mean(f1 for _, f1 in scores)


def interval(differences: Sequence[float], seed: int, n_samples: int = 10_000) -> tuple[float, float]:
    chance = random.Random(seed)
    means = sorted(mean(chance.choices(differences, k=len(differences))) for _ in range(n_samples))
    return means[n_samples // 40], means[-n_samples // 40]


if __name__ == "__main__":
    main()
