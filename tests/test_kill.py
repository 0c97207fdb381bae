"""The short form of ``benchmarks/kill.py``: jobs that are killed, and disks that refuse, at a few random points."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "kill.py"


@pytest.mark.skipif(
    shutil.which("cc") is None or not sys.platform.startswith("linux"), reason="needs Linux and a C compiler"
)
@pytest.mark.parametrize(
    ("jobs", "n_trials"),
    [
        (["parse, one file", "parse, a folder", "parse, a table", "parse, shards"], 8),
        pytest.param(["convert", "export", "train"], 12, marks=pytest.mark.slow),
    ],
    ids=["parse", "others"],
)
def test_what_is_on_disk_is_the_old_or_the_new_and_going_on_ends_in_the_same_bytes(jobs, n_trials):
    if "train" in jobs:
        pytest.importorskip("torch")
    run = subprocess.run(
        [sys.executable, SCRIPT, "--trials", str(n_trials), "--seed", "7", "--jobs", *jobs],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "BROKEN" not in run.stdout
    *_, all_jobs = run.stdout.splitlines()
    n_faults = sum(int(cell) for cell in all_jobs.split("|")[3:8])
    assert n_faults == n_trials
