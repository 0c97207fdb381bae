"""Scores EDUs and trees from raw text, beside those from gold tokens and sentences: what users get.

    python benchmarks/raw_trees.py GUM [--model english] [--split dev test] [--level document]

GUM's raw text has its tokens with their original spacing and a blank line between paragraphs. Tokens and sentences
that differ from gold's are compared by characters: both documents get the smallest tokens that either has. A gold
sentence's tree is compared with the predicted node of exactly its characters; where a sentence was split or joined
wrongly there is none, and all of its spans are missed. With ``--level document`` trees of whole documents are compared,
by original Parseval.
"""

import argparse
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

import rhetree
from rhetree.corpora.corpus import read_corpus
from rhetree.domain.document import Document, Token
from rhetree.domain.span import Span
from rhetree.metrics.report import Evaluation, Scores, evaluate

KINDS = {"sentence": "rst", "document": "original"}
"""The Parseval to print at each level."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("--model", default="english")
    parser.add_argument("--split", nargs="+", default=["dev"])
    parser.add_argument("--level", choices=KINDS, default="sentence")
    args = parser.parse_args()
    model = rhetree.load(args.model, threads=1)
    for split in args.split:
        corpus = read_corpus(args.gum, split=(split,))
        gold = (corpus.split_by_sentence() if args.level == "sentence" else corpus).split(split)
        texts = [Document(name=document.name, text=document.text) for document in gold]
        given, found = (list(model.parse_documents(some, level=args.level)) for some in (gold, texts))
        pairs = [in_common(*both) for both in zip(gold, found, strict=True)]
        evaluations = {
            "gold sentences": evaluate(gold, given, level=args.level),
            "raw text": evaluate([one for one, _ in pairs], [other for _, other in pairs], level=args.level),
        }
        parts = ("span", "nuclearity", "relation", "full")
        metrics = [f"parseval.{KINDS[args.level]}.{part}" for part in parts]
        report(split, evaluations, ["segmentation.inner", "segmentation.starts", *metrics])


def in_common(gold: Document, predicted: Document) -> tuple[Document, Document]:
    """Two documents of one text with the smallest tokens that either has."""
    edges = {
        edge
        for document in (gold, predicted)
        for token in document.tokens
        for edge in (token.start, token.end)
    }
    starts = sorted(edges)
    inside = [False] * len(starts)
    for document in (gold, predicted):
        for token in document.tokens:
            for number in range(bisect_left(starts, token.start), bisect_left(starts, token.end)):
                inside[number] = True
    tokens = [
        Token(gold.text[start:end], start, end)
        for start, end, is_token in zip(starts, starts[1:], inside, strict=False)
        if is_token
    ]
    return tuple(_with_tokens(document, tokens) for document in (gold, predicted))  # type: ignore[return-value]


def _with_tokens(document: Document, tokens: Sequence[Token]) -> Document:
    places = {token.start: number for number, token in enumerate(tokens)}

    def again(spans: Sequence[Span]) -> tuple[Span, ...]:
        starts = [places[document.tokens[span.start].start] for span in spans]
        return tuple(map(Span, starts, [*starts[1:], len(tokens)]))

    return Document(
        name=document.name,
        text=document.text,
        tokens=tuple(tokens),
        sentences=again(document.sentences),
        edus=again(document.edus),
        sentence_trees=document.sentence_trees,
        tree=document.tree,
        metadata=document.metadata,
    )


def report(split: str, evaluations: dict[str, Evaluation], metrics: Sequence[str]) -> None:
    print(f"\n| {split} | segmentation | all EDU starts | S | N | R | Full |\n|{' --- |' * 7}")
    for name, evaluation in evaluations.items():
        print(f"| {name} | {' | '.join(cells(evaluation.total, metrics))} |")
    print(
        f"\n| {split}: segmentation / Full | {' | '.join(evaluations)} |\n|{' --- |' * (1 + len(evaluations))}"
    )
    by_genre = {name: genres(evaluation) for name, evaluation in evaluations.items()}
    for genre in sorted(next(iter(by_genre.values()))):
        row = [cells(scores[genre], metrics) for scores in by_genre.values()]
        print(f"| {genre} | {' | '.join(f'{one[0]} / {one[-1]}' for one in row)} |")


def genres(evaluation: Evaluation) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for document in evaluation.documents:
        found[document.genre] = found.get(document.genre, Scores()) + document.scores
    return found


def cells(scores: Scores, metrics: Sequence[str]) -> list[str]:
    return [f"{100 * (scores.f1(metric) or 0):.1f}" for metric in metrics]


if __name__ == "__main__":
    main()
