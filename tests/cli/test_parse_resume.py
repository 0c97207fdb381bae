"""Runs that were interrupted, and go on."""

import json
import shutil

import pytest

from support.parse_commands import command, lines_of, records, write_lines

pytestmark = pytest.mark.usefixtures("model")


def run_file(path):
    return path.with_name(f"{path.name}.run")


def interrupt(whole, part, left):
    """Make a copy of a run as it was when its output had so many bytes, and its next input was known."""
    part.write_bytes(whole.read_bytes()[:left])
    n_known = part.read_bytes().count(b"\n") + 2
    known = run_file(whole).read_bytes().splitlines(keepends=True)
    run_file(part).write_bytes(b"".join(known[:n_known]))


@pytest.mark.parametrize("left", [0, 1, 30, 45, 60, 250, 1700, 10_000])
def test_an_interrupted_run_goes_on_with_each_record_once(left, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(8))
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    assert command(path, "-o", whole) == 0
    interrupt(whole, part, left)
    assert command(path, "-o", part, "--resume") == 0
    assert part.read_bytes() == whole.read_bytes()
    assert run_file(part).read_bytes() == run_file(whole).read_bytes()
    n_there = whole.read_bytes()[:left].count(b"\n")
    assert (f"{n_there} were there already" in capsys.readouterr().err) == bool(n_there)


def test_going_on_leaves_bad_records_out_again(tmp_path):
    good = records(6)
    path = write_lines(tmp_path / "in.jsonl", good[0], "oops", *good[1:4], "{}", *good[4:])
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    assert command(path, "-o", whole, "--on-error", "skip") == 1
    interrupt(whole, part, len(b"".join(whole.read_bytes().splitlines(keepends=True)[:3])) + 15)
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
        interrupt(whole, part, left)
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
    assert f"{out}:2: expected the document '4', found " in capsys.readouterr().err
    assert command(fewer, "-o", out, "--resume") == 2
    assert "it has more documents than the inputs" in capsys.readouterr().err
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
    assert err.startswith(f"rhetree: {out}:{n_before + 1}: expected the document '1', found ")
    assert out.read_bytes() == before


def test_a_half_line_after_the_last_record_is_left_alone(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(1))
    out = tmp_path / "out.jsonl"
    assert command(path, "-o", out) == 0
    before = out.read_bytes() + b'{"format"'
    out.write_bytes(before)
    assert command(path, "-o", out, "--resume") == 2
    assert "it has more documents than the inputs" in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.mark.parametrize("format", ["json", "dis"])
def test_a_folder_is_completed(format, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(5))
    options = ["-o", tmp_path / "out", "--format", format]
    assert command(path, *options) == 0
    files = {file: file.read_bytes() for file in (tmp_path / "out").rglob(f"*.{format}") if file.is_file()}
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


# --- runs that must not mix ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("parse", ["--beam", "3"], "beam was 1 and is now 3"),
        ("segment", [], "command was parse and is now segment"),
        ("parse", ["--edus", "auto"], "edus was as given and is now auto"),
    ],
)
@pytest.mark.parametrize("output", ["out.jsonl", "out"])
def test_a_run_with_other_settings_is_refused(name, options, told, output, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(3))
    more = write_lines(tmp_path / "more.jsonl", *records(5))
    out, format = tmp_path / output, "jsonl" if "." in output else "json"
    assert command(path, "-o", out, "--format", format) == 0
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    capsys.readouterr()
    assert command(more, "-o", out, "--format", format, "--resume", *options, name=name) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"rhetree: {out}: cannot be resumed, since the run that began it was another: ")
    assert told in err
    assert err.endswith("name another output, or replace it with --overwrite\n")
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    assert command(more, "-o", out, "--format", format, "--resume") == 0


def test_a_run_with_another_model_is_refused(tmp_path, monkeypatch, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(3))
    out = tmp_path / "out.jsonl"
    assert command(path, "-o", out) == 0
    assert {record["metadata"]["model"] for record in lines_of(out)} == {"fake 0"}
    monkeypatch.setattr("support.fake_model.IDENTITY", "other 1")
    assert command(path, "-o", out, "--resume") == 2
    assert "model was fake 0 and is now other 1" in capsys.readouterr().err


