"""Runs that were interrupted, and go on."""

import pytest

from parse_commands import command, lines_of, records, write_lines

pytestmark = pytest.mark.usefixtures("model")


@pytest.mark.parametrize("left", [0, 1, 30, 45, 60, 250, 1700, 10_000])
def test_an_interrupted_run_goes_on_with_each_record_once(left, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(8))
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    assert command(path, "-o", whole) == 0
    part.write_bytes(whole.read_bytes()[:left])
    assert command(path, "-o", part, "--resume") == 0
    assert part.read_bytes() == whole.read_bytes()
    n_there = whole.read_bytes()[:left].count(b"\n")
    assert (f"{n_there} were there already" in capsys.readouterr().err) == bool(n_there)


def test_going_on_leaves_bad_records_out_again(tmp_path):
    good = records(6)
    path = write_lines(tmp_path / "in.jsonl", good[0], "oops", *good[1:4], "{}", *good[4:])
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    assert command(path, "-o", whole, "--on-error", "skip") == 1
    part.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:3]) + b'{"format": "rhe')
    assert command(path, "-o", part, "--resume", "--on-error", "skip") == 1
    assert part.read_bytes() == whole.read_bytes()


def test_going_on_knows_names_of_any_kind(tmp_path):
    path = write_lines(
        tmp_path / "in.jsonl",
        {"id": 'a "text": "', "text": "A."},
        {"id": "é\u2028\\", "text": "B.", "metadata": {"genre": "news"}},
        {"id": "", "text": "C."},
    )
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    assert command(path, "-o", whole) == 0
    for left in range(0, whole.stat().st_size, 9):
        part.write_bytes(whole.read_bytes()[:left])
        assert command(path, "-o", part, "--resume") == 0
        assert part.read_bytes() == whole.read_bytes()


def test_going_on_with_the_output_of_other_inputs_is_refused(tmp_path, capsys):
    first = write_lines(tmp_path / "first.jsonl", *records(5))
    other = write_lines(tmp_path / "other.jsonl", records(5)[0], records(5)[4])
    fewer = write_lines(tmp_path / "fewer.jsonl", *records(3))
    out = tmp_path / "out.jsonl"
    assert command(first, "-o", out) == 0
    before = out.read_bytes()
    assert command(other, "-o", out, "--resume") == 2
    assert f"{out}:2: expected what rhetree parse writes for '4', found " in capsys.readouterr().err
    assert command(fewer, "-o", out, "--resume") == 2
    assert "holds more than the inputs" in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    "tail",
    [
        b'{"id":"precious","note":"my own last line"}',
        b"no JSON",
        b'{"format": "rhetree", "version": 1, "id": "9", "text": "It',
        b'{"id": "1", "text": "It rained 1 times."}\n',
        b"\xff",
    ],
)
@pytest.mark.parametrize("n_before", [0, 1])
def test_going_on_leaves_alone_what_no_run_can_have_written(tail, n_before, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(3)[1 - n_before :])
    out = tmp_path / "out.jsonl"
    assert command(path, "-o", out) == 0
    before = b"".join(out.read_bytes().splitlines(keepends=True)[:n_before]) + tail
    out.write_bytes(before)
    capsys.readouterr()
    assert command(path, "-o", out, "--resume") == 2
    err = capsys.readouterr().err
    assert err.startswith(
        f"rhetree: {out}:{n_before + 1}: expected what rhetree parse writes for '1', found "
    )
    assert out.read_bytes() == before


def test_a_half_line_after_the_last_record_is_left_alone(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(1))
    out = tmp_path / "out.jsonl"
    assert command(path, "-o", out) == 0
    before = out.read_bytes() + b'{"format"'
    out.write_bytes(before)
    assert command(path, "-o", out, "--resume") == 2
    assert "holds more than the inputs" in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.mark.parametrize("format", ["json", "dis"])
def test_a_folder_is_completed(format, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(5))
    options = ["-o", tmp_path / "out", "--format", format]
    assert command(path, *options) == 0
    files = {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    kept, *lost = sorted(files)
    kept.write_text("kept", encoding="utf-8")
    for file in lost:
        file.unlink()
        if format == "dis":
            file.parent.rmdir()
    assert command(path, *options, "--resume") == 0
    assert kept.read_text(encoding="utf-8") == "kept"
    assert {file: file.read_bytes() for file in lost} == {file: files[file] for file in lost}
    assert "4 documents, 4 sentences" in capsys.readouterr().err


def test_an_interrupted_run_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(3))

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rhetree.cli.progress.Meter.advance", interrupt)
    assert command(path, "-o", tmp_path / "out.jsonl") == 130
    assert "1 document done; --resume goes on" in capsys.readouterr().err
    assert len(lines_of(tmp_path / "out.jsonl")) == 1
