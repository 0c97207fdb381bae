"""``rhetree parse --engine ray``: its options, and what it says. The cluster itself is in ``tests/scale``."""

import json
from contextlib import nullcontext

import pytest

from support.parse_commands import command, lines_of, records, write_lines


@pytest.fixture
def here(monkeypatch, model):
    """The work is done in this process, by the fake parser."""
    pytest.importorskip("ray", reason="needs the extra ray")
    from rhetree.scale.engine import in_this_process

    monkeypatch.setattr("rhetree.scale.cluster.connected", lambda *_: nullcontext())
    monkeypatch.setattr("rhetree.scale.engine.on_ray", in_this_process)
    monkeypatch.setattr("rhetree.jobs.work.Task.identify_model", lambda _: "fake 0")
    return model


def test_a_cluster_does_what_the_options_of_parse_say(here, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rhetree.jobs.work.Task.identify_model", lambda task: task.load().identity)
    path = write_lines(tmp_path / "in.jsonl", {"text": "It rained. We left."}, {"text": "Good. Bad."})
    assert command(path, "-o", tmp_path / "one.jsonl", "--level", "document") == 0
    assert command(path, "-o", tmp_path / "out", "--engine", "ray", "--level", "document") == 0
    (shard,) = (tmp_path / "out").glob("part-*")
    assert shard.read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert all("tree" in record for record in lines_of(shard))
    capsys.readouterr()
    for option in ("--relations=fine", "--signals"):
        assert command(path, "-o", tmp_path / "two.jsonl", option) == 2
        told = capsys.readouterr().err
        assert command(path, "-o", tmp_path / "more", "--engine", "ray", option) == 2
        assert capsys.readouterr().err == told


@pytest.mark.parametrize("name", ["parse", "segment"])
def test_shards_are_what_the_local_engine_writes(name, here, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(4), "oops", *records(6))
    assert command(path, "-o", tmp_path / "one.jsonl", "--on-error", "skip", name=name) == 1
    capsys.readouterr()
    options = ["-o", tmp_path / "out", "--engine", "ray", "--shard-size", 200]
    assert command(path, *options, name=name) == 1
    told = capsys.readouterr().err
    assert f"rhetree: put aside: {path}:5: not JSON" in told
    assert "10 documents, 10 sentences" in told
    assert f"into 4 shards in {tmp_path / 'out'}; put 1 record aside (aside.jsonl)" in told
    shards = sorted((tmp_path / "out").glob("part-*"))
    assert b"".join(shard.read_bytes() for shard in shards) == (tmp_path / "one.jsonl").read_bytes()
    (tmp_path / "out" / ".shards" / "part-00000-00002.json").unlink()
    assert command(path, *options, "--resume", name=name) == 1
    assert "into 1 shard in" in (told := capsys.readouterr().err)
    assert ", 3 were there already" in told
    (aside,) = lines_of(tmp_path / "out" / "aside.jsonl")
    assert (aside["line"], aside["id"]) == (5, None)


def test_a_bad_record_can_stop_the_run(here, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(4), "oops")
    assert command(path, "-o", tmp_path / "out", "--engine", "ray", "--on-error", "stop") == 2
    assert capsys.readouterr().err.startswith(f"rhetree: {path}:5: not JSON")
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_an_interrupted_run_says_how_to_go_on(here, tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield ""

    monkeypatch.setattr("rhetree.scale.engine.on_ray", interrupted)
    path = write_lines(tmp_path / "in.jsonl", *records(4))
    assert command(path, "-o", tmp_path / "out", "--engine", "ray") == 130
    assert "0 shards done; --resume goes on from here" in capsys.readouterr().err


def test_parquet_shards_have_the_rows_of_the_local_engine(here, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write_lines(tmp_path / "in.jsonl", *records(6))
    assert command(path, "-o", tmp_path / "one.parquet") == 0
    assert command(path, "-o", tmp_path / "out", "--engine", "ray", "--format", "parquet") == 0
    (shard,) = (tmp_path / "out").glob("part-*.parquet")
    assert parquet.read_table(shard) == parquet.read_table(tmp_path / "one.parquet")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["settings"]["model"] == "fake 0"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--engine", "ray"], "writes shards into a folder; name it with -o"),
        (["--engine", "ray", "-o", "FILE"], "a file; --engine ray writes shards into a folder"),
        (["--engine", "ray", "-o", "out", "--format", "rs3"], "writes jsonl or parquet, not rs3"),
        (["--engine", "ray", "-o", "out", "--format", "parquet", "--edu-texts"], "--edu-texts is for json"),
        (["--engine", "ray", "-o", "out", "--resume", "--overwrite"], "choose one"),
        (["--engine", "ray", "-o", "out", "--threads", "2"], "--threads is for --engine local"),
        (["--address", "auto"], "--address is for --engine ray"),
        (["--shard-size", "7"], "--shard-size is for --engine ray"),
        (["-o", "memory://out"], "-o memory://out: only --engine ray writes to a URL"),
    ],
)
def test_options_that_do_not_fit_are_named(options, told, tmp_path, capsys, model):
    path = write_lines(tmp_path / "in.jsonl", *records(1))
    own = [str(path) if option == "FILE" else option for option in options]
    assert command(path, *own, "--format", "jsonl") == 2 if "memory" in told else command(path, *own) == 2
    assert told in capsys.readouterr().err


def test_standard_input_is_no_input_of_a_cluster(here, tmp_path, capsys):
    assert command("-", "-o", tmp_path / "out", "--engine", "ray") == 2
    assert "the engine ray reads files, which all machines can open" in capsys.readouterr().err


def test_a_url_is_read_by_the_local_engine_too(model, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    cloud = fsspec.filesystem("memory")
    cloud.pipe_file("/local/in.jsonl", b'{"id": "a", "text": "It rained."}\n')
    try:
        assert command("memory://local/in.jsonl", "-o", tmp_path / "out.jsonl") == 0
    finally:
        cloud.rm("/local", recursive=True)
    assert lines_of(tmp_path / "out.jsonl")[0]["text"] == "It rained."
