import json
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.span import Span
from rhetree.metrics.report import METRICS
from support.written_documents import save, weather, without_sentences

NAMES = ("a", "b", "c", "d")


def compare(capsys, *arguments):
    code = main(["compare", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def worse(name):
    """The weather with one relation wrong."""
    gold = weather(name)
    first, second = gold.sentence_trees
    return replace(gold, sentence_trees=(first, second.map_relations(lambda _: "causal")))


@pytest.fixture
def systems(tmp_path):
    """Gold, a system that is wrong on all documents but d, and one that is wrong on a alone."""
    gold = save(tmp_path / "gold.jsonl", *map(weather, NAMES))
    a = save(tmp_path / "a.jsonl", *(weather(name) if name == "d" else worse(name) for name in NAMES))
    b = save(tmp_path / "b.jsonl", *(worse(name) if name == "a" else weather(name) for name in NAMES))
    return gold, a, b


def test_json_has_golden_keys(systems, capsys):
    code, out, err = compare(capsys, *systems, "--json", "--samples", 200)
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert list(record) == ["level", "relations", "documents", "runs", "metrics"]
    assert list(record["metrics"]) == list(METRICS)
    relation = record["metrics"]["parseval.rst.relation"]
    assert list(relation) == ["a", "b", "difference", "t_test", "bootstrap"]
    assert list(relation["a"]) == list(relation["b"]) == ["mean", "deviation", "runs"]
    assert list(relation["t_test"]) == ["t", "df", "p"]
    assert list(relation["bootstrap"]) == ["p", "low", "high", "samples", "seed"]
    # A document has 6 spans, one of them wrong where the relation is: 21 and 23 of 24 right.
    assert relation["difference"] == pytest.approx(2 / 24)
    # Differences 0, 1/6, 1/6, 0: mean 1/12, deviation 1/(6√3), t = (1/12) / (1/(12√3)) = √3.
    assert relation["t_test"]["t"] == pytest.approx(3**0.5)
    assert relation["t_test"]["df"] == 3
    assert relation["bootstrap"]["samples"] == 200
    assert record["metrics"]["parseval.rst.span"]["t_test"] == {"t": None, "df": 3, "p": 1.0}


def test_the_table_is_for_people(systems, capsys):
    code, out, _ = compare(capsys, *systems, "--samples", 200)
    assert code == 0
    rst = out[out.index("RST-Parseval") :]
    row = next(line for line in rst.splitlines() if "Relation" in line)
    assert row.split()[1:4] == ["87.50", "95.83", "+8.33"]
    assert "runs" not in out


def test_the_seed_decides(systems, capsys):
    def bootstrap(seed):
        out = compare(capsys, *systems, "--json", "--samples", 300, "--seed", seed)[1]
        return json.loads(out)["metrics"]["parseval.rst.relation"]["bootstrap"]

    assert bootstrap(1) == bootstrap(1)
    assert bootstrap(1) != bootstrap(2)


def test_runs_are_files_or_folders_in_a_folder(tmp_path, capsys):
    gold = save(tmp_path / "gold.jsonl", *map(weather, NAMES))
    for run in (1, 2):
        wrong = NAMES[: run + 1]
        save(
            tmp_path / "a" / f"run{run}.jsonl",
            *(worse(name) if name in wrong else weather(name) for name in NAMES),
        )
        for name in NAMES:
            save(tmp_path / "b" / f"seed-{run}" / f"{name}.json", weather(name))
    code, out, err = compare(capsys, gold, tmp_path / "a", tmp_path / "b", "--runs", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["runs"] == 2
    relation = record["metrics"]["parseval.rst.relation"]
    assert relation["a"]["runs"] == pytest.approx([22 / 24, 21 / 24])
    assert relation["a"]["deviation"] == pytest.approx((1 / 24) / 2**0.5)
    assert relation["b"]["deviation"] == 0
    assert relation["t_test"]["df"] == 4 - 1
    _, out, _ = compare(capsys, gold, tmp_path / "a", tmp_path / "b", "--runs")
    assert "mean and deviation of 2 runs each" in out
    assert "89.58±2.95" in out


def test_runs_must_be_as_many(systems, tmp_path, capsys):
    gold, a, b = systems
    for path, name in ((a, "a/1.jsonl"), (b, "b/1.jsonl"), (b, "b/2.jsonl")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(path.read_bytes())
    code, out, err = compare(capsys, gold, tmp_path / "a", tmp_path / "b", "--runs")
    assert (code, out) == (2, "")
    assert "A has 1 run and B has 2" in err


def test_a_run_that_does_not_fit_is_named(systems, tmp_path, capsys):
    gold, a, _ = systems
    short = save(tmp_path / "short.jsonl", weather("a"))
    code, _, err = compare(capsys, gold, a, short)
    assert code == 2
    assert "short.jsonl: documents are paired by name" in err
    assert "not predicted: b, c, d" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--samples", "0"], "--samples 0: expected at least 1"),
        (["--seed", "-1"], "--seed -1: expected 0 or more"),
        (["--runs"], "expected a folder of runs"),
    ],
)
def test_wrong_options_are_the_users_mistake(systems, capsys, options, message):
    code, out, err = compare(capsys, *systems, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_an_empty_folder_of_runs(systems, tmp_path, capsys):
    (tmp_path / "none").mkdir()
    code, _, err = compare(capsys, systems[0], tmp_path / "none", tmp_path / "none", "--runs")
    assert code == 2
    assert "no run in it" in err


def test_one_document_is_too_few_for_a_test_or_an_interval(tmp_path, capsys):
    gold, system = save(tmp_path / "gold.json", weather()), save(tmp_path / "a.json", worse("weather"))
    code, out, _ = compare(capsys, gold, system, gold)
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("  Relation"))
    assert row.split() == ["Relation", "83.33", "100.00", "+16.67", "–", "–", "–"]
    _, out, _ = compare(capsys, gold, system, gold, "--json")
    bootstrap = json.loads(out)["metrics"]["parseval.rst.relation"]["bootstrap"]
    assert (bootstrap["p"], bootstrap["low"], bootstrap["high"]) == (None, None, None)


def test_without_gold_trees_only_edus_are_compared(tmp_path, capsys):
    gold = save(tmp_path / "gold.json", weather().without_trees())
    code, out, err = compare(capsys, gold, gold, gold, "--json", "--samples", 10)
    assert code == 0
    assert "only EDUs are compared" in err
    record = json.loads(out)["metrics"]
    assert record["parseval.rst.span"] is None
    assert record["segmentation.inner"]["bootstrap"]["p"] is None


def test_gold_without_sentences_is_compared_over_those_of_the_systems(systems, tmp_path, capsys):
    gold, a, b = systems
    whole = save(tmp_path / "whole.jsonl", *map(without_sentences, NAMES))
    _, expected, _ = compare(capsys, gold, a, b, "--json", "--samples", 50)
    code, out, err = compare(capsys, whole, a, b, "--json", "--samples", 50)
    assert (code, out) == (0, expected)
    assert "gold has no sentences, so it is scored by those of the prediction" in err


def test_systems_with_other_sentences_are_not_compared_without_golds(systems, tmp_path, capsys):
    _, a, _ = systems
    whole = save(tmp_path / "whole.jsonl", *map(without_sentences, NAMES))
    one_sentence = [
        replace(
            document, tree=None, sentences=(Span(0, len(document.tokens)),), sentence_trees=(document.tree,)
        )
        for document in map(without_sentences, NAMES)
    ]
    b = save(tmp_path / "one.jsonl", *one_sentence)
    code, out, err = compare(capsys, whole, a, b)
    assert (code, out) == (2, "")
    assert "a: gold has no sentences, and the predictions differ about them" in err
