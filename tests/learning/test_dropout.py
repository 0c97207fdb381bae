"""Each dropout setting drops where its description says, and nowhere else."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from rhetree.learning.networks.classifier import Biaffine
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.networks.decoder import Decoder
from rhetree.learning.networks.encoder import Encoder, EncoderConfig, SelfAttention, States
from rhetree.learning.networks.recurrent import Bidirectional
from rhetree.learning.networks.segmenter import SegmenterConfig
from support.networks import EXAMPLES, VARIATIONS, make_network

SECTIONS = ("encoder", "segmenter", "parser", "classifier")
LENGTHS = torch.tensor([5, 3])
VECTORS = torch.randn(2, 5, 6, generator=torch.Generator().manual_seed(1))

with_and_without = pytest.mark.parametrize("share", [0.5, 0.0])


def twice(compute):
    """What two passes give, with one random state after the other."""
    torch.manual_seed(2)
    return compute(), compute()


def differ(compute):
    one, other = twice(compute)
    return not torch.equal(one, other)


def has_dropped(states):
    """Whether states of real tokens have zeros, which no gate or normalisation makes by itself."""
    return bool((states[0] == 0).any())


def network_with(name, **shares):
    """A network with no dropout but this, by section."""
    config = VARIATIONS[name]
    for section in SECTIONS:
        changed = replace(getattr(config, section), dropout=shares.get(section, 0.0))
        config = replace(config, **{section: changed})
    return make_network(config).train()


@pytest.mark.parametrize(
    ("section", "losses"),
    [
        ("encoder", {"segmentation", "structure", "label"}),
        ("segmenter", {"segmentation"}),
        ("parser", {"structure"}),
        ("classifier", {"label"}),
        (None, set()),
    ],
)
@pytest.mark.parametrize(
    "name", ["paper", "two layers", "plain crf", "self-attention", "separate labels", "attention decoders"]
)
def test_a_dropout_setting_is_felt_in_the_losses_of_its_part_alone(name, section, losses):
    network = network_with(name, **({section: 0.5} if section else {}))
    if name == "plain crf" and section == "encoder":
        losses = losses - {"segmentation"}  # this tagger reads word vectors, which nothing drops
    one, other = twice(lambda: network(EXAMPLES))
    assert {loss for loss in one if one[loss].item() != other[loss].item()} == losses


@with_and_without
@pytest.mark.parametrize("cell", [nn.GRU, nn.LSTM])
def test_recurrent_layers_drop_between_each_other(cell, share):
    two = Bidirectional(cell, 6, 4, layers=2, dropout=share).train()
    assert differ(lambda: two(VECTORS, LENGTHS).forward) == bool(share)
    assert differ(lambda: two(VECTORS, LENGTHS).final_backward[1]) == bool(share)
    one = Bidirectional(cell, 6, 4, layers=1, dropout=share).train()
    assert not differ(lambda: one(VECTORS, LENGTHS).forward)


@with_and_without
def test_an_encoder_drops_of_the_word_vectors_and_of_its_states(share):
    encoder = Encoder(EncoderConfig(layers=1, width=4, dropout=share), 6).train()
    # A single layer drops nothing itself, and its final state is not dropped: only its input is left.
    assert differ(lambda: encoder(VECTORS, LENGTHS).final) == bool(share)
    assert has_dropped(encoder(VECTORS, LENGTHS).tokens) == bool(share)


@with_and_without
def test_no_encoder_drops_of_the_word_vectors_as_states(share):
    encoder = Encoder(EncoderConfig(kind="none", dropout=share), 6).train()
    assert has_dropped(encoder(VECTORS, LENGTHS).tokens) == bool(share)


@with_and_without
@pytest.mark.parametrize("silent", ["merge", "feed_forward"])
def test_both_sublayers_of_self_attention_drop(share, silent):
    attention = SelfAttention(EncoderConfig(kind="attention", layers=1, heads=2, width=4, dropout=share), 6)
    attention.train()
    # A sublayer that adds zeros shows the dropout of the other one.
    sublayer = getattr(attention.layers[0], silent)
    for parameter in sublayer.parameters():
        nn.init.zeros_(parameter)
    assert differ(lambda: attention(VECTORS, LENGTHS).tokens) == bool(share)


@with_and_without
def test_a_decoder_drops_between_layers_and_of_its_outputs(share):
    encoder = Encoder(EncoderConfig(layers=1, width=4), 6)
    start = torch.zeros(2, 2, 8)
    two = Decoder(6, 8, 2, share, encoder).train()
    assert differ(lambda: two(VECTORS, start)[1][1]) == bool(share)
    one = Decoder(6, 8, 1, share, encoder).train()
    assert has_dropped(one(VECTORS, start[:1])[0]) == bool(share)
    assert not differ(lambda: one(VECTORS, start[:1])[1])  # its state goes on undropped


@with_and_without
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_classifier_drops_of_the_features_of_both_spans(share, side):
    classifier = Biaffine(6, 8, 4, share).train()
    nn.init.zeros_(getattr(classifier, side).weight)  # zeros show no dropout: the other side's is left
    assert differ(lambda: classifier(VECTORS[0], VECTORS[0].flip(0))) == bool(share)


@with_and_without
@pytest.mark.parametrize("window", [0, 5])
def test_a_tagger_drops_of_what_comes_out_of_its_layers(share, window):
    encoder = Encoder(EncoderConfig(kind="none"), 6)
    config = SegmenterConfig(kind="crf", layers=1, width=4, attention_window=window, dropout=share)
    tagger = CrfTagger(config, encoder, 6).train()
    # Shows the last layer: the upper one where there is a window, else the lower.
    tagger.emit = nn.Identity()  # type: ignore[assignment]  # no Linear, but called like one
    found = tagger.emissions(VECTORS, States(VECTORS, VECTORS[:, 0].unsqueeze(0)), LENGTHS)
    assert has_dropped(found) == bool(share)
