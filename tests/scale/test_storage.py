"""The folder of a run, on a disk or somewhere else."""

import pickle

import pytest

from rhetree.errors import ArgumentError, FileError, MissingExtraError, RhetreeError
from rhetree.jobs.remote import files_below, is_url, open_url
from rhetree.jobs.sources import Records, find_remote_sources
from rhetree.scale.storage import Storage


@pytest.fixture(params=["disk", "memory"])
def storage(request, tmp_path):
    if request.param == "disk":
        yield Storage(str(tmp_path / "run"))
        return
    fsspec = pytest.importorskip("fsspec")
    yield Storage("memory://bucket/run")
    if fsspec.filesystem("memory").exists("/bucket"):
        fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_files_are_written_read_listed_and_removed(storage):
    assert storage.names() == storage.names("deep") == []
    assert storage.read("a") is None
    storage.write("a", b"one")
    storage.write("a", b"two")
    storage.write("deep/b", b"three")
    assert (storage.read("a"), storage.read("deep/b")) == (b"two", b"three")
    assert storage.names("deep") == ["b"]
    assert "a" in storage.names()
    storage.remove("a")
    storage.remove("a")
    assert storage.read("a") is None
    again = pickle.loads(pickle.dumps(storage))
    assert again.read("deep/b") == b"three"


def test_half_files_are_not_listed_and_can_be_removed(storage):
    storage.write("a", b"one")
    storage.write(".a.7.part", b"on")
    assert storage.names() == ["a"]
    storage.remove_parts("", "deep")
    assert storage.read(".a.7.part") is None
    assert storage.read("a") == b"one"


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    def fails(*_):
        raise OSError(28, "No space left on device")

    storage = Storage(str(tmp_path))
    storage.write("a", b"one")
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(f"rhetree.scale.storage.os.{name}", fails)
            with pytest.raises(RhetreeError, match="a: cannot be written: No space left on device"):
                storage.write("a", b"two")
        assert [path.name for path in tmp_path.iterdir()] == ["a"]
        assert storage.read("a") == b"one"
    (tmp_path / "folder").mkdir()
    with pytest.raises(RhetreeError, match="folder: cannot be read: Is a directory"):
        storage.read("folder")


@pytest.mark.parametrize(
    ("refused", "call", "told"),
    [
        ("unlink", lambda storage: storage.remove("a"), "a: cannot be removed"),
        ("iterdir", lambda storage: storage.names("deep"), "deep: cannot be listed"),
        ("glob", lambda storage: storage.remove_parts("deep"), "deep: cannot be cleared of unfinished files"),
    ],
)
def test_what_the_disk_refuses_is_told_with_the_name(refused, call, told, tmp_path, monkeypatch):
    def refuses(*_, **__):
        raise OSError(5, "Input/output error")

    storage = Storage(str(tmp_path))
    storage.write("a", b"one")
    storage.write("deep/b", b"two")
    monkeypatch.setattr(f"pathlib.Path.{refused}", refuses)
    with pytest.raises(RhetreeError, match=f"{told}: Input/output error"):
        call(storage)


def test_objects_of_a_store_are_put_under_their_names_at_once(monkeypatch):
    put = {}

    class Store:
        def pipe_file(self, path, data):
            put[path] = data

    monkeypatch.setattr("rhetree.scale.storage.file_system", lambda _: (Store(), "bucket/run"))
    Storage("s3://bucket/run").write("part-1", b"one")
    assert put == {"bucket/run/part-1": b"one"}


def test_urls_are_told_from_paths_and_texts():
    assert all(map(is_url, ["s3://bucket/a.jsonl", "gs://b", "memory://x/y"]))
    assert not any(map(is_url, ["C:\\x", "a.txt", "He said: see http://a.b today", "s3:/bucket", "x://"]))


def test_urls_that_cannot_be_read_are_named(monkeypatch):
    pytest.importorskip("fsspec")
    with pytest.raises(RhetreeError, match=r"memory://none/a\.jsonl: no such file or folder"):
        find_remote_sources("memory://none/a.jsonl")
    with pytest.raises(RhetreeError, match=r"memory://none/a\.jsonl: no such file or folder"):
        open_url("memory://none/a.jsonl")
    with pytest.raises(RhetreeError, match="nosuch://a/b: no kind of storage that is known here"):
        files_below("nosuch://a/b")

    def refuses(*_):
        raise PermissionError("not yours")

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.exists", refuses)
    with pytest.raises(RhetreeError, match="memory://a: cannot be read: PermissionError: not yours"):
        files_below("memory://a")
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"memory://a: reading and writing URLs needs"):
        files_below("memory://a")


def test_a_package_that_a_kind_of_storage_needs_is_named(monkeypatch):
    pytest.importorskip("fsspec")

    def lacks(_):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", lacks)
    with pytest.raises(RhetreeError, match="s3://a: Install s3fs to access S3"):
        files_below("s3://a")


def test_what_a_url_holds_is_told_by_its_ending():
    fsspec = pytest.importorskip("fsspec")
    cloud = fsspec.filesystem("memory")
    try:
        cloud.pipe_file("/kinds/a.xyz", b"It rained.")
        with pytest.raises(ArgumentError, match=r"memory://kinds/a\.xyz: its ending is none of"):
            find_remote_sources("memory://kinds/a.xyz")
        with pytest.raises(RhetreeError, match="memory://kinds: no file in it ends in"):
            find_remote_sources("memory://kinds")
        (record,) = Records(find_remote_sources("memory://kinds/a.xyz", "txt"))
        assert (record.document.name, record.document.text) == ("a", "It rained.")
        cloud.pipe_file("/kinds/b.jsonl", b"oops\n")
        (error,) = Records(find_remote_sources("memory://kinds"))
        assert isinstance(error, FileError)
        assert str(error).startswith("memory://kinds/b.jsonl:1: not JSON")
    finally:
        cloud.rm("/kinds", recursive=True)
