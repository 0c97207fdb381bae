"""``rhetree parse`` as people run it: a process of its own, with an exported model and without torch."""

import json
import subprocess
import sys
import time

import rhetree

PROGRAM = (
    "import sys\nfor name in ('torch', 'transformers', 'onnx'): sys.modules[name] = None\n"
    "from rhetree.cli.main import main\nsys.exit(main(sys.argv[1:]))"
)
"""The command where nothing that training needs can be imported."""


def command(model, *arguments):
    return [sys.executable, "-c", PROGRAM, "parse", "--model", str(model), *map(str, arguments)]


def records(n):
    return [
        json.dumps({"id": str(number), "text": f"He came {number} times, he saw and he left."})
        for number in range(n)
    ]


def test_a_loaded_model_parses(tiny_model):
    parser = rhetree.load(tiny_model, threads=1)
    document = parser.parse("She said that it rained. They left because they were late.")
    assert len(document.sentence_trees) == 2
    assert list(parser.parse_many([document.text] * 3)) == [document] * 3


def test_text_goes_in_and_trees_come_out_without_torch(tiny_model):
    run = subprocess.run(
        command(tiny_model, "--format", "jsonl"),
        input="She said that it rained.\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    assert json.loads(run.stdout)["sentences"][0]["edus"]


def test_a_killed_run_goes_on_with_each_record_once(tiny_model, tmp_path):
    n_records = 2500  # more than are read before the first is written
    lines = records(n_records)
    whole, part = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    whole.write_text("\n".join(lines), encoding="utf-8")
    with subprocess.Popen(command(tiny_model, "-", "-o", part), stdin=subprocess.PIPE, text=True) as run:
        run.stdin.write("\n".join(lines))
        run.stdin.flush()
        while run.poll() is None and (not part.exists() or part.stat().st_size < 100_000):
            time.sleep(0.05)
        run.kill()
    n_before = part.read_bytes().count(b"\n")
    assert 0 < n_before < n_records
    with part.open("ab") as file:
        file.write(b'{"format": "rhetree", "version": 1, "id": "')
    subprocess.run(command(tiny_model, whole, "-o", part, "--resume"), check=True, capture_output=True)
    found = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    assert [record["id"] for record in found] == [str(number) for number in range(n_records)]
    parser = rhetree.load(tiny_model)
    for number in (0, n_before - 1, n_before, n_records - 1):
        expected = parser.parse(json.loads(lines[number])["text"])
        edus = [[edu.start, edu.end] for edu in expected.edus]
        assert found[number]["sentences"][0]["edus"] == edus
