"""Every format that a parsed document is written in."""

import csv
import io
import json
import sys
from dataclasses import asdict, replace

import pytest

from rhetree.domain.document import Document
from rhetree.domain.rows import edu_rows
from rhetree.errors import MissingExtraError, RhetreeError, UnwritableError
from rhetree.jobs import tables
from rhetree.jobs.encoding import ENCODINGS, encode, encode_bytes, with_edu_texts
from rhetree.jobs.records import record_of
from rhetree.jobs.sinks import open_sink
from support.fake_model import fake_parser


@pytest.fixture(scope="module")
def document():
    return fake_parser().parse("He left because it rained.", "rain")


@pytest.mark.parametrize("format", ENCODINGS)
def test_a_document_is_encoded_in_every_format(format, document):
    if format == "png":
        pytest.importorskip("resvg_py")
    data = encode_bytes(document, format)
    assert b"rained" in data or format in ("brackets", "png")
    assert ENCODINGS[format].binary == (b"\x00" in data)
    text = encode(document, format)
    assert data == (text.encode("utf-8") if isinstance(text, str) else text)


@pytest.mark.parametrize("format", ENCODINGS)
def test_formats_that_need_no_trees_take_a_document_without_any(format, document):
    if format == "png":
        pytest.importorskip("resvg_py")
    segmented = fake_parser().segment(document.text, "rain")
    if ENCODINGS[format].needs_trees:
        with pytest.raises(UnwritableError):
            encode(segmented, format)
    else:
        assert encode(segmented, format)


@pytest.mark.parametrize("format", ENCODINGS)
def test_a_document_without_words_is_kept_left_out_or_refused(format):
    empty = Document(name="empty", text="")
    if not ENCODINGS[format].needs_words:
        assert (b"empty" if format in ("json", "jsonl") else b"edu_probability") in encode_bytes(
            empty, format
        )
    elif ENCODINGS[format].many:
        assert encode(empty, format) == ""
    else:
        with pytest.raises(UnwritableError, match="it has no words"):
            encode(empty, format)


def test_an_unknown_format_is_told_with_those_that_there_are(document):
    with pytest.raises(RhetreeError, match="no format is called 'docx'; expected one of terminal, json, "):
        encode(document, "docx")


@pytest.fixture(scope="module")
def several(document):
    odd = fake_parser().parse('He said: "it, \n\n rained". Good — very good.', "o,dd")
    return [document, Document(name="empty"), odd]


def write(path, format, documents, **options):
    with open_sink(path, format, **options) as sink:
        for each in documents:
            record = record_of(each)
            assert not sink.has(record)
            sink.write(each, record)


def test_csv_has_one_header_and_the_rows_of_all_documents(several, tmp_path):
    write(tmp_path / "out.csv", "csv", several)
    text = (tmp_path / "out.csv").read_bytes().decode("utf-8")
    assert text.startswith("document,sentence,edu,start,end,text,role,relation,attaches_to,")
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    expected = [asdict(row) for each in several for row in edu_rows(each)]
    assert [(row["document"], row["text"], int(row["start"])) for row in found] == [
        (row["document"], row["text"], row["start"]) for row in expected
    ]
    assert [row["attaches_to"] for row in found] == [str(row["attaches_to"] or "") for row in expected]
    assert float(found[0]["edu_probability"]) == pytest.approx(expected[0]["edu_probability"], abs=1e-6)


def test_parquet_has_the_rows_of_all_documents_in_groups(several, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(tables, "GROUP", 2)
    write(tmp_path / "out.parquet", "parquet", several)
    file = parquet.ParquetFile(tmp_path / "out.parquet")
    assert file.num_row_groups == 2
    assert file.read().to_pylist() == [asdict(row) for each in several for row in edu_rows(each)]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_tables_go_into_a_folder_as_whole_files(format, several, tmp_path):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    write(tmp_path / "out", format, several)
    for each in several:
        path = tmp_path / "out" / f"{each.name}.{format}"
        assert path.read_bytes() == encode_bytes(each, format)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_table_is_not_there_if_the_run_fails_and_cannot_be_resumed(format, several, tmp_path):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    with pytest.raises(KeyboardInterrupt):
        with open_sink(tmp_path / f"out.{format}", format) as sink:
            sink.write(several[0], record_of(several[0]))
            raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RhetreeError, match=r"cannot be resumed; only a \.jsonl file or a folder can"):
        open_sink(tmp_path / f"out.{format}", format, if_exists="resume")


def test_parquet_without_its_extra_says_so_before_any_work(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"rhetree\[parquet\]"):
        open_sink(tmp_path / "out.parquet", "parquet")


def test_edu_texts_are_in_json_on_request(document):
    (sentence,) = json.loads(encode(document, with_edu_texts("jsonl")))["sentences"]
    assert sentence["edu_texts"] == document.edu_texts()
    assert json.loads(encode(document, with_edu_texts("json"), {"stars": 5}))["extra"] == {"stars": 5}
    assert "edu_texts" not in encode(document, "jsonl")
    with pytest.raises(RhetreeError, match="json and jsonl, not to csv"):
        with_edu_texts("csv")


def test_a_table_fits_the_width_and_leaves_out_columns_without_content(document):
    lines = encode(document, "table").splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == [
        "sent.",
        "EDU",
        "chars",
        "role",
        "relation",
        "to",
        "p(EDU)",
        "p(rel.)",
        "text",
    ]
    bare = encode(replace(document.without_trees(), sentences=()), "table").splitlines()
    assert bare[0].split() == ["EDU", "chars", "text"]
    assert bare[2].split(maxsplit=2) == ["1", f"0–{len(document.edu_texts()[0])}", document.edu_texts()[0]]
