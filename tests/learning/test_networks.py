"""What holds of every network, whatever its settings: it learns, all of it learns, and company changes nothing."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from rhetree.domain.span import spans_of_lengths
from rhetree.learning.embeddings import EmbeddingConfig, make_embedder
from rhetree.learning.model import load_model, save_model
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.targets import make_batch
from rhetree.learning.torch_network import TorchNetwork
from rhetree.runtime.edu_search import Segmentation, find_segmentations
from rhetree.runtime.network import SpansToSplit
from rhetree.runtime.pipeline import Pipeline
from rhetree.runtime.readings import find_readings
from support.exported import make_model
from support.networks import EXAMPLES, LABELS, SENTENCES, VARIATIONS, make_network, overfit
from support.tiny_encoders import WORDS, save_encoder, write_elmo

EDUS = [spans_of_lengths(example.edu_lengths) for example in EXAMPLES]

every_variation = pytest.mark.parametrize("name", VARIATIONS)
TOLERANCE = 2e-5


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make(name):
    return make_network(VARIATIONS[name])


def analyse(network, sentences=SENTENCES, **settings):
    """EDUs and trees, and the probabilities of all choices in one row."""
    wrapped = TorchNetwork(network)
    pipeline = Pipeline(wrapped, network.labels, **settings)
    known = {tuple(sentence): edus for sentence, edus in zip(SENTENCES, EDUS, strict=True)}
    gold = [known[tuple(sentence)] for sentence in sentences] if network.segmenter is None else None
    found = [readings[0] for readings in pipeline.analyse(sentences, gold)]
    answers = [(one.edus, one.tree) for one in found]
    scores = [
        np.array(
            [
                *(one.log_prob, *one.edu_probs, *one.split_probs),
                *(prob for labels in one.label_probs for _, prob in labels),
            ]
        )
        for one in found
    ]
    return answers, scores


def assert_same(one, other):
    assert one[0] == other[0]
    for left, right in zip(one[1], other[1], strict=True):
        np.testing.assert_allclose(left, right, atol=TOLERANCE)


@every_variation
def test_a_network_learns_a_handful_of_sentences_by_heart(name):
    network = make(name)
    totals = overfit(network, steps=150, enough=0.15)
    assert totals[-1] < totals[0] / 3
    (answers, _) = analyse(network)
    for example, edus, (found_edus, found_tree) in zip(EXAMPLES, EDUS, answers, strict=True):
        if network.segmenter is not None:
            assert found_edus == edus
        if network.parser is not None and example.tree is not None:
            assert found_tree == example.tree


@every_variation
def test_every_parameter_gets_a_gradient(name):
    network = make(name).train()
    sum(network(EXAMPLES).values()).backward()
    for parameter_name, parameter in network.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.abs().sum() > 0, parameter_name


@every_variation
def test_parameters_have_gradients_even_where_a_batch_has_no_tree(name):
    network = make(name).train()
    sum(network([EXAMPLES[0], EXAMPLES[-1]]).values()).backward()
    without = [key for key, parameter in network.named_parameters() if parameter.grad is None]
    assert not without


@every_variation
def test_the_same_seed_gives_the_same_weights(name):
    one = make(name)
    overfit(one, steps=2)
    other = make(name)
    overfit(other, steps=2)
    for key, value in one.state_dict().items():
        assert torch.equal(value, other.state_dict()[key]), key


@every_variation
def test_company_changes_nothing(name):
    network = make(name)
    overfit(network, steps=3)
    assert_company_changes_nothing(network, SENTENCES)


@pytest.mark.parametrize(
    ("kind", "write", "settings"),
    [
        ("transformer", save_encoder, {"tuning": "tuned"}),
        ("transformer", save_encoder, {"tuning": "mix", "piece": "mean"}),
        ("elmo", write_elmo, {}),
    ],
)
def test_company_changes_nothing_of_what_an_encoder_says(kind, write, settings, tmp_path):
    embedding = EmbeddingConfig(kind=kind, path=str(write(tmp_path / kind)), **settings)
    config = replace(VARIATIONS["both sides"], embedding=embedding)
    network = make_model(config, make_embedder(embedding, SENTENCES)).network
    # Words that the tiny encoder knows, and more of them than it sees at once.
    assert_company_changes_nothing(network, [*SENTENCES, WORDS[:9], WORDS[5:16], WORDS[:16] * 6])


def assert_company_changes_nothing(network, sentences):
    together = analyse(network, sentences)
    alone = analyse(network, sentences, batch_cost=1)
    assert_same(together, alone)

    order = list(range(len(sentences)))
    random.Random(3).shuffle(order)
    shuffled = analyse(network, [sentences[number] for number in order])
    back = [order.index(number) for number in range(len(order))]
    assert_same(together, ([shuffled[0][at] for at in back], [shuffled[1][at] for at in back]))


@pytest.mark.parametrize("name", ["two layers", "self-attention", "wly", "both sides"])
def test_threads_change_nothing(name):
    network = make(name)
    overfit(network, steps=3)
    one = analyse(network)
    torch.set_num_threads(2)
    assert_same(one, analyse(network))


@every_variation
def test_saving_and_loading_changes_nothing(name, tmp_path):
    model = make_model(VARIATIONS[name])
    save_model(tmp_path / "model", model.network, model.recipe, model.about)
    loaded = load_model(tmp_path / "model")
    assert loaded.recipe == model.recipe
    assert loaded.network.labels == model.network.labels
    before, after = model.network.state_dict(), loaded.network.state_dict()
    assert before.keys() == after.keys()
    for key, value in before.items():
        assert torch.equal(value, after[key]), key
    answers, scores = analyse(loaded.network)
    expected_answers, expected_scores = analyse(model.network)
    assert answers == expected_answers
    for found, expected in zip(scores, expected_scores, strict=True):
        assert np.array_equal(found, expected)


@every_variation
def test_teacher_forced_scores_are_those_of_step_by_step_decoding(name):
    network = make(name)
    overfit(network, steps=3)
    wrapped = TorchNetwork(network)
    encoded = wrapped.encode(SENTENCES)
    numbers = {label: number for number, label in enumerate(network.labels)}
    batch = make_batch(EXAMPLES, numbers if network.parser else None)
    with torch.inference_mode():
        encoding = network.encode(SENTENCES)
        if network.segmenter is not None and not isinstance(network.segmenter, CrfTagger):
            forced = network.segmenter.log_probs(
                encoding.embeddings, encoding.states, encoding.lengths, batch.segments
            )
            np.testing.assert_allclose(forced, _segment_step_by_step(wrapped, encoded), atol=TOLERANCE)
        if network.parser is not None:
            units = network.parser.represent.prepare(encoding.states.tokens)
            forced = network.parser.log_probs(encoding.states, units, batch.parses)
            np.testing.assert_allclose(forced, _parse_step_by_step(wrapped, encoded), atol=TOLERANCE)


def _segment_step_by_step(network, encoded):
    """One sentence after the other, one EDU after the other, as told by the gold EDUs."""
    found = []
    for row, edus in enumerate(EDUS):
        hidden = encoded.segmenter.hidden[:, [row]]
        for edu in edus:
            step = network.segment_step(encoded, np.array([row]), np.array([edu.start]), hidden, 512)
            hidden = step.hidden
            found.append(step.log_probs[0, edu.end - 1 - edu.start])
    return found


def _parse_step_by_step(network, encoded):
    found = []
    for row, (example, edus) in enumerate(zip(EXAMPLES, EDUS, strict=True)):
        if example.tree is None or example.tree.n_edus < 3:
            continue
        hidden = encoded.parser.hidden[:, [row]]

        def tokens(start, end, edus=edus):
            return [[edus[start].start, edus[end - 1].end]]

        for split in example.tree.splits:
            if split.end - split.start == 2:
                continue
            parents = [up for up in example.tree.splits if (split.start, split.end) in _parts(up)]
            parent = tokens(parents[0].start, parents[0].end) if parents else [[0, 0]]
            is_right = parents and parents[0].split == split.start
            sibling = tokens(parents[0].start, parents[0].split) if is_right else [[0, 0]]
            step = network.parse_step(
                encoded,
                SpansToSplit(
                    rows=np.array([row]),
                    spans=np.array(tokens(split.start, split.end)),
                    parents=np.array(parent),
                    siblings=np.array(sibling),
                    candidates=np.array([[edu.end - 1 for edu in edus[split.start : split.end - 1]]]),
                ),
                hidden,
            )
            hidden = step.hidden
            found.append(step.log_probs[0, split.split - split.start - 1])
    return found


def _parts(split):
    return (split.start, split.split), (split.split, split.end)


@pytest.mark.parametrize("name", [name for name in VARIATIONS if VARIATIONS[name].task == "joint"])
def test_losses_are_the_mean_of_what_decoding_would_have_to_choose(name):
    network = make(name).eval()
    losses = network(EXAMPLES)
    assert list(losses) == ["segmentation", "structure", "label"]
    wrapped = TorchNetwork(network)
    encoded = wrapped.encode(SENTENCES)
    weights = network.config.loss
    n_sentences = len(EXAMPLES) if weights.reduction == "sentences" else None
    structure = _parse_step_by_step(wrapped, encoded)
    expected = -np.sum(structure) / (n_sentences or len(structure))
    np.testing.assert_allclose(losses["structure"].item(), weights.structure * expected, rtol=1e-4)
    labels = [
        wrapped.label(encoded, np.array([row]), np.array([_edges(EDUS[row], split)]))[
            0, network.labels.index(split.label)
        ]
        for row, example in enumerate(EXAMPLES)
        if example.tree
        for split in example.tree.splits
    ]
    expected = -np.sum(labels) / (n_sentences or len(labels))
    np.testing.assert_allclose(losses["label"].item(), weights.label * expected, rtol=1e-4)
    if encoded.segmenter is not None:
        ends = _segment_step_by_step(wrapped, encoded)
        expected = -np.sum(ends) / (n_sentences or len(ends))
        np.testing.assert_allclose(losses["segmentation"].item(), weights.segmentation * expected, rtol=1e-4)


def _edges(edus, split):
    return [edus[split.start].start, edus[split.split].start, edus[split.end - 1].end]


def test_greedy_probabilities_are_those_of_the_choices_made():
    network = make("paper")
    overfit(network, steps=150, enough=0.1)
    wrapped = TorchNetwork(network)
    encoded = wrapped.encode(SENTENCES)
    ends = [prob for (best,) in find_segmentations(wrapped, encoded) for prob in best.probs]
    np.testing.assert_allclose(np.log(ends), _segment_step_by_step(wrapped, encoded), atol=TOLERANCE)
    given = [[Segmentation.given(edus)] for edus in EDUS]
    readings = find_readings(wrapped, encoded, given, network.labels)
    chosen = [
        prob
        for (one,), example in zip(readings, EXAMPLES, strict=True)
        if example.tree
        for prob, split in zip(one.split_probs, one.tree.splits, strict=True)
        if split.end - split.start > 2
    ]
    np.testing.assert_allclose(np.log(chosen), _parse_step_by_step(wrapped, encoded), atol=TOLERANCE)


def test_a_network_that_parses_needs_labels():
    with pytest.raises(ValueError, match="needs labels"):
        type(make("paper"))(VARIATIONS["paper"], make("paper").embedder)


def test_separate_classifiers_can_combine_what_was_never_seen_together():
    labels = make("separate labels").labels
    assert set(LABELS) < set(labels)
    assert len(labels) == 3 * len({label.rpartition("-")[0] for label in LABELS})


@pytest.mark.parametrize(
    ("section", "changes", "message"),
    [
        ("encoder", {"layers": 0}, "layers is at least 1, got 0"),
        ("encoder", {"dropout": 1.0}, "dropout is within 0 <= dropout < 1, got 1.0"),
        ("encoder", {"kind": "attention", "heads": 3}, "heads: 3 heads of even width"),
        ("segmenter", {"width": -1}, "width is at least 1, got -1"),
        ("segmenter", {"attention_window": -1}, "attention_window is at least 0, got -1"),
        ("parser", {"dropout": -0.1}, "dropout is within"),
        ("parser", {"decoder": "attention", "heads": 3}, "heads: 3 heads of even width do not make up"),
        ("segmenter", {"heads": 0}, "heads is at least 1, got 0"),
        ("segmenter", {"decoder": "attention", "heads": 5}, "heads: 5 heads of even width"),
        ("classifier", {"width": 0}, "width is at least 1, got 0"),
        ("loss", {"label": -1.0}, "label is at least 0, got -1.0"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(section, changes, message):
    with pytest.raises(ValueError, match=message):
        replace(getattr(VARIATIONS["paper"], section), **changes)
