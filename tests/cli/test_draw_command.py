import io
import sys
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.formats import write
from support.drawn_documents import drawn_nary, three_sentences, treasury, treasury_as_parsed


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.json"
    write(treasury(), path)
    return path


@pytest.fixture
def predicted(tmp_path):
    path = tmp_path / "predicted.json"
    write(replace(treasury_as_parsed(), name="as parsed"), path)
    return path


@pytest.fixture
def several(tmp_path):
    path = tmp_path / "several.jsonl"
    write([treasury(), three_sentences(), replace(treasury(), name="a/b ?")], path)
    return path


def draw(*arguments):
    return main(["draw", *map(str, arguments)])


def test_without_an_output_the_tree_is_printed(gold, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    assert draw(gold) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[2] == "│  ├─S 1 The Treasury also said"
    assert "\x1b" not in out


def test_the_width_of_the_terminal_or_of_the_option_is_kept(gold, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    draw(gold)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40
    draw(gold, "--width", 60)
    assert max(map(len, capsys.readouterr().out.splitlines())) > 40


@pytest.mark.parametrize(
    ("environment", "option", "coloured"),
    [
        ({}, "auto", True),
        ({"NO_COLOR": "1"}, "auto", False),
        ({"TERM": "dumb"}, "auto", False),
        ({"NO_COLOR": "1"}, "always", True),
        ({}, "never", False),
    ],
)
def test_a_terminal_gets_colour_unless_it_is_not_wanted(
    gold, capsys, monkeypatch, environment, option, coloured
):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name in ("--colour", "--color"):
        draw(gold, name, option)
        assert ("\x1b[" in capsys.readouterr().out) is coloured


def test_a_stream_without_box_characters_gets_ascii(gold, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert draw(gold) == 0
    stream.flush()
    assert b"|  |-S 1 The Treasury also said" in stream.buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.svg", b"<svg"), ("a.html", b"<!DOCTYPE"), ("a.txt", b"Condition"), ("a.png", b"\x89PNG")],
)
def test_the_ending_of_the_output_tells_the_kind(gold, tmp_path, name, start):
    if name.endswith("png"):
        pytest.importorskip("resvg_py", reason="needs the extra png")
    assert draw(gold, "-o", tmp_path / name) == 0
    assert (tmp_path / name).read_bytes().startswith(start)


def test_pictures_go_to_standard_output_when_asked(gold, capfdbinary):
    assert draw(gold, "--to", "svg", "--theme", "dark") == 0
    assert capfdbinary.readouterr().out.startswith(
        b'<svg xmlns="http://www.w3.org/2000/svg" class="rhetree-dark"'
    )
    assert draw(gold, "--to", "txt", "-o", "-") == 0
    assert capfdbinary.readouterr().out.startswith(b"Condition")


def test_another_analysis_is_drawn_beside_it(gold, predicted, capsys, tmp_path):
    assert draw(gold, "--against", predicted, "--width", 100) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["gold.json", "predicted.json"]
    assert "≠NR" in out
    assert "> 1 only in predicted.json" in " ".join(out.split())
    assert draw(gold, "--against", predicted, "-o", tmp_path / "pair.svg") == 0
    assert "≠NR Condition" in (tmp_path / "pair.svg").read_text(encoding="utf-8")


def test_files_of_the_same_name_are_called_by_their_folders(gold, tmp_path, capsys):
    other = tmp_path / "system" / "gold.json"
    write(treasury(), other)
    draw(gold, "--against", other, "--width", 120)
    assert "system/gold.json" in capsys.readouterr().out.splitlines()[0].replace("\\", "/")


def test_several_documents_are_printed_with_their_names(several, capsys):
    assert draw(several) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "treasury"
    assert "weather" in lines
    assert "(2) attribution 2–4" in lines


def test_one_document_can_be_chosen_and_one_sentence(several, capsys):
    assert draw(several, "--document", "weather", "--sentence", 2) == 0
    assert capsys.readouterr().out.splitlines()[0] == "(2) attribution 2–4"


def test_several_documents_become_pictures_in_a_folder(several, tmp_path, capsys):
    assert draw(several, "-o", tmp_path / "pictures", "--to", "svg") == 0
    found = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert found == ["a_b _.svg", "treasury.svg", "weather.svg"]
    assert "drew 3 of 3" in capsys.readouterr().err


def test_a_document_that_cannot_be_drawn_is_reported_and_the_rest_go_on(tmp_path, capsys):
    path = tmp_path / "mixed.jsonl"
    write([treasury(), treasury().without_edus(), three_sentences()], path)
    assert draw(path, "-o", tmp_path / "out", "--to", "html") == 1
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["treasury.html", "weather.html"]
    err = capsys.readouterr().err
    assert "treasury cannot be written as a picture: it has no EDUs to draw; parse it first" in err
    assert "drew 2 of 3" in err


def test_a_folder_of_files_is_read(gold, tmp_path, capsys):
    folder = tmp_path / "treebank"
    write(treasury(), folder / "one.dis")
    write(drawn_nary(), folder / "two.rs4")
    assert draw(folder) == 0
    out = capsys.readouterr().out
    assert "also said" in out
    assert "background: 1 Once" in out


def test_standard_input_needs_its_format(gold, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gold.read_bytes())))
    assert draw("-", "--from", "json") == 0
    assert "Condition 1–4" in capsys.readouterr().out


