"""What trees of documents cost: beside sentence trees of the same texts, and for documents of growing length.

    python benchmarks/documents.py GUM

Scores are printed by ``rhetree evaluate english GUM --level document``. Times are processor time in one thread.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

from rhetree.corpora.corpus import read_corpus
from rhetree.domain.document import Document
from rhetree.domain.tree import Tree
from rhetree.runtime.parser import Parser, load
from speed_timing import resident, slope

SIZES = (1250, 2500, 5000, 10_000)
"""Numbers of sentences."""
_SENTENCES = (
    "The long rain had stopped again .",
    "Nobody had asked them to go .",
    "But the others would come on Sunday .",
    "So we could see the sea .",
    "It was built in spring .",
)
_IN_PARAGRAPH = 5


def seconds_of(parser: Parser, texts: list[str], turns: int) -> dict[str, float]:
    """Processor time of the shortest turn, of sentence trees and of document trees."""
    found: dict[str, list[float]] = {"sentence": [], "document": []}
    for _ in range(turns):
        for level, times in found.items():
            start = time.process_time()
            for _document in parser.parse_many(texts, level=level):  # type: ignore[arg-type]  # one of the levels
                pass
            times.append(time.process_time() - start)
    return {level: min(times) for level, times in found.items()}


def long_document(n_sentences: int) -> Document:
    """A document of short sentences of one EDU each, in paragraphs of five."""
    forms = [_SENTENCES[number % len(_SENTENCES)].split() for number in range(n_sentences)]
    document = Document.from_sentences(forms, name=str(n_sentences))
    text = list(document.text)
    for number in range(_IN_PARAGRAPH, n_sentences, _IN_PARAGRAPH):
        text[document.tokens[document.sentences[number].start].start - 1] = "\n"
    return replace(
        document, text="".join(text), edus=document.sentences, sentence_trees=(Tree(),) * n_sentences
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    args = parser.parse_args()
    model = load(threads=1)
    texts = [document.text for document in read_corpus(args.corpus, split=args.split).documents]
    model.parse(texts[0], level="document")
    cost = seconds_of(model, texts, args.turns)
    print(
        f"raw text of {len(texts)} documents: sentences {cost['sentence']:.1f} s, documents {cost['document']:.1f} s,"
    )
    print(f"ratio {cost['document'] / cost['sentence']:.2f}\n")
    print("| sentences | seconds to join | resident memory, MB |\n| --- | --- | --- |")
    times = []
    for size in args.sizes:
        document = long_document(size)
        start = time.process_time()
        model.join(document)
        times.append(time.process_time() - start)
        print(f"| {size} | {times[-1]:.2f} | {resident('VmHWM') / 1e6:.0f} |", flush=True)
    print(f"\nslope {slope(args.sizes, times, min(args.sizes), max(args.sizes)):.2f}")


if __name__ == "__main__":
    main()
