"""Measures how time and memory grow with the number of EDUs, compared with a chart decoder.

    python benchmarks/speed_growth.py MODEL N_EDUS BEAM

prints the memory that one sentence takes, in bytes. Each measurement has a process of its own, so
that none reuses memory of another.
"""

import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from speed_sentences import Steered, long_sentence
from speed_timing import resident, slope

TITLE = "Against the number of EDUs"
SIZES = tuple(2**power for power in range(1, 14))
FITTED = (64, 1024)
CHART = "chart decoder"
MOST_IN_CHART = 2048
BEAM = 4
MOST_SECONDS = 10
"""Turns are repeated for at most this long."""
WIDTHS = {"greedy": 1, f"beam of {BEAM}": BEAM}


def measure(model: Path, *, turns: int, most: int) -> dict:
    from rhetree.runtime.edu_search import find_segmentations
    from rhetree.runtime.parser import load
    from rhetree.runtime.pipeline import Pipeline
    from rhetree.runtime.readings import find_readings
    from rhetree.runtime.search import Search

    loaded = load(model, threads=1).model
    sizes = [size for size in SIZES if size <= most]
    times: dict[str, dict[int, float]] = {}
    memory: dict[str, dict[int, int]] = {}

    def note(name: str, size: int, way: Callable[[], object], *, watched: bool) -> None:
        times.setdefault(name, {})[size] = shortest_turn(way, turns)
        if watched:
            memory.setdefault(name, {})[size] = allocated(way)

    for size in sizes:
        tokens = long_sentence(size)
        encoded = loaded.network.encode([tokens])
        for title, width in WIDTHS.items():
            for chains in (False, True):
                network = Steered(loaded.network, chains=chains)
                pipeline = Pipeline(network, loaded.labels, beam=width)

                def decode(network=network, encoded=encoded, width=width) -> list:
                    ways = find_segmentations(network, encoded, width=width)
                    return find_readings(network, encoded, ways, loaded.labels, n=width, search=Search(width))

                found = decode()[0][0]
                if len(found.edus) != size:
                    raise ValueError(f"found {len(found.edus)} EDUs, expected {size}")
                kind = f"{title}, chains" if chains else title
                note(f"{kind}: decoding", size, decode, watched=True)
                if not chains:
                    whole = lambda pipeline=pipeline, tokens=tokens: pipeline.analyse([tokens])  # noqa: E731
                    note(f"{title}: all", size, whole, watched=False)
                    memory.setdefault(f"{title}: all", {})[size] = _in_own_process(model, size, width)
        if size <= MOST_IN_CHART:
            scores = np.random.default_rng(1).standard_normal((size, size + 1), dtype=np.float32)
            note(CHART, size, lambda scores=scores: chart_tree(scores), watched=True)
    return {
        "turns": turns,
        "reach": FITTED,
        "seconds": {name: {str(size): value for size, value in own.items()} for name, own in times.items()},
        "bytes": {name: {str(size): value for size, value in own.items()} for name, own in memory.items()},
    }


def tables(record: dict) -> Iterator[str]:
    least, most = record["reach"]
    yield (
        f"One sentence of 2 to 8,192 EDUs of eight tokens each; one thread, processor time, shortest of up to {record['turns']} turns. "
        f"The slope is the exponent of growth, fitted from {least:,} to {most:,} EDUs; 1 is linear.\n"
    )
    yield "![Time and memory against the number of EDUs](images/speed-growth.svg)\n"
    sizes = [2, 64, 1024, 8192]
    heads = [f"{size:,} EDUs" for size in sizes]
    yield f"| | slope of time | {' | '.join(heads)} | slope of memory | {' | '.join(heads)} |"
    yield "| --- |" + " --- |" * (2 + 2 * len(sizes))
    for name, seconds in record["seconds"].items():
        taken = record["bytes"][name]
        cells = [f"{_slope(seconds, least, most):.2f}"]
        cells += [_milliseconds(seconds.get(str(size))) for size in sizes]
        cells += [f"{_slope(taken, least, most):.2f}"]
        cells += [_megabytes(taken.get(str(size))) for size in sizes]
        yield f"| {name} | {' | '.join(cells)} |"
    chart, chains = record["seconds"][CHART], record["seconds"][f"beam of {BEAM}, chains: decoding"]
    yield (
        "\nIn chains each split cuts off one EDU: the most work that a tree can need. A step considers up to 256 EDUs, "
        "so up to there longer spans cost more; beyond, from 512 to 8,192 EDUs, the slope with a beam is "
        f"{_slope(chains, 512, 8192):.2f}. The chart decoder is given its scores; at small sizes the overhead of NumPy's calls "
        f"dominates, and from 512 to {MOST_IN_CHART:,} EDUs its slope is {_slope(chart, 512, MOST_IN_CHART):.2f}. "
        "Up to 8,192 EDUs (65,536 tokens) nearly all of Rhetree's time is the encoder's, which reads long sentences "
        "in overlapping windows."
    )


