"""The networks' formulas against slow, literal transcriptions of the papers' equations."""

import math
from typing import Any

import pytest
import torch

from rhetree.learning.networks.classifier import Biaffine
from rhetree.learning.networks.crf import CrfTagger
from rhetree.learning.networks.encoder import Encoder, EncoderConfig
from rhetree.learning.networks.parser import ParserConfig, StackPointerParser
from rhetree.learning.networks.pointer import Pointer
from rhetree.learning.networks.segmenter import PointerSegmenter, SegmenterConfig, SegmentTargets
from rhetree.learning.networks.spans import SpanRepresentation, with_partial_tree
from support.networks import EXAMPLES, VARIATIONS, make_network


def softmax(numbers):
    total = sum(math.exp(number) for number in numbers)
    return [math.exp(number) / total for number in numbers]


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("missing", [(), (0,), (2,), (0, 2)])
def test_partial_tree_attention_is_equation_5(missing):
    torch.manual_seed(3)
    matrix = torch.randn(3, 4)
    for row in missing:
        matrix[row] = 0
    m = matrix.tolist()
    # A = softmax(M Mᵀ) M: row i attends to the rows j of M with weights that sum to one.
    rows = []
    for i in range(3):
        weights = softmax([dot(m[i], m[j]) for j in range(3)])
        assert sum(weights) == pytest.approx(1)
        rows.append([sum(weights[j] * m[j][k] for j in range(3)) for k in range(4)])
    expected = [sum(rows[i][k] for i in range(3)) for k in range(4)]
    found = with_partial_tree("attention", *matrix)
    assert found.tolist() == pytest.approx(expected, rel=1e-5)


def test_the_decoder_of_the_parser_reads_parent_span_and_sibling_by_equation_5():
    torch.manual_seed(3)
    parser = StackPointerParser(ParserConfig(layers=1, width=4), Encoder(EncoderConfig(layers=1, width=2), 3))
    states = torch.randn(2, 9, 4)
    none = (0, 0)  # a whole sentence has no parent, a left part no left sibling: their rows of M are zeros
    steps = [(0, (0, 9), none, none), (1, (0, 5), (0, 8), none), (1, (5, 8), (0, 8), (0, 5))]
    rows, spans, parents, siblings = (torch.tensor(column) for column in zip(*steps, strict=True))
    found = parser.represent.inputs(parser.represent.prepare(states), rows, spans, parents, siblings)
    for vector, (row, span, parent, sibling) in zip(found, steps, strict=True):
        # Each is represented by the state of its last token.
        m = [[0.0] * 4 if of == none else states[row, of[1] - 1].tolist() for of in (parent, span, sibling)]
        weights = [softmax([dot(m[i], m[j]) for j in range(3)]) for i in range(3)]
        expected = [sum(weights[i][j] * m[j][k] for i in range(3) for j in range(3)) for k in range(4)]
        assert vector.tolist() == pytest.approx(expected, rel=1e-4)


def decoder_inputs_and_label_scores(variation):
    """What the parser's decoder reads and the classifier answers; weights are the same for every variation."""
    network = make_network(VARIATIONS[variation]).eval()
    read, scores = [], []
    network.parser.decoder.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]))
    network.classifier.register_forward_hook(lambda _, inputs, output: scores.append(output))
    with torch.no_grad():
        network(EXAMPLES)
    return read[0], scores[0]


def test_the_spans_of_the_labels_do_not_depend_on_those_of_the_decoder():
    last, last_labels = decoder_inputs_and_label_scores("paper")
    mean, mean_labels = decoder_inputs_and_label_scores("mean spans")
    decoder_alone, same_labels = decoder_inputs_and_label_scores("mean spans for the decoder alone")
    same, labels_alone = decoder_inputs_and_label_scores("mean spans for the labels alone")
    assert torch.equal(same_labels, last_labels)
    assert torch.equal(decoder_alone, mean)
    assert torch.equal(same, last)
    assert torch.equal(labels_alone, mean_labels)
    assert not torch.allclose(mean, last)
    assert not torch.allclose(mean_labels, last_labels)


