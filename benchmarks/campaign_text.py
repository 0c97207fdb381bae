"""Sends hostile texts through the whole pipeline: tokens, sentences, EDUs, trees, and a file of the result.

Most texts are short and of all kinds. A few are large and of one kind, up to a line of ten megabytes; and of many
patterns it is measured that the time to tokenise them grows in proportion to the text. A fault, more memory than is
promised, or time that grows faster ends the campaign with a message.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from itertools import islice

from speed_timing import resident, slope

TITLE = "Hostile text"
_AT_ONCE = 500
_LARGE = 10_000_000
_SIZES = (10_000, 20_000, 40_000)
_LEAST_SECONDS = 0.02
"""Shorter times are mostly noise and say nothing about growth."""
MOST_MEGABYTES = 2048
MOST_GROWTH = 1.5
"""Largest exponent that counts as proportional: between 1 and the 2 of a quadratic algorithm, with room for noise."""


def measure(*, seed: int, seconds: float, texts: int, model: str) -> dict:
    """Try so many texts, or as many as the time allows after the large ones."""
    import rhetree
    from rhetree.errors import UnwritableError
    from rhetree.jobs.encoding import encode_bytes
    from support.hostile_texts import extreme_texts, faults, hostile_texts

    started = time.monotonic()
    parser = rhetree.load(threads=1)
    n_unwritable = 0

    def check(document, text: str) -> int:
        for fault in faults(document, text):
            sys.exit(f"{fault}\nin the document of {text[:2000]!r}")
        try:
            encode_bytes(document, "jsonl")
        except UnwritableError:
            return 1
        return 0

    large = {}
    for name, text in extreme_texts(_LARGE):
        before = time.process_time()
        document = parser.parse(text)
        large[name] = {
            "characters": len(text),
            "tokens": len(document.tokens),
            "seconds": round(time.process_time() - before, 2),
            "cut": "note" in document.metadata,
            "peak_megabytes": round(resident("VmHWM") / 2**20),
        }
        _check_bounds({}, name)
        n_unwritable += check(document, text)
        print(name, large[name], file=sys.stderr, flush=True)
    del document, text
    growth = dict(_growth())
    _check_bounds(growth, "patterns")
    parser = rhetree.load(model, threads=1)
    source = hostile_texts(seed, most_parts=8)
    n_texts = n_characters = n_tokens = n_sentences = 0
    while n_texts < texts and time.monotonic() - started < seconds:
        batch = list(islice(source, min(_AT_ONCE, texts - n_texts)))
        for text, document in zip(batch, parser.parse_many(batch), strict=True):
            n_unwritable += check(document, text)
            n_tokens += len(document.tokens)
            n_sentences += len(document.sentences)
        n_texts += len(batch)
        n_characters += sum(map(len, batch))
        if n_texts % (20 * _AT_ONCE) == 0:
            print(f"{n_texts} texts", file=sys.stderr, flush=True)
    _check_bounds(growth, f"{n_texts} short texts")
    return {
        "seconds": round(time.monotonic() - started),
        "model": model,
        "texts": n_texts + len(large),
        "characters": n_characters,
        "tokens": n_tokens,
        "sentences": n_sentences,
        "faults": 0,
        "unwritable": n_unwritable,
        "large": large,
        "growth": growth,
        "peak_megabytes": round(resident("VmHWM") / 2**20),
    }


def out_of_bounds(peak_megabytes: float, growth: Mapping[str, float]) -> Iterator[str]:
    """What is more than docs/reliability.md promises, in words.

    :param growth: the exponent of growth of each pattern
    """
    if peak_megabytes > MOST_MEGABYTES:
        yield f"peak memory is {peak_megabytes:,} MB, and at most {MOST_MEGABYTES:,} MB are promised"
    for name, exponent in growth.items():
        if exponent > MOST_GROWTH:
            yield (
                f"the time to tokenise {name!r} grows with the power {exponent} of its length, "
                f"and at most {MOST_GROWTH} is allowed"
            )


def _check_bounds(growth: Mapping[str, float], after: str) -> None:
    broken = list(out_of_bounds(round(resident("VmHWM") / 2**20), growth))
    if broken:
        sys.exit(f"after {after}: " + "; ".join(broken))


def _growth() -> Iterator[tuple[str, float]]:
    """The exponent by which the time to tokenise each pattern grows with its length, if it takes long enough to tell."""
    from rhetree.text import tokenize
    from support.hostile_texts import PATTERNS

    for name, pattern in PATTERNS.items():
        costs = []
        for size in _SIZES:
            text = (pattern * size)[:size]
            turns = []
            for _ in range(2):
                before = time.process_time()
                tokenize(text)
                turns.append(time.process_time() - before)
            costs.append(min(turns))
        if costs[-1] >= _LEAST_SECONDS:
            yield name, round(slope(_SIZES, costs, _SIZES[0], _SIZES[-1]), 2)


def tables(record: dict) -> Iterator[str]:
    """What was tried, in Markdown."""
    steepest = max(record["growth"], key=record["growth"].get)
    yield (
        f"{record['texts']:,} texts with {record['characters']:,} characters and {record['tokens']:,} tokens, in "
        f"{record['seconds'] / 60:.0f} minutes. Crashes, wrong offsets, wrong trees: {record['faults']}. "
        f"{record['unwritable']:,} documents have half of a surrogate pair in them, which no file can hold, and were refused "
        f"with a message when they were written. Peak memory: {record['peak_megabytes']:,} MB.\n"
    )
    yield (
        f"The time to tokenise {_SIZES[0]:,} to {_SIZES[-1]:,} characters of one pattern grows with the power "
        f"{min(record['growth'].values())} to {record['growth'][steepest]} of the length ({len(record['growth'])} patterns; "
        f"steepest: {steepest}).\n"
    )
    yield "| large text | characters | tokens | processor time (s) | sentences cut | peak memory so far (MB) |"
    yield "| --- | ---: | ---: | ---: | --- | ---: |"
    for name, own in record["large"].items():
        yield (
            f"| {name} | {own['characters']:,} | {own['tokens']:,} | {own['seconds']:.1f} | {'yes' if own['cut'] else 'no'} "
            f"| {own['peak_megabytes']:,} |"
        )