def plot(record: dict, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.5), layout="constrained")
    panels = figure.subplots(1, 2)
    least, most = record["reach"]
    for axes, what, unit, scale in zip(
        panels, ("seconds", "bytes"), ("milliseconds", "megabytes"), (1e3, 1e-6), strict=True
    ):
        for name, values in record[what].items():
            sizes = [int(size) for size in values if values[size] > 0]
            costs = [scale * values[str(size)] for size in sizes]
            style = ":" if name == CHART else "--" if name.endswith("decoding") else "-"
            axes.loglog(sizes, costs, style, marker=".", label=f"{name} ({_slope(values, least, most):.2f})")
        axes.axvspan(least, most, alpha=0.08)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("EDUs in the sentence")
        axes.set_ylabel(unit)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small", title="slope in brackets", title_fontsize="x-small")
    figure.savefig(path, metadata={"Date": None})


def chart_tree(scores: np.ndarray) -> np.ndarray:
    """Find the best tree over n EDUs by dynamic programming (CKY), as chart parsers do.

    All spans of one length are computed together. The scores of spans are given; a chart parser has to
    compute them too, for each span and often for each of its splits.

    :param scores: score of the span from each EDU to each end, ``(n, n + 1)``
    :return: start, split and end of each span of the best tree, ``(n - 1, 3)``
    """
    n = len(scores)
    # Score of each span's best tree, by start and length, and by end and length.
    by_start, by_end = np.zeros((n, n + 1), np.float32), np.zeros((n + 1, n + 1), np.float32)
    best_split = np.zeros((n, n + 1), np.int32)
    for length in range(2, n + 1):
        starts = np.arange(n - length + 1)
        ways = by_start[: n - length + 1, 1:length] + by_end[length:, length - 1 : 0 : -1]
        choice = ways.argmax(axis=1)
        best = ways[starts, choice] + scores[starts, starts + length]
        by_start[starts, length] = by_end[starts + length, length] = best
        best_split[starts, length] = starts + choice + 1
    splits, waiting = [], [(0, n)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            middle = int(best_split[start, end - start])
            splits.append((start, middle, end))
            waiting += [(middle, end), (start, middle)]
    return np.array(splits)


def shortest_turn(way: Callable[[], object], turns: int) -> float:
    """Processor seconds of the shortest turn; short calls are repeated within a turn, long ones get fewer turns."""
    started = time.process_time()
    way()
    once = time.process_time() - started
    repeats = max(1, int(0.05 / max(once, 1e-6)))
    best = once
    for _ in range(min(turns, int(MOST_SECONDS / once))):
        started = time.process_time()
        for _ in range(repeats):
            way()
        best = min(best, (time.process_time() - started) / repeats)
    return best


def allocated(way: Callable[[], object]) -> int:
    """Peak number of bytes that Python and NumPy allocated during the call."""
    tracemalloc.start()
    try:
        way()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _in_own_process(model: Path, size: int, width: int) -> int:
    command = [sys.executable, __file__, str(model), str(size), str(width)]
    return int(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))


def _memory_of_one(model: str, size: str, width: str) -> None:
    from rhetree.runtime.parser import load
    from rhetree.runtime.pipeline import Pipeline

    loaded = load(Path(model), threads=1).model
    pipeline = Pipeline(Steered(loaded.network), loaded.labels, beam=int(width))
    pipeline.analyse([long_sentence(2)])
    tokens = long_sentence(int(size))
    before = resident()
    found = pipeline.analyse([tokens])
    print(max(0, resident("VmHWM") - before) if found else 0)


def _slope(values: dict[str, float], least: int, most: int) -> float:
    return slope([int(size) for size in values], list(values.values()), least, most)


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:,.3g} ms" if seconds < 1 else f"{seconds:,.1f} s"


def _megabytes(n: float | None) -> str:
    return "" if n is None else f"{n / 1e6:,.1f} MB"


def _main(arguments: Sequence[str]) -> None:
    if len(arguments) != 3:
        sys.exit("speed_growth.py: expected MODEL N_EDUS BEAM; speed.py measures all")
    _memory_of_one(*arguments)


if __name__ == "__main__":
    _main(sys.argv[1:])
