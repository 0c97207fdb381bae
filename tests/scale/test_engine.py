"""Jobs in shards, in this process: what is written, what a later run finds, and what is put aside."""

import json
import pickle

import pytest

from rhetree.errors import ArgumentError, ModelError, RhetreeError
from rhetree.jobs.sources import find_remote_sources, find_sources, text_sources
from rhetree.jobs.work import Task
from rhetree.scale.dataset import _Parse
from rhetree.scale.engine import Reader, Rows, _ReadRows, _WriteRows
from rhetree.scale.manifest import Facts
from rhetree.scale.plan import Group, group_sources, shards_of
from rhetree.scale.shards import ShardTask, ShardWorker
from rhetree.scale.storage import Storage
from support.clusters import content, done, job
from support.fake_model import fake_parser
from support.parse_commands import write_lines
from support.worker_tasks import ClusterTask


def records(n, text="It rained."):
    return [{"id": str(number), "text": text, "k": number} for number in range(n)]


@pytest.fixture
def inputs(tmp_path):
    return find_sources(write_lines(tmp_path / "in.jsonl", *records(9)))


def run(own):
    return sorted(facts.shard for facts in own.run())


def shards(storage):
    return [name for name in storage.names() if name.startswith("part-")]


def read(storage, name):
    data = storage.read(name)
    assert data is not None, f"{name} is not there"
    return data


def test_shards_hold_the_records_in_order_and_the_manifest_says_so(inputs, tmp_path):
    own = job(inputs, tmp_path / "out", tmp_path / "done")
    assert run(own) == ["part-00000-00000", "part-00000-00001", "part-00000-00002"]
    storage = Storage(str(tmp_path / "out"))
    lines = [json.loads(line) for name in shards(storage) for line in storage.read(name).splitlines()]
    assert [line["id"] for line in lines] == [str(number) for number in range(9)]
    assert lines[3]["extra"] == {"k": 3}
    manifest = json.loads(read(storage, "manifest.json"))
    assert manifest == own.manifest
    assert manifest["settings"] == {"model": "play 1", "format": "jsonl", "shard size": 200}
    assert manifest["inputs"] == [{"path": str(tmp_path / "in.jsonl"), "bytes": inputs[0].n_bytes}]
    assert (manifest["documents"], manifest["aside"]) == (9, 0)
    assert [shard["documents"] for shard in manifest["shards"]] == [4, 4, 1]
    assert storage.names(".shards") == [f"part-00000-0000{n}.json" for n in range(3)] + ["run.json"]


def test_bad_records_are_put_aside_with_their_reasons(tmp_path):
    bad = [{"id": "m", "text": "mismatch"}, {"id": "w", "text": "wrong"}, {"id": "s", "text": "stubborn"}]
    path = write_lines(tmp_path / "in.jsonl", *records(2), "oops", *bad, *records(2))
    own = job(find_sources(path), tmp_path / "out", tmp_path / "done")
    run(own)
    storage = Storage(str(tmp_path / "out"))
    aside = [json.loads(line) for line in storage.read("aside.jsonl").splitlines()]
    assert [(entry["line"], entry["id"]) for entry in aside] == [(3, None), (4, "m"), (5, "w"), (6, "s")]
    assert [entry["reason"] for entry in aside[1:]] == [
        "tokens differ",
        "ZeroDivisionError: a mistake of ours",
        "StubbornError: number 7",
    ]
    assert own.manifest["documents"] == 4
    assert b"".join(read(storage, name) for name in shards(storage)).count(b"\n") == 4


