"""A real Ray cluster on this machine: the same output as the local engine, whoever is killed."""

import csv
import json
import os
import signal
import sys
import threading
import time
from typing import cast

import pytest

ray = pytest.importorskip("ray", reason="needs the extra ray")
pytest.importorskip("pyarrow")

from rhetree.errors import RhetreeError
from rhetree.jobs.encoding import encode
from rhetree.jobs.sources import find_sources
from rhetree.scale import parse_dataset
from rhetree.scale.cluster import connected
from rhetree.scale.engine import on_ray
from rhetree.scale.storage import Storage
from support.clusters import content, job
from support.parse_commands import STORY, command, write_lines
from support.worker_tasks import ClusterTask

# Ray's own code, not ours, leaves files and sockets to the garbage collector, and uses what pandas will drop.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.xdist_group("ray"),
]


@pytest.fixture(scope="module")
def cluster():
    """One for all tests here; workers find what tests have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        with connected("local", 2):
            yield


def records(n, text="It rained."):
    return [{"id": str(number), "text": text, "k": number} for number in range(n)]


def test_the_output_is_that_of_the_local_engine(cluster, tmp_path, capsys):
    """Text, JSONL, CSV and Parquet, with the shipped model and a record that cannot be read."""
    from pyarrow import parquet, table

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "story.txt").write_text(STORY, encoding="utf-8", newline="")
    write_lines(folder / "lines.jsonl", *records(5, STORY), "oops", *records(5))
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "text"], ["a", STORY], ["b", 'He said: "No,\nit rained."']])
    parquet.write_table(table({"id": [1, 2], "text": [STORY, "Good."]}), folder / "rows.parquet")
    assert command(folder, "-o", tmp_path / "one.jsonl", "--on-error", "skip") == 1
    options = ["--engine", "ray", "--workers", 2, "--shard-size", 300, "-o", tmp_path / "out"]
    assert command(folder, *options) == 1
    shards = sorted((tmp_path / "out").glob("part-*.jsonl"))
    assert len(shards) > 3
    assert b"".join(shard.read_bytes() for shard in shards) == (tmp_path / "one.jsonl").read_bytes()
    assert "lines.jsonl:6: not JSON" in capsys.readouterr().err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert [shard["file"] for shard in manifest["shards"]] == [shard.name for shard in shards]
    assert len(manifest["inputs"]) == 4


def test_a_dataset_gets_documents_and_problems(cluster):
    import rhetree

    texts = [{"text": STORY, "name": "a"}, {"text": None, "name": "b"}, {"text": "Good.", "name": "c"}]
    rows = parse_dataset(ray.data.from_items(texts), id_field="name", n_workers=1).take_all()
    found = {row["name"]: row for row in rows}
    assert found["b"]["document"] is None
    assert "expected a string in the column 'text'" in found["b"]["problem"]
    assert found["a"]["problem"] is None
    assert found["a"]["document"] == str(encode(rhetree.load().parse(STORY, name="a"), "jsonl")).rstrip("\n")


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_and_repeats_nothing(cluster, tmp_path):
    sources = find_sources(write_lines(tmp_path / "in.jsonl", *records(24, "sleep 0.1")))
    list(job(sources, tmp_path / "whole", tmp_path / "a").run())
    killed = threading.Event()

    def kill():
        while not killed.is_set():
            workers = list((tmp_path / "b").glob("*")) if (tmp_path / "b").exists() else []
            if workers:
                os.kill(int(workers[0].name), signal.SIGKILL)
                killed.set()
            time.sleep(0.05)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    list(job(sources, tmp_path / "out", tmp_path / "b", execute=on_ray, n_workers=2).run())
    thread.join(timeout=60)
    assert killed.is_set()
    assert len(list((tmp_path / "b").iterdir())) >= 2  # another process took over
    assert content(Storage(str(tmp_path / "out"))) == content(Storage(str(tmp_path / "whole")))


@pytest.mark.slow
def test_a_record_at_which_workers_die_is_put_aside(cluster, tmp_path):
    bad = {"id": "bad", "text": "die"}
    sources = find_sources(write_lines(tmp_path / "in.jsonl", *records(3), bad, *records(3)))
    own = job(sources, tmp_path / "out", tmp_path / "b", execute=on_ray, n_workers=1)
    list(own.run())
    aside = json.loads((tmp_path / "out" / "aside.jsonl").read_text(encoding="utf-8"))
    assert (aside["id"], own.manifest["documents"]) == ("bad", 6)
    assert "died 2 times" in aside["reason"]


def test_an_error_that_is_the_same_for_all_ends_the_run(cluster, tmp_path):
    sources = find_sources(write_lines(tmp_path / "in.jsonl", *records(9)))
    own = job(sources, tmp_path / "out", tmp_path / "b", execute=on_ray, n_workers=1)
    (tmp_path / "out").write_bytes(b"a file where the folder should be")
    with pytest.raises(RhetreeError, match="out"):
        list(own.run())


@pytest.mark.slow
def test_what_fails_in_the_cluster_is_one_error(cluster, tmp_path):
    sources = find_sources(write_lines(tmp_path / "in.jsonl", *records(1)))
    task = ClusterTask(folder=str(tmp_path / "none"), identity=cast(str, Unfit()))
    own = job(sources, tmp_path / "out", tmp_path / "b", execute=on_ray, n_workers=1, task=task)
    with pytest.raises(
        RhetreeError, match="the cluster failed: .*no machine is fit for this; what is finished"
    ):
        list(own.run())


class Unfit:
    """Cannot be rebuilt on another machine."""

    def __reduce__(self):
        return unfit, ()


def unfit():
    raise ArithmeticError("no machine is fit for this")


def test_there_is_no_cluster_at_a_wrong_address(monkeypatch):
    def refuses(**_):
        raise ConnectionError("nobody answers")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuses)
    with pytest.raises(RhetreeError, match="no Ray cluster at 127.0.0.1:1: nobody answers"):
        with connected("127.0.0.1:1", None):
            pass


def test_usage_statistics_are_off():
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
