"""Measures the cold start: the command ``rhetree parse`` against importing torch alone."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

TITLE = "Cold start"
TEXT = "The men went home because it rained, although nobody had asked them to."
OURS, TORCH, NOTHING = 'rhetree parse "…"', 'python -c "import torch"', 'python -c ""'


def measure(model: Path | None, *, turns: int) -> dict:
    ours = [sys.executable, "-m", "rhetree", "parse", TEXT]
    commands = {
        OURS: ours if model is None else [*ours, "--model", str(model)],
        TORCH: [sys.executable, "-c", "import torch"],
        NOTHING: [sys.executable, "-c", ""],
    }
    found: dict[str, dict[str, list[float]]] = {name: {"wall": [], "processor": []} for name in commands}
    for turn in range(turns + 1):
        for name, command in commands.items():
            wall, processor = run(command)
            if turn:  # the first turn reads files from disk
                found[name]["wall"].append(wall)
                found[name]["processor"].append(processor)
    return {"turns": turns, "times": found}


def tables(record: dict) -> Iterator[str]:
    yield f"New processes, with files in the system's cache; {record['turns']} turns.\n"
    yield "| | shortest | median | shortest processor time | shortest, relative to importing torch |"
    yield "| --- | --- | --- | --- | --- |"
    torch = min(record["times"][TORCH]["wall"])
    for name, own in record["times"].items():
        wall = sorted(own["wall"])
        yield (
            f"| `{name}` | {wall[0]:.2f} s | {wall[len(wall) // 2]:.2f} s | {min(own['processor']):.2f} s "
            f"| {wall[0] / torch:.2f} |"
        )


def run(command: Sequence[str]) -> tuple[float, float]:
    """Wall-clock and processor seconds of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime
