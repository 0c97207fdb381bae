import json

import pytest

from rhetree.cli.main import main
from support.small_corpora import DIS, gum_layout, rst_dt_layout, write

KEYS = [
    "documents",
    "sentences",
    "one_edu",
    "with_tree",
    "without_tree",
    "crossed",
    "edus",
    "tokens",
    "labels",
]


def run(capsys, *args):
    code = main(["corpus", "stats", *map(str, args)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_json_has_the_counts_of_all_or_of_one_split(tmp_path, capsys):
    folder = gum_layout(tmp_path)
    code, out, err = run(capsys, folder, "--json")
    stats = json.loads(out)
    assert (code, err) == (0, "")
    assert list(stats) == [*KEYS, "splits"]
    splits = stats.pop("splits")
    assert stats == dict(zip(KEYS, [3, 6, 3, 3, 0, 0, 9, 30, {"causal-NS": 3}], strict=True))
    assert list(splits) == ["train", "test"]
    assert splits["train"] == dict(zip(KEYS, [2, 4, 2, 2, 0, 0, 6, 20, {"causal-NS": 2}], strict=True))
    assert list(splits["test"]) == KEYS
    _, out, _ = run(capsys, folder, "--json", "--split", "test", "--relations", "none")
    assert json.loads(out) == dict(zip(KEYS, [1, 2, 1, 1, 0, 0, 3, 10, {"causal-cause-NS": 1}], strict=True))


def test_tables_have_a_column_a_split_and_a_row_a_class(tmp_path, capsys):
    _, out, _ = run(capsys, gum_layout(tmp_path))
    rows = [line.split() for line in out.splitlines()]
    assert ["train", "test", "all"] in rows
    assert ["with", "a", "tree", "2", "1", "3"] in rows
    assert ["tokens", "20", "10", "30"] in rows
    assert ["causal", "3", "·", "·", "3"] in rows


def test_what_was_assumed_goes_to_standard_error(tmp_path, capsys):
    code, out, err = run(capsys, rst_dt_layout(tmp_path), "--json")
    assert code == 0
    assert json.loads(out)["documents"] == 3
    assert err.startswith("rhetree: 4 documents have no sentences of their own; by rule a sentence ends with")


def test_trees_without_words_get_no_sentences(tmp_path, capsys):
    path = tmp_path / "trees.brackets"
    path.write_text("(1:Nucleus=span:1,2:Satellite=cause:2)\n" * 2, encoding="utf-8")
    code, out, err = run(capsys, path, "--json")
    assert (code, err) == (0, "")
    assert [json.loads(out)[key] for key in ("documents", "sentences", "edus")] == [2, 0, 4]


def test_a_share_can_be_held_out(tmp_path, capsys):
    folder = gum_layout(tmp_path)
    _, out, err = run(capsys, folder, "--dev-share", "0.5", "--seed", "7", "--split", "dev", "--json")
    assert json.loads(out)["documents"] == 1
    assert "from seed 7" in err


def test_lenient_leaves_out_bad_documents_and_says_so(tmp_path, capsys):
    folder = write(gum_layout(tmp_path), {"trees/a.dis": DIS[:90]})
    code, out, err = run(capsys, folder, "--json")
    assert (code, out) == (2, "")
    assert "a.dis:" in err
    code, out, err = run(capsys, folder, "--json", "--lenient")
    assert code == 0
    assert json.loads(out)["documents"] == 2
    assert "left out: " in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere"], "rhetree: nowhere: no such file or folder"),
        ([".", "--split", "tets"], "no split 'tets', only train, test; did you mean test?"),
        ([".", "--relations", "gumm"], "no relations 'gumm'"),
        ([".", "--sentences", "trees"], "trees: no sentences in it"),
        ([".", "--seed", "0"], "rhetree: --seed says which documents --dev-share holds out"),
        ([".", "--trees", "rs5"], "no folder rs5 with trees in it"),
    ],
)
def test_mistakes_are_one_line_and_code_2(tmp_path, capsys, monkeypatch, args, message):
    monkeypatch.chdir(gum_layout(tmp_path))
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("share", ["1.5", "x"])
def test_a_share_that_is_none_is_refused(tmp_path, capsys, share):
    with pytest.raises(SystemExit) as stop:
        run(capsys, tmp_path, "--dev-share", share)
    assert stop.value.code == 2
    assert "--dev-share" in capsys.readouterr().err


def test_gum_gives_the_counts_of_its_readme(gum, capsys):
    _, out, err = run(capsys, gum, "--split", "dev", "--json")
    assert err == ""
    assert [json.loads(out)[key] for key in KEYS[:7]] == [30, 1575, 717, 761, 97, 0, 3634]
