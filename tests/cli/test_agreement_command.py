import json
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.tree import Split, Tree
from support.written_documents import SENTENCES, document, save, weather


def agreement(capsys, *arguments):
    code = main(["agreement", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def folders(tmp_path):
    """Two annotators; the second has one EDU where the first has two, and each a document alone."""
    lumped = document(
        SENTENCES,
        [5, 3, 6, 8],
        "shared",
        sentence_trees=(weather().sentence_trees[0], Tree()),
    )
    save(tmp_path / "a" / "shared.json", weather("shared"))
    save(tmp_path / "a" / "mine.json", weather("mine"))
    save(tmp_path / "b" / "shared.json", lumped)
    save(tmp_path / "b" / "yours.json", weather("yours"))
    return tmp_path / "a", tmp_path / "b"


def test_the_documents_of_both_are_compared(folders, capsys):
    code, out, err = agreement(capsys, *folders)
    assert code == 0
    assert "only in A, left out: mine" in err
    assert "only in B, left out: yours" in err
    assert "1 document, 2 sentences; relations as they are" in out
    assert "Trees of sentences that both have: 2" in out
    assert "Those of them with the same EDUs on both sides: 1" in out
    lines = {" ".join(line.split()) for line in out.splitlines()}
    assert "In sentences 100.00 66.67 80.00 2 2 3" in lines
    assert "Full 100.00 66.67 80.00 4 4 6" in lines
    assert "Full 100.00 100.00 100.00 4 4 4" in lines


def test_json_has_golden_keys(folders, capsys):
    code, out, _ = agreement(capsys, *folders, "--json")
    assert code == 0
    record = json.loads(out)
    assert list(record) == [
        "level",
        "relations",
        "documents",
        "sentences",
        "segmentation",
        "trees",
        "parseval",
        "same_edus",
        "kappa",
        "only_in",
    ]
    assert list(record["same_edus"]) == ["trees", "parseval"]
    assert list(record["kappa"]) == ["edus", "spans", "nuclearity", "relations"]
    assert record["only_in"] == {"a": ["mine"], "b": ["yours"]}
    assert record["kappa"]["edus"] < 1


def test_the_other_way_round_precision_and_recall_change_places(folders, capsys):
    there = json.loads(agreement(capsys, *folders, "--json")[1])
    back = json.loads(agreement(capsys, *reversed(folders), "--json")[1])
    one, other = there["parseval"]["rst"]["full"], back["parseval"]["rst"]["full"]
    assert (one["precision"], one["recall"], one["f1"]) == (other["recall"], other["precision"], other["f1"])
    assert there["kappa"] == pytest.approx(back["kappa"])


def test_two_files_of_one_document_are_a_pair(tmp_path, capsys):
    a = save(tmp_path / "anna.json", weather("anna"))
    b = save(tmp_path / "ben.json", weather("ben"))
    code, out, err = agreement(capsys, a, b, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["kappa"]["relations"] == 1


def test_a_split_of_the_first_annotator(folders, capsys):
    a, b = folders
    (a / "test.txt").write_text("shared\n", encoding="utf-8")
    code, out, err = agreement(capsys, a, b, "--split", "test", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["documents"] == 1
    assert record["only_in"] == {"a": [], "b": []}
    code, _, err = agreement(capsys, a, b, "--split", "dev")
    assert code == 2
    assert "no split 'dev', only test" in err


def test_one_annotation_with_sentences_is_enough(tmp_path, capsys):
    bare = replace(weather(), sentences=(), sentence_trees=())
    a, b = save(tmp_path / "a.json", weather()), save(tmp_path / "b.json", bare)
    for pair in ((a, b), (b, a)):
        code, out, _ = agreement(capsys, *pair, "--json")
        assert code == 0
        assert json.loads(out)["level"] == "sentence"
    code, _, err = agreement(capsys, b, b, "--level", "sentence")
    assert code == 2
    assert "compare whole documents with --level document" in err


def test_no_document_in_common_is_an_error(tmp_path, capsys):
    a = save(tmp_path / "a.jsonl", weather("mine"), weather("my"))
    b = save(tmp_path / "b.jsonl", weather("yours"))
    code, out, err = agreement(capsys, a, b)
    assert (code, out) == (2, "")
    assert "no document is in both; A has mine, my, B has yours" in err


def test_whole_documents(tmp_path, capsys):
    whole = replace(weather(), sentences=(), sentence_trees=())
    path = save(tmp_path / "a.json", whole)
    code, out, err = agreement(capsys, path, path, "--json")
    assert code == 0
    assert "trees of whole documents" in err
    record = json.loads(out)
    assert (record["level"], record["trees"], record["parseval"]) == ("document", 0, None)
    code, out, _ = agreement(capsys, path, path)
    assert code == 0
    assert "Parseval" not in out


@pytest.fixture
def twice(tmp_path):
    """Two documents by two annotators, who agree on the first and not on one relation of the second."""
    other = Tree((Split(0, 1, 3, "SN", "contrast"), Split(1, 2, 3, "NN", "joint")))
    changed = replace(weather("second"), sentence_trees=(other, weather().sentence_trees[1]))
    a = save(tmp_path / "a.jsonl", weather("first"), weather("second"))
    return a, save(tmp_path / "b.jsonl", weather("first"), changed)


def test_each_document_and_relation_and_their_confusion(twice, capsys):
    code, out, _ = agreement(capsys, *twice, "--per-document", "--per-relation", "--confusion")
    assert code == 0
    lines = {" ".join(line.split()) for line in out.splitlines()}
    assert "first 2 100.00 100.00 100.00 100.00 100.00 100.00 1.000" in lines
    assert any(line.startswith("second 2 100.00 100.00 100.00 100.00 83.33 83.33 0.") for line in lines)
    assert any(line.startswith("condition 100.00 50.00 66.67 1 1 2 0.") for line in lines)
    assert "Confusion of the 4 most frequent relations: 6 of 6 nodes in both trees" in lines
    assert "A \\ B 1 2 3 4" in lines
    plain = agreement(capsys, *twice)[1]
    assert out.startswith(plain)
    assert "Confusion" not in plain


def test_json_has_them_too(twice, capsys):
    code, out, _ = agreement(capsys, *twice, "--json", "--per-document", "--per-relation", "--confusion")
    assert code == 0
    record = json.loads(out)
    assert [part["name"] for part in record["per_document"]] == ["first", "second"]
    assert record["per_document"][0]["kappa"]["relations"] == 1
    assert set(record["per_relation"]) == {"rst", "original", "kappa"}
    assert record["per_relation"]["kappa"]["joint"] == 1
    assert record["confusion"]["nodes"] == 6


def test_the_confusion_is_drawn_into_a_file(twice, tmp_path, capsys):
    code, _, err = agreement(capsys, *twice, "--confusion", tmp_path / "c.svg")
    assert (code, err) == (0, f"rhetree: wrote {tmp_path / 'c.svg'}\n")
    picture = (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert "contrast" in picture
    assert "gold" not in picture
    code, _, err = agreement(capsys, *twice, "--confusion", tmp_path / "c.txt")
    assert code == 2
    assert "expected a file that ends in .svg or .png" in err