@pytest.mark.parametrize("kept", [0, 1, 2, 3])
def test_a_resumed_run_repeats_no_finished_shard(kept, inputs, tmp_path):
    whole = job(inputs, tmp_path / "whole", tmp_path / "a")
    run(whole)
    part = job(inputs, tmp_path / "part", tmp_path / "b").run()
    for _ in range(kept):
        next(part)
    part.close()
    before = done(tmp_path / "b")
    (tmp_path / "part").mkdir(exist_ok=True)
    (tmp_path / "part" / ".part-00000-00001.jsonl.123.part").write_bytes(b"half")
    again = job(inputs, tmp_path / "part", tmp_path / "b", if_exists="resume")
    run(again)
    assert again.n_earlier == kept
    assert set(done(tmp_path / "b").values()) == {1}
    assert len(before) == min(9, 4 * kept)
    assert content(Storage(str(tmp_path / "part"))) == content(Storage(str(tmp_path / "whole")))
    assert not list((tmp_path / "part").glob("*.part")) + list((tmp_path / "part").glob(".*.part"))


def test_a_shard_without_its_facts_is_written_again(inputs, tmp_path):
    storage = Storage(str(tmp_path / "out"))
    run(job(inputs, tmp_path / "out", tmp_path / "done"))
    before = content(storage)
    storage.remove(".shards/part-00000-00001.json")
    storage.write("part-00000-00001.jsonl", b"of a machine that was thought dead")
    run(job(inputs, tmp_path / "out", tmp_path / "done", if_exists="resume"))
    assert content(storage) == before


def test_what_is_there_is_refused_or_replaced(inputs, tmp_path):
    run(job(inputs, tmp_path / "out", tmp_path / "done"))
    with pytest.raises(ArgumentError, match="has the shards of a run; resume it"):
        run(job(inputs, tmp_path / "out", tmp_path / "done"))
    run(job(inputs, tmp_path / "out", tmp_path / "done", if_exists="replace", shard_size=10_000))
    assert shards(Storage(str(tmp_path / "out"))) == ["part-00000-00000.jsonl"]
    (tmp_path / "out" / ".shards" / "run.json").unlink()
    with pytest.raises(ArgumentError, match=r"it has shards and no \.shards/run\.json"):
        run(job(inputs, tmp_path / "out", tmp_path / "done", if_exists="resume"))


def test_a_run_goes_on_only_with_its_own_settings_and_inputs(inputs, tmp_path):
    storage = Storage(str(tmp_path / "out"))

    def resume(sources, **options):
        return run(job(sources, tmp_path / "out", tmp_path / "done", if_exists="resume", **options))

    run(job(inputs, tmp_path / "out", tmp_path / "done"))
    with pytest.raises(ArgumentError, match="model was play 1 and is now play 2"):
        resume(inputs, settings={"model": "play 2"})
    with pytest.raises(ArgumentError, match="shard size was 200 and is now 300"):
        resume(inputs, shard_size=300)
    with pytest.raises(RhetreeError, match="2 inputs instead of 1"):
        resume(inputs * 2)
    other = write_lines(tmp_path / "in.jsonl", *records(9, "It poured."))
    assert other.stat().st_size == inputs[0].n_bytes
    storage.remove(".shards/part-00000-00002.json")
    with pytest.raises(RhetreeError, match="part-00000-00000 was made of other records than there are now"):
        resume(inputs)
    write_lines(other, *records(3))
    with pytest.raises(RhetreeError, match=f"the inputs are others .*: {other}"):
        resume(inputs)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("run.json", b"{}", "not a run"),
        ("run.json", b'{"version": 9, "settings": {}, "inputs": []}', "written by another version"),
        ("part-00000-00000.json", b'{"aside": []}', "no facts of a shard.*; remove it, and resume"),
        ("part-00000-00000.json", b"", "remove it, and resume"),
    ],
)
def test_damaged_accounts_are_named(name, data, told, inputs, tmp_path):
    run(job(inputs, tmp_path / "out", tmp_path / "done"))
    (tmp_path / "out" / ".shards" / name).write_bytes(data)
    with pytest.raises(RhetreeError, match=told):
        run(job(inputs, tmp_path / "out", tmp_path / "done", if_exists="resume"))


def test_another_model_on_a_worker_ends_the_run(inputs, tmp_path):
    storage = Storage(str(tmp_path / "out"))
    task = ClusterTask(folder=str(tmp_path))
    worker = ShardWorker(ShardTask(task=task, identity="play 2", storage=storage))
    (shard,) = shards_of(Group(0, tuple(inputs)), None)
    with pytest.raises(
        ModelError, match="this machine has the model play 1, and the run was begun with play 2"
    ):
        worker.write(shard)
    assert content(storage) == {}