@pytest.mark.parametrize("reads", ["state", "embedding"])
def test_the_decoder_of_a_segmenter_reads_states_and_that_of_segbot_word_vectors(reads):
    torch.manual_seed(9)
    encoder = Encoder(EncoderConfig(layers=1, width=4, dropout=0.0), 5)  # states of 8, word vectors of 5
    segmenter = PointerSegmenter(SegmenterConfig(layers=1, width=8, input=reads), encoder, 5)
    embeddings, lengths = torch.randn(2, 6, 5), torch.tensor([6, 4])
    states = encoder(embeddings, lengths)
    starts, lasts = torch.tensor([[0, 2], [0, 3]]), torch.tensor([[1, 5], [2, 3]])
    seen = []
    segmenter.decoder.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    segmenter.log_probs(embeddings, states, lengths, SegmentTargets(starts, lasts, starts >= 0))
    words = states.tokens if reads == "state" else embeddings
    # At each step, the first word of an EDU.
    expected = torch.stack([torch.stack([words[0, 0], words[0, 2]]), torch.stack([words[1, 0], words[1, 3]])])
    assert torch.equal(seen[0], expected)


@pytest.mark.parametrize("reads", ["state", "embedding"])
def test_a_tagger_reads_states_or_word_vectors_as_it_is_told(reads):
    torch.manual_seed(9)
    encoder = Encoder(EncoderConfig(layers=1, width=4, dropout=0.0), 5)
    tagger = CrfTagger(SegmenterConfig(kind="crf", layers=1, width=8, input=reads), encoder, 5)
    embeddings, lengths = torch.randn(2, 6, 5), torch.tensor([6, 4])
    states = encoder(embeddings, lengths)
    seen = []
    tagger.lower.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    tagger.emissions(embeddings, states, lengths)
    assert seen[0] is (states.tokens if reads == "state" else embeddings)


def test_partial_tree_works_on_any_number_of_spans_at_once():
    torch.manual_seed(3)
    parents, spans, siblings = torch.randn(3, 2, 5, 4)
    for kind in ("attention", "average", "none"):
        found = with_partial_tree(kind, parents, spans, siblings)
        for place in torch.cartesian_prod(torch.arange(2), torch.arange(5)).tolist():
            one = with_partial_tree(kind, *(vectors[tuple(place)] for vectors in (parents, spans, siblings)))
            torch.testing.assert_close(found[tuple(place)], one)


def test_plain_averaging_and_no_partial_tree():
    parent, span, sibling = torch.randn(3, 4)
    torch.testing.assert_close(
        with_partial_tree("average", parent, span, sibling), (parent + span + sibling) / 3
    )
    assert with_partial_tree("none", parent, span, sibling) is span


def test_biaffine_classifier_is_equations_3_and_4():
    torch.manual_seed(4)
    width, d, n_classes = 5, 3, 4
    layer = Biaffine(width, d, n_classes, dropout=0.5).eval()
    torch.nn.init.normal_(layer.right_alone.bias)
    u1, u2 = layer.left.weight.T.tolist(), layer.right.weight.T.tolist()
    w, wk, wj = layer.both.tolist(), layer.left_alone.weight.T.tolist(), layer.right_alone.weight.T.tolist()
    b = layer.right_alone.bias.tolist()

    def elu(number):
        return number if number > 0 else math.exp(number) - 1

    left, right = torch.randn(2, 6, width)
    found = layer(left, right)
    for row, (e_k, e_j) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        c_k = [elu(sum(e_k[x] * u1[x][y] for x in range(width))) for y in range(d)]
        c_j = [elu(sum(e_j[x] * u2[x][y] for x in range(width))) for y in range(d)]
        scores = [
            sum(c_k[x] * w[x][r][y] * c_j[y] for x in range(d) for y in range(d))
            + sum(c_k[x] * wk[x][r] for x in range(d))
            + sum(c_j[y] * wj[y][r] for y in range(d))
            + b[r]
            for r in range(n_classes)
        ]
        assert found[row].exp().tolist() == pytest.approx(softmax(scores), rel=1e-4)


