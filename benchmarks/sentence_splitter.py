"""Train the sentence splitter, and score sentences found in raw text.

    python benchmarks/sentence_splitter.py train GUM TEXTS GLOVE -o src/rhetree/text/sentences.safetensors
    python benchmarks/sentence_splitter.py score GUM TEXTS

GUM is the treebank's folder, TEXTS a folder with the train splits of EWT, LinES and ParTUT (`ewt.conllu`,
`lines.conllu`, `partut.conllu`), GLOVE one with GloVe's `vectors.npy` and `vocab.txt`. Held out and scored: GUM's dev
split, every tenth document of EWT, two of LinES' nine, the last tenth of ParTUT, which has no documents.
A sentence counts if both of its ends are gold's. syntok, corrected by our rules, stands beside the splitter.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rhetree.domain.document import Document
from rhetree.formats import read, read_one
from rhetree.learning.sentence_splitter import (
    Paragraph,
    SplitterTraining,
    gold_paragraphs,
    raw_text,
    save_splitter,
    train_splitter,
)
from rhetree.metrics.counts import Counts
from rhetree.text.sentences import sentence_starts
from rhetree.text.splitter import SentenceSplitter, load_splitter
from rhetree.text.tokenizing import paragraphs

Text = list[Paragraph]
Finder = Callable[[str, Sequence[str], Sequence[int]], list[int]]
"""From a text and the tokens of a paragraph to those that start a sentence."""
N_WORDS = 30_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    score = commands.add_parser("score")
    for command in (train, score):
        command.add_argument("gum", type=Path)
        command.add_argument("texts", type=Path)
    train.add_argument("glove", type=Path)
    train.add_argument("-o", "--output", type=Path, required=True)
    train.add_argument("--epochs", type=int, default=SplitterTraining().epochs)
    train.add_argument("--seed", type=int, default=SplitterTraining().seed)
    args = parser.parse_args()
    learnt, held_out = split(args.gum, args.texts)
    if args.command == "train":
        words = (args.glove / "vocab.txt").read_text(encoding="utf-8").split("\n")[:N_WORDS]
        vectors = np.load(args.glove / "vectors.npy", mmap_mode="r")[:N_WORDS]
        config = SplitterTraining(epochs=args.epochs, seed=args.seed)
        for epoch, loss, network in train_splitter(learnt, words, np.asarray(vectors), config):
            save_splitter(network, words, args.output)
            found = score_all(held_out, splitter(load_splitter.__wrapped__(args.output)))
            print(f"epoch {epoch}: loss {loss:.4f}, {found}", flush=True)
        return
    print("syntok and rules:", score_all(held_out, lambda _, forms, starts: sentence_starts(forms, starts)))
    print("splitter:        ", score_all(held_out, splitter(load_splitter())))


def splitter(network: SentenceSplitter) -> Finder:
    return network.sentence_starts


def split(gum: Path, texts: Path) -> tuple[list[Text], dict[str, list[Text]]]:
    """What to learn from, and what to score on."""

    def of_gum(name: str) -> list[Text]:
        names = (gum / f"{name}.txt").read_text(encoding="utf-8").split()
        return [gold_paragraphs(read_one(gum / "conllu" / f"{one}.conllu")) for one in names]

    def of_file(name: str) -> list[Text]:
        documents: list[Document] = list(read(texts / f"{name}.conllu"))
        return [gold_paragraphs(document) for document in documents]

    learnt, held_out = of_gum("train"), {"GUM dev": of_gum("dev")}
    for name, is_held_out in (("ewt", lambda n: n % 10 == 9), ("lines", lambda n: n in (3, 8))):
        documents = list(enumerate(of_file(name)))
        held_out[name] = [one for n, one in documents if is_held_out(n)]
        learnt += [one for n, one in documents if not is_held_out(n)]
    sentences = [sentence for text in of_file("partut") for own in text for sentence in own]
    edge = len(sentences) * 9 // 10
    learnt.append([tuple(sentences[:edge])])
    held_out["partut"] = [[tuple(sentences[edge:])]]
    return learnt, held_out


def score_all(held_out: dict[str, list[Text]], find: Finder) -> str:
    scores = {name: sum((score(text, find) for text in texts), Counts()) for name, texts in held_out.items()}
    return ", ".join(f"{name} {100 * counts.f1:.2f}" for name, counts in scores.items())


def score(document: Text, find: Finder) -> Counts:
    text, sentences = raw_text(document)
    found = set()
    for forms, starts in paragraphs(text):
        opening = find(text, forms, starts)
        for first, end in zip(opening, [*opening[1:], len(forms)], strict=True):
            found.add((starts[first], starts[end - 1] + len(forms[end - 1])))
    gold = set(sentences)
    return Counts(len(gold & found), len(found), len(gold))


if __name__ == "__main__":
    main()
