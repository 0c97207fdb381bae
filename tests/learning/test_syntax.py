"""The extra task: heads and dependency relations, learnt beside EDUs and trees, gone from the model."""

from dataclasses import replace

import pytest
import torch

from rhetree.domain.annotation import Syntax
from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.learning.networks.joint import DiscourseNetwork, LossConfig
from rhetree.learning.targets import dependency_relations_of, make_batch, sentence_examples
from support.networks import EXAMPLES, LABELS, SMALL, HashedEmbedder


def chained(example):
    """A sentence each of whose tokens depends on the one before; the first is the root."""
    relations = ["root", *("nsubj" if n % 2 else "obj" for n in range(len(example.tokens) - 1))]
    return replace(
        example, dependencies=tuple((max(0, n - 1), relation) for n, relation in enumerate(relations))
    )


KNOWN = [chained(example) for example in EXAMPLES[:-1]]
RELATIONS = dependency_relations_of(KNOWN)
MIXED = [*KNOWN, EXAMPLES[-1]]


@pytest.fixture
def network():
    torch.manual_seed(1)
    config = replace(SMALL, loss=LossConfig(syntax=0.5, label_smoothing=0.1))
    return DiscourseNetwork(config, HashedEmbedder(), LABELS, RELATIONS)


def document(*rows):
    columns = tuple(("_", "_", "_", "_", head, relation, "_", "_") for head, relation in rows)
    bare = Document.from_sentences([["She", "sang"], ["Yes"]])
    return replace(bare, edus=spans_of_lengths([2, 1]), syntax=Syntax(columns))


def test_heads_count_from_the_sentences_first_token_and_a_root_is_its_own():
    first, second = sentence_examples([document(("2", "nsubj"), ("0", "root"), ("0", "root"))])
    assert first.dependencies == ((1, "nsubj"), (1, "root"))
    assert second.dependencies == ((0, "root"),)


@pytest.mark.parametrize("row", [("_", "nsubj"), ("2", "_"), ("3", "nsubj"), ("-1", "nsubj")])
def test_a_sentence_with_an_unknown_head_or_relation_has_no_dependencies(row):
    first, second = sentence_examples([document(row, ("0", "root"), ("0", "root"))])
    assert not first.dependencies
    assert second.dependencies


def test_the_loss_is_that_of_each_token_on_its_own(network):
    numbers = {relation: number for number, relation in enumerate(RELATIONS)}
    batch = make_batch(MIXED, dependency_relations=numbers)
    network.eval()
    found = network.losses(make_batch(MIXED, dict.fromkeys(LABELS, 0), dependency_relations=numbers))
    expected = []
    for example in KNOWN:
        states = network.encode([example.tokens]).states.tokens[0]
        dependents, heads = (
            torch.nn.functional.elu(layer(states))
            for layer in (network.syntax.dependent, network.syntax.head)
        )
        scores = network.syntax.arc.query(dependents) @ heads.T
        relations = network.syntax.relation(states)
        for place, (head, relation) in enumerate(example.dependencies):
            arc = scores[place].log_softmax(0)[head]
            expected.append(-arc - relations[place].log_softmax(0)[numbers[relation]])
    assert batch.syntax.known.sum() == len(expected)
    torch.testing.assert_close(found["syntax"], 0.5 * torch.stack(expected).mean())


def test_a_batch_without_dependencies_has_no_loss_of_them_yet_reaches_all_weights(network):
    losses = network([EXAMPLES[-1]])
    assert losses["syntax"] == 0
    sum(losses.values()).backward()
    assert all(weight.grad is not None for weight in network.parameters())


def test_every_parameter_gets_a_gradient(network):
    sum(network.train()(MIXED).values()).backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().sum() > 0, name


def test_a_relation_that_training_never_showed_is_not_learnt():
    batch = make_batch([KNOWN[2]], dependency_relations={"root": 0})
    assert batch.syntax.known.tolist()[0] == [True, *[False] * (len(KNOWN[2].tokens) - 1)]


def test_a_finished_model_keeps_nothing_of_it(network):
    assert any(name.startswith("syntax.") for name in network.state_dict())
    plain = DiscourseNetwork(network.config, HashedEmbedder(), LABELS)
    plain.load_state_dict(network.lasting_weights())


def test_an_example_with_too_few_dependencies_cannot_be_built():
    with pytest.raises(ValueError, match="1 dependencies for 2 tokens"):
        replace(EXAMPLES[0], dependencies=((0, "root"),))


def test_smoothing_gives_a_share_to_all_labels(network):
    plain = DiscourseNetwork(replace(SMALL, loss=LossConfig()), network.embedder, LABELS)
    plain.load_state_dict(network.lasting_weights())
    batch = make_batch(EXAMPLES, {label: number for number, label in enumerate(LABELS)})
    units = plain.parser.represent.prepare(plain.eval().encode(batch.sentences).states.tokens)
    left, right = (
        plain.parser.represent(units, batch.splits.rows, part)
        for part in (batch.splits.left, batch.splits.right)
    )
    assert plain.classifier is not None
    uniform = -plain.classifier(left, right).mean()
    expected = 0.9 * plain.losses(batch)["label"] + 0.1 * uniform
    torch.testing.assert_close(network.eval().losses(batch)["label"], expected)
