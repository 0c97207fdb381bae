"""Learning from teachers: averaged distributions, the soft targets they give, and students that fit these."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rhetree.domain.document import Document
from rhetree.errors import MismatchError, ModelError, SettingError, TrainingError
from rhetree.formats import write
from rhetree.learning.ensemble import Ensemble
from rhetree.learning.targets import make_batch
from rhetree.learning.torch_network import TorchNetwork
from rhetree.learning.training.distillation import DistillationConfig, soft_targets, teach
from rhetree.runtime.pipeline import Pipeline
from support.networks import EXAMPLES, LABELS, SENTENCES, VARIATIONS, make_network, overfit
from support.training_runs import small_recipe, train

NUMBERS = {label: number for number, label in enumerate(LABELS)}
COLUMNS = range(len(LABELS))


def member(name="paper", seed=7):
    network = make_network(VARIATIONS[name], seed)
    overfit(network, 10)
    return TorchNetwork(network), network.labels


def test_an_ensemble_of_one_network_twice_reads_as_that_network():
    one = member("biaffine pointers")
    alone = Pipeline(*one).analyse(SENTENCES)
    twice = Pipeline(Ensemble([one, one]), LABELS).analyse(SENTENCES)
    assert [found[0].tree for found in twice] == [found[0].tree for found in alone]
    for both, single in zip(twice, alone, strict=True):
        assert both[0].log_prob == pytest.approx(single[0].log_prob, abs=1e-5)


def test_an_ensemble_averages_probabilities_whatever_the_order_of_labels_and_the_shape_of_decoders():
    first, second = member("paper", seed=1), member("other widths and layers", seed=2)
    turned = (_Turned(second[0]), second[1][::-1])
    together = Ensemble([first, turned])
    means = []
    for network in (first[0], second[0], together):
        encoded = network.encode(SENTENCES)
        rows, starts = np.arange(len(SENTENCES)), np.zeros(len(SENTENCES), np.int64)
        step = network.segment_step(encoded, rows, starts, encoded.segmenter.hidden, 50)
        labels = network.label(encoded, np.array([2]), np.array([[0, 2, 6]]))
        means.append((np.exp(step.log_probs), np.exp(labels)))
    for one, other, mean in zip(*means, strict=True):
        np.testing.assert_allclose(mean, (one + other) / 2, atol=1e-6)


def test_decoders_that_remember_their_steps_are_not_averaged():
    one = member("attention decoders")
    with pytest.raises(ModelError, match="decoders with attention remember every step"):
        Pipeline(Ensemble([one, one]), LABELS).analyse(SENTENCES)


class _Turned:
    """A network that has its labels in the opposite order."""

    def __init__(self, network):
        self.network = network

    def __getattr__(self, name):
        return getattr(self.network, name)

    def label(self, encoded, rows, splits):
        return self.network.label(encoded, rows, splits)[:, ::-1]


def test_networks_with_other_labels_or_a_tagger_are_no_ensemble():
    network, labels = member()
    with pytest.raises(ModelError, match="not in all: causal-NS, cause-NS"):
        Ensemble(
            [
                (network, labels),
                (network, [label.replace("causal-", "cause-") for label in labels]),
            ]
        )
    with pytest.raises(ModelError, match="CRF tagger"):
        Ensemble([(network, labels), member("plain crf")]).encode(SENTENCES)


@pytest.mark.parametrize("name", ["paper", "biaffine pointers", "both sides", "mean spans", "two layers"])
def test_soft_targets_are_the_distributions_of_teacher_forcing(name):
    """A network's own distributions as targets make its loss their entropy, and its gradient nothing."""
    network = make_network(VARIATIONS[name]).eval()
    trees = EXAMPLES[:-1]
    soft = soft_targets(TorchNetwork(network), trees, COLUMNS)
    taught = [replace(example, soft=own) for example, own in zip(trees, soft, strict=True)]
    losses = network.losses(make_batch(taught, NUMBERS))
    ends = [probs for own in soft for probs in own.ends]
    places = [probs for own in soft for probs in own.places]
    labels = [probs for own in soft for probs in own.labels]
    for part, expected in (("segmentation", ends), ("structure", places), ("label", labels)):
        entropy = np.mean([-(probs * np.log(probs)).sum() for probs in expected])
        assert losses[part].item() == pytest.approx(entropy, rel=1e-4)
    sum(losses.values()).backward()
    assert max(weight.grad.abs().max() for weight in network.parameters() if weight.grad is not None) < 1e-5


