"""Measures speed as the paper counts it: a new process that loads the model and then reads 100 sentences."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from speed_sentences import gum_documents, single_sentences
from speed_start import run

TITLE = "As the paper counts: a cold start and 100 sentences"
N_SENTENCES = 100
PAPER = {"segmenter": (12.05, 35.54), "parser": (12.57, 30.45), "end to end": (11.99, 28.96)}
"""Sentences per second on a CPU and on a GPU, loading included (table 4 of the paper)."""
WAYS = {
    "loading alone": "",
    "segmenter": "list(parser.segment_documents([document.without_edus() for document in documents]))",
    "parser": "list(parser.parse_documents(documents, edus='gold'))",
    "end to end": "list(parser.parse_documents([document.without_edus() for document in documents]))",
}
SCRIPT = """
import sys
from pathlib import Path
from rhetree.formats import read
from rhetree.runtime.parser import load
documents = [document for path in sorted(Path(sys.argv[1]).iterdir()) for document in read(path)]
parser = load(Path(sys.argv[2]), threads=int(sys.argv[3]))
"""


def measure(model: Path, gum: Path, *, turns: int, threads: list[int]) -> dict:
    from rhetree.formats import write

    documents = single_sentences(gum_documents(gum, "dev"), N_SENTENCES)
    found: dict = {str(n): {way: {"wall": [], "processor": []} for way in WAYS} for n in threads}
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(documents):
            write(document, Path(folder) / f"{number:03}.json")
        for turn in range(turns + 1):
            for n in threads:
                for way, code in WAYS.items():
                    command = [sys.executable, "-c", SCRIPT + code, folder, str(model), str(n)]
                    wall, processor = run(command)
                    if turn:  # the first turn reads files from disk
                        found[str(n)][way]["wall"].append(wall)
                        found[str(n)][way]["processor"].append(processor)
    return {
        "sentences": N_SENTENCES,
        "tokens": sum(len(document.tokens) for document in documents),
        "turns": turns,
        "threads": found,
    }


def tables(record: dict) -> Iterator[str]:
    n = record["sentences"]
    yield (
        f"{n} sentences of GUM's dev split ({record['tokens']:,} tokens), drawn at random; each row is a new process, from "
        f"its start to its end: Python, imports, the model, the sentences. Shortest of {record['turns']} turns; processor "
        "time with one thread, wall-clock time with more. The paper's figures are for RST-DT on other machines.\n"
    )
    yield "| threads | | seconds in all | sentences/s | the paper, CPU | the paper, GPU |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for threads, ways in record["threads"].items():
        clock = "processor" if threads == "1" else "wall"
        for way, own in ways.items():
            seconds = min(own[clock])
            speed = "" if way not in PAPER else f"{n / seconds:,.0f}"
            paper = PAPER.get(way, ("", ""))
            yield f"| {threads} | {way} | {seconds:.2f} | {speed} | {paper[0]} | {paper[1]} |"
