"""Scores and times tokenizers and sentence splitters, ours and other libraries', on GUM's raw text.

    pip install blingfire nltk nupunkt pysbd sacremoses segtok sentencex somajo spacy syntok
    python benchmarks/raw_text.py [GUM] [--split dev test] [--genres] [--only NAME ...]

GUM defaults to the folder that RHETREE_GUM names. Raw text has the tokens with their original spacing
and a blank line between paragraphs. Every library gets one paragraph at a time, so that a blank line
means the same to all; ours gets the whole text. A token or sentence is correct if it starts and ends
where gold's does. Libraries that cannot be imported are left out. Times are processor time, of the
first of three turns and of the best, since some libraries cache words. Combinations take one library's
sentences and another's tokens.
"""

import argparse
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.formats import read_one
from rhetree.metrics.counts import Counts

Range = tuple[int, int]
"""Start and end in characters."""
Splitter = Callable[[str], Iterable[Range]]
"""Splits a paragraph into sentences, or a sentence into tokens."""
System = Callable[[str], Iterable[list[Range]]]
"""Splits a paragraph into sentences, each a list of its tokens' ranges."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Score tokenizers and sentence splitters on GUM.")
    parser.add_argument("gum", nargs="?", type=Path, help="the folder of GUM")
    parser.add_argument("--split", nargs="+", default=["dev", "test"], choices=["train", "dev", "test"])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these systems alone")
    parser.add_argument("--genres", action="store_true", help="also by genre")
    parser.add_argument("--turns", type=int, default=3, help="how often to time each")
    args = parser.parse_args()
    folder = args.gum or Path(os.environ.get("RHETREE_GUM", ""))
    if not (folder / "conllu").is_dir():
        parser.error("name the folder of GUM, or set RHETREE_GUM")
    print(f"Python {platform.python_version()}, {platform.machine()}; {', '.join(versions())}")
    systems = {name: system for name, system in available() if not args.only or name in args.only}
    for split in args.split:
        documents = [
            read_one(folder / "conllu" / f"{name}.conllu")
            for name in (folder / f"{split}.txt").read_text().split()
        ]
        report(split, documents, systems, args.turns, genres=args.genres)


def report(
    split: str, documents: Sequence[Document], systems: dict[str, System], turns: int, *, genres: bool
) -> None:
    n_sentences = sum(len(document.sentences) for document in documents)
    n_tokens = sum(len(document.tokens) for document in documents)
    print(f"\n{split}: {len(documents)} documents, {n_sentences} sentences, {n_tokens} tokens\n")
    print(
        "| system | token F1 | sentence F1 | sentence P / R | ms a sentence, first | best |\n"
        "| --- | --- | --- | --- | --- | --- |"
    )
    by_genre: dict[str, dict[str, Scores]] = {}
    for name, system in systems.items():
        (first, best), predicted = timed(system, documents, turns)
        scores: dict[str, Scores] = {}
        for document, sentences in zip(documents, predicted, strict=True):
            genre = document.metadata["genre"]
            scores[genre] = scores.get(genre, Scores()) + score(document, sentences)
        by_genre[name] = scores
        total = sum(scores.values(), Scores())
        print(
            f"| {name} | {100 * total.tokens.f1:.2f} | {100 * total.sentences.f1:.2f} | "
            f"{100 * total.sentences.precision:.1f} / {100 * total.sentences.recall:.1f} | "
            f"{1000 * first / n_sentences:.3f} | {1000 * best / n_sentences:.3f} |",
            flush=True,
        )
    if genres:
        names = sorted({document.metadata["genre"] for document in documents})
        print(f"\n| token F1 / sentence F1 | {' | '.join(names)} |\n| --- |{' --- |' * len(names)}")
        for name, scores in by_genre.items():
            cells = [
                f"{100 * scores[genre].tokens.f1:.1f} / {100 * scores[genre].sentences.f1:.1f}"
                for genre in names
            ]
            print(f"| {name} | {' | '.join(cells)} |")


# --- scoring ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scores:
    tokens: Counts = field(default_factory=Counts)
    sentences: Counts = field(default_factory=Counts)

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(self.tokens + other.tokens, self.sentences + other.sentences)


def score(document: Document, sentences: list[list[Range]]) -> Scores:
    gold = [
        [(token.start, token.end) for token in document.tokens[s.start : s.end]] for s in document.sentences
    ]
    return Scores(
        matches({token for sentence in gold for token in sentence}, {t for s in sentences for t in s}),
        matches({(s[0][0], s[-1][1]) for s in gold}, {(s[0][0], s[-1][1]) for s in sentences}),
    )


def matches(gold: set[Range], predicted: set[Range]) -> Counts:
    return Counts(len(gold & predicted), len(predicted), len(gold))


def timed(
    system: System, documents: Sequence[Document], turns: int
) -> tuple[tuple[float, float], list[list[list[Range]]]]:
    """Seconds of the first and of the best turn, and the sentences of each document."""
    list(system("One sentence, to load what is loaded late."))
    seconds, predicted = [], []
    for _ in range(turns):
        start = time.process_time()
        predicted = [list(run(system, document.text)) for document in documents]
        seconds.append(time.process_time() - start)
    return (seconds[0], min(seconds)), predicted


def run(system: System, text: str) -> Iterator[list[Range]]:
    if system is rhetree:
        yield from rhetree(text)
        return
    for start, end in paragraphs(text):
        for sentence in system(text[start:end]):
            if sentence:
                yield [(start + a, start + b) for a, b in sentence]


def paragraphs(text: str) -> Iterator[Range]:
    start = 0
    for gap in re.finditer(r"\n\s*\n", text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


# --- the systems -----------------------------------------------------------------------------


def available() -> Iterator[tuple[str, System]]:
    """All systems whose packages are installed, complete ones before combinations."""
    yield "rhetree", rhetree
    for name, whole in WHOLE.items():
        if works(whole):
            yield name, whole
    splitters = {name: split for name, split in SENTENCES.items() if works(split)}
    tokenizers = {name: split for name, split in TOKENS.items() if works(split)}
    for sentence_name, sentences in splitters.items():
        for token_name, tokens in tokenizers.items():
            if (sentence_name, token_name) in PAIRS:
                yield f"{sentence_name} + {token_name}", pair(sentences, tokens)


def works(function: Callable[[str], Iterable[object]]) -> bool:
    try:
        list(function("Try."))
    except ImportError:
        return False
    return True


def pair(sentences: Splitter, tokens: Splitter) -> System:
    def system(text: str) -> Iterator[list[Range]]:
        for start, end in sentences(text):
            yield [(start + a, start + b) for a, b in tokens(text[start:end])]

    return system


def located(text: str, pieces: Iterable[str]) -> list[Range]:
    """Ranges of pieces in a text; a piece that a library changed, so that it is not in the text, is left out."""
    ranges, at = [], 0
    for piece in pieces:
        start = text.find(piece, at)
        if piece and start >= 0:
            at = start + len(piece)
            ranges.append((start, at))
    return ranges


def rhetree(text: str) -> Iterator[list[Range]]:
    from rhetree.text import tokenize

    document = tokenize(text)
    for sentence in document.sentences:
        yield [(token.start, token.end) for token in document.tokens[sentence.start : sentence.end]]


def syntok(text: str) -> Iterator[list[Range]]:
    from syntok import segmenter

    for sentence in segmenter.segment(syntok_tokenizer().tokenize(text)):
        yield [(t.offset, t.offset + len(t.value)) for t in sentence if t.value]


def syntok_tokens(text: str) -> list[Range]:
    return [(t.offset, t.offset + len(t.value)) for t in syntok_tokenizer().tokenize(text) if t.value]


@cache
def syntok_tokenizer():  # type: ignore[no-untyped-def]
    from syntok.tokenizer import Tokenizer

    return Tokenizer(emit_hyphen_or_underscore_sep=True, replace_not_contraction=False)


def syntok_sentences(text: str) -> list[Range]:
    return [(sentence[0][0], sentence[-1][1]) for sentence in syntok(text) if sentence]


def spacy(text: str) -> Iterator[list[Range]]:
    for sentence in spacy_pipeline()(text).sents:
        yield [(t.idx, t.idx + len(t)) for t in sentence if not t.is_space]


@cache
def spacy_pipeline():  # type: ignore[no-untyped-def]
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return pipeline


def spacy_tokens(text: str) -> list[Range]:
    return [(t.idx, t.idx + len(t)) for t in spacy_pipeline().make_doc(text) if not t.is_space]


def somajo(text: str) -> Iterator[list[Range]]:
    for sentence in somajo_tokenizer().tokenize_text([text]):
        yield [token.character_offset for token in sentence]


@cache
def somajo_tokenizer():  # type: ignore[no-untyped-def]
    from somajo import SoMaJo

    return SoMaJo("en_PTB", split_sentences=True, character_offsets=True)


def segtok(text: str) -> Iterator[list[Range]]:
    return pair(segtok_sentences, segtok_tokens)(text)


def segtok_sentences(text: str) -> list[Range]:
    from segtok.segmenter import split_multi

    return located(text, split_multi(text))


def segtok_tokens(text: str) -> list[Range]:
    from segtok.tokenizer import split_contractions, web_tokenizer

    return located(text, split_contractions(web_tokenizer(text)))


def pysbd_sentences(text: str) -> list[Range]:
    return located(text, (sentence.strip() for sentence in pysbd_segmenter().segment(text)))


@cache
def pysbd_segmenter():  # type: ignore[no-untyped-def]
    from pysbd import Segmenter

    return Segmenter(language="en", clean=False)


def nupunkt_sentences(text: str) -> list[Range]:
    from nupunkt import sent_tokenize

    return located(text, (sentence.strip() for sentence in sent_tokenize(text)))


def sentencex_sentences(text: str) -> list[Range]:
    from sentencex import segment

    return located(text, (sentence.strip() for sentence in segment("en", text)))


def blingfire(text: str) -> Iterator[list[Range]]:
    return pair(blingfire_sentences, blingfire_tokens)(text)


def blingfire_sentences(text: str) -> list[Range]:
    from blingfire import text_to_sentences

    return located(text, text_to_sentences(text).split("\n"))


def blingfire_tokens(text: str) -> list[Range]:
    from blingfire import text_to_words

    return located(text, text_to_words(text).split(" "))


def nltk_tokens(text: str) -> list[Range]:
    return list(nltk_tokenizer().span_tokenize(text))


@cache
def nltk_tokenizer():  # type: ignore[no-untyped-def]
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


def sacremoses_tokens(text: str) -> list[Range]:
    return located(text, sacremoses_tokenizer().tokenize(text, escape=False))


@cache
def sacremoses_tokenizer():  # type: ignore[no-untyped-def]
    from sacremoses import MosesTokenizer

    return MosesTokenizer(lang="en")


PACKAGES = (
    *("blingfire", "nltk", "nupunkt", "pysbd", "sacremoses"),
    *("segtok", "sentencex", "somajo", "spacy", "syntok"),
)
WHOLE: dict[str, System] = {
    "syntok": syntok,
    "segtok": segtok,
    "spacy": spacy,
    "somajo": somajo,
    "blingfire": blingfire,
}
SENTENCES: dict[str, Splitter] = {
    "pysbd": pysbd_sentences,
    "nupunkt": nupunkt_sentences,
    "sentencex": sentencex_sentences,
    "segtok": segtok_sentences,
    "syntok": syntok_sentences,
}
TOKENS: dict[str, Splitter] = {
    "nltk": nltk_tokens,
    "sacremoses": sacremoses_tokens,
    "spacy": spacy_tokens,
    "syntok": syntok_tokens,
}
PAIRS = {
    ("pysbd", "nltk"),
    ("nupunkt", "nltk"),
    ("nupunkt", "syntok"),
    ("sentencex", "nltk"),
    ("segtok", "nltk"),
    ("segtok", "spacy"),
    ("syntok", "nltk"),
    ("syntok", "sacremoses"),
}


def versions() -> Iterator[str]:
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            continue


if __name__ == "__main__":
    main()
