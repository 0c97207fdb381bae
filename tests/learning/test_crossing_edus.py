"""Training and evaluation on a treebank in which an EDU crosses a sentence's edge, as RST-DT's do."""

import json
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.span import spans_of_lengths
from rhetree.formats import read, write
from rhetree.learning.evaluation import evaluate_models
from support.training_runs import SENTENCES, document, train


def crossing_document(number):
    """A document whose third EDU runs over the end of its first sentence."""
    whole = document(number)
    lengths = [len(edu) for edu in whole.edus]
    (edge,) = (n for n, edu in enumerate(whole.edus) if edu.start == whole.sentences[1].start)
    lengths[edge - 1 : edge + 1] = [lengths[edge - 1] + lengths[edge]]
    trees = (None, None, whole.sentence_trees[2])
    return replace(whole, edus=spans_of_lengths(lengths), sentence_trees=trees)


@pytest.fixture
def crossing_corpus(corpus):
    for number in (0, 4):
        write(crossing_document(number), corpus / f"doc{number}.json")
    return corpus


@pytest.mark.parametrize("task", ["joint", "parse", "segment"])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_crossing_edu_stops_no_training(crossing_corpus, tmp_path, task, batch_size):
    events = train(
        crossing_corpus,
        tmp_path / "run",
        f"network.task={task}",
        "train.epochs=2",
        f"train.batch_size={batch_size}",
    )
    assert events[-1].epoch == 2


def test_crossed_sentences_count_for_segmentation_and_not_for_parsing(crossing_corpus, tmp_path, capsys):
    train(crossing_corpus, tmp_path / "run", "train.epochs=1")
    model, predicted = tmp_path / "run" / "model", tmp_path / "predicted.jsonl"
    gold = [crossing_document(4), document(5)]
    results = evaluate_models(model, gold)
    for evaluation in (results.gold, results.auto):
        assert evaluation.total.n_sentences == 6
        assert evaluation.total.n_trees == 4  # without the two that the EDU crosses
        # Every boundary inside a sentence, those of crossed sentences too.
        inner = sum(len(lengths) - 1 for _, lengths, _ in SENTENCES)
        assert evaluation.total.segmentation.inner.gold == 2 * inner
    assert results.gold.total.segmentation.inner.f1 == 1
    # DISRPT's way counts the boundary at the sentence's edge, which a sentence parser always makes.
    starts = results.gold.total.segmentation.starts
    assert (starts.predicted, starts.gold) == (starts.gold + 1, len(gold[0].edus) + len(gold[1].edus))

    arguments = ["evaluate", model, crossing_corpus, "--edus", "gold", "--json", "-o", predicted]
    assert main(list(map(str, arguments))) == 0
    assert json.loads(capsys.readouterr().out)["gold"]["trees"] == 4
    assert [found.sentences for found in read(predicted)] == [document.sentences for document in gold]


def test_crossed_sentences_are_counted(crossing_corpus, capsys):
    assert main(["corpus", "stats", str(crossing_corpus), "--split", "dev", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["sentences"], record["without_tree"], record["crossed"]) == (6, 2, 2)
    assert main(["corpus", "stats", str(crossing_corpus), "--split", "dev"]) == 0
    assert "an EDU crosses their edge 2" in " ".join(capsys.readouterr().out.split())
