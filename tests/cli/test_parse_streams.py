"""Compressed files as input and output of ``rhetree parse``, and files in UTF-16 as input."""

import gzip
import io
import json
import random
import sys
from pathlib import Path

import pytest

from rhetree.errors import FileError
from rhetree.jobs import streams
from support.parse_commands import CONLLU, STORY, command, lines_of, piped, write_lines

zstd = pytest.importorskip("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")

pytestmark = pytest.mark.usefixtures("model")

COMPRESS = {".gz": gzip.compress, ".zst": zstd.compress}
UNPACK = {".gz": gzip.decompress, ".zst": zstd.decompress}
UTF_16 = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


@pytest.fixture(params=COMPRESS)
def ending(request):
    return request.param


def parsed(capsys, *arguments):
    assert command(*arguments) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("story.txt", STORY, ["story"]),
        ("in.jsonl", '{"id": "a", "text": "A."}\n{"id": "b", "text": "B."}\n', ["a", "b"]),
        ("in.JSON", '{\n"id": "a", "text": "A."}\n', ["a"]),
        ("in.conllu", CONLLU, ["rain", "sun"]),
    ],
)
def test_a_compressed_file_is_read_like_what_is_inside(name, text, ids, ending, tmp_path, capsys):
    plain, packed = tmp_path / name, tmp_path / "packed" / f"{name}{ending.upper()}"
    plain.write_text(text, encoding="utf-8", newline="")
    packed.parent.mkdir()
    packed.write_bytes(COMPRESS[ending](plain.read_bytes()))
    expected = parsed(capsys, plain)
    assert [record["id"] for record in expected] == ids
    assert parsed(capsys, packed) == expected
    assert parsed(capsys, packed.parent) == expected


def test_a_file_that_is_compressed_again_and_again_is_refused(ending, tmp_path, capsys):
    path = tmp_path / f"in.txt{ending}"
    data = STORY.encode()
    for _ in range(400):
        data = COMPRESS[ending](data)
    path.write_bytes(data)
    assert command(path) == 2
    assert f"{path}: it is compressed twice; unpack it once" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["jsonl", "csv", "edus", "txt", "json", "parquet"])
def test_output_is_compressed_as_its_ending_says(format, ending, tmp_path, capsys):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    records = [{"id": str(number), "text": STORY} for number in range(1 if format == "json" else 5)]
    path = write_lines(tmp_path / "in.jsonl", *records)
    plain, packed = tmp_path / f"out.{format}", tmp_path / f"out.{format}{ending}"
    assert command(path, "-o", plain) == 0
    assert command(path, "-o", packed) == 0
    assert UNPACK[ending](packed.read_bytes()) == plain.read_bytes()
    first = packed.read_bytes()
    assert command(path, "-o", packed) == 2
    assert "exists already; name another file, or replace it" in capsys.readouterr().err
    assert command(path, "-o", packed, "--overwrite") == 0
    assert packed.read_bytes() == first  # no clock, no name in it
    assert command(path, "-o", packed, "--resume") == 2
    assert "a compressed file is written whole and cannot be resumed" in capsys.readouterr().err


def test_compressed_output_can_be_read_again(ending, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *[{"id": "a", "text": STORY}])
    packed = tmp_path / f"out.jsonl{ending}"
    assert command(path, "-o", packed) == 0
    capsys.readouterr()
    assert [record["id"] for record in parsed(capsys, packed)] == ["a"]


def test_compressed_data_is_known_by_its_first_bytes_wherever_it_is(ending, tmp_path, monkeypatch, capsys):
    data = COMPRESS[ending](b'{"id": "a", "text": "A."}\n')
    piped(monkeypatch, data)
    assert [record["id"] for record in parsed(capsys)] == ["a"]
    (tmp_path / "in.jsonl").write_bytes(data)
    assert [record["id"] for record in parsed(capsys, tmp_path / "in.jsonl")] == ["a"]


def test_compressed_parts_one_after_the_other_are_one_file(ending, tmp_path, capsys):
    compress = COMPRESS[ending]
    (tmp_path / f"in.txt{ending}").write_bytes(compress(b"It rai") + compress(b"ned."))
    assert parsed(capsys, tmp_path / f"in.txt{ending}")[0]["text"] == "It rained."


@pytest.mark.large
def test_damaged_data_is_told_as_such_after_what_came_before(ending, tmp_path, capsys):
    lines = "".join(json.dumps({"id": str(n), "text": f"It rained {n} times."}) + "\n" for n in range(3000))
    whole = COMPRESS[ending](lines.encode())
    path = tmp_path / f"in.jsonl{ending}"
    path.write_bytes(whole[:-20])
    assert command(path, "-o", tmp_path / "out.jsonl") == 2
    told = "the compressed data ends too early; was it copied completely?"
    assert capsys.readouterr().err == f"rhetree: {path}: {told}\n"
    assert lines_of(tmp_path / "out.jsonl")[0]["id"] == "0"
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"oops" * 10 + whole[middle:])
    assert command(path, "-o", tmp_path / "out.jsonl", "--overwrite") == 2
    assert f"{path}" in capsys.readouterr().err