def test_texts_that_have_changed_are_refused(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(4))
    lines, folder = tmp_path / "out.jsonl", tmp_path / "out"
    assert command(path, "-o", lines) == command(path, "-o", folder, "--format", "json") == 0
    write_lines(path, *records(2), {"id": "2", "text": "It never rained."})
    capsys.readouterr()
    assert command(path, "-o", lines, "--resume") == 2
    assert f"{lines}:3: the document '2' was made of another input" in capsys.readouterr().err
    assert command(path, "-o", folder, "--format", "json", "--resume") == 2
    assert f"{folder / '2.json'}: was made of another input" in capsys.readouterr().err
    (folder / "2.json").unlink()
    assert command(path, "-o", folder, "--format", "json", "--resume") == 0
    assert json.loads((folder / "2.json").read_text(encoding="utf-8"))["text"] == "It never rained."
    assert command(path, "-o", folder, "--format", "json", "--resume") == 0


def test_other_fields_that_have_changed_are_refused(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "Good.", "stars": 4})
    out = tmp_path / "out.jsonl"
    assert command(path, "-o", out) == 0
    write_lines(path, {"id": "a", "text": "Good.", "stars": 5})
    assert command(path, "-o", out, "--resume") == 2
    assert "the document 'a' was made of another input" in capsys.readouterr().err


def test_an_output_without_its_run_file_is_refused(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(3))
    lines, folder = tmp_path / "out.jsonl", tmp_path / "out"
    assert command(path, "-o", lines) == command(path, "-o", folder, "--format", "json") == 0
    kept = run_file(lines).read_bytes()
    run_file(lines).unlink()
    (folder / ".json.run").unlink()
    before = lines.read_bytes()
    capsys.readouterr()
    assert command(path, "-o", lines, "--resume") == 2
    assert "cannot be resumed, since there is no out.jsonl.run beside it" in capsys.readouterr().err
    assert command(path, "-o", folder, "--format", "json", "--resume") == 2
    assert f"{folder / '0.json'}: was written by another run" in capsys.readouterr().err
    assert lines.read_bytes() == before
    run_file(lines).write_bytes(kept)
    assert command(path, "-o", lines, "--resume") == 0


@pytest.mark.parametrize("n_lost", [1, 9])
def test_a_last_line_that_the_run_file_does_not_know_is_made_again(n_lost, tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *records(4))
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    assert command(path, "-o", whole) == 0
    shutil.copy(whole, part)
    run_file(part).write_bytes(run_file(whole).read_bytes()[:-n_lost])
    assert command(path, "-o", part, "--resume") == 0
    assert part.read_bytes() == whole.read_bytes()
    assert run_file(part).read_bytes() == run_file(whole).read_bytes()


def test_lines_that_the_run_file_does_not_know_are_left_alone(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(4))
    out = tmp_path / "out.jsonl"
    assert command(path, "-o", out) == 0
    before = out.read_bytes()
    run_file(out).write_bytes(b"".join(run_file(out).read_bytes().splitlines(keepends=True)[:2]))
    capsys.readouterr()
    assert command(path, "-o", out, "--resume") == 2
    assert f"rhetree: {out}:2: {run_file(out)} does not know" in capsys.readouterr().err
    assert out.read_bytes() == before


def test_a_folder_run_that_was_killed_while_it_wrote_its_run_file_goes_on(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *records(3))
    options = ["-o", tmp_path / "out", "--format", "json"]
    assert command(path, *options) == 0
    kept = tmp_path / "out" / ".json.run"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-5])
    (tmp_path / "out" / "2.json").unlink()
    assert command(path, *options, "--resume") == 0
    assert kept.read_bytes() == whole


def test_a_run_that_replaces_files_goes_on_replacing_them(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *records(3))
    options = ["-o", tmp_path / "out", "--format", "json"]
    assert command(path, *options, name="segment") == 0
    old = {file: file.read_bytes() for file in (tmp_path / "out").glob("*.json")}
    assert command(path, *options, "--overwrite") == 0
    new = {file: file.read_bytes() for file in old}
    kept = tmp_path / "out" / ".json.run"
    kept.write_bytes(b"".join(kept.read_bytes().splitlines(keepends=True)[:2]))
    for file in sorted(old)[1:]:
        file.write_bytes(old[file])
    assert command(path, *options, "--resume") == 0
    assert {file: file.read_bytes() for file in old} == new != old


def test_further_documents_in_a_folder_leave_the_earlier_ones_known(tmp_path):
    first = write_lines(tmp_path / "first.jsonl", *records(2))
    second = write_lines(tmp_path / "second.jsonl", *records(4)[2:])
    options = ["-o", tmp_path / "out", "--format", "json"]
    assert command(first, *options) == command(second, *options) == 0
    assert command(first, *options, "--resume") == 0


# --- interrupted by hand ------------------------------------------------------------------------
