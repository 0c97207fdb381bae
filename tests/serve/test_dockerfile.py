"""The Dockerfile passes its linter, and runs the command that there is."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rhetree.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_linter_has_nothing_to_say():
    hadolint = shutil.which("hadolint") or shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if hadolint is None:
        pytest.skip("needs hadolint, of the extra dev")
    done = subprocess.run([hadolint, str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_it_runs_as_somebody_and_serves():
    user = re.search(r"^USER (\w+)$", TEXT, flags=re.MULTILINE)
    assert user is not None
    assert user[1] not in ("root", "0")
    command = json.loads(re.findall(r"^CMD (\[.*\])$", TEXT, flags=re.MULTILINE)[-1])
    assert command[0] == "rhetree"
    assert command[1] in COMMANDS
    assert "/healthz" in TEXT


def test_what_it_copies_is_there_and_not_ignored():
    kept = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), flags=re.MULTILINE)
    copied = [
        name for line in re.findall(r"^COPY (.+) \S+$", TEXT, flags=re.MULTILINE) for name in line.split()
    ]
    assert sorted(copied) == sorted(kept)
    assert all((ROOT / name).exists() for name in copied)


def test_it_installs_what_every_route_needs():
    extras = re.search(r"pip install .*'\.\[([\w,]+)\]'", TEXT)
    assert extras is not None
    assert {"serve", "png"} <= set(extras[1].split(","))
