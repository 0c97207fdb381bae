"""Measures memory while parsing a long stream: GUM's documents over and over.

    python benchmarks/speed_stream.py MODEL GUM SENTENCES tokens|text

prints, as JSON, the memory of the process at regular points of the stream.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from speed_sentences import gum_documents
from speed_timing import resident

TITLE = "Memory of a long stream"
KINDS = {"tokens": "`parse_documents`, tokens", "text": "`parse_many`, raw text"}
N_SAMPLES = 50


def measure(model: Path, gum: Path, *, n_sentences: int) -> dict:
    record: dict = {"sentences": n_sentences}
    for kind in KINDS:
        command = [sys.executable, __file__, str(model), str(gum), str(n_sentences), kind]
        record[kind] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return record


def tables(record: dict) -> Iterator[str]:
    yield f"{record['sentences']:,} sentences of GUM's dev split, over and over, in one process.\n"
    yield "![Memory while a stream of sentences goes through](images/speed-stream.svg)\n"
    yield "| | loaded | peak after a tenth | peak at the end | difference | sentences/s |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for kind, title in KINDS.items():
        own = record[kind]
        peaks = [sample["peak"] for sample in own["samples"]]
        tenth = peaks[len(peaks) // 10]
        megabytes = [
            f"{value / 1e6:,.0f} MB" for value in (own["loaded"], tenth, peaks[-1], peaks[-1] - tenth)
        ]
        yield f"| {title} | {' | '.join(megabytes)} | {own['sentences'] / own['seconds']:,.0f} |"


def plot(record: dict, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    for kind in KINDS:
        samples = record[kind]["samples"]
        for field, style in (("peak", "-"), ("now", ":")):
            axes.plot(
                [sample["sentences"] for sample in samples],
                [sample[field] / 1e6 for sample in samples],
                style,
                label=f"{'most so far' if field == 'peak' else 'at the time'}, from {'tokens' if kind == 'tokens' else 'raw text'}",
            )
    axes.set_ylim(bottom=0)
    axes.set_xlabel("sentences done")
    axes.set_ylabel("megabytes in memory")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def stream(model: Path, gum: Path, n_sentences: int, kind: str) -> dict:
    from rhetree.runtime.parser import load

    documents = [document.without_edus() for document in gum_documents(gum, "dev")]
    parser = load(model)
    loaded = resident()
    given = cycle(documents)
    if kind == "text":
        results = parser.parse_many(document.text for document in given)
    else:
        results = parser.parse_documents(given)
    samples, n_done = [], 0
    started = time.perf_counter()
    for document in results:
        n_done += len(document.sentences)
        if n_done >= len(samples) * n_sentences / N_SAMPLES:
            samples.append({"sentences": n_done, "now": resident(), "peak": resident("VmHWM")})
        if n_done >= n_sentences:
            break
    return {
        "loaded": loaded,
        "sentences": n_done,
        "seconds": time.perf_counter() - started,
        "samples": samples,
    }


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("speed_stream.py: expected MODEL GUM SENTENCES tokens|text; speed.py measures all")
    print(json.dumps(stream(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
