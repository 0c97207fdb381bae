"""What ``rhetree parse`` and ``rhetree segment`` write, and where."""

import json
import os

import pytest

from rhetree.formats import read_one
from rhetree.formats.files import whole_file
from support.parse_commands import STORY, command, in_time, lines_of, on_terminal, write_lines

pytestmark = pytest.mark.usefixtures("model")


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


@pytest.mark.parametrize("format", ["dis", "rsd"])
def test_one_tree_a_file_is_a_file_for_each_sentence_in_a_folder(format, story, tmp_path, capsys):
    assert command(story, "-o", tmp_path / "out", "--format", format) == 0
    files = sorted(path.name for path in (tmp_path / "out" / "story").iterdir())
    assert files == [f"story-{number}.{format}" for number in (1, 2, 3)]
    assert read_one(tmp_path / "out" / "story" / f"story-2.{format}").edu_texts() == ["Good ."]
    assert command("Good.", "--format", format) == 0
    assert "Good" in capsys.readouterr().out
    assert command(story, "--format", format) == 2
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
        patch.setattr("rhetree.jobs.sentence_files.whole_file", interrupt)
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
    assert "a folder; say what to write into it with --format" in capsys.readouterr().err
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
    found = sorted(path.name for path in (tmp_path / "out").glob("[!.]*"))
    assert found == ["a-2-2.json", "a-2.json", "a.json", "x_y_z.json"]


@pytest.mark.parametrize("format", ["json", "brackets", "dis"])
def test_long_names_are_cut_to_what_a_file_can_have(format, tmp_path):
    path = write_lines(tmp_path / "in.jsonl", *({"id": "é" * n, "text": "A."} for n in (101, 200, 3000)))
    text = tmp_path / ("x" * 251 + ".txt")
    text.write_text("A.", encoding="utf-8")
    assert command(path, text, "-o", tmp_path / "out", "--format", format) == 0
    assert len(list((tmp_path / "out").glob("[!.]*"))) == 4
    if format == "json":
        names = {read_one(file).name for file in (tmp_path / "out").glob("[!.]*")}
        assert names == {"é" * 101, "é" * 200, "é" * 3000, "x" * 251}


def test_a_beam_shows_readings_with_their_probabilities(capsys, monkeypatch, model):
    text = "He said that it rained, so we stayed. Good."
    assert command(text, "--beam", "3", "--format", "jsonl") == 0
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


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        (["--format", "conllu"], "conllu does not hold trees of single sentences; json and jsonl do"),
        (
            ["--format", "rs3", "--beam", 2],
            "rs3 does not hold probabilities and alternatives; json and jsonl do",
        ),
        (["--format", "jsonl", "--beam", 2], ""),
        (["--format", "rs3"], ""),
        (["--format", "edus"], ""),
    ],
)
def test_what_a_format_cannot_hold_of_what_was_found_is_said(options, missing, story, capsys):
    assert command(story, *options) == 0
    assert capsys.readouterr().err == (f"rhetree: {missing}\n" if missing else "")


def test_segmenting_refuses_formats_of_trees(story, tmp_path, capsys):
    with pytest.raises(SystemExit):
        command(story, "--format", "rs3", name="segment")
    capsys.readouterr()
    assert command(story, "-o", tmp_path / "a.rs3", name="segment") == 2
    assert "its ending is none of .txt, .json, " in capsys.readouterr().err


def test_settings_reach_the_model(model):
    command(
        "Good.",
        "--model",
        "some",
        "--device",
        "cuda:1",
        "--threads",
        "2",
        "--batch-cost",
        "100",
        "--beam",
        "2",
    )
    assert model == {
        "model": "some",
        "threads": 2,
        "batch_cost": 100,
        "beam": 2,
        "device": "cuda:1",
        "document_model": None,
    }
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
        (["-o", "out"], "-o out: a folder; say what to write into it with --format"),
        (["-o", "out.xyz"], "-o out.xyz: its ending is none of .txt, .json, .jsonl"),
        (["--resume"], "--resume needs -o"),
        (
            ["--resume", "-o", "a.svg"],
            "a.svg: cannot be resumed; only a .jsonl file or a folder can",
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
    assert "pipe.jsonl: cannot be resumed" in capsys.readouterr().err


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


def test_one_text_is_drawn_wherever_it_goes_and_anything_else_is_json(capsys, story):
    assert command("It rained.") == 0
    assert capsys.readouterr().out == "(1) 1 It rained.\n"
    for arguments in ([story], ["It rained.", "Good."], ["It rained.", "--edu-texts"]):
        assert command(*arguments) == 0
        assert capsys.readouterr().out.startswith('{"format": "rhetree"')


def test_edu_texts_are_for_json(capsys, story):
    assert command(story, "--edu-texts") == 0
    sentences = json.loads(capsys.readouterr().out)["sentences"]
    assert sentences[1]["edu_texts"] == ["Good."]
    assert command(story, "--edu-texts", "--format", "csv") == 2
    assert capsys.readouterr().err == "rhetree: --edu-texts is for json and jsonl, not for csv\n"


def test_a_table_of_several_documents_has_their_names(capsys, story):
    assert command("It rained.", story, "--format", "table") == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[1].split()[:2]) == ("text", ["sent.", "EDU"])
    assert "story" in lines


def test_what_is_binary_is_not_written_to_a_terminal(capsys, monkeypatch, story):
    on_terminal(monkeypatch)
    assert command(story, "--format", "png") == 2
    assert "png cannot be shown in a terminal; name a file with -o" in capsys.readouterr().err


def test_a_picture_as_png(story, tmp_path):
    pytest.importorskip("resvg_py")
    assert command(story, "-o", tmp_path / "story.png") == 0
    assert (tmp_path / "story.png").read_bytes().startswith(b"\x89PNG")
