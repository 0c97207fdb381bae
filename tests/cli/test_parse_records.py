"""Records without words, and records that cannot be read or written."""

import json

import pytest

from support.parse_commands import CONLLU, command, lines_of, records, write_lines
from support.schema import check_record

pytestmark = pytest.mark.usefixtures("model")


# --- nothing, or little -----------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n\t ", "\n\n\n"])
def test_a_file_without_words_is_an_empty_document(text, tmp_path, capsys, monkeypatch):
    path = tmp_path / "empty.txt"
    path.write_text(text, encoding="utf-8")
    assert command(path) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["text"] == text
    assert not record.get("sentences")
    check_record(record)
    for format in ("conllu", "edus", "brackets", "terminal"):
        assert command(path, "--format", format) == 0
        assert capsys.readouterr() == ("", "rhetree: empty: no words in it\n")
    for format in ("rs3", "dis", "svg", "html"):
        assert command(path, "--format", format) == 2
        assert "empty cannot be written as" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["One", ".", "?!", "word " * 4000])
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
    '{"id": ["x"], "text": "a"}',
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
    (expected,) = (tmp_path / "expected").glob("[!.]*")
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


SENTENCE = "1\tIt\t_\t_\t_\t_\t_\t_\t_\t_\n2\trained\t_\t_\t_\t_\t_\t_\t_\t_\n"


@pytest.mark.parametrize(
    "opening",
    [
        "# newdoc id = {}\n# sent_id = 1\n",
        "# sent_id = 1\n# newdoc id = {}\n",
        "#newdoc id={}\n",
        "#  newdoc_id = {}\n",
        "# meta::title = A\n# newdoc id = {}\n# newpar\n",
        "# newdoc\n# newdoc id = {}\n",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\n\n", "\ufeff"])
def test_one_bad_text_of_conllu_costs_one_document(opening, ends, start, tmp_path, capsys):
    texts = ["It rained", "It reigned", "It rained", "It rained"]
    documents = [
        f"{opening.format(number)}# text = {text}\n{SENTENCE}\n# text = It rained\n{SENTENCE}\n"
        for number, text in enumerate(texts)
    ]
    path = tmp_path / "in.conllu"
    path.write_text(start + "".join(documents), encoding="utf-8", newline=ends)
    assert command(path, "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in out.splitlines()]
    assert [len(record["sentences"]) for record in found] == [2, 2, 2]
    if not opening.startswith("# newdoc\n"):
        assert [record["id"] for record in found] == ["0", "2", "3"]
    lines = (start + "".join(documents)).split("\n")
    assert f":{lines.index('# text = It reigned') + 1}: # text is not what the tokens say" in err
    assert "rhetree: skipped 1 record\n" in err


def test_a_document_of_conllu_without_a_blank_line_before_it_is_skipped_alone(tmp_path, capsys):
    path = tmp_path / "in.conllu"
    path.write_text(
        "".join(f"# newdoc id = {name}\n{SENTENCE}" for name in "ab") + f"\n# newdoc id = c\n{SENTENCE}"
    )
    assert command(path, "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", "c"]
    assert f"skipped: {path}:4: found a comment among the words, expected a blank line" in err
    assert command(path) == 2


def test_documents_of_conllu_without_names_keep_their_numbers(tmp_path, capsys):
    path = tmp_path / "in.conllu"
    path.write_text("\n" + f"# newdoc\n{SENTENCE}\n" * 3, encoding="utf-8")
    assert command(path) == 0
    out = capsys.readouterr().out
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["in", "in-2", "in-3"]


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
        assert [file.stem for file in out.glob("[!.]*")] == ["b"]
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


# --- lenient reading --------------------------------------------------------------------------


def test_lenient_reading_forgives_a_text_that_is_not_its_tokens(tmp_path, capsys, caplog):
    path = tmp_path / "in.conllu"
    path.write_text(CONLLU.replace("# text = Good", "# text = God"), encoding="utf-8")
    assert command(path) == 2
    assert command(path, "--lenient", "-o", tmp_path / "out.jsonl") == 0
    assert [record["id"] for record in lines_of(tmp_path / "out.jsonl")] == ["rain", "sun"]
    assert "God" in caplog.text


def test_lenient_reading_cuts_gold_edus_that_cross_a_sentences_edge(tmp_path, capsys, caplog):
    crossing = {"id": "x", "tokens": [["a", "b"], ["c"]], "edus": [[0, 1], [1, 3]]}
    path = write_lines(tmp_path / "in.jsonl", crossing)
    assert command(path, "--edus", "gold") == 2
    assert "an EDU crosses the edge of sentence 1; expected whole EDUs" in capsys.readouterr().err
    assert command(path, "--edus", "gold", "--lenient", "-o", tmp_path / "out.edus") == 0
    assert (tmp_path / "out.edus").read_text(encoding="utf-8").split() == ["a", "b", "c"]
    assert f"{path}:1: an EDU crosses the edge of sentence 1" in caplog.text
