"""Parses for as long as it is told, in one process, and watches memory, open files and threads.

Texts are made of a vocabulary with few frequent and many rare words, and one word in a hundred is new, as in real
text. Each round parses a batch of them, writes and reads documents, draws one, and now and then loads the model
again, which must free the old one.
"""

import io
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from speed_timing import resident

TITLE = "A long run"
_TEXTS_OF_A_ROUND = 64
_VOCABULARY = 30_000
_CONNECTIVES = ("because", "although", "and", "but", "while", "which", "if", "so that", "after", "to")
_SYLLABLES = (
    "ba",
    "cor",
    "di",
    "fen",
    "gal",
    "hu",
    "jor",
    "ki",
    "lam",
    "mo",
    "nes",
    "pri",
    "ro",
    "sta",
    "tel",
    "vu",
)


class Texts:
    """Makes texts of pseudo-words."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = [self._word() for _ in range(_VOCABULARY)]
        self._weights = [1 / rank for rank in range(1, _VOCABULARY + 1)]

    def batch(self, n: int) -> list[str]:
        """Texts of one to eight sentences."""
        return [" ".join(self._sentence() for _ in range(self._random.randint(1, 8))) for _ in range(n)]

    def _sentence(self) -> str:
        n = self._random.choice([3, 8, 15, 25, 40])
        words = self._random.choices(self._words, self._weights, k=n)
        for at in range(n):
            if self._random.random() < 0.01:
                words[at] = self._word()
            elif self._random.random() < 0.12:
                words[at] = self._random.choice(_CONNECTIVES)
        return f"{' '.join(words).capitalize()}{self._random.choice('..?!')}"

    def _word(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=self._random.randint(1, 5)))


def measure(*, seed: int, seconds: float, every: float | None = None) -> dict:
    """Parse for this long.

    :param every: seconds between two samples; a sixtieth of the time unless told
    """
    import rhetree
    from rhetree.formats import FORMATS
    from rhetree.jobs.encoding import encode_bytes

    every = every or max(1.0, seconds / 60)
    texts, parser = Texts(seed), rhetree.load(threads=2)
    started = sampled = time.monotonic()
    samples: list[dict[str, float]] = []
    n_texts = n_sentences = n_rounds = n_loads = 0
    while time.monotonic() - started < seconds:
        batch = texts.batch(_TEXTS_OF_A_ROUND)
        for text, document in zip(batch, parser.parse_many(batch), strict=True):
            if document.text != text or len(document.sentence_trees) != len(document.sentences):
                raise SystemExit(f"a wrong document came of {text!r}")
            n_texts += 1
            n_sentences += len(document.sentences)
        written = io.StringIO()
        FORMATS["jsonl"].write(document, written)
        (again,) = FORMATS["jsonl"].read(io.StringIO(written.getvalue()), Path("a.jsonl"))
        if (again.tokens, again.sentence_trees) != (document.tokens, document.sentence_trees):
            raise SystemExit(f"another document was read than was written: {document.text!r}")
        encode_bytes(document, "svg")
        n_rounds += 1
        if n_rounds % 50 == 0:
            parser = rhetree.load(threads=2)
            n_loads += 1
        if time.monotonic() - sampled >= every:
            sampled = time.monotonic()
            samples.append(
                {
                    "seconds": round(sampled - started, 1),
                    "texts": n_texts,
                    "sentences": n_sentences,
                    "megabytes": round(resident() / 2**20, 1),
                    "files": len(list(Path("/proc/self/fd").iterdir())),
                    "threads": len(list(Path("/proc/self/task").iterdir())),
                    "python_threads": threading.active_count(),
                }
            )
            print(samples[-1], file=sys.stderr, flush=True)
    return {
        "seconds": round(time.monotonic() - started, 1),
        "texts": n_texts,
        "sentences": n_sentences,
        "loads": 1 + n_loads,
        "peak_megabytes": round(resident("VmHWM") / 2**20, 1),
        "samples": samples,
    }


def tables(record: dict) -> Iterator[str]:
    """The samples at some points of the run, in Markdown."""
    yield (
        f"{record['texts']:,} texts with {record['sentences']:,} sentences in {record['seconds'] / 60:.0f} minutes; the "
        f"model was loaded {record['loads']} times. Peak memory: {record['peak_megabytes']:.0f} MB.\n"
    )
    yield "| minute | sentences | memory (MB) | open files | threads |"
    yield "| ---: | ---: | ---: | ---: | ---: |"
    samples = record["samples"]
    step = max(1, len(samples) // 8)
    for sample in [*samples[:-1:step], samples[-1]]:
        yield (
            f"| {sample['seconds'] / 60:.0f} | {sample['sentences']:,} | {sample['megabytes']:.0f} | {sample['files']} "
            f"| {sample['threads']} |"
        )
