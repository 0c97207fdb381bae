"""Measures how fast we and NLTK's tree reader read the same ``.dis`` files, in one run.

    python benchmarks/read_dis.py [FOLDER] [--repetitions 7]

FOLDER defaults to ``trees`` in the folder that RHETREE_GUM names. NLTK refuses files with brackets in
their text; these are left out for both. We turn bytes into a validated ``Document`` (text, tokens,
EDUs, binary tree), NLTK turns them into a ``Tree`` of brackets. The two take turns; the best processor
time of each counts.
"""

import argparse
import io
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import nltk

from rhetree.formats import dis


def main() -> int:
    parser = argparse.ArgumentParser(description="Time the reading of .dis files, compared with NLTK.")
    parser.add_argument("folder", nargs="?", type=Path, help="folder of .dis files")
    parser.add_argument("--repetitions", type=int, default=7)
    args = parser.parse_args()
    folder = args.folder
    if folder is None:
        if "RHETREE_GUM" not in os.environ:
            parser.error("name a folder of .dis files, or set RHETREE_GUM")
        folder = Path(os.environ["RHETREE_GUM"]) / "trees"
    files = {path: path.read_bytes() for path in sorted(folder.glob("*.dis"))}
    if not files:
        parser.error(f"no .dis files in {folder}")
    both = {path: content for path, content in files.items() if nltk_reads(content)}
    megabytes = sum(map(len, both.values())) / 1e6
    print(
        f"Python {platform.python_version()}, rhetree {version('rhetree')}, nltk {version('nltk')}, "
        f"{platform.machine()}"
    )
    print(f"{len(both)} of {len(files)} files, {megabytes:.1f} MB; NLTK refuses {len(files) - len(both)}")

    ours, theirs = [], []
    for _ in range(args.repetitions):
        ours.append(seconds_of(lambda: [read_ours(path, content) for path, content in both.items()]))
        theirs.append(seconds_of(lambda: [read_nltk(content) for content in both.values()]))
    for name, times in (("rhetree", ours), ("nltk", theirs)):
        print(
            f"{name:8} best {min(times):.3f} s of {len(times)}, worst {max(times):.3f} s; {megabytes / min(times):.1f} MB/s"
        )
    ratio = min(theirs) / min(ours)
    print(f"rhetree is {ratio:.2f} times as fast")
    return 0 if ratio >= 1 else 1


def read_ours(path: Path, content: bytes) -> None:
    for _ in dis.read(io.StringIO(content.decode("utf-8")), path):
        pass


def read_nltk(content: bytes) -> None:
    nltk.Tree.fromstring(content.decode("utf-8"))


def nltk_reads(content: bytes) -> bool:
    try:
        read_nltk(content)
    except ValueError:
        return False
    return True


def seconds_of(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
