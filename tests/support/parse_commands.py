"""``rhetree parse`` and ``rhetree segment`` as tests call them."""

import io
import json
import sys
import threading

from rhetree.cli.main import main

STORY = "He said that it rained, so we stayed. Good.\n\nThen the sun came out, and everybody left.\n"
CONLLU = """# newdoc id = rain
# sent_id = rain-1
# text = He said it rained.
1\tHe\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg
2\tsaid\t_\t_\t_\t_\t_\t_\t_\tSeg=O
3\tit\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg
4\trained\t_\t_\t_\t_\t_\t_\t_\tSeg=O|SpaceAfter=No
5\t.\t_\t_\t_\t_\t_\t_\t_\tSeg=O

# newdoc id = sun
# sent_id = sun-1
# text = Good
1\tGood\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg

"""


def command(*arguments, name="parse"):
    return main([name, *map(str, arguments)])


def in_time(*arguments):
    """The exit code of a command that must not wait for ever."""
    codes = []
    run = threading.Thread(target=lambda: codes.append(command(*arguments)), daemon=True)
    run.start()
    run.join(timeout=20)
    assert not run.is_alive()
    return codes[0]


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path, *records):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def on_terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "70")


def piped(monkeypatch, data):
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stream)


def records(n):
    return [{"id": str(number), "text": f"It rained {number} times."} for number in range(n)]
