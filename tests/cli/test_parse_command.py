"""``rhetree parse`` and ``rhetree segment``, with a network that is none."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import rhetree
from fake_model import fake_parser
from rhetree.cli.main import main
from rhetree.cli.text_inputs import Inputs, Source
from rhetree.treebanks import read, read_one
from rhetree.treebanks.files import whole_file
from rhetree.treebanks.json import schema

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


@pytest.fixture(autouse=True)
def model(monkeypatch):
    """Every command gets the fake parser; what it was asked for is kept."""
    asked = {}

    def load(model=None, *, threads=0, beam=1, batch_cost=4096):
        asked.update(model=model, threads=threads, beam=beam, batch_cost=batch_cost)
        return fake_parser(beam=beam, batch_cost=batch_cost)

    monkeypatch.setattr("rhetree.runtime.parser.load", load)
    return asked


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(STORY, encoding="utf-8", newline="")
    return path


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


# --- what is read -----------------------------------------------------------------------------


def test_a_text_is_drawn_on_a_terminal_and_is_jsonl_in_a_pipe(capsys, monkeypatch):
    assert command("It rained.") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["id"], record["text"]) == ("text", "It rained.")
    on_terminal(monkeypatch)
    assert command("It rained.") == 0
    out = capsys.readouterr().out
    assert out.startswith("(1) ")
    assert "rained" in out


def test_every_record_fits_the_schema_and_says_what_the_document_says(story, tmp_path, capsys):
    records = write_lines(
        tmp_path / "in.jsonl",
        {"id": "a", "text": STORY},
        {"id": "b", "tokens": [["He", "left", "."], ["Good", "."]]},
        {"id": "c", "text": ""},
    )
    for arguments in ([story, records], [story, records, "--beam", 3]):
        assert command(*arguments, "--format", "jsonl") == 0
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [record["id"] for record in found] == ["story", "a", "b", "c"]
        for record in found:
            jsonschema.validate(record, schema())
        assert found[0]["text"] == STORY
        assert len(found[0]["sentences"]) == 3
        for sentence in found[0]["sentences"]:
            assert len(sentence["splits"]) == len(sentence["edus"]) - 1
            assert sentence["edus"][0][0] == 0
            assert sentence["edus"][-1][1] == len(sentence["tokens"])


def test_what_is_between_and_inside_the_edus_is_the_file_to_the_character(tmp_path, capsys):
    text = "\tIt rained,\r\nand  rained.\r\r\n\n He\u200b left\u2028\u200fnow.\x00 "
    (tmp_path / "odd.txt").write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    assert command(tmp_path / "odd.txt") == 0
    assert json.loads(capsys.readouterr().out)["text"] == text


@pytest.mark.parametrize("name", ["story.txt", "texts/story", "./story", "my story.txt", "/no/such place"])
def test_what_looks_like_a_file_and_is_not_there_is_an_error(name, capsys):
    assert command(name) == 2
    err = capsys.readouterr().err
    assert err == f"rhetree: {name}: no such file or folder; if it is a text, say --text {name!r}\n"
    assert command("--text", name) == 0
    assert json.loads(capsys.readouterr().out)["text"] == name


@pytest.mark.parametrize(
    "text", ["Hello", "He left.", "Either and/or both.", "e.g.", "", "It is 3.14 wide.", "x" * 9000]
)
def test_other_arguments_are_texts(text, capsys):
    assert command(text) == 0
    assert json.loads(capsys.readouterr().out)["text"] == text


def test_a_path_that_is_there_is_read_even_if_it_could_be_a_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("Hello").mkdir()
    Path("Hello", "a.txt").write_text("It rained.", encoding="utf-8")
    assert command("Hello") == 0
    assert json.loads(capsys.readouterr().out)["id"] == "a"
    assert command("--text", "Hello") == 0
    assert json.loads(capsys.readouterr().out)["id"] == "text"


def test_several_texts_are_numbered(capsys):
    assert command("One.", "Two.", "--text", "Three.") == 0
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == [
        "text-1",
        "text-2",
        "text-3",
    ]


def test_folders_are_read_with_their_folders_and_named_by_them(tmp_path, capsys):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "b.txt").write_text("B.", encoding="utf-8")
    (tmp_path / "in" / "deep" / "a.txt").write_text("A.", encoding="utf-8")
    (tmp_path / "in" / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / "in" / ".hidden.txt").write_text("no", encoding="utf-8")
    write_lines(tmp_path / "in" / "deep" / "c.jsonl", {"id": "c", "text": "C."})
    assert command(tmp_path / "in") == 0
    found = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    assert found == ["b", "deep/a", "c"]
    assert command(tmp_path / "in", "-o", tmp_path / "out", "--format", "rs3") == 0
    written = sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.rs3")
    )
    assert written == ["b.rs3", "deep/a.rs3", "deep/c.rs3"]


def test_names_of_files_need_not_be_utf8(tmp_path, capfd, monkeypatch):
    folder = tmp_path / "in" / os.fsdecode(b"caf\xe9")
    try:
        folder.mkdir(parents=True)
    except OSError:
        pytest.skip("names are UTF-8 here")
    odd = os.fsdecode(b"\xe8")
    (folder / f"{odd}.txt").write_text("One.\nTwo.", encoding="utf-8")
    nameless = re.sub(r"# (newdoc id|sent_id).*\n", "", CONLLU)
    (folder / f"{odd}.conllu").write_text(nameless, encoding="utf-8")
    assert command(tmp_path / "in") == 0
    assert [json.loads(line)["id"] for line in capfd.readouterr().out.splitlines()] == ["?", "caf?/?"]
    assert command(tmp_path / "in", "--lines") == 0
    for format in ("json", "svg", "dis", "edus"):
        out = tmp_path / format
        assert command(tmp_path / "in", "-o", out, "--format", format) == 0
        assert len([path for path in out.rglob(f"*.{format}") if path.is_file()]) >= 2
    on_terminal(monkeypatch)
    assert command(tmp_path / "in") == 0
    assert "caf?/?" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("data", "options", "ids"),
    [
        (STORY.encode(), [], ["stdin"]),
        (STORY.encode(), ["-"], ["stdin"]),
        (b'{"id": "a", "text": "A."}\n{"id": "b", "text": "B."}\n', [], ["a", "b"]),
        (b'\xef\xbb\xbf{"id": "a", "text": "A."}\n', ["-"], ["a"]),
        (CONLLU.encode(), [], ["rain", "sun"]),
        (b"A.\n\nB.\n", ["--lines"], ["stdin-1", "stdin-3"]),
        (b"", [], ["stdin"]),
        (b'\n\n {"id": "a", "text": "A."}\n', [], ["a"]),
        (b'{"format": "rhetree", "version": 1, "id": "a", "text": "A."}', [], ["a"]),
        (b'{\n "id": "a",\n "text": "A."\n}\n', [], ["a"]),
        (b'\xef\xbb\xbf{\r\n\r\n "id": "a", "text": "A."}\r\n', [], ["a"]),
        (CONLLU.partition("\n")[2].partition("\n")[2].encode(), [], ["stdin", "sun"]),
        (b"# generator = UDPipe 2\n" + CONLLU.encode(), [], ["rain", "sun"]),
        (b"\xef\xbb\xbf1\tGood" + b"\t_" * 8 + b"\r\n", [], ["stdin"]),
        (b"1-2\tGood.{0}\n1\tGood{0}\n2\t.{0}\n\n".replace(b"{0}", b"\t_" * 8), [], ["stdin"]),
    ],
)
def test_standard_input_tells_by_its_first_lines_what_it_holds(data, options, ids, monkeypatch, capsys):
    piped(monkeypatch, data)
    assert command(*options) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["id"] for record in found] == ids
    assert not any("\t" in record["text"] for record in found)


@pytest.mark.parametrize(
    "text",
    [
        "# A title\n\n# Another\n\nIt rained.\n",
        "#rain #sun\n",
        "{It rained.}\n",
        "{\nIt rained.\n}\n",
        '{"It rained," he said.}\n',
        '{"It rained\n',
        "{} is a pair of braces.",
        '# Notes\n{"id": "a", "text": "A."}\n',
        "1\tIt rained.\n",
    ],
)
def test_texts_may_begin_like_something_else(text, monkeypatch, capsys):
    piped(monkeypatch, text.encode())
    assert command() == 0
    assert json.loads(capsys.readouterr().out)["text"] == text


@pytest.mark.parametrize("text", ['{"id": "a", "text": "A."}\n', '{\n"id"', CONLLU])
def test_anything_on_standard_input_can_be_a_text(text, monkeypatch, capsys):
    piped(monkeypatch, text.encode())
    assert command("--from", "txt") == 0
    assert json.loads(capsys.readouterr().out)["text"] == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"text": "A."}\n', "-:1: document: the key 'id' is missing"),
        (b'\n{"id": "a", "te\n', "-:2: not JSON: "),
        (b'{"id": "a"\n{"id": "b", "text": "B."}\n', "-:1: not JSON: "),
        (b'{"i', "-:1: not JSON: "),
        (b"{}", "-:1: document: the key 'id' is missing"),
        (b'{\n "id": "a",\n "text": oops\n}\n', "-:3: not JSON: "),
        (b"# text = Good\n2\tGood" + b"\t_" * 8 + b"\n\n", "-:2: expected word 1, found 2"),
    ],
)
def test_broken_records_on_standard_input_are_no_texts(data, message, monkeypatch, capsys):
    piped(monkeypatch, data)
    assert command() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rhetree: {message}")


@pytest.mark.parametrize("format", ["json", "jsonl", "conllu"])
def test_what_was_written_can_be_piped_in_again(format, story, monkeypatch, capsys):
    assert command(story, "--format", format) == 0
    piped(monkeypatch, capsys.readouterr().out.encode("utf-8"))
    assert command() == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["id"], len(record["sentences"])) == ("story", 3)


def test_without_any_input_the_user_is_told(monkeypatch, capsys):
    piped(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert command() == 2
    assert "nothing to read: give a text" in capsys.readouterr().err
    assert command("-", "-") == 2
    assert "only once" in capsys.readouterr().err


def test_an_unknown_ending_asks_for_from(tmp_path, capsys):
    path = tmp_path / "story.md"
    path.write_text("It rained.", encoding="utf-8")
    assert command(path) == 2
    assert (
        "its ending is none of .txt, .jsonl, .json, .conllu; say what it holds with --from"
        in capsys.readouterr().err
    )
    assert command(path, "--from", "txt") == 0


def test_from_says_what_all_files_of_a_folder_hold(tmp_path, capsys):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.md", "b", "c.txt", "deep/d.jsonl", ".hidden"):
        (tmp_path / "in" / name).write_text("Good.", encoding="utf-8")
    assert command(tmp_path / "in", "--from", "txt") == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["id"] for record in found] == ["a", "b", "c", "deep/d"]
    assert {record["text"] for record in found} == {"Good."}
    (tmp_path / "empty").mkdir()
    assert command(tmp_path / "empty", "--from", "txt") == 2
    assert capsys.readouterr().err == f"rhetree: {tmp_path / 'empty'}: no file in it\n"


def test_lines_are_documents_of_a_text_alone(tmp_path, capsys):
    path = tmp_path / "in.txt"
    path.write_bytes(b"One.\r\n\n \xff \nTwo.")
    assert command(path, "--lines", "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["One.", "Two."]
    assert f"{path}:3: not UTF-8 text" in err
    assert command(write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A."}), "--lines") == 2
    assert "--lines is for texts" in capsys.readouterr().err


def test_gold_edus_of_conllu_are_kept_only_when_asked_for(tmp_path, capsys):
    path = tmp_path / "gold.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    bare = tmp_path / "bare.conllu"
    bare.write_text(
        CONLLU.replace("Seg=B-seg", "_").replace("Seg=O|", "").replace("Seg=O", "_"), encoding="utf-8"
    )

    def edus(*arguments):
        assert command(*arguments) == 0
        return [
            sentence["edus"]
            for line in capsys.readouterr().out.splitlines()
            for sentence in json.loads(line)["sentences"]
        ]

    assert edus(path, "--edus", "gold") == [[[0, 2], [2, 5]], [[0, 1]]]
    assert edus(path) == edus(path, "--edus", "auto") == edus(bare)
    assert command(bare, "--edus", "gold") == 2
    assert f"{bare}:1: no EDUs in it to be kept" in capsys.readouterr().err


def test_edus_of_the_short_form_are_kept_unless_they_are_to_be_found(tmp_path, capsys):
    tokens = [["He", "said", "it", "rained", "."], ["Good", "."]]
    path = write_lines(
        tmp_path / "in.jsonl",
        {"id": "a", "tokens": tokens, "edus": [[[0, 4], [4, 5]], [[0, 2]]]},
        {"id": "b", "tokens": tokens},
        {"id": "c", "tokens": tokens, "edus": [[0, 4], [4, 5], [5, 7]]},
    )
    assert command(path) == 0
    out, err = capsys.readouterr()
    found = [[sentence["edus"] for sentence in json.loads(line)["sentences"]] for line in out.splitlines()]
    assert found[0] == found[2] == [[[0, 4], [4, 5]], [[0, 2]]]
    assert "2 documents came with EDUs, which were kept; --edus auto finds them anew" in err
    assert command(path, "--edus", "auto") == 0
    anew = [
        [sentence["edus"] for sentence in json.loads(line)["sentences"]]
        for line in capsys.readouterr().out.splitlines()
    ]
    assert anew == [found[1]] * 3


def test_edus_that_are_none_are_told_as_such(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "e", "tokens": [["He", "left"]], "edus": []})
    assert command(path) == 2
    assert capsys.readouterr().err.startswith(f"rhetree: {path}:1: 'edus' without any EDU; leave it out")
    assert command(path, "--edus", "gold") == 2
    assert "which --edus gold asks for" in capsys.readouterr().err
    assert command(path, "--edus", "auto") == 0


# --- what is written --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "format", ["json", "jsonl", "rs3", "conllu", "brackets", "svg", "html", "edus", "txt"]
)
def test_the_ending_of_the_output_tells_the_format(format, story, tmp_path, capsys):
    path = tmp_path / f"out.{format}"
    assert command(story, "-o", path) == 0
    assert path.stat().st_size > 20
    assert capsys.readouterr().out == ""
    if format == "json":
        assert read_one(path).text == STORY
    if format == "rs3":
        assert read_one(path, lenient=True).edu_texts()


@pytest.mark.parametrize(
    "format", ["json", "jsonl", "rs3", "conllu", "brackets", "svg", "html", "edus", "terminal"]
)
def test_every_format_goes_to_standard_output(format, story, capfd):
    assert command(story, "--format", format) == 0
    assert len(capfd.readouterr().out) > 20


def test_dis_is_a_file_for_each_sentence_in_a_folder(story, tmp_path, capsys):
    assert command(story, "-o", tmp_path / "out", "--format", "dis") == 0
    files = sorted(path.name for path in (tmp_path / "out" / "story").iterdir())
    assert files == ["story-1.dis", "story-2.dis", "story-3.dis"]
    assert read_one(tmp_path / "out" / "story" / "story-2.dis").edu_texts() == ["Good ."]
    assert command("Good.", "--format", "dis") == 0
    assert "Good" in capsys.readouterr().out
    assert command(story, "--format", "dis") == 2
    assert "it has 3 sentences; -o FOLDER makes a file for each" in capsys.readouterr().err


def test_dis_replaces_no_files_but_its_own(story, tmp_path, capsys):
    out = tmp_path / "out"
    others = [out / "story" / name for name in ("NOTES.txt", "story-x.dis", "gold.dis", "story-01.dis")]
    options = ["-o", out, "--format", "dis"]
    assert command(story, *options) == 0
    for other in others:
        other.write_text("mine", encoding="utf-8")
    story.write_text("Good.", encoding="utf-8")
    assert command(story, *options) == 2
    assert f"{out / 'story' / 'story-1.dis'}: exists already" in capsys.readouterr().err
    assert command(story, *options, "--overwrite") == 0
    assert sorted((out / "story").iterdir()) == sorted([*others, out / "story" / "story-1.dis"])
    assert {other.read_text(encoding="utf-8") for other in others} == {"mine"}
    assert read_one(out / "story" / "story-1.dis").edu_texts() == ["Good ."]


def test_dis_of_a_document_named_like_a_folder_of_others(tmp_path, capsys):
    for name, text in (("in/a/b.txt", "Deep one."), ("other/a.txt", "He left."), ("in/a/a.txt", "Both.")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = ["-o", tmp_path / "out", "--format", "dis"]
    assert command(tmp_path / "in", *options) == 0
    assert command(tmp_path / "in", tmp_path / "other" / "a.txt", *options, "--resume") == 0
    assert "1 document, 1 sentence" in capsys.readouterr().err.splitlines()[-1]
    found = sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.dis")
    )
    assert found == ["a/a-1.dis", "a/a/a-1.dis", "a/b/b-1.dis"]
    assert read_one(tmp_path / "out" / "a" / "a-1.dis").text == "He left ."


def test_dis_of_an_interrupted_document_is_written_anew(story, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "out" / "story"

    def interrupt(path):
        if path.name == "story-1.dis":
            raise KeyboardInterrupt
        return whole_file(path)

    options = ["-o", tmp_path / "out", "--format", "dis"]
    with monkeypatch.context() as patch:
        patch.setattr("rhetree.treebanks.files.whole_file", interrupt)
        assert command(story, *options) == 130
    assert sorted(path.name for path in folder.iterdir()) == ["story-2.dis", "story-3.dis"]
    assert command(story, *options) == 2
    assert "story-2.dis: exists already" in capsys.readouterr().err
    assert command(story, *options, "--resume") == 0
    assert len(list(folder.iterdir())) == 3


def test_a_slash_makes_a_folder_of_any_name(story, tmp_path, capsys):
    assert command(story, "-o", f"{tmp_path}/res.v2/", "--format", "json") == 0
    assert read_one(tmp_path / "res.v2" / "story.json").text == STORY
    assert command(story, "-o", f"{tmp_path}/new.json/") == 2
    assert "a folder; name what to write into it with --format" in capsys.readouterr().err
    (tmp_path / "file.json").write_text("{}", encoding="utf-8")
    assert command(story, "-o", f"{tmp_path}/file.json/", "--format", "json", "--overwrite") == 2
    assert "a file, not a folder" in capsys.readouterr().err


def test_several_documents_do_not_go_into_a_file_of_one(story, tmp_path, capsys):
    assert command(story, "Good.", "-o", tmp_path / "out.json") == 2
    assert "json holds one document a file, and text is the second" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
    assert command(story, "Good.", "--format", "json") == 2
    assert capsys.readouterr().out == ""


def test_a_terminal_shows_the_names_of_several_documents(story, capsys, monkeypatch):
    on_terminal(monkeypatch)
    assert command(story, "Good.") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "story"
    assert lines[lines.index("text") - 1] == ""
    assert command(story) == 0
    assert capsys.readouterr().out.startswith("(1)")


def test_documents_of_one_name_get_files_of_their_own(tmp_path):
    path = write_lines(
        tmp_path / "in.jsonl", *({"id": name, "text": "A."} for name in ("a", "a", "a-2", "x/y:z"))
    )
    assert command(path, "-o", tmp_path / "out", "--format", "json") == 0
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == ["a-2-2.json", "a-2.json", "a.json", "x_y_z.json"]


@pytest.mark.parametrize("format", ["json", "brackets", "dis"])
def test_long_names_are_cut_to_what_a_file_can_have(format, tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *({"id": "é" * n, "text": "A."} for n in (101, 200, 3000)))
    text = tmp_path / ("x" * 251 + ".txt")
    text.write_text("A.", encoding="utf-8")
    assert command(path, text, "-o", tmp_path / "out", "--format", format) == 0
    assert len(list((tmp_path / "out").iterdir())) == 4
    if format == "json":
        names = {read_one(file).name for file in (tmp_path / "out").iterdir()}
        assert names == {"é" * 101, "é" * 200, "é" * 3000, "x" * 251}


def test_a_beam_shows_readings_with_their_probabilities(capsys, monkeypatch, model):
    text = "He said that it rained, so we stayed. Good."
    assert command(text, "--beam", "3") == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["sentences"][0]["alternatives"]) == 2
    assert model["beam"] == 3
    on_terminal(monkeypatch)
    assert command(text, "--beam", "3") == 0
    out = capsys.readouterr().out
    assert out.startswith("(1.1) probability ")
    assert "(1.3) probability " in out
    assert "(2.1) probability " in out


def test_segmenting_gives_edus_without_trees(story, tmp_path, capsys, monkeypatch):
    assert command(story, name="segment") == 0
    record = json.loads(capsys.readouterr().out)
    assert all("edus" in sentence and not sentence.get("splits") for sentence in record["sentences"])
    assert command(story, "-o", tmp_path / "a.edus", name="segment") == 0
    assert len(read_one(tmp_path / "a.edus").edus) == sum(
        len(sentence["edus"]) for sentence in record["sentences"]
    )
    on_terminal(monkeypatch)
    assert command(story, name="segment") == 0
    assert capsys.readouterr().out.startswith("(1) 1 He")
    for format in ("svg", "html", "conllu", "json"):
        assert command(story, "--format", format, name="segment") == 0


def test_segmenting_refuses_formats_of_trees(story, tmp_path, capsys):
    with pytest.raises(SystemExit):
        command(story, "--format", "rs3", name="segment")
    capsys.readouterr()
    assert command(story, "-o", tmp_path / "a.rs3", name="segment") == 2
    assert "its ending is none of .txt, .json, " in capsys.readouterr().err


def test_settings_reach_the_model(model):
    command("Good.", "--model", "some", "--threads", "2", "--batch-cost", "100", "--beam", "2")
    assert model == {"model": "some", "threads": 2, "batch_cost": 100, "beam": 2}
    for wrong in (["--beam", "0"], ["--threads", "-1"], ["--batch-cost", "x"]):
        with pytest.raises(SystemExit):
            command("Good.", *wrong)


def test_what_exists_is_replaced_only_when_asked(story, tmp_path, capsys):
    for options in (
        ["-o", tmp_path / "a.jsonl"],
        ["-o", tmp_path / "a.svg"],
        ["-o", tmp_path / "f", "--format", "json"],
    ):
        assert command(story, *options) == 0
        assert command(story, *options) == 2
        assert "exists already" in capsys.readouterr().err
        assert command(story, *options, "--overwrite") == 0
    assert len(lines_of(tmp_path / "a.jsonl")) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out"], "-o out: a folder; name what to write into it with --format"),
        (["-o", "out.xyz"], "-o out.xyz: its ending is none of .txt, .json, .jsonl"),
        (["--resume"], "--resume needs -o"),
        (
            ["--resume", "-o", "a.svg"],
            "--resume goes on with a .jsonl file or a folder, and a.svg is neither",
        ),
        (["--resume", "--overwrite", "-o", "a.jsonl"], "choose one"),
    ],
)
def test_outputs_that_cannot_be_are_told_before_any_work(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command("Good.", *arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("format", ["jsonl", "edus", "json", "terminal"])
def test_a_pipe_is_written_to_as_it_is(format, story, tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert in_time(story, "-o", pipe, "--format", format) == 0
    with open(reading, encoding="utf-8") as heard:
        assert "rained" in heard.read()
    assert pipe.is_fifo()


def test_dev_stdout_is_standard_output(story, capsys):
    assert command(story, "-o", "/dev/stdout", "--format", "edus") == 0
    assert "rained" in capsys.readouterr().out


def test_a_pipe_cannot_be_gone_on_with(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert in_time("Good.", "-o", tmp_path / "pipe.jsonl", "--resume") == 2
    assert "pipe.jsonl is neither" in capsys.readouterr().err


def test_the_output_is_never_an_input(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    path = write_lines(tmp_path / "in" / "a.jsonl", {"id": "a", "text": "A."})
    assert command(path, "-o", path, "--overwrite") == 2
    assert "is read as well" in capsys.readouterr().err
    assert command(tmp_path / "in", "-o", tmp_path / "in", "--format", "json") == 2
    assert "name another folder" in capsys.readouterr().err
    for _ in range(2):  # the second time, the first one's output is there
        assert command(tmp_path / "in", "-o", tmp_path / "in" / "out.jsonl", "--overwrite") == 0
        assert [record["id"] for record in lines_of(tmp_path / "in" / "out.jsonl")] == ["a"]


# --- nothing, or little -----------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n\t ", "\n\n\n"])
def test_a_file_without_words_is_an_empty_document(text, tmp_path, capsys, monkeypatch):
    path = tmp_path / "empty.txt"
    path.write_text(text, encoding="utf-8")
    assert command(path) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["text"] == text
    assert not record.get("sentences")
    jsonschema.validate(record, schema())
    for format in ("conllu", "edus", "brackets", "terminal"):
        assert command(path, "--format", format) == 0
        assert capsys.readouterr() == ("", "rhetree: empty: no words in it\n")
    for format in ("rs3", "dis", "svg", "html"):
        assert command(path, "--format", format) == 2
        assert "empty cannot be written as" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["One", ".", "?!", "word " * 5000])
@pytest.mark.parametrize(
    "format", ["terminal", "json", "rs3", "dis", "conllu", "brackets", "svg", "html", "edus"]
)
def test_odd_texts_are_written_in_every_format(text, format, capfd):
    assert command("--text", text, "--format", format) == 0
    assert capfd.readouterr().out


# --- bad records ------------------------------------------------------------------------------

NO_UTF8 = "not UTF-8 text; convert it first, for instance with iconv"
BAD = [
    '{"id": "x", "text": 3}',
    '{"id": "x"',
    '{"id": "x", "text": "a", "extra": 1}',
    '{"id": "x", "tokens": ["a", "flat", "list"]}',
    '{"id": "x", "tokens": [["a", "b"], ["c"]], "edus": [[0, 1], [1, 3]]}',
    "[]",
]


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_record_stops_the_run_after_what_came_before(bad, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A."}, "", bad, {"id": "b", "text": "B."})
    assert command(path, "-o", tmp_path / "out.jsonl") == 2
    err = capsys.readouterr().err
    assert err.startswith(f"rhetree: {path}:3: ")
    assert err.count("\n") == 1
    assert [record["id"] for record in lines_of(tmp_path / "out.jsonl")] == ["a"]


@pytest.mark.parametrize("format", ["terminal", "edus", "conllu", "brackets", "json", "svg"])
def test_what_came_before_a_bad_record_is_whole_in_every_format(format, tmp_path, capsys):
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("He left because it rained.", encoding="utf-8")
    bad.write_bytes(b"bad \xff")
    assert command(good, "-o", tmp_path / "expected", "--format", format, "--overwrite") == 0
    capsys.readouterr()
    (expected,) = (tmp_path / "expected").iterdir()
    assert command(good, bad, good, "-o", tmp_path / "out.x", "--format", format) == 2
    assert capsys.readouterr().err == f"rhetree: {bad}:1: {NO_UTF8}\n"
    assert (tmp_path / "out.x").read_bytes() == expected.read_bytes()
    assert command(good, bad, good, "--format", format) == 2
    assert len(capsys.readouterr().out) > 20
    assert command(bad, good, "-o", tmp_path / "none.x", "--format", format) == 2
    assert not (tmp_path / "none.x").exists()


def test_what_came_before_a_document_that_cannot_be_written_is(tmp_path, capsys):
    path = write_lines(
        tmp_path / "in.jsonl",
        {"id": "a", "text": "A."},
        {"id": "b", "tokens": [["\0"]]},
        {"id": "c", "text": "C."},
        "oops",  # read before the others are written, and not the first mistake
    )
    assert command(path, "-o", tmp_path / "out.edus") == 2
    assert capsys.readouterr().err.startswith(
        f"rhetree: {path}:2: b cannot be written as edus: EDU 1 has a NUL"
    )
    assert (tmp_path / "out.edus").read_text(encoding="utf-8").split() == ["A", "."]


def test_going_on_tells_of_a_bad_record_first(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", records(2)[0], "oops", records(2)[1])
    assert command(path, "-o", tmp_path / "out.jsonl", "--on-error", "skip") == 1
    capsys.readouterr()
    assert command(path, "-o", tmp_path / "out.jsonl", "--resume") == 2
    assert f"{path}:2: not JSON" in capsys.readouterr().err


def test_bad_records_are_skipped_when_asked(tmp_path, capsys):
    path = tmp_path / "in.jsonl"
    lines = [
        b'{"id": "a", "text": "A."}',
        *map(str.encode, BAD),
        b'{"id": "\xff", "text": ""}',
        b'{"id": "b", "text": "B."}',
    ]
    path.write_bytes(b"\n".join(lines))
    assert command(path, "-o", tmp_path / "out.jsonl", "--on-error", "skip") == 1
    assert [record["id"] for record in lines_of(tmp_path / "out.jsonl")] == ["a", "b"]
    err = capsys.readouterr().err
    for line in range(2, 9):
        assert f"rhetree: skipped: {path}:{line}: " in err
    assert "skipped 7 records" in err
    assert command(path, "--on-error", "skip") == 1


def test_a_bad_document_of_conllu_is_skipped_and_the_next_ones_are_not(tmp_path, capsys):
    broken = CONLLU.replace("rain", "first") + CONLLU.replace("2\tsaid", "7\tsaid")
    (tmp_path / "in.conllu").write_text(broken, encoding="utf-8")
    assert command(tmp_path / "in.conllu", "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["first", "sun", "sun"]
    assert f"skipped: {tmp_path / 'in.conllu'}:19: expected word 2, found 7" in err


def test_a_file_that_is_no_text_is_skipped_among_others(tmp_path, capsys):
    (tmp_path / "a.txt").write_bytes(b"It\nrained \xff.")
    (tmp_path / "b.txt").write_text("Good.", encoding="utf-8")
    assert command(tmp_path) == 2
    assert f"{tmp_path / 'a.txt'}:2: not UTF-8 text" in capsys.readouterr().err
    assert command(tmp_path, "--on-error", "skip") == 1
    assert json.loads(capsys.readouterr().out)["id"] == "b"


def test_what_cannot_be_written_is_skipped_when_asked(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": ""}, {"id": "b", "text": "B."})
    for format in ("rs3", "dis", "svg", "html"):
        out = tmp_path / format
        assert command(path, "-o", out, "--format", format) == 2
        told = f"{path}:1: a cannot be written as {format}: it has no words\n"
        assert capsys.readouterr().err == f"rhetree: {told}"
        assert command(path, "-o", out, "--format", format, "--on-error", "skip") == 1
        assert [file.stem for file in out.iterdir()] == ["b"]
        assert f"skipped: {told}" in capsys.readouterr().err


def test_a_skipped_document_is_not_counted_as_the_first(tmp_path, capsys):
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "good.txt").write_text("Good.", encoding="utf-8")
    options = ["-o", tmp_path / "out.svg", "--on-error", "skip"]
    assert command(tmp_path / "empty.txt", *options) == 1
    assert not (tmp_path / "out.svg").exists()
    assert command(tmp_path / "empty.txt", tmp_path / "good.txt", *options) == 1
    assert "Good" in (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert f"skipped: {tmp_path / 'empty.txt'}: empty cannot be written as svg" in capsys.readouterr().err


# --- going on ---------------------------------------------------------------------------------


def records(n):
    return [{"id": str(number), "text": f"It rained {number} times."} for number in range(n)]


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


# --- beside the data --------------------------------------------------------------------------


def test_the_last_line_tells_what_was_done(story, tmp_path, capsys):
    assert command(story, "-o", tmp_path / "out.jsonl") == 0
    err = capsys.readouterr().err
    assert err.startswith("rhetree: 1 document, 3 sentences (")
    assert err.endswith(f" sentences a second) into {tmp_path / 'out.jsonl'}\n")
    for options in ([], ["-o", "-"]):
        assert command(story, *options) == 0
        assert capsys.readouterr().err == ""


def test_a_bar_appears_when_it_takes_long(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rhetree.cli.progress._PATIENCE", 0)
    monkeypatch.setattr("rhetree.cli.progress._INTERVAL", 0)
    path = write_lines(tmp_path / "in.jsonl", *records(5))
    assert command(path, "-o", tmp_path / "a.jsonl") == 0
    assert " done, " not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert command(path, "-o", tmp_path / "b.jsonl") == 0
    assert "5 done, " in capsys.readouterr().err


def test_a_long_file_is_read_as_it_is_needed(tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *records(10_000))
    inputs = Inputs([Source(path, "jsonl")])
    found = inputs.records()
    assert [next(found).document.name for _ in range(3)] == ["0", "1", "2"]
    assert next(found).at < 1000 < inputs.n_bytes


def test_help_and_errors_need_no_model_and_no_numpy(tmp_path):
    program = (
        "import sys; from rhetree.cli.main import main\n"
        "try: main(['parse', '--help'])\nexcept SystemExit: pass\n"
        "assert main(['parse', 'no-such.txt']) == 2\n"
        "heavy = {'numpy', 'torch', 'rich', 'onnxruntime', 'rhetree.treebanks'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=tmp_path)


def test_reading_back_gives_the_documents(story, tmp_path):
    assert command(story, "Good.", "-o", tmp_path / "out.jsonl") == 0
    first, second = read(tmp_path / "out.jsonl")
    parser = fake_parser()
    for found, expected in ((first, parser.parse(STORY, "story")), (second, parser.parse("Good.", "text"))):
        assert replace(found, readings=()) == replace(expected, readings=())  # probabilities are rounded


# --- what the page shows ----------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "parsing.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_are_understood(monkeypatch):
    shown = [
        shlex.split(line, comments=True) for line in re.findall(r"^\$ rhetree (.*)$", PAGE, re.MULTILINE)
    ]
    assert len(shown) > 8
    for name in ("parse", "segment", "models", "info"):
        monkeypatch.setattr(f"rhetree.cli.{name}.run", lambda args: 0)
    for arguments in shown:
        assert main(arguments) == 0


def test_the_python_of_the_page_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("lines.txt").write_text("One.\nTwo.\n", encoding="utf-8")
    # Not by its name: looking that up would keep what another fixture put in its place.
    monkeypatch.setitem(vars(rhetree), "load", fake_parser)
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)
