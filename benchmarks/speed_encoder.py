"""Compares Rhetree with its bare encoder. The encoder's own time is the limit that no parser using it can beat.

One run records every call of the encoder's graph. The limit is the time to repeat these calls, in the
same number of threads, and nothing else.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

from rhetree.domain.document import Document
from speed_sentences import gum_documents, sentences_of
from speed_timing import in_turns, shortest

TITLE = "Against the bare encoder"
WAYS = {"tokens": "from tokens", "text": "from raw text"}


def measure(model: Path, gum: Path, *, turns: int, threads: list[int], n_documents: int) -> dict:
    from rhetree.runtime.parser import load

    documents = gum_documents(gum, "dev")
    documents = documents[:: max(1, len(documents) // n_documents)][:n_documents]
    record: dict = {
        "documents": len(documents),
        "sentences": len(sentences_of(documents)),
        "tokens": sum(len(document.tokens) for document in documents),
        "turns": turns,
        "threads": {},
        "load": [],
    }
    for n in threads:
        started = time.perf_counter()
        parser = load(model, threads=n)
        record["load"].append(time.perf_counter() - started)
        record["threads"][str(n)] = _measure(parser, n, documents, turns)
    return record


def _measure(parser, threads: int, documents: Sequence[Document], turns: int) -> dict:
    plain = [document.without_edus() for document in documents]
    texts = [document.text for document in documents]
    ways = {
        "tokens": lambda: list(parser.parse_documents(plain)),
        "text": lambda: list(parser.parse_many(texts)),
    }
    calls = {}
    for name in WAYS:
        with written_down(parser) as calls[name]:
            ways[name]()
        ways[f"{name}, bare"] = partial(replay, graph_of(parser), calls[name], threads)
    ways["bare, in batches"] = partial(replay, graph_of(parser), together(calls["tokens"]), threads)
    ways["segmenter"] = lambda: list(parser.segment_documents(plain))
    ways["parser"] = lambda: list(parser.parse_documents(documents, edus="gold"))
    return {
        "calls": {name: len(own) for name, own in calls.items()},
        "times": {name: own.to_dict() for name, own in in_turns(ways, turns).items()},
    }


def tables(record: dict) -> Iterator[str]:
    n = record["sentences"]
    seconds = {threads: shortest(found["times"], threads) for threads, found in record["threads"].items()}
    yield (
        f"{n:,} sentences ({record['tokens']:,} tokens) from {record['documents']} documents of GUM's dev split; "
        f"shortest of {record['turns']} turns.\n"
    )
    yield "| threads | | bare encoder, sentences/s | Rhetree, sentences/s | share of the limit |"
    yield "| --- | --- | --- | --- | --- |"
    for threads, own in seconds.items():
        for name, title in WAYS.items():
            bare, whole = own[f"{name}, bare"], own[name]
            yield f"| {threads} | {title} | {n / bare:,.0f} | {n / whole:,.0f} | {100 * bare / whole:.0f} % |"
    yield ""
    one = seconds["1"]
    yield (
        "The limit is that of sentences one by one. Once Rhetree has read many, up to eight of equal length share a call. "
        f"Plain batches of up to 32 sentences of equal length would take {100 * one['bare, in batches'] / one['tokens, bare']:.0f} % of the time.\n"
    )
    load = min(record["load"])
    yield (
        f"Sentences per second, without the time to load the model ({load:.2f} s) and with it, spread over all {n:,} "
        "sentences, in a process that has imported everything. The next section counts as the paper does.\n"
    )
    yield "| threads | | without loading | with loading |"
    yield "| --- | --- | --- | --- |"
    for threads, own in seconds.items():
        for title, way in (("segmenter", "segmenter"), ("parser", "parser"), ("end to end", "tokens")):
            took = own[way]
            yield f"| {threads} | {title} | {n / took:,.0f} | {n / (took + load):,.0f} |"


def words_of(parser):
    """What runs the encoder's graph."""
    network = parser.model.network
    return getattr(network, "network", network)._words  # below the calibration, if there is one


def graph_of(parser):
    """The session of the encoder's graph."""
    return words_of(parser)._graph


@contextmanager
def written_down(parser) -> Iterator[list]:
    """Records the inputs of each call of the encoder's graph."""
    words = words_of(parser)
    graph, calls, together = words._graph, [], (words._batch_graph, words._has_asked)
    # Each sentence by itself, so that each is written down.
    words._batch_graph, words._has_asked = None, True

    class Listener:
        def run(self, names, inputs):
            calls.append(inputs)
            return graph.run(names, inputs)

    words._graph = Listener()
    try:
        yield calls
    finally:
        words._graph = graph
        words._batch_graph, words._has_asked = together


def replay(graph, calls: Sequence[dict], threads: int) -> None:
    """Make the same calls in the same order, on this number of threads."""
    if threads == 1:
        for inputs in calls:
            graph.run(None, inputs)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda inputs: graph.run(None, inputs), calls):
            pass


def together(calls: Sequence[dict], rows: int = 32) -> list[dict]:
    """The same rows in batches: rows of equal length, at most ``rows`` per call."""
    joined = []
    by_length = sorted(calls, key=lambda inputs: inputs["ids"].shape[1])
    for _, same in groupby(by_length, key=lambda inputs: inputs["ids"].shape[1]):
        ids = [inputs["ids"] for inputs in same]
        joined += [{"ids": np.concatenate(ids[at : at + rows])} for at in range(0, len(ids), rows)]
    return joined
