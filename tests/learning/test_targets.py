from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import MismatchError
from rhetree.learning.targets import SentenceExample, labels_of, make_batch, sentence_examples
from rhetree.runtime.network import DecoderStep
from rhetree.runtime.tree_search import find_structures
from support.fake_network import FakeNetwork
from support.networks import EXAMPLES, example
from support.strategies import lengths_of, trees

RELATIONS = ("joint", "elaboration")
NUMBERS = {
    f"{relation}-{nuc}": n
    for n, (relation, nuc) in enumerate((r, n) for r in RELATIONS for n in ("NS", "SN", "NN"))
}


def document(edus, sentences, **known):
    tokens = Document.from_sentences([["x"] * n for n in sentences], name="d")
    return replace(tokens, edus=spans_of_lengths(edus), **known)


def test_examples_are_the_sentences_of_documents_with_their_own_trees():
    whole = Tree(
        (
            Split(0, 2, 5, "NN", "joint"),
            Split(0, 1, 2, "NS", "elaboration"),
            Split(2, 3, 5, "NN", "joint"),
            Split(3, 4, 5, "SN", "attribution"),
        )
    )
    found = sentence_examples([document([2, 1, 4, 1, 1], [3, 4, 2], tree=whole)])
    assert [item.edu_lengths for item in found] == [(2, 1), (4,), (1, 1)]
    assert [item.tree for item in found] == [
        Tree((Split(0, 1, 2, "NS", "elaboration"),)),
        Tree(),
        Tree((Split(0, 1, 2, "SN", "attribution"),)),
    ]
    assert labels_of(found) == ("attribution-SN", "elaboration-NS")


def test_a_sentence_that_no_node_spans_has_no_tree():
    whole = Tree((Split(0, 1, 3, "NN", "joint"), Split(1, 2, 3, "NN", "joint")))
    first, second = sentence_examples([document([1, 1, 2], [2, 2], tree=whole)])
    assert first.edu_lengths == (1, 1)
    assert first.tree is None
    assert second.tree == Tree()


def test_an_edu_that_goes_on_in_the_next_sentence_is_cut_there():
    found = sentence_examples([document([2, 5, 1, 2], [3, 2, 5])])
    assert [item.edu_lengths for item in found] == [(2, 1), (2,), (2, 1, 2)]
    assert all(item.tree is None for item in found)


@pytest.mark.parametrize("layer", ["sentences", "edus"])
def test_a_document_without_sentences_or_edus_is_refused_by_name(layer):
    with pytest.raises(MismatchError, match="^d: it has no sentences or no EDUs"):
        sentence_examples([replace(document([1, 2], [3]), **{layer: ()})])


def test_an_empty_document_has_no_examples():
    assert sentence_examples([Document()]) == []


@pytest.mark.parametrize("lengths", [(1, 1), (1, 0, 2), ()])
def test_an_example_whose_edus_do_not_cover_it_cannot_be_built(lengths):
    with pytest.raises(ValueError, match="tokens in a sentence of 3"):
        SentenceExample(("a", "b", "c"), lengths)


def test_an_example_with_a_tree_of_other_edus_cannot_be_built():
    with pytest.raises(ValueError, match="a tree of 1 EDUs for 2"):
        SentenceExample(("a", "b"), (1, 1), Tree())


def test_a_batch_by_hand():
    one = example(
        "a b | c | d e f | g",
        (0, 2, 4, "NN", "joint"),
        (0, 1, 2, "NS", "elaboration"),
        (2, 3, 4, "SN", "joint"),
    )
    two = example("h | i j | k", (0, 1, 3, "NS", "joint"), (1, 2, 3, "NN", "joint"))
    three = example("l m", tree=False)
    batch = make_batch([three, one, two], NUMBERS)
    assert batch.segments.starts.tolist() == [[0, 0, 0, 0], [0, 2, 3, 6], [0, 1, 3, 3]]
    assert batch.segments.lasts.tolist() == [[1, 1, 1, 1], [1, 2, 5, 6], [0, 2, 3, 3]]
    assert batch.segments.real.sum(dim=1).tolist() == [1, 4, 3]
    assert batch.begins.tolist() == [[1, 0, 0, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0, 1], [1, 1, 0, 1, 0, 0, 0]]
    assert batch.parses.rows.tolist() == [1, 2]
    assert batch.parses.spans.tolist() == [[[0, 7]], [[0, 4]]]
    assert batch.parses.parents.tolist() == batch.parses.siblings.tolist() == [[[0, 0]], [[0, 0]]]
    assert batch.parses.candidates.tolist() == [[1, 2, 5, 6], [0, 2, 3, 3]]
    assert batch.parses.allowed.tolist() == [[[True, True, True, False]], [[True, True, False, False]]]
    assert batch.parses.chosen.tolist() == [[1], [0]]
    assert batch.splits.rows.tolist() == [1, 1, 1, 2, 2]
    assert batch.splits.left.tolist() == [[0, 3], [0, 2], [3, 6], [0, 1], [1, 3]]
    assert batch.splits.right.tolist() == [[3, 7], [2, 3], [6, 7], [1, 4], [3, 4]]
    assert batch.splits.labels.tolist() == [2, 3, 1, 0, 2]