def test_shapes_and_classes_can_be_chosen(tmp_path, capsys):
    path = tmp_path / "drawn.json"
    write(drawn_nary(), path)
    draw(path)
    drawn = capsys.readouterr().out
    draw(path, "--binary")
    binary = capsys.readouterr().out
    assert len(binary.splitlines()) == 15 > len(drawn.splitlines())
    write(treasury(), tmp_path / "t.json")
    (tmp_path / "classes.txt").write_text("Any: condition attribution temporal\n", encoding="utf-8")
    draw(tmp_path / "t.json", "--relations", tmp_path / "classes.txt")
    assert capsys.readouterr().out.count("Any") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-o", "x.pdf"],
            "-o x.pdf: its ending is none of .svg, .html, .png, .txt; say what to draw with --to",
        ),
        (["-o", "folder"], "-o folder needs --to, with one of svg, html, png, txt"),
        (["-o", "x.html", "--width", "80"], "--width is for terminal, txt, svg, png, not for html"),
        (["--theme", "dark"], "--theme is for svg, html, png, not for terminal"),
        (["-o", "x.svg", "--scale", "2"], "--scale is for png, not for svg"),
        (["-o", "x.svg", "--width", "-3"], "a width is 0 or more, got -3"),
        (["--sentence", "0"], "--sentence 0: sentences are counted from 1"),
        (["--width", "10"], "--width 10: text needs 30 columns or more"),
        (["--to", "txt", "--width", "0"], "--width 0: text needs 30 columns or more"),
        (["--document", "other"], "has no document called 'other', but 'treasury'"),
        (["--relations", "gum", "--against", "nowhere.json"], "nowhere.json: no such file or folder"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(gold, capsys, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert draw(gold, *arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


def test_standard_input_that_is_no_jsonl_is_told_with_the_way_out(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"( Root (span 1 2)")))
    assert draw("-") == 2
    message = capsys.readouterr().err
    assert message.startswith("rhetree: -: line 1: ")
    assert message.endswith("; standard input is read as jsonl, unless you name another format with --from\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "--from", "json", "--against", "-"], "-: standard input can be read only once\n"),
        (["nowhere"], "nowhere: no such file or folder\n"),
        (["."], "expected trees/ beside conllu/"),
        ([".", "--from", "dis"], "--from is for files, and . is a folder, whose files' endings tell\n"),
    ],
)
def test_what_cannot_be_read_is_told_with_the_way_out(capsys, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert draw(*arguments) == 2
    assert message in capsys.readouterr().err


def test_sentences_that_are_not_known_are_found_by_rule_and_the_note_is_short(gold, tmp_path, capsys):
    note = "rhetree: sentences of 1 document are found by rule; rhetree convert --sentences adds gold ones\n"
    write(treasury(), tmp_path / "folder" / "treasury.dis")
    for path in (gold, tmp_path / "folder"):
        assert draw(path) == 0
        assert capsys.readouterr().err == ""
        for option in (["--by-sentence"], ["--sentence", 1]):
            assert draw(path, *option) == 0
            out, err = capsys.readouterr()
            assert (out.splitlines()[0], err) == ("(1) Condition 1–4", note)
        assert draw(path, "--sentence", 2) == 2
        assert "treasury has sentences 1 to 1, not 2" in capsys.readouterr().err


def test_what_was_left_out_counts(tmp_path, capsys):
    folder = tmp_path / "treebank"
    for name in "ab":
        write(replace(treasury(), name=name), folder / f"{name}.dis")
    for name in "cde":
        (folder / f"{name}.dis").write_text("(")
    assert draw(folder, "--lenient", "-o", tmp_path / "out", "--to", "txt") == 1
    assert f"rhetree: drew 2 of 5 documents into {tmp_path / 'out'}\n" in capsys.readouterr().err
    assert draw(folder, "--lenient") == 1
    assert capsys.readouterr().out.startswith("a\nCondition")
    assert draw(folder, "--document", "a") == 0
    assert draw(folder, "--document", "a", "-o", tmp_path / "a.svg") == 0
    capsys.readouterr()
    assert draw(folder, "--document", "x") == 2
    assert "has no document called 'x', but 'a', 'b', 'c', 'd', 'e'" in capsys.readouterr().err


def test_a_document_of_a_folder_is_drawn_against_an_only_one_of_another_name(
    gold, predicted, tmp_path, capsys
):
    folder = tmp_path / "treebank"
    write(treasury(), folder / "treasury.dis")
    write(three_sentences(), folder / "weather.json")
    assert draw(folder, "--document", "treasury", "--against", predicted) == 0
    assert draw(folder, "--document", "treasury", "--against", folder) == 0
    assert "≠" not in capsys.readouterr().out.rsplit("same;")[-1].replace("≠N 0", "").replace("≠R 0", "")


def test_documents_that_cannot_be_printed_are_reported_and_the_rest_go_on(tmp_path, capsys):
    write([treasury().without_edus(), three_sentences()], tmp_path / "mixed.jsonl")
    assert draw(tmp_path / "mixed.jsonl") == 1
    out, err = capsys.readouterr()
    assert out.startswith("weather\n(1) 1 A storm came.\n")
    assert err == "rhetree: treasury cannot be written as a picture: it has no EDUs to draw; parse it first\n"


def test_where_nothing_can_be_drawn_the_exit_code_is_2(several, tmp_path, capsys, monkeypatch):
    write([treasury().without_edus()] * 2, tmp_path / "bare.jsonl")
    for options in ([], ["-o", tmp_path / "out", "--to", "svg"]):
        assert draw(tmp_path / "bare.jsonl", *options) == 2
    (tmp_path / "taken").write_text("a file")
    capsys.readouterr()
    assert draw(several, "-o", tmp_path / "taken", "--to", "svg") == 2
    assert capsys.readouterr().err == f"rhetree: {tmp_path / 'taken'}: a file, not a folder\n"


def test_two_analyses_fit_a_narrow_terminal(gold, predicted, capsys):
    assert draw(gold, "--against", predicted, "--width", 40) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 40
    assert out.splitlines()[0] == "gold.json"


def test_several_documents_do_not_go_into_one_picture(several, tmp_path, capsys):
    assert draw(several, "-o", tmp_path / "x.svg") == 2
    err = capsys.readouterr().err
    assert "3 documents do not fit in one svg file; choose one with --document ('treasury', 'weather'" in err
    assert "-o FOLDER --to svg" in err


def test_documents_of_other_text_do_not_compare(gold, several, tmp_path, capsys):
    other = tmp_path / "other.json"
    write(three_sentences(), other)
    assert draw(gold, "--against", other) == 2
    assert "are not of the same text" in capsys.readouterr().err
    assert draw(several, "--against", other) == 2
    assert "other.json has no document called 'treasury', 'a/b ?'" in capsys.readouterr().err


def test_a_missing_extra_says_what_to_install(gold, several, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert draw(gold, "-o", tmp_path / "x.png") == 2
    assert "pip install 'rhetree[png]'" in capsys.readouterr().err
    assert draw(several, "-o", tmp_path / "folder", "--to", "png") == 2
    assert not (tmp_path / "x.png").exists()
