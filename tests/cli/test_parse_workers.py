"""``rhetree parse --workers``, and runs that end early: by Ctrl-C, by a limit, by a killed process."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.parse_commands import command, write_lines

resource = pytest.importorskip("resource", reason="needs the process groups and limits of POSIX")

PROGRAM = "import sys; sys.argv[0] = 'rhetree'; from rhetree.__main__ import main; sys.exit(main())"
GOLD_RECORD = {"id": "gold", "tokens": [["He", "left", ".", "Good", "."]], "edus": [[[0, 3], [3, 5]]]}


def records(n):
    texts = ["He came, he saw and he left.", "It rained. We stayed at home because it rained.", ""]
    return [{"id": str(number), "text": texts[number % 3] * (number % 5)} for number in range(n)]


def start(model, *arguments, name="parse"):
    """A command in a process group of its own, so that Ctrl-C can be sent to all of its processes."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, name, "--model", str(model), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def wait_for(path, n_bytes):
    deadline = time.monotonic() + 100
    while not path.exists() or path.stat().st_size < n_bytes:
        assert time.monotonic() < deadline, f"{path} does not grow"
        time.sleep(0.02)


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("output", "format"), [("out.jsonl", "jsonl"), ("out", "rs3"), ("out.edus", "edus")])
def test_several_workers_write_what_one_does(output, format, tiny_model, tmp_path, capsys):
    good = [GOLD_RECORD, *({**record, "text": f"Good. {record['text']}"} for record in records(60))]
    path = write_lines(tmp_path / "in.jsonl", *good[:20], "oops", *good[20:])
    told = []
    for n_workers in (1, 3):
        folder = tmp_path / str(n_workers)
        folder.mkdir()
        options = ["--model", tiny_model, "--on-error", "skip", "--workers", n_workers, "--format", format]
        assert command(path, "-o", folder / output, *options) == 1
        told.append([line for line in capsys.readouterr().err.splitlines() if " into " not in line])
    assert files_of(tmp_path / "1") == files_of(tmp_path / "3")
    assert told[0] == told[1]


def test_a_bad_record_stops_several_workers_after_what_came_before(tiny_model, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(30), "oops", *records(30))
    assert command(path, "-o", tmp_path / "out.jsonl", "--model", tiny_model, "--workers", 2) == 2
    assert capsys.readouterr().err.startswith(f"rhetree: {path}:31: not JSON")
    assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == 30


def test_a_model_that_workers_cannot_use_is_one_line(tiny_model, tmp_path, capsys):
    assert command("Good.", "--model", tmp_path, "--workers", 2) == 2
    assert "not a model directory" in capsys.readouterr().err
    for number in ("0", "1000", "two"):
        with pytest.raises(SystemExit):
            command("Good.", "--model", tiny_model, "--workers", number)
        assert "--workers: expected a whole number, 1 to 256" in capsys.readouterr().err


@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.parametrize("n_presses", [1, 2])
def test_an_interrupted_run_ends_without_a_traceback_and_goes_on(
    n_workers, n_presses, tiny_model, tmp_path, capsys
):
    path = write_lines(tmp_path / "in.jsonl", *records(30_000))
    out = tmp_path / "out.jsonl"
    with start(tiny_model, path, "-o", out, "--workers", n_workers) as run:
        wait_for(out, 20_000)
        for _ in range(n_presses):
            os.killpg(run.pid, signal.SIGINT)
            time.sleep(0.05)
        _, err = run.communicate(timeout=100)
    assert run.returncode == 130
    said = err.splitlines()
    assert said[-1] == "rhetree: interrupted"
    n_done = out.read_bytes().count(b"\n")
    if n_presses == 1:
        assert said[:-1] == [f"rhetree: {n_done} documents done; --resume goes on from here"]
        assert out.read_bytes().endswith(b"\n")
    assert 0 < n_done < 30_000
    few = write_lines(path, *records(n_done + 5))
    assert command(few, "-o", out, "--model", tiny_model, "--resume") == 0
    assert command(few, "-o", tmp_path / "whole.jsonl", "--model", tiny_model) == 0
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks processes up in /proc")
def test_a_run_goes_on_after_one_of_its_workers_was_killed(tiny_model, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", *records(30_000))
    out = tmp_path / "out.jsonl"
    with start(tiny_model, path, "-o", out, "--workers", 2) as run:
        wait_for(out, 20_000)
        os.kill(workers_of(run.pid)[0], signal.SIGKILL)
        _, err = run.communicate(timeout=100)
    assert run.returncode == 2
    assert err.startswith("rhetree: a worker process was ended by SIGKILL")
    assert err.count("\n") == 1
    n_done = out.read_bytes().count(b"\n")
    few = write_lines(path, *records(n_done + 5))
    assert command(few, "-o", out, "--model", tiny_model, "--resume", "--workers", 2) == 0
    assert command(few, "-o", tmp_path / "whole.jsonl", "--model", tiny_model) == 0
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def workers_of(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [
        int(child)
        for child in children
        if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8")
    ]


def test_what_is_done_is_written_while_more_is_read(tiny_model, tmp_path):
    out = tmp_path / "out.jsonl"
    run = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "parse", "--model", tiny_model, "-", "-o", out],
        stdin=subprocess.PIPE,
        text=True,
    )
    with run:
        for record in records(200):  # a tenth of what was read ahead before
            run.stdin.write(json.dumps(record) + "\n")
        run.stdin.flush()
        wait_for(out, 1000)
        run.stdin.close()
    assert out.read_bytes().count(b"\n") == 200


@pytest.mark.parametrize("moment", ["rhetree.cli.text_commands", "numpy", "onnxruntime"])
def test_an_interrupt_during_an_import_leaves_no_traceback(moment, tiny_model):
    program = (
        "import builtins, os, signal, sys\n"
        "usual = builtins.__import__\n"
        "def interrupted(name, *rest):\n"
        f"    if name == {moment!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return usual(name, *rest)\n"
        "builtins.__import__ = interrupted\n"
        "from rhetree.__main__ import main\nsys.exit(main())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, "parse", "Good.", "--model", tiny_model],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "rhetree: interrupted\n")


@pytest.mark.parametrize("output", ["out.jsonl", "out.edus", "folder"])
def test_a_limit_on_the_size_of_files_names_the_file(output, tiny_model, tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *[{"id": "long", "text": "It rained and rained. " * 900}])
    out = tmp_path / output
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, "parse", "--model", tiny_model, path, "-o", out]
        + (["--format", "json"] if output == "folder" else []),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)),
    )
    named = out / "long.json" if output == "folder" else out
    assert (run.returncode, run.stderr) == (2, f"rhetree: {named}: cannot be written: File too large\n")
    if output == "out.jsonl":
        assert command(path, "-o", out, "--model", tiny_model, "--resume") == 0
        assert json.loads(out.read_text(encoding="utf-8"))["id"] == "long"
