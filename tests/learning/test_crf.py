"""The CRF against every tag sequence, one after the other."""

from itertools import product

import pytest
import torch

from rhetree.learning.networks.crf import CrfTagger, LinearChainCrf
from rhetree.learning.networks.encoder import Encoder, EncoderConfig
from rhetree.learning.networks.segmenter import SegmenterConfig

LENGTHS = [1, 5, 3, 2]


@pytest.fixture(params=[2, 3])
def crf(request):
    torch.manual_seed(request.param)
    crf = LinearChainCrf(request.param).double()
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter)
    return crf


@pytest.fixture
def emissions(crf):
    return torch.randn(len(LENGTHS), max(LENGTHS), len(crf.first), dtype=torch.double)


def score(crf, emissions, tags):
    """Of one tag sequence, added up token by token."""
    total = crf.first[tags[0]] + crf.last[tags[-1]]
    for token, tag in enumerate(tags):
        total = total + emissions[token, tag]
    for before, after in zip(tags, tags[1:], strict=False):
        total = total + crf.pairs[before, after]
    return total.item()


def all_scores(crf, emissions, length):
    return {tags: score(crf, emissions, tags) for tags in product(range(len(crf.first)), repeat=length)}


def log_sum(scores):
    return torch.tensor(list(scores), dtype=torch.double).logsumexp(dim=0).item()


def test_log_partition_is_the_sum_over_all_sequences(crf, emissions):
    found = crf.log_partition(emissions, torch.tensor(LENGTHS)).tolist()
    expected = [log_sum(all_scores(crf, emissions[row], n).values()) for row, n in enumerate(LENGTHS)]
    assert found == pytest.approx(expected)


def test_log_likelihoods_of_all_sequences_are_as_scored_and_sum_to_one(crf, emissions):
    for row, length in enumerate(LENGTHS):
        scores = all_scores(crf, emissions[row], length)
        # Whatever stands past the end must not matter.
        padded = torch.tensor([[*tags, *[1] * (max(LENGTHS) - length)] for tags in scores])
        same = emissions[row].expand(len(scores), -1, -1)
        found = crf.log_likelihood(same, padded, torch.full((len(scores),), length))
        assert found.exp().sum().item() == pytest.approx(1)
        expected = [one - log_sum(scores.values()) for one in scores.values()]
        assert found.tolist() == pytest.approx(expected)


def test_viterbi_finds_the_best_of_all_sequences(crf, emissions):
    found = crf.best(emissions, torch.tensor(LENGTHS)).tolist()
    for row, length in enumerate(LENGTHS):
        scores = all_scores(crf, emissions[row], length)
        assert tuple(found[row][:length]) == max(scores, key=scores.get)


def test_marginals_are_sums_over_the_sequences_with_a_tag(crf, emissions):
    found = crf.log_marginals(emissions, torch.tensor(LENGTHS))
    for row, length in enumerate(LENGTHS):
        scores = all_scores(crf, emissions[row], length)
        for token in range(length):
            for tag in range(len(crf.first)):
                having = [one for tags, one in scores.items() if tags[token] == tag]
                expected = log_sum(having) - log_sum(scores.values())
                assert found[row, token, tag].item() == pytest.approx(expected)


def test_padding_has_no_gradient(crf, emissions):
    emissions.requires_grad_()
    tags = torch.ones(len(LENGTHS), max(LENGTHS), dtype=torch.long)
    crf.log_likelihood(emissions, tags, torch.tensor(LENGTHS)).sum().backward()
    for row, length in enumerate(LENGTHS):
        assert emissions.grad[row, length:].abs().sum() == 0


def test_attention_of_the_tagger_sees_its_window_and_nothing_else():
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(kind="none"), 6)
    tagger = CrfTagger(SegmenterConfig(kind="crf", layers=1, width=4, attention_window=2), encoder, 6).eval()
    tokens, lengths = torch.randn(2, 7, 8), torch.tensor([7, 4])
    found = tagger._attend(tokens, lengths)
    for row, length in enumerate(lengths.tolist()):
        for i in range(length):
            near = range(max(0, i - 2), min(length, i + 3))
            scores = [
                tagger.neighbour.weight[0] @ tokens[row, j]
                + tagger.product @ (tokens[row, i] * tokens[row, j])
                for j in near
            ]
            weights = torch.stack(scores).softmax(dim=0)
            expected = sum(weight * tokens[row, j] for weight, j in zip(weights, near, strict=True))
            torch.testing.assert_close(found[row, i], expected)
