"""What ``rhetree parse`` and ``rhetree segment`` read."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from rhetree.jobs.readers import KINDS
from support.parse_commands import CONLLU, STORY, command, on_terminal, piped, write_lines
from support.schema import check_record

pytestmark = pytest.mark.usefixtures("model")


def test_a_text_is_drawn_and_is_json_on_request(capsys, monkeypatch):
    assert command("It rained.", "--format", "jsonl") == 0
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
            check_record(record)
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
    record = json.loads(capsys.readouterr().out)
    assert record["text"] == text
    at = 0
    for sentence in record["sentences"]:
        for first, end in sentence["edus"]:
            start = sentence["offsets"][first][0]
            assert not any(c.isprintable() and not c.isspace() for c in text[at:start])
            at = sentence["offsets"][end - 1][1]
    assert text[at:] == "\x00 "


@pytest.mark.parametrize("name", ["story.txt", "texts/story", "./story", "my story.txt", "/no/such place"])
def test_what_looks_like_a_file_and_is_not_there_is_an_error(name, capsys):
    assert command(name) == 2
    err = capsys.readouterr().err
    assert err == f"rhetree: {name}: no such file or folder; if it is a text, say --text {name!r}\n"
    assert command("--text", name, "--format", "jsonl") == 0
    assert json.loads(capsys.readouterr().out)["text"] == name


@pytest.mark.parametrize(
    "text", ["Hello", "He left.", "Either and/or both.", "e.g.", "", "It is 3.14 wide.", "x" * 9000]
)
def test_other_arguments_are_texts(text, capsys):
    assert command(text, "--format", "jsonl") == 0
    assert json.loads(capsys.readouterr().out)["text"] == text


def test_a_path_that_is_there_is_read_even_if_it_could_be_a_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("Hello").mkdir()
    Path("Hello", "a.txt").write_text("It rained.", encoding="utf-8")
    assert command("Hello") == 0
    assert json.loads(capsys.readouterr().out)["id"] == "a"
    assert command("--text", "Hello", "--format", "jsonl") == 0
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
        (b'{"id": "a"}\n', "-:1: no field 'text' (found 'id'); name the field of the text with --text-field"),
        (b'\n{"id": "a", "te\n', "-:2: not JSON: "),
        (b'{"id": "a"\n{"id": "b", "text": "B."}\n', "-:1: not JSON: "),
        (b'{"i', "-:1: not JSON: "),
        (b"{}", "-:1: no field 'text' (found none); name the field of the text with --text-field"),
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
    path = tmp_path / "story.tex"
    path.write_text("It rained.", encoding="utf-8")
    assert command(path) == 2
    err = capsys.readouterr().err
    assert f"{path}: its ending is none of .{', .'.join(KINDS)}; say what it holds with --from\n" in err
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
    assert f"{bare}:1: it has no EDUs to keep" in capsys.readouterr().err


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
    assert capsys.readouterr().err.startswith(f"rhetree: {path}:1: 'edus' is empty; leave it out")
    assert command(path, "--edus", "gold") == 2
    assert "gold EDUs were asked for" in capsys.readouterr().err
    assert command(path, "--edus", "auto") == 0


def test_a_run_file_in_the_folder_that_is_read_is_no_input(tmp_path, capsys):
    (tmp_path / "a.text").write_text("It rained.", encoding="utf-8")
    options = [tmp_path, "--from", "txt", "-o", tmp_path / "out.jsonl"]
    assert command(*options) == command(*options, "--resume") == 0
    assert "0 documents, 0 sentences" in capsys.readouterr().err
