import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "training_speed.py"


def test_the_benchmark_finds_the_same_losses_both_ways_and_prints_the_ratio():
    environment = {name: value for name, value in os.environ.items() if name != "RHETREE_GUM"}
    done = subprocess.run(
        [sys.executable, SCRIPT, "--sentences", "12", "--batch-size", "12", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert len(re.findall(r"in batches: [\d.]+ times as fast", done.stdout)) == 2