def test_a_disk_that_is_full_ends_the_run_and_the_next_one_goes_on(inputs, tmp_path, monkeypatch):
    def full(self, path, data):
        if path.name.endswith("1.jsonl"):
            raise OSError(28, "No space left on device")
        write(self, path, data)

    write = Storage._write_file
    monkeypatch.setattr(Storage, "_write_file", full)
    with pytest.raises(RhetreeError, match=r"part-00000-00001\.jsonl: cannot be written: No space left"):
        run(job(inputs, tmp_path / "out", tmp_path / "done"))
    monkeypatch.undo()
    run(job(inputs, tmp_path / "out", tmp_path / "done", if_exists="resume"))
    run(job(inputs, tmp_path / "whole", tmp_path / "other"))
    assert content(Storage(str(tmp_path / "out"))) == content(Storage(str(tmp_path / "whole")))
    assert done(tmp_path / "done")["0"] == 1


def test_a_record_at_which_processes_die_is_put_aside(tmp_path, monkeypatch):
    """Each death is a worker that is never heard of again, and another that gets the same shard."""

    class Death(BaseException):
        pass

    def die(document):
        if document.text == "die":
            raise Death
        return document

    monkeypatch.setattr("support.worker_tasks.play", die)
    path = write_lines(tmp_path / "in.jsonl", *records(2), {"id": "bad", "text": "die"}, *records(2))
    storage = Storage(str(tmp_path / "out"))
    (shard,) = shards_of(Group(0, tuple(find_sources(path))), None)
    shard_task = ShardTask(task=ClusterTask(folder=str(tmp_path)), identity="play 1", storage=storage)
    for _ in range(4):
        with pytest.raises(Death):
            ShardWorker(shard_task).write(shard)
    facts = ShardWorker(shard_task).write(shard)
    assert facts.documents == 4
    (aside,) = facts.aside
    assert (aside.id, aside.line) == ("bad", 3)
    assert aside.reason == "the worker process died 2 times while it worked on this record"
    assert ShardWorker(shard_task).write(shard) == facts == Facts.decode(facts.encode())
    assert storage.names(".shards") == ["part-00000-00000.json"]


def test_parquet_shards_have_the_rows_of_the_documents(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write_lines(tmp_path / "in.jsonl", *records(3))
    run(job(find_sources(path), tmp_path / "out", tmp_path / "done", format="parquet"))
    assert parquet.read_table(tmp_path / "out" / "part-00000-00000.parquet").num_rows == 0  # it found no EDUs


def test_edu_texts_are_in_the_shards(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "tokens": [["He", "left"]], "edus": [[[0, 2]]]})
    run(job(find_sources(path), tmp_path / "out", tmp_path / "done", edu_texts=True))
    assert b'"edu_texts"' in (tmp_path / "out" / "part-00000-00000.jsonl").read_bytes()


def test_groups_hold_small_sources_together_and_large_ones_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("rhetree.scale.plan._GROUP_BYTES", 10)
    monkeypatch.setattr("rhetree.scale.plan._GROUP_SOURCES", 3)
    sources = text_sources(["abc", "abc", "abc", "a", "a" * 50, "a", "a", "a", "a"])
    assert [len(group.sources) for group in group_sources(sources)] == [3, 1, 1, 3, 1]
    assert group_sources([]) == []


