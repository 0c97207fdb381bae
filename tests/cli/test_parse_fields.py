"""Records of other people as input of ``rhetree parse``: JSON with any keys, CSV and Parquet."""

import csv
import gzip
import io
import json
import re
import sys
from datetime import date, datetime, timezone
from decimal import Decimal

import pytest

from rhetree.formats import read
from rhetree.jobs import streams
from support.parse_commands import command, lines_of, piped, write_lines
from support.schema import check_record

pytestmark = pytest.mark.usefixtures("model")

REVIEW = {"review_id": 7, "body": "It rained.", "stars": 4, "tags": ["a", {"b": None, "ü": [1.5, True]}]}


def parsed(capsys, *arguments):
    assert command(*arguments) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for record in found:
        check_record(record)
    return found


def told(capsys, *arguments):
    assert command(*arguments) == 2
    return capsys.readouterr().err.removeprefix("rhetree: ").removesuffix("\n")


# --- JSON -------------------------------------------------------------------------------------


def test_fields_are_named_and_all_others_pass_through(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", REVIEW, REVIEW | {"review_id": "b", "text": "other", "id": 9})
    found = parsed(capsys, path, "--text-field", "body", "--id-field", "review_id")
    assert [(record["id"], record["text"]) for record in found] == [("7", "It rained."), ("b", "It rained.")]
    rest = {"stars": 4, "tags": REVIEW["tags"]}
    assert [record["extra"] for record in found] == [rest, rest | {"text": "other", "id": 9}]


def test_ids_may_be_whole_numbers_or_missing(tmp_path, capsys):
    path = write_lines(
        tmp_path / "in.jsonl",
        {"id": 12345678901234567890123, "text": "A."},
        "",
        {"text": "B."},
        {"id": None, "text": "C."},
    )
    assert [record["id"] for record in parsed(capsys, path)] == ["12345678901234567890123", "in-3", "in-4"]
    (tmp_path / "deep").mkdir()
    path.rename(tmp_path / "deep" / "in.jsonl")
    (tmp_path / "one.json").write_text('{"text": "D."}', encoding="utf-8")
    ids = [record["id"] for record in parsed(capsys, tmp_path)]
    assert ids == ["one", "12345678901234567890123", "deep/in-3", "deep/in-4"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": 1.5, "text": "A."}, "expected a string or a whole number in the field 'id', found 1.5"),
        ({"id": True, "text": "A."}, "expected a string or a whole number in the field 'id', found true"),
        ({"id": "a", "text": None}, "expected a string in the field 'text', found null"),
        (
            {"id": "a", "body": "A."},
            "no field 'text' (found 'id', 'body'); name the field of the text with --text-field",
        ),
        (["A."], "expected an object, found ['A.']"),
    ],
)
def test_a_record_without_text_or_with_an_odd_id_names_line_and_field(record, message, tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A."}, record)
    assert told(capsys, path) == f"{path}:2: {message}"
    assert command(path, "--on-error", "skip") == 1
    assert f"skipped: {path}:2: {message}" in capsys.readouterr().err


def test_an_id_field_that_is_named_must_be_there(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A."})
    message = "no field 'name' (found 'id', 'text'); name the field of the id with --id-field"
    assert told(capsys, path, "--id-field", "name") == f"{path}:1: {message}"


def test_numbers_pass_through_as_they_are(tmp_path, capsys):
    line = '{"text": "A.", "tweet": 12345678901234567890123, "exact": 0.1, "small": 5e-324}\n'
    (tmp_path / "in.jsonl").write_text(line, encoding="utf-8")
    assert parsed(capsys, tmp_path / "in.jsonl")[0]["extra"] == {
        "tweet": 12345678901234567890123,
        "exact": 0.1,
        "small": 5e-324,
    }
    (tmp_path / "in.jsonl").write_text('{"text": "A.", "n": 1e999}\n', encoding="utf-8")
    assert told(capsys, tmp_path / "in.jsonl") == f"{tmp_path / 'in.jsonl'}:1: a number in it is too large"


def test_a_run_is_not_resumed_with_other_fields(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A.", "stars": 4})
    assert command(path, "-o", tmp_path / "out.jsonl") == 0
    assert command(path, "-o", tmp_path / "out.jsonl", "--resume") == 0
    write_lines(path, {"id": "a", "text": "A.", "stars": 5})
    assert "was made of another input" in told(capsys, path, "-o", tmp_path / "out.jsonl", "--resume")


def test_other_people_may_use_our_names_for_something_else(tmp_path, capsys):
    other = {
        "format": "pdf",
        "version": 3,
        "tokens": 57,
        "sentences": "two",
        "metadata": {"n": 1},
        "extra": 1,
    }
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "It rained."} | other)
    assert parsed(capsys, path)[0]["extra"] == other


def test_tokens_may_come_with_other_fields_too(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"tokens": [["It", "rained"]], "edus": [[[0, 2]]], "stars": 4})
    (record,) = parsed(capsys, path)
    assert (record["id"], record["text"], record["extra"]) == ("in-1", "It rained", {"stars": 4})
    assert record["sentences"][0]["edus"] == [[0, 2]]