@pytest.mark.parametrize(("kind", "query_width"), [("dot", 4), ("dot", 3), ("additive", 3), ("biaffine", 3)])
def test_pointers_score_as_their_formulas_say(kind, query_width):
    torch.manual_seed(5)
    pointer = Pointer(kind, query_width, 4)
    queries, keys = torch.randn(2, 3, query_width), torch.randn(2, 5, 4)
    allowed = torch.rand(2, 3, 5) > 0.4
    allowed[..., 2] = True

    def score(q, k):
        if kind == "additive":
            inner = pointer.query.weight @ q + pointer.query.bias + pointer.key.weight @ k
            return (pointer.score.weight[0] @ inner.tanh()).item()
        if kind == "biaffine":
            return (q @ pointer.query.weight.T @ k + pointer.query.bias @ k).item()
        return ((q if query_width == 4 else pointer.query.weight @ q) @ k).item()

    found = pointer(queries, pointer.prepare(keys), allowed)
    for row in range(2):
        for step in range(3):
            places = allowed[row, step].nonzero().squeeze(1).tolist()
            expected = [0.0] * 5
            probabilities = softmax([score(queries[row, step], keys[row, place]) for place in places])
            for place, probability in zip(places, probabilities, strict=True):
                expected[place] = probability
            assert found[row, step].exp().tolist() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("merge", ["concatenate", "sum"])
def test_the_final_state_merges_the_two_directions_of_the_same_layer(merge):
    torch.manual_seed(6)
    encoder = Encoder(EncoderConfig(layers=3, width=4, merge=merge, dropout=0.0), 5)
    lengths = torch.tensor([6, 2, 1])
    vectors = torch.randn(3, 6, 5)
    states = encoder(vectors, lengths)
    assert states.final.shape == (3, 3, encoder.width)
    for row, length in enumerate(lengths.tolist()):
        inputs = vectors[row, :length]
        for layer in range(3):
            both: Any = encoder.layers.layers
            forward = _gru(both.rightward[layer], inputs)
            backward = _gru(both.leftward[layer], inputs.flip(0)).flip(0)
            merged = {
                "concatenate": torch.cat([forward[-1], backward[0]]),
                "sum": forward[-1] + backward[0],
            }
            torch.testing.assert_close(states.final[layer, row], merged[merge])
            inputs = torch.cat([forward, backward], dim=1)
        expected = inputs if merge == "concatenate" else forward + backward
        torch.testing.assert_close(states.tokens[row, :length], expected)
        assert states.tokens[row, length:].abs().sum() == 0


def _gru(gru, inputs):
    """The states of one direction of one layer, cell by cell (Cho et al. 2014, as torch writes it)."""
    w_in, w_hidden, b_in, b_hidden = (
        getattr(gru, f"{name}_l0") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    hidden = torch.zeros(w_hidden.shape[1])
    states = []
    for vector in inputs:
        reset_in, update_in, new_in = (w_in @ vector + b_in).chunk(3)
        reset_hidden, update_hidden, new_hidden = (w_hidden @ hidden + b_hidden).chunk(3)
        reset = (reset_in + reset_hidden).sigmoid()
        update = (update_in + update_hidden).sigmoid()
        hidden = (1 - update) * (new_in + reset * new_hidden).tanh() + update * hidden
        states.append(hidden)
    return torch.stack(states)


@pytest.mark.parametrize("kind", ["last", "mean", "both-ends"])
def test_spans_are_represented_as_their_kind_says(kind):
    torch.manual_seed(8)
    represent = SpanRepresentation(kind, 4)
    states = torch.randn(2, 7, 4)
    rows, spans = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([[0, 7], [2, 3], [1, 5], [0, 0], [0, 1]])
    found = represent(represent.prepare(states), rows, spans)
    assert found.shape == (5, represent.width)
    for vector, row, (start, end) in zip(found, rows.tolist(), spans.tolist(), strict=True):
        inside = states[row, start:end]
        if start == end:
            expected = torch.zeros(represent.width)
        elif kind == "mean":
            expected = inside.mean(dim=0)
        else:
            expected = inside[-1] if kind == "last" else torch.cat([inside[0], inside[-1]])
        torch.testing.assert_close(vector, expected, atol=1e-6, rtol=1e-5)