def test_sources_without_records_have_an_empty_shard(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    own = job(find_sources(tmp_path / "empty.jsonl"), tmp_path / "out", tmp_path / "done")
    assert run(own) == ["part-00000-00000"]
    assert (tmp_path / "out" / "part-00000-00000.jsonl").read_bytes() == b""


def test_bad_records_alone_are_divided_too(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *["oops"] * 20)
    own = job(find_sources(path), tmp_path / "out", tmp_path / "done")
    assert len(run(own)) > 2
    assert own.manifest["aside"] == 20


def test_a_cluster_reads_files_alone(tmp_path):
    with pytest.raises(RhetreeError, match="the engine ray reads files"):
        job(find_sources(tmp_path / "pipe"), tmp_path / "out", tmp_path / "done")


def test_inputs_and_shards_may_be_in_a_cloud(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    cloud = fsspec.filesystem("memory")
    lines = "".join(f"{json.dumps(record)}\n" for record in records(9)).encode()
    cloud.pipe_file("/bucket/in/deep/a.jsonl", lines[: len(lines) // 2])
    cloud.pipe_file("/bucket/in/b.jsonl", lines)
    cloud.pipe_file("/bucket/in/.hidden.jsonl", lines)
    try:
        sources = find_remote_sources("memory://bucket/in")
        assert [source.url for source in sources] == [
            "memory://bucket/in/b.jsonl",
            "memory://bucket/in/deep/a.jsonl",
        ]
        assert find_remote_sources("memory://bucket/in/b.jsonl")[0].n_bytes == len(lines)
        place = "memory://bucket/out"
        part = job(sources, place, tmp_path / "done").run()
        next(part)
        part.close()
        own = job(sources, place, tmp_path / "done", if_exists="resume")
        run(own)
        storage = Storage(place)
        assert own.n_earlier == 1
        assert (own.manifest["documents"], own.manifest["aside"]) == (13, 1)  # half a line is a bad one
        aside = json.loads(read(storage, "aside.jsonl"))
        assert set(done(tmp_path / "done").values()) == {1, 2}  # four of them are in both files
        assert aside["file"].endswith("bucket/in/deep/a.jsonl")
        assert not [path for path in cloud.find("/bucket/out") if path.endswith(".part")]
        local = tmp_path / "in"
        for source in sources:
            path = local / source.home / source.path.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(cloud.cat_file(source.url.removeprefix("memory:/")))
        here = job(find_sources(local), tmp_path / "out", tmp_path / "here")
        run(here)
        for name in shards(storage):
            assert storage.read(name) == (tmp_path / "out" / name).read_bytes()
        run(job(sources, place, tmp_path / "done", if_exists="replace"))
    finally:
        cloud.rm("/bucket", recursive=True)


def test_rows_go_through_readers_and_workers_as_ray_hands_them_on(inputs, tmp_path):
    """What runs in the processes of a cluster, called as Ray calls it."""
    pyarrow = pytest.importorskip("pyarrow")
    storage = Storage(str(tmp_path / "out"))
    task = ShardTask(task=ClusterTask(folder=str(tmp_path)), identity="play 1", storage=storage)
    groups = pyarrow.table({"group": [pickle.dumps(Group(0, tuple(inputs)))]})
    rows = list(_ReadRows(Reader(shard_size=200, finished={}))(groups))
    assert [row.num_rows for row in rows] == [1, 1, 1]
    worker = _WriteRows(task)
    facts = [Facts.decode(worker(row)["facts"].to_pylist()[0]) for row in rows]
    assert [own.documents for own in facts] == [4, 4, 1]
    assert Rows(task).write(pickle.dumps(RhetreeError("it cannot be"))) == "failed: it cannot be"


def test_a_batch_of_a_dataset_gets_documents_and_problems(monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setattr("rhetree.runtime.parser.load", lambda *_, **__: fake_parser())
    batch = pyarrow.table({"text": ["It rained.", None], "name": [7, 8]})
    found = _Parse(Task(), "text", "name")(batch).to_pylist()
    assert json.loads(found[0]["document"])["id"] == "7"
    assert found[0]["problem"] is None
    assert found[1]["document"] is None
    assert found[1]["problem"] == "expected a string in the column 'text', found NoneType"
    assert json.loads(_Parse(Task(), "text", None)(batch).to_pylist()[0]["document"])["id"] == ""
    with pytest.raises(RhetreeError, match="no column 'body' \\(found 'text', 'name'\\)"):
        _Parse(Task(), "body", None)(batch)