def test_what_came_along_is_kept_in_every_file_of_ours_and_when_it_is_parsed_again(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A.", "stars": 4})
    for format, out in (("jsonl", "out.jsonl"), ("json", "out.json"), ("json", "folder/")):
        assert (
            command(
                path, "-o", f"{tmp_path / out}/" if out.endswith("/") else tmp_path / out, "--format", format
            )
            == 0
        )
    (one,) = lines_of(tmp_path / "out.jsonl")
    for written in (tmp_path / "out.json", tmp_path / "folder" / "a.json"):
        assert json.loads(written.read_text(encoding="utf-8")) == one
    capsys.readouterr()
    assert parsed(capsys, tmp_path / "out.jsonl") == [one]
    (document,) = read(tmp_path / "out.jsonl")
    assert (document.name, document.text) == ("a", "A.")


def test_metadata_of_our_json_stay_metadata(tmp_path, capsys):
    path = write_lines(tmp_path / "in.jsonl", {"id": "a", "text": "A.", "metadata": {"genre": "news"}})
    (record,) = parsed(capsys, path)
    assert record["metadata"]["genre"] == "news"
    assert "extra" not in record


def test_fields_are_for_records_alone(story, capsys):
    message = "is for .jsonl, .json, .csv, .tsv, .parquet, and there is none among the inputs"
    assert told(capsys, story, "--text-field", "body") == f"--text-field {message}"
    assert told(capsys, story, "--id-field", "name") == f"--id-field {message}"


# --- CSV --------------------------------------------------------------------------------------

CSV = 'id,stars,text\r\n1,4,"He said ""no"", and\nleft."\r\n2,5,Good.\r\n'


def test_rows_of_csv_are_documents(tmp_path, monkeypatch, capsys):
    (tmp_path / "in.csv").write_text("\ufeff" + CSV, encoding="utf-8", newline="")
    found = parsed(capsys, tmp_path / "in.csv")
    assert [record["text"] for record in found] == ['He said "no", and\nleft.', "Good."]
    assert [(record["id"], record["extra"]) for record in found] == [
        ("1", {"stars": "4"}),
        ("2", {"stars": "5"}),
    ]
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    assert parsed(capsys, tmp_path / "in.csv.gz") == found
    piped(monkeypatch, CSV.encode("utf-16"))
    assert parsed(capsys, "-", "--from", "csv") == found


def test_a_header_that_is_no_text_ends_the_file(tmp_path, capsys):
    path = tmp_path / "in.csv"
    path.write_bytes(b"id,te\xffxt\n1,He left.\n2,We left.\n")
    assert command(path, "--on-error", "skip") == 1
    err = capsys.readouterr().err
    assert f"skipped: {path}:1: not UTF-8 text" in err
    assert "skipped 1 record" in err


@pytest.mark.parametrize("delimiter", [";", "\t", "|", ","])
def test_the_header_tells_what_separates_columns(delimiter, tmp_path, capsys):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([["body", "a,;b", "name"], ["One; two, three.", "x", "a"]])
    for name in ("in.csv", "in.tsv") if delimiter == "\t" else ("in.csv",):
        (tmp_path / name).write_text(out.getvalue(), encoding="utf-8", newline="")
        (record,) = parsed(capsys, tmp_path / name, "--text-field", "body", "--id-field", "name")
        assert (record["id"], record["text"], record["extra"]) == ("a", "One; two, three.", {"a,;b": "x"})


def test_rows_without_an_id_are_named_by_their_line(tmp_path, capsys):
    (tmp_path / "in.csv").write_text('text\n"A\nb."\n\nC.\n', encoding="utf-8")
    assert [record["id"] for record in parsed(capsys, tmp_path / "in.csv")] == ["in-2", "in-5"]


def test_a_text_may_be_longer_than_the_csv_module_expects(tmp_path, capsys):
    (tmp_path / "in.csv").write_text(f"text\n{'incomprehensibilities ' * 7_000}\n", encoding="utf-8")
    assert len(parsed(capsys, tmp_path / "in.csv")[0]["text"]) == 154_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,body\n1,A.\n",
            ":1: no field 'text' (found 'id', 'body'); name the field of the text with --text-field",
        ),
        ("text,a,a\nA.,1,2\n", ":1: two columns are called 'a'"),
        ("", ": no header; expected a line with the names of the columns"),
        ("text,a\nA.,1\nB.\n", ":3: 1 fields, expected 2 as in the header"),
        (
            'text\n"A" b\nB.\n',
            ":2: not CSV: ',' expected after '\"'; a quote inside a quoted field is doubled",
        ),
        ('text\n"A\n', ":2: not CSV: unexpected end of data; a quote inside a quoted field is doubled"),
    ],
)
def test_bad_csv_names_the_line(text, message, tmp_path, capsys):
    path = tmp_path / "in.csv"
    path.write_text(text, encoding="utf-8")
    assert told(capsys, path) == f"{path}{message}"


