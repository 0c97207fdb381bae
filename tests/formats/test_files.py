import os
import threading
from pathlib import Path

import pytest

from rhetree.errors import RhetreeError, TreebankError
from rhetree.formats.files import open_source, whole_file


def test_a_file_appears_when_all_is_written_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "a.txt"
    with whole_file(path) as sink:
        sink.write("he left")
        assert not path.exists()
    assert path.read_text(encoding="utf-8") == "he left"
    with pytest.raises(KeyError), whole_file(path) as sink:
        sink.write("he came")
        raise KeyError
    assert path.read_text(encoding="utf-8") == "he left"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.txt"]


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    link = tmp_path / "link.txt"
    link.symlink_to("real.txt")
    with whole_file(link) as sink:
        sink.write("new")
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard = []
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text(encoding="utf-8")))
    listener.start()
    with whole_file(pipe) as sink:
        sink.write("through")
    listener.join()
    assert heard == ["through"]
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no names here")
def test_a_pipe_without_a_name_is_written_to():
    reading, writing = os.pipe()
    with whole_file(Path(f"/dev/fd/{writing}")) as sink:
        sink.write("through")
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        assert pipe.read() == "through"


def test_a_file_in_place_of_a_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(RhetreeError, match="cannot be written"), whole_file(tmp_path / "file" / "a.txt"):
        pass


def test_xml_is_read_in_the_encoding_that_it_declares(tmp_path):
    path = tmp_path / "a.rs3"
    path.write_bytes('<?xml version="1.0" encoding="ISO-8859-1"?><rst>café</rst>'.encode("latin-1"))
    with open_source(path) as source:
        assert "café" in source.read()
    path.write_bytes(b"<?xml version='1.0' encoding='nonsense'?><rst/>")
    with pytest.raises(TreebankError, match=r"a\.rs3: its encoding is not known: unknown encoding: nonsense"):
        with open_source(path) as source:
            source.read()


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path):
    path = tmp_path / "a.dis"
    path.write_bytes(b"one\ntwo\nthr\xffee\n")
    with pytest.raises(TreebankError, match=r"a\.dis:3: not UTF-8 text"), open_source(path) as source:
        source.read()


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(RhetreeError, match="nowhere.dis: cannot be read: No such file"):
        with open_source(Path("nowhere.dis")):
            pass