def test_sentences_without_anything_to_parse_have_no_parse_targets():
    batch = make_batch([EXAMPLES[0], EXAMPLES[-1]], NUMBERS)
    assert batch.parses is None
    assert batch.splits is None
    batch = make_batch([example("a | b", (0, 1, 2, "NN", "joint"))], NUMBERS)
    assert batch.parses is None
    assert batch.splits is not None


def test_a_segmenter_needs_no_labels():
    batch = make_batch(EXAMPLES)
    assert batch.parses is None
    assert batch.splits is None


def test_a_label_that_the_network_does_not_have_is_named():
    with pytest.raises(MismatchError, match="no label purpose-NS; it knows joint-NS"):
        make_batch([example("a | b", (0, 1, 2, "NS", "purpose"))], NUMBERS)


@st.composite
def tree_examples(draw):
    n = draw(st.integers(1, 18))
    lengths = draw(lengths_of(n))
    tree = draw(trees(n_edus=len(lengths), relations=RELATIONS))
    return SentenceExample(("x",) * n, tuple(lengths), tree)


class GoldNetwork(FakeNetwork):
    """Points to where a gold tree has its splits."""

    def __init__(self, examples):
        super().__init__()
        self.gold = []
        for item in examples:
            edges = [edu.end for edu in spans_of_lengths(item.edu_lengths)]
            self.gold.append(
                {(edges[s.end - 1], edges[s.start]): edges[s.split - 1] - 1 for s in item.tree.splits}
            )

    def parse_step(self, encoded, spans, hidden):
        step = super().parse_step(encoded, spans, hidden)
        first_ends = spans.candidates[:, 0] + 1
        keys = zip(spans.spans[:, 1].tolist(), first_ends.tolist(), strict=True)
        right = [self.gold[row][key] for row, key in zip(spans.rows.tolist(), keys, strict=True)]
        scores = np.where(spans.candidates == np.array(right)[:, None], 0, -np.inf)
        return DecoderStep(scores, step.hidden)


@given(st.lists(tree_examples(), min_size=1, max_size=4))
def test_training_asks_for_the_very_steps_that_decoding_takes(examples):
    batch = make_batch(examples, NUMBERS)
    network = GoldNetwork(examples)
    edus = [spans_of_lengths(item.edu_lengths) for item in examples]
    encoded = network.encode([item.tokens for item in examples])
    found = find_structures(network, encoded, np.arange(len(examples)), edus)
    assert found.edus.tolist() == [[s.start, s.split, s.end] for item in examples for s in item.tree.splits]
    taken: dict[int, list[tuple[int, ...]]] = {}
    for _, asked in network.named("parse"):
        for number, row in enumerate(asked.rows.tolist()):
            candidates = [place for place in asked.candidates[number].tolist() if place >= 0]
            step = (*asked.spans[number], *asked.parents[number], *asked.siblings[number], *candidates)
            taken.setdefault(row, []).append(step)
    trained: dict[int, list[tuple[int, ...]]] = {}
    if batch.parses is not None:
        for number, row in enumerate(batch.parses.rows.tolist()):
            for at in range(int(batch.parses.real[number].sum())):
                places = batch.parses.candidates[number][batch.parses.allowed[number, at]]
                around = [part[number, at].tolist() for part in (batch.parses.spans, batch.parses.parents)]
                around.append(batch.parses.siblings[number, at].tolist())
                trained.setdefault(row, []).append((*around[0], *around[1], *around[2], *places.tolist()))
    assert trained == taken
