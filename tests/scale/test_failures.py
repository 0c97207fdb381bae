"""A machine of a cluster that is lost, and a run whose driver is killed: complete, each record once."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("ray", reason="needs the extra ray")

from support.parse_commands import command, write_lines

pytestmark = pytest.mark.slow

TWO_MACHINES = """
import sys, threading, time
from pathlib import Path
from rhetree.scale.cluster import connected, ray
from ray.cluster_utils import Cluster
from rhetree.jobs.sources import find_sources
from rhetree.scale.engine import on_ray
from support.clusters import job

top = Path(sys.argv[1])
own = dict(object_store_memory=100 << 20, include_dashboard=False)
cluster = Cluster(initialize_head=True, head_node_args=dict(num_cpus=1, **own))
second = cluster.add_node(num_cpus=1, **own)
killed = threading.Event()

def kill():
    while len(list((top / "out").glob("part-*"))) < 4:
        time.sleep(0.05)
    cluster.remove_node(second, allow_graceful=False)
    killed.set()

threading.Thread(target=kill, daemon=True).start()
with connected(cluster.address, None):
    ran = job(find_sources(top / "in.jsonl"), top / "out", top / "done", execute=on_ray, n_workers=2)
    list(ran.run())
    print("machines at the end:", sum(node["Alive"] for node in ray.nodes()))
print("killed:", killed.is_set())
cluster.shutdown()
"""
PROGRAM = "import sys; sys.argv[0] = 'rhetree'; from rhetree.__main__ import main; sys.exit(main())"


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def shards(folder):
    return {path.name: path.read_bytes() for path in folder.glob("part-*")}


def records(n, text):
    return [{"id": str(number), "text": text, "k": number} for number in range(n)]


def test_a_machine_that_is_lost_loses_and_repeats_nothing(tmp_path):
    from rhetree.jobs.sources import find_sources
    from support.clusters import job

    path = write_lines(tmp_path / "in.jsonl", *records(80, "sleep 0.1"))
    finished = subprocess.run(
        [sys.executable, "-c", TWO_MACHINES, str(tmp_path)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert finished.returncode == 0, finished.stderr
    assert "machines at the end: 1" in finished.stdout
    assert "killed: True" in finished.stdout
    write_lines(path, *records(80, "sleep 0.1"))
    list(job(find_sources(path), tmp_path / "whole", tmp_path / "other").run())
    assert shards(tmp_path / "out") == shards(tmp_path / "whole")
    assert (tmp_path / "out" / "manifest.json").read_bytes() == (
        tmp_path / "whole" / "manifest.json"
    ).read_bytes()


def test_a_run_whose_driver_is_killed_goes_on_with_what_is_missing(tmp_path):
    text = "It rained, so we stayed at home, because nobody likes the rain. " * 5
    path = write_lines(tmp_path / "in.jsonl", *records(300, text))
    out = tmp_path / "out"
    options = [
        "parse",
        "--engine",
        "ray",
        "--workers",
        "2",
        "--shard-size",
        "2000",
        str(path),
        "-o",
        str(out),
    ]
    run = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *options],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 200
    while len(list((out / ".shards").glob("part-*.json"))) < 5:
        assert time.monotonic() < deadline, "no shards are written"
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.wait()
    time.sleep(5)  # workers may finish what they have begun
    before = {path: path.stat().st_mtime_ns for path in (out / ".shards").glob("part-*.json")}
    n_all = -(-300 * (len(text) + 50) // 2000)
    assert 5 <= len(before) < n_all
    again = subprocess.run(
        [sys.executable, "-c", PROGRAM, *options, "--resume"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert again.returncode == 0, again.stderr
    assert f"{len(before)} were there already" in again.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert command(path, "-o", tmp_path / "one.jsonl") == 0
    whole = b"".join(data for _, data in sorted(shards(out).items()))
    assert whole == (tmp_path / "one.jsonl").read_bytes()
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["documents"] == 300
