"""Measures time, memory and growth for ``speed.py``, on machines that are busy with other work.

Alternatives are timed in short turns, one after the other, so that each gets its share of quiet
moments; the shortest turn of each counts.
"""

import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

PACKAGES = ("rhetree", "numpy", "onnxruntime", "tokenizers", "torch", "transformers")


@dataclass(frozen=True)
class Times:
    """Seconds of each turn of one alternative."""

    wall: tuple[float, ...]
    processor: tuple[float, ...]
    """Processor time over all threads of this process."""

    def to_dict(self) -> dict[str, list[float]]:
        return {"wall": list(self.wall), "processor": list(self.processor)}


def in_turns(ways: Mapping[str, Callable[[], object]], turns: int) -> dict[str, Times]:
    """Time each alternative this many turns, after one that does not count."""
    for way in ways.values():
        way()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            wall, processor = time.perf_counter(), time.process_time()
            way()
            found[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {name: Times(*map(tuple, zip(*own, strict=True))) for name, own in found.items()}


def shortest(times: Mapping[str, Mapping[str, Sequence[float]]], threads: int | str) -> dict[str, float]:
    """Seconds of each alternative's shortest turn: processor time with one thread, wall-clock time with more."""
    clock = "processor" if int(threads) == 1 else "wall"
    return {name: min(own[clock]) for name, own in times.items()}


def slope(sizes: Sequence[float], costs: Sequence[float], least: float, most: float) -> float:
    """The exponent of growth: the slope of a line fitted in a log-log plot, for sizes from ``least`` to ``most``."""
    points = [(size, cost) for size, cost in zip(sizes, costs, strict=True) if least <= size <= most]
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def resident(field: str = "VmRSS") -> int:
    """Resident memory of this process in bytes; with ``VmHWM`` its peak. Linux only."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise ValueError(f"/proc/self/status has no {field}")


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Versions of Python and of the measured packages."""
    found = {"Python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