def test_a_batch_of_taught_and_gold_sentences_counts_gold_answers_fully():
    network = make_network().eval()
    trees = EXAMPLES[2:6]
    taught = [
        replace(example, soft=own)
        for example, own in zip(trees, soft_targets(TorchNetwork(network), trees, COLUMNS), strict=True)
    ]
    mixed = network.losses(make_batch([taught[0], *trees[1:]], NUMBERS))["segmentation"]
    parts = [network.losses(make_batch([one], NUMBERS))["segmentation"] for one in (taught[0], *trees[1:])]
    weights = [len(example.edu_lengths) for example in trees]
    assert mixed.item() == pytest.approx(
        np.average([part.item() for part in parts], weights=weights), rel=1e-5
    )


def test_a_student_comes_near_its_teacher():
    teacher, student = make_network(seed=1), make_network(seed=2)
    overfit(teacher, 60)
    soft = soft_targets(TorchNetwork(teacher), EXAMPLES[:-1], COLUMNS)
    taught = [replace(example, soft=own) for example, own in zip(EXAMPLES, soft, strict=False)]
    overfit(student, 150, examples=taught)
    learnt = soft_targets(TorchNetwork(student), EXAMPLES[:-1], COLUMNS)
    for one, other in zip(soft, learnt, strict=True):
        np.testing.assert_allclose(one.labels, other.labels, atol=0.2)


@pytest.fixture
def teacher(corpus, tmp_path):
    train(corpus, tmp_path / "teacher", "train.epochs=1")
    return tmp_path / "teacher" / "model"


def test_a_run_learns_from_teachers_and_texts_and_ends_the_same_after_a_pause(corpus, teacher, tmp_path):
    texts = tmp_path / "texts.conllu"
    sentences = [["She", "sang", ",", "because", "it", "rained", "."], ["Yes", "."], ["word"] * 30]
    write(Document.from_sentences(sentences, name="new"), texts)
    distillation = [
        f"distillation.teachers=['{teacher}', '{teacher}']",
        f"distillation.texts=['{texts}']",
        "distillation.longest=20",
    ]
    events = train(corpus, tmp_path / "whole", *distillation)
    steps = [event for event in events if hasattr(event, "losses")]
    assert sum(step.n_sentences for step in steps if step.epoch == 1) == 4 * 3 + 2  # the long one is left out
    from rhetree.learning.training.experiment import run

    paused = run(small_recipe(corpus, *distillation), tmp_path / "paused")
    for event in paused:
        if getattr(event, "step", 0) == 6:
            break
    paused.close()
    list(run(small_recipe(corpus, *distillation), tmp_path / "paused", resume=True))
    weights = [tmp_path / name / "model" / "weights.safetensors" for name in ("whole", "paused")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    texts.write_text(texts.read_text(encoding="utf-8").replace("sang", "sings"), encoding="utf-8")
    with pytest.raises(ModelError, match="corpus has changed"):
        list(run(small_recipe(corpus, *distillation), tmp_path / "paused", resume=True))


def test_gold_answers_have_their_share(teacher):
    labels = ("cause-NS", "condition-SN", "list-NN")
    sentence = replace(EXAMPLES[3], tree=EXAMPLES[3].tree.map_relations(lambda _: "cause"))
    (whole,) = teach(DistillationConfig(teachers=(str(teacher),), share=0.0), [sentence], labels)
    np.testing.assert_allclose(whole.soft.labels, [[1, 0, 0]])
    np.testing.assert_allclose(whole.soft.ends[0], np.eye(7)[1])
    (half,) = teach(DistillationConfig(teachers=(str(teacher),), share=0.5), [sentence], labels)
    (none,) = teach(DistillationConfig(teachers=(str(teacher),), share=1.0), [sentence], labels)
    np.testing.assert_allclose(half.soft.labels, (whole.soft.labels + none.soft.labels) / 2, atol=1e-6)
    assert torch.tensor(none.soft.labels).sum() == pytest.approx(1, abs=1e-5)


def test_what_teachers_cannot_teach_is_refused(corpus, teacher, tmp_path):
    with pytest.raises(SettingError, match="texts need teachers"):
        small_recipe(corpus, "distillation.texts=['a.conllu']")
    with pytest.raises(SettingError, match="share must be between 0 and 1"):
        small_recipe(corpus, "distillation.share=2.0")
    config = DistillationConfig(teachers=(str(teacher),))
    with pytest.raises(TrainingError, match="only one side has: cause-NS, .*other-NN"):
        teach(config, [], ["other-NN"])
    texts = tmp_path / "edus.edus"
    write(Document.from_edus(["He left", "early ."]), texts)
    labels = ["cause-NS", "condition-SN", "list-NN"]
    with pytest.raises(MismatchError, match="has no sentences"):
        teach(replace(config, texts=(str(texts),)), [], labels)
