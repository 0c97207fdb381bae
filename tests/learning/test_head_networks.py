"""The networks behind fine relations and signals."""

import torch

from rhetree.learning.networks.heads import N_PLACES, FineClassifier, SignalTagger, within_groups
from rhetree.runtime.heads import PLACES


def test_log_probabilities_add_up_to_one_within_each_group():
    torch.manual_seed(1)
    scores, groups = 30 * torch.randn(4, 5), torch.tensor([0, 1, 0, 1, 1])
    found = within_groups(scores, groups).exp()
    for group in (0, 1):
        torch.testing.assert_close(found[:, groups == group].sum(dim=1), torch.ones(4))
    torch.testing.assert_close(found[:, groups == 0], scores[:, groups == 0].softmax(dim=1))


def test_every_parameter_of_the_heads_learns():
    torch.manual_seed(1)
    left, right = torch.randn(3, 8), torch.randn(3, 8)
    fine = FineClassifier(8, 4, 5, dropout=0)
    tagger = SignalTagger(6, 8, n_labels=3, n_kinds=2, n_words=4, width=4, dropout=0)
    pairs = 40
    scores = tagger(
        states=torch.randn(pairs, 6),
        left=left,
        right=right,
        labels=torch.arange(3),
        splits=torch.arange(pairs) % 3,
        places=torch.stack([torch.arange(pairs) % n for n in N_PLACES], dim=1),
        words=torch.arange(5 * pairs).reshape(pairs, 5) % 5,
    )["scores"]
    assert scores.shape == (pairs, 2)
    (scores.sum() + fine(left, right)["scores"].square().sum()).backward()
    assert all(parameter.grad is not None for network in (fine, tagger) for parameter in network.parameters())


def test_there_is_a_vector_for_every_place():
    assert (2 * PLACES[0] + 1, *(most + 1 for most in PLACES[1:])) == N_PLACES