def test_a_bomb_ends_in_an_error_and_not_in_memory(ending, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(streams, "MOST_BYTES", 1000)
    bomb = COMPRESS[ending](b"a" * 10_000_000)
    for name, told in (
        (f"in.jsonl{ending}", ":1: a line of more than 1000 bytes, the most that a document may have"),
        (f"in.txt{ending}", ":1: a line of more than 1000 bytes"),
    ):
        (tmp_path / name).write_bytes(bomb)
        assert command(tmp_path / name) == 2
        assert f"{tmp_path / name}{told}" in capsys.readouterr().err
    (tmp_path / f"in.txt{ending}").write_bytes(COMPRESS[ending](b"a b\n" * 251))
    assert command(tmp_path / f"in.txt{ending}") == 2
    assert "more than 1000 bytes, the most that a document may have; split it up" in capsys.readouterr().err


def test_lines_are_read_no_further_than_they_may_be_long(monkeypatch):
    monkeypatch.setattr(streams, "MOST_BYTES", 1000)
    line = random.Random(1).randbytes(2_000_000).replace(b"\n", b"")  # gzip cannot make it shorter
    file = io.BufferedReader(io.BytesIO(gzip.compress(line)))
    with pytest.raises(FileError):
        next(iter(streams.Stream(file, Path("a.gz"))))
    assert file.tell() < 500_000  # of about two million


def test_without_its_extra_zstandard_names_the_line_that_installs_it(tmp_path, monkeypatch, capsys):
    module = "compression" if sys.version_info >= (3, 14) else "backports"
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "in.txt.zst").write_bytes(zstd.compress(b"It rained."))
    assert command(tmp_path / "in.txt.zst") == 2
    assert "Zstandard data needs more packages; install them with: pip install 'rhetree[zstd]'" in (
        capsys.readouterr().err
    )
    assert command("It rained.", "-o", tmp_path / "out.jsonl.zst") == 2
    assert "out.jsonl.zst: writing Zstandard data needs more packages" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", UTF_16)
def test_utf_16_with_a_byte_order_mark_is_read(encoding, tmp_path, monkeypatch, capsys):
    text = "Émile left.\r\n\r\n“Good,” 𝒜 said.\n"
    data = UTF_16[encoding] + text.encode(encoding)
    (tmp_path / "in.txt").write_bytes(data)
    assert parsed(capsys, tmp_path / "in.txt")[0]["text"] == text
    (tmp_path / "in.txt.gz").write_bytes(gzip.compress(data))
    assert parsed(capsys, tmp_path / "in.txt.gz")[0]["text"] == text
    line = json.dumps({"id": "a", "text": "Émile left."}, ensure_ascii=False) + "\n"
    piped(monkeypatch, UTF_16[encoding] + (line * 2).encode(encoding))
    assert [record["text"] for record in parsed(capsys)] == ["Émile left."] * 2


def test_rs3_in_utf_16_is_read_although_its_declaration_says_so(tmp_path, capsys):
    rs3 = (
        '<?xml version="1.0" encoding="UTF-16"?><rst><header><relations/></header><body>'
        '<segment id="1">Émile left.</segment></body></rst>'
    )
    (tmp_path / "in.rs3").write_bytes(rs3.encode("utf-16"))
    assert parsed(capsys, tmp_path / "in.rs3")[0]["text"] == "Émile left."


def test_broken_utf_16_names_the_line(tmp_path, capsys):
    path = tmp_path / "in.txt"
    path.write_bytes(b"\xff\xfe" + "It rained.\n".encode("utf-16-le") + b"\x00\xd8a\x00")
    assert command(path) == 2
    assert f"{path}:2: not UTF-16 text, although it begins as such" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "name"), [(b"PK\x03\x04\xff", "ZIP"), (b"BZh9\xff", "bzip2"), (b"\xfd7zXZ\x00\xff", "xz")]
)
def test_packed_data_of_other_kinds_is_named(data, name, tmp_path, capsys):
    (tmp_path / "in.txt").write_bytes(data)
    assert command(tmp_path / "in.txt") == 2
    assert (
        capsys.readouterr().err == f"rhetree: {tmp_path / 'in.txt'}: {name} data, not text; unpack it first\n"
    )


def test_progress_counts_the_bytes_of_the_files_as_they_are(tmp_path):
    from rhetree.jobs.sources import Records, find_sources

    rows = write_lines(tmp_path / "a.jsonl", {"id": "a", "text": "A."}, {"id": "b", "text": "B."})
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(rows.read_bytes()))
    records = Records(find_sources(tmp_path))
    ends = [record.at for record in records]
    assert ends[:2] == [rows.stat().st_size // 2, rows.stat().st_size]
    assert ends[3] == records.n_bytes == rows.stat().st_size + packed.stat().st_size