def test_a_bad_row_leaves_the_others_readable(tmp_path, capsys):
    path = tmp_path / "in.csv"
    path.write_bytes(b'text,n\nA.,1\nB.\n"C" c,2\n"\xff\nD.",3\nE.,4\n')
    assert command(path, "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["A.", "E."]
    for line in (3, 4, 5):
        assert f"skipped: {path}:{line}: " in err
    assert "skipped 3 records" in err


def test_a_row_that_is_bad_in_two_ways_leaves_the_next_one(tmp_path, capsys):
    path = tmp_path / "in.csv"
    path.write_bytes(b'text,n\n"A" a\xff,1\nB.,2\n')
    assert command(path, "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["B."]
    assert "skipped 1 record" in err


def test_a_field_that_never_ends_is_bounded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(streams, "MOST_BYTES", 200_000)
    path = tmp_path / "in.csv"
    path.write_text('text\n"' + "A line.\n" * 100_000, encoding="utf-8")
    before = csv.field_size_limit(131_072)
    try:
        assert "field larger than field limit (200000)" in told(capsys, path)
    finally:
        csv.field_size_limit(before)


# --- Parquet ----------------------------------------------------------------------------------


@pytest.fixture
def parquet():
    return pytest.importorskip("pyarrow.parquet")


def write_parquet(parquet, path, columns, **options):
    import pyarrow

    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def test_rows_of_parquet_are_documents(parquet, tmp_path, capsys):
    path = write_parquet(
        parquet,
        tmp_path / "in.parquet",
        {
            "name": list(range(60)),
            "body": [f"It rained {number} times." for number in range(60)],
            "nested": [{"a": [number, None]} for number in range(60)],
        },
        row_group_size=50,
    )
    found = parsed(capsys, path, "--text-field", "body", "--id-field", "name")
    assert [record["id"] for record in found] == [str(number) for number in range(60)]
    assert found[59]["text"] == "It rained 59 times."
    assert found[59]["extra"] == {"nested": {"a": [59, None]}}
    assert "no field 'text' (found 'name', 'body', 'nested')" in told(capsys, path)


def test_a_parquet_file_with_more_rows_than_it_says_is_told(parquet, tmp_path, capsys):
    path = write_parquet(parquet, tmp_path / "in.parquet", {"text": ["A.", "B.", "C."]})
    whole = path.read_bytes()
    n_rows = b"\x16\x06"  # a number of the footer, 3 as Thrift writes it
    for at in (found.start() for found in re.finditer(re.escape(n_rows), whole)):
        path.write_bytes(whole[:at] + b"\x16\x00" + whole[at + 2 :])
        if parquet.ParquetFile(path).metadata.num_rows == 0:
            break
    assert parquet.ParquetFile(path).metadata.num_rows == 0
    assert told(capsys, path) == f"{path}: says that it has 0 rows, and has more"


def test_values_that_json_has_not_are_written_as_near_as_can_be(parquet, tmp_path, capsys):
    columns = {
        "text": ["A."],
        "day": [date(2024, 2, 29)],
        "moment": [datetime(2024, 2, 29, 12, tzinfo=timezone.utc)],
        "price": [Decimal("1.10")],
        "data": [b"\xff\x00"],
        "nan": [float("nan")],
    }
    (record,) = parsed(capsys, write_parquet(parquet, tmp_path / "in.parquet", columns))
    assert record["id"] == "in-1"
    assert record["extra"] == {
        "day": "2024-02-29",
        "moment": "2024-02-29T12:00:00+00:00",
        "price": "1.10",
        "data": "/wA=",
        "nan": None,
    }


def test_a_row_without_text_is_skipped_when_asked(parquet, tmp_path, capsys):
    path = write_parquet(parquet, tmp_path / "in.parquet", {"text": ["A.", None, "C."]})
    assert command(path, "--on-error", "skip") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["in-1", "in-3"]
    assert f"skipped: {path}:2: expected a string in the field 'text', found null" in err


def test_what_is_no_parquet_is_told(parquet, tmp_path, capsys):
    path = tmp_path / "in.parquet"
    path.write_bytes(b"PAR1 It rained.")
    assert told(capsys, path).startswith(f"{path}: not a Parquet file that can be read: ")


def test_without_its_extra_parquet_names_the_line_that_installs_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "in.parquet").write_bytes(b"PAR1")
    assert "needs more packages; install them with: pip install 'rhetree[parquet]'" in told(
        capsys, tmp_path / "in.parquet"
    )
