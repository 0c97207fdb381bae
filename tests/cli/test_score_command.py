import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.tree import Split, Tree
from rhetree.metrics.counts import Counts
from support.small_corpora import PLAN_DIS, PLAN_MRG
from support.small_corpora import write as write_files
from support.written_documents import document, save, weather, without_sentences

COUNTS = ["precision", "recall", "f1", "matched", "predicted", "gold"]


def score(capsys, *arguments):
    """Exit code, standard output and standard error."""
    code = main(["score", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def score_json(capsys, *arguments):
    code, out, err = score(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def files(tmp_path):
    """Gold, and a prediction with another nuclearity at the top of the first sentence."""
    gold = weather()
    first, second = gold.sentence_trees
    top = first.splits[0]
    wrong = Tree((replace(top, nuclearity="NN"), *first.splits[1:]))
    predicted = replace(gold, sentence_trees=(wrong, second))
    return save(tmp_path / "gold.json", gold), save(tmp_path / "predicted.json", predicted)


def test_a_file_against_itself_is_100(files, capsys):
    code, out, err = score(capsys, files[0], files[0], "--parseval", "both")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line.startswith("  ") and " P " not in line]
    assert len(rows) == 10
    assert all(row[-6:-3] == ["100.00"] * 3 for row in rows)


def test_the_table_says_its_conventions_and_counts(files, capsys):
    _, out, _ = score(capsys, *files)
    assert "1 document, 2 sentences, 2 gold trees of sentences; relations as they are" in out
    # Gold's children in the first sentence: N span | S condition | N joint | N joint. Predicted:
    # N condition | N condition | N joint | N joint. In the second: N span | S elaboration on both sides.
    lines = {" ".join(line.split()) for line in out.splitlines()}
    assert "Span 100.00 100.00 100.00 6 6 6" in lines
    assert "Nuclearity 83.33 83.33 83.33 5 6 6" in lines
    assert "Relation 83.33 83.33 83.33 5 6 6" in lines
    assert "Full 66.67 66.67 66.67 4 6 6" in lines
    assert "RST-Parseval" in lines
    assert "Original" not in out


def test_json_has_golden_keys(files, capsys):
    record = score_json(capsys, *files, "--per-document", "--per-genre", "--per-relation", "--confusion")
    scores = ["documents", "sentences", "trees", "segmentation", "parseval"]
    assert list(record) == [
        "level",
        "relations",
        *scores,
        "per_document",
        "per_genre",
        "per_relation",
        "confusion",
    ]
    assert list(record["segmentation"]) == ["inner", "starts"]
    assert list(record["parseval"]) == ["rst", "original"]
    for kind in ("rst", "original"):
        assert list(record["parseval"][kind]) == ["span", "nuclearity", "relation", "full"]
        assert all(list(counts) == COUNTS for counts in record["parseval"][kind].values())
    assert list(record["per_document"][0]) == ["name", "genre", *scores]
    assert list(record["per_genre"]) == ["forecast"]
    assert list(record["per_relation"]) == ["rst", "original"]
    assert list(record["confusion"]) == ["relations", "matrix", "nodes"]
    assert record["level"] == "sentence"
    assert record["relations"] is None
    assert Counts.from_dict(record["parseval"]["rst"]["full"]) == Counts(4, 6, 6)
    assert list(score_json(capsys, *files)) == ["level", "relations", *scores]


def test_more_tables_on_request(files, capsys):
    _, out, _ = score(
        capsys,
        *files,
        "--per-document",
        "--per-genre",
        "--per-relation",
        "--confusion",
        "--parseval",
        "original",
    )
    assert "RST-Parseval" not in out
    assert "F1 by document, Original Parseval" in out
    assert "forecast" in out
    assert "Relations, Original Parseval" in out
    assert "Confusion of the 3 most frequent relations: 3 of 3 nodes in both trees" in out


def test_names_are_printed_as_they_are(tmp_path, capsys):
    path = save(tmp_path / "odd.json", weather("[red]:smile:[/red]"))
    _, out, _ = score(capsys, path, path, "--per-document")
    assert "[red]:smile:[/red]" in out


def test_folders_are_paired_by_name(tmp_path, capsys):
    for side in ("gold", "predicted"):
        for name in ("a", "b"):
            save(tmp_path / side / f"{name}.json", weather(name))
    record = score_json(capsys, tmp_path / "gold", tmp_path / "predicted", "--per-document")
    assert [entry["name"] for entry in record["per_document"]] == ["a", "b"]
    assert record["parseval"]["rst"]["full"]["f1"] == 1


def test_a_folder_and_a_file_of_many_documents(tmp_path, capsys):
    save(tmp_path / "gold" / "b.json", weather("b"))
    save(tmp_path / "gold" / "a.json", weather("a"))
    many = save(tmp_path / "predicted.jsonl", weather("b"), weather("a"))
    assert score_json(capsys, tmp_path / "gold", many)["documents"] == 2


def test_documents_without_a_partner_are_listed(tmp_path, capsys):
    gold = save(tmp_path / "gold.jsonl", weather("a"), weather("b"))
    predicted = save(tmp_path / "predicted.jsonl", weather("b"), weather("c"))
    code, out, err = score(capsys, gold, predicted)
    assert (code, out) == (2, "")
    assert "not predicted: a; not in gold: c" in err


def test_tokens_that_differ_are_named(tmp_path, capsys):
    gold = save(tmp_path / "gold.json", weather("a"))
    other = document([["If", "it", "snows", "tomorrow", ","]], [5], name="a")
    predicted = save(tmp_path / "predicted.json", other)
    code, out, err = score(capsys, gold, predicted)
    assert (code, out) == (2, "")
    assert err.startswith("rhetree: a: token 3 is 'snows' in the prediction, expected 'rains' as in gold")


def test_two_files_of_one_document_are_a_pair_whatever_their_names(tmp_path, capsys):
    whole = replace(weather(), sentences=(), sentence_trees=(), metadata={})
    tree = Tree(
        (
            Split(0, 3, 5, "NS", "elaboration"),
            Split(0, 1, 3, "SN", "condition"),
            Split(1, 2, 3, "NN", "joint"),
            Split(3, 4, 5, "NS", "elaboration"),
        )
    )
    gold = save(tmp_path / "gold.dis", replace(whole, tree=tree))
    predicted = save(tmp_path / "predicted.dis", replace(whole, tree=tree))
    code, out, err = score(capsys, gold, predicted, "--json")
    assert code == 0
    assert "no sentences are known, so trees of whole documents are compared" in err
    record = json.loads(out)
    assert (record["level"], record["trees"]) == ("document", 1)
    assert record["segmentation"]["inner"] is None
    assert Counts.from_dict(record["parseval"]["rst"]["span"]) == Counts(8, 8, 8)
    code, _, err = score(capsys, gold, predicted, "--level", "sentence")
    assert code == 2
    assert err == (
        "rhetree: gold has no sentences; compare whole documents with --level document, or bring the sentences "
        "of Penn Treebank or CoNLL-U files with --sentences FOLDER\n"
    )


def test_without_gold_trees_only_edus_are_scored(tmp_path, capsys):
    gold = save(tmp_path / "gold.conllu", weather().without_trees())
    code, out, err = score(capsys, gold, gold, "--per-document", "--confusion")
    assert code == 0
    assert "gold has no trees, so only EDUs are scored" in err
    assert "Parseval" not in out
    assert score_json(capsys, gold, gold)["parseval"] is None


def test_a_prediction_without_trees_is_told(files, tmp_path, capsys):
    predicted = save(tmp_path / "edus.json", weather().without_trees())
    code, out, err = score(capsys, files[0], predicted)
    assert code == 0
    assert "no tree is predicted where gold has one" in err
    assert "0.00" in out


def test_relations_of_another_kind_are_told(tmp_path, capsys):
    gold = save(tmp_path / "gold.json", weather())
    finer = save(tmp_path / "finer.json", weather().map_relations(lambda name: f"{name}-finer"))
    code, _, err = score(capsys, gold, finer)
    assert code == 0
    assert "3 of 3 predicted relations never occur in gold, most often condition-finer, joint-finer" in err
    assert err.endswith("; --relations compares classes\n")


def test_relations_are_compared_by_class_on_request(tmp_path, capsys):
    tree = Tree((Split(0, 1, 2, "NN", "joint-list"),))
    words = [["Rain", "fell", "."]]
    gold = document(words, [1, 2], sentence_trees=(tree,))
    predicted = replace(gold, sentence_trees=(tree.map_relations(lambda _: "joint-sequence"),))
    files = save(tmp_path / "gold.json", gold), save(tmp_path / "predicted.json", predicted)
    mine = tmp_path / "mine.txt"
    mine.write_text("Joint: joint-list, joint-sequence\n", encoding="utf-8")

    def relation(*options):
        record = score_json(capsys, *files, *options)
        return record["relations"], record["parseval"]["rst"]["relation"]["f1"]

    assert relation() == (None, 0)
    assert relation("--relations", "none") == (None, 0)
    assert relation("--relations", "gum") == ("gum", 1)
    assert relation("--relations", mine) == ("mine", 1)
    code, _, err = score(capsys, *files, "--relations", "rst-dt")
    assert code == 2
    assert "rst-dt has no relation 'joint-list'" in err
    code, _, err = score(capsys, *files, "--relations", "gmu")
    assert code == 2
    assert "--relations gmu: expected one of gum, rst-dt, none, or a file with an inventory" in err


def test_splits_of_a_gold_folder(tmp_path, capsys):
    for name in ("a", "b", "c"):
        save(tmp_path / "gold" / f"{name}.json", weather(name))
    (tmp_path / "gold" / "dev.txt").write_text("a\nc\n", encoding="utf-8")
    predicted = save(tmp_path / "predicted.jsonl", weather("a"), weather("c"))
    assert score_json(capsys, tmp_path / "gold", predicted, "--split", "dev")["documents"] == 2
    more = save(tmp_path / "more.jsonl", *(weather(name) for name in "abcdefghijkl"))
    assert score_json(capsys, tmp_path / "gold", more, "--split", "dev")["documents"] == 2
    assert "and 4 more" in score(capsys, tmp_path / "gold", more)[2]
    code, _, err = score(capsys, tmp_path / "gold", predicted, "--split", "test")
    assert code == 2
    assert "no split 'test', only dev" in err


def test_a_folder_without_splits_says_so(tmp_path, capsys):
    save(tmp_path / "gold" / "a.json", weather("a"))
    for gold in (tmp_path / "gold", tmp_path / "gold" / "a.json"):
        code, _, err = score(capsys, gold, gold, "--split", "dev")
        assert code == 2
        assert f"{gold}: it has no split 'dev'; docs/corpora.md says how" in err


def test_a_bad_document_of_another_split_stops_no_scores(tmp_path, capsys):
    gold = tmp_path / "gold"
    save(gold / "dev" / "a.json", weather("a"))
    (gold / "train").mkdir()
    (gold / "train" / "b.json").write_text("{", encoding="utf-8")
    code, _, err = score(capsys, gold, gold / "dev", "--split", "dev")
    assert (code, err) == (0, "")


def test_standard_input_is_not_read(files, capsys):
    code, out, err = score(capsys, files[0], "-")
    assert (code, out) == (2, "")
    assert err == "rhetree: -: standard input is not read here; name a file or a folder\n"


def test_lenient_forgives_what_readers_can(tmp_path, capsys, caplog):
    good = tmp_path / "gold.brackets"
    good.write_text("(1:Nucleus=span:1,2:Satellite=cause:2)\n", encoding="utf-8")
    blank = tmp_path / "blank.brackets"
    blank.write_text("\n" + good.read_text(encoding="utf-8"), encoding="utf-8")
    for pair in ((good, blank), (blank, good)):
        code, _, err = score(capsys, *pair)
        assert code == 2
        assert "blank.brackets:1: expected a tree or NONE" in err
        code, out, _ = score(capsys, *pair, "--lenient", "--json")
        assert code == 0
        assert json.loads(out)["parseval"]["rst"]["full"]["f1"] == 1
    assert "blank.brackets:1" in caplog.text
    assert main(["compare", str(blank), str(good), str(blank), "--lenient", "--json"]) == 0
    assert main(["agreement", str(blank), str(good), "--lenient", "--json"]) == 0


def test_the_confusion_is_drawn(files, tmp_path, capsys):
    for name in ("new/confusion.svg", "again.svg", "confusion.png"):
        code, _, err = score(capsys, *files, "--confusion", tmp_path / name)
        assert code == 0
        assert "wrote" in err
    svg = (tmp_path / "new" / "confusion.svg").read_bytes()
    assert svg == (tmp_path / "again.svg").read_bytes()
    assert ET.fromstring(svg).tag.endswith("svg")
    assert (tmp_path / "confusion.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_another_kind_is_refused_before_reading(tmp_path, capsys):
    code, _, err = score(capsys, "nowhere.json", "nowhere.json", "--confusion", tmp_path / "confusion.pdf")
    assert code == 2
    assert "expected a file that ends in .svg or .png" in err


def test_without_matplotlib_the_extra_is_named(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = score(capsys, *files, "--confusion", tmp_path / "confusion.svg")
    assert code == 2
    assert "pip install 'rhetree[plot]'" in err


def test_a_missing_file_is_the_users_mistake(tmp_path, capsys):
    code, out, err = score(capsys, tmp_path / "nowhere.json", tmp_path / "nowhere.json")
    assert (code, out) == (2, "")
    assert "nowhere.json" in err


def test_gum_against_itself_has_the_counts_of_its_readme(gum, tmp_path, capsys):
    from rhetree.corpora.documents import read_documents

    documents = read_documents(gum, split="dev").documents
    predicted = save(tmp_path / "predicted.jsonl", *(part.split_by_sentence() for part in documents))
    capsys.readouterr()
    record = score_json(capsys, gum, predicted, "--split", "dev", "--per-relation")
    assert (record["documents"], record["sentences"], record["trees"]) == (30, 1575, 717 + 761)
    assert record["relations"] == "gum"
    assert record["segmentation"]["starts"]["gold"] == 3634
    assert record["segmentation"]["inner"]["gold"] == 3634 - 1575
    for kind in ("rst", "original"):
        assert all(counts["f1"] == 1 for counts in record["parseval"][kind].values())
    assert record["parseval"]["rst"]["span"]["gold"] == 2 * record["parseval"]["original"]["span"]["gold"]


def test_penn_sentences_serve_gold_and_prediction_alike(tmp_path, capsys):
    trees = write_files(tmp_path / "trees", {"wsj_0001.dis": PLAN_DIS})
    penn = write_files(tmp_path / "penn", {"wsj_0001.mrg": PLAN_MRG})
    record = score_json(capsys, trees, trees, "--sentences", penn, "--relations", "rst-dt")
    assert record["level"] == "sentence"
    assert record["sentences"] == 2
    assert record["parseval"]["rst"]["full"]["f1"] == 1
    assert record["segmentation"]["inner"]["gold"] == 2


@pytest.mark.parametrize("suffix", [".tok", ".edus"])
def test_folders_of_segmentation_alone_are_scored(tmp_path, capsys, suffix):
    for name in ("a", "b"):
        bare = replace(weather(name).without_trees(), metadata={})
        save(tmp_path / "gold" / f"{name}{suffix}", bare)
    record = score_json(capsys, tmp_path / "gold", tmp_path / "gold")
    assert record["documents"] == 2
    assert record["segmentation"]["starts"]["f1"] == 1


def test_gold_without_sentences_is_scored_by_those_of_the_prediction(files, tmp_path, capsys):
    gold, predicted = files
    whole = save(tmp_path / "whole.json", without_sentences())
    expected = score_json(capsys, gold, predicted)
    code, out, err = score(capsys, whole, predicted, "--json")
    assert (code, json.loads(out)) == (0, expected)
    assert "gold has no sentences, so it is scored by those of the prediction" in err
    code, out, err = score(capsys, whole, predicted, "--level", "document")
    assert (code, out) == (2, "")
    assert "gold has one tree for the whole document, the prediction has a tree for each sentence" in err
    assert json.loads(score(capsys, whole, whole, "--json")[1])["level"] == "document"
