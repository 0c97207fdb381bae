"""Fuzzes everything that reads bytes of strangers: file formats, inputs of jobs, models, the bodies of requests.

    python benchmarks/campaign_files.py TARGET FOLDER SEED SECONDS

fuzzes one target, which ``campaign.py files`` does for each in a process of its own, so that a crash of the
interpreter is a fault like any other. With atheris inputs are chosen by the lines of our code that they reach; without
it they are mutated blindly.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TITLE = "Hostile files"
_SLICE = 30
"""Seconds that a target has in each round; what it found goes on in the next."""
_STATS = {
    "executions": re.compile(r"stat::number_of_executed_units:\s*(\d+)"),
    "branches": re.compile(r"cov: (\d+)"),
}


def measure(
    *, seed: int, seconds: float, executions: int, only: list[str] | None = None, corpus: Path | None = None
) -> dict:
    """Fuzz all targets in turn, a slice of time each, until there were enough executions or the time is over."""
    from support.fuzz_targets import TARGETS

    names = [name for name in TARGETS if not only or name in only]
    corpus = corpus or Path(tempfile.mkdtemp(prefix="rhetree-corpus-"))
    started = time.monotonic()
    found = {name: {"executions": 0, "branches": 0, "faults": 0} for name in names}
    rounds = 0
    while sum(own["executions"] for own in found.values()) < executions:
        left = seconds - (time.monotonic() - started)
        if left < _SLICE:
            break
        for name in names:
            if found[name]["faults"]:
                continue
            folder = corpus / name.replace(" ", "-")
            own = _fuzz_in_a_process(name, folder, seed + rounds, min(_SLICE, int(left / len(names)) + 1))
            found[name]["executions"] += own["executions"]
            found[name]["branches"] = max(found[name]["branches"], own["branches"])
            found[name]["faults"] += own["faults"]
            print(name, found[name], file=sys.stderr, flush=True)
            if own["faults"]:
                print(f"the input and the log are in {folder}", file=sys.stderr, flush=True)
        rounds += 1
    return {
        "seconds": round(time.monotonic() - started),
        "guided": any(own["branches"] for own in found.values()),
        "executions": sum(own["executions"] for own in found.values()),
        "faults": sum(own["faults"] for own in found.values()),
        "targets": found,
    }


def _fuzz_in_a_process(name: str, folder: Path, seed: int, seconds: int) -> dict[str, int]:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, name, *map(str, (folder, seed, seconds))]
    paths = os.pathsep.join(sys.path)
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    (folder / "log").write_text(done.stderr, encoding="utf-8")
    stats = {key: [int(value) for value in pattern.findall(done.stderr)] for key, pattern in _STATS.items()}
    return {
        "executions": max(stats["executions"], default=0),
        "branches": max(stats["branches"], default=0),
        "faults": int(done.returncode != 0),
    }


def fuzz(name: str, folder: Path, seed: int, seconds: int) -> None:
    """Fuzz one target in this process, which ends with an exit code other than 0 at the first fault."""
    try:
        import atheris
    except ModuleNotFoundError:
        _fuzz_blindly(name, folder, seed, seconds)
        return
    with atheris.instrument_imports(include=["rhetree"]):
        from support.fuzz_targets import TARGETS
    from support.hostile_files import STRUCTURE

    target = TARGETS[name]
    (folder / "inputs").mkdir(exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (folder / "inputs" / f"seed-{number}").write_bytes(data)
    words = ("".join(f"\\x{byte:02x}" for byte in word) for word in STRUCTURE)
    (folder / "words").write_text("".join(f'"{word}"\n' for word in words), encoding="ascii")
    options = {
        "seed": seed,
        "max_total_time": seconds,
        "max_len": 2048,
        "timeout": 60,
        "rss_limit_mb": 2048,
        "dict": folder / "words",
        "artifact_prefix": f"{folder}/fault-",
        "print_final_stats": 1,
    }
    atheris.Setup(
        [name, *(f"-{key}={value}" for key, value in options.items()), str(folder / "inputs")], target.run
    )
    atheris.Fuzz()


def _fuzz_blindly(name: str, folder: Path, seed: int, seconds: int) -> None:
    from support.fuzz_targets import TARGETS
    from support.hostile_files import mutations

    target, end, n = TARGETS[name], time.monotonic() + seconds, 0
    try:
        for data in mutations(target.seeds(), seed):
            if time.monotonic() > end:
                break
            n += 1
            target.run(data)
    except BaseException:
        (folder / "fault-blind").write_bytes(data)
        raise
    finally:
        print(f"stat::number_of_executed_units: {n}", file=sys.stderr)


def tables(record: dict) -> Iterator[str]:
    """What was tried, in Markdown."""
    how = "guided by coverage (atheris)" if record["guided"] else "mutated blindly"
    yield (
        f"{record['executions']:,} executions in {record['seconds'] / 60:.0f} minutes, {how}. Anything but a document or a "
        f"`RhetreeError`: {record['faults']}.\n"
    )
    yield "| target | executions | branches reached | faults |"
    yield "| --- | ---: | ---: | ---: |"
    for name, own in record["targets"].items():
        yield f"| {name} | {own['executions']:,} | {own['branches'] or '–'} | {own['faults']} |"


if __name__ == "__main__":
    fuzz(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))
