"""Sentences are joined into a document: from the top down, in linear time, with layout and probabilities."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rhetree.domain.blocks import Block
from rhetree.domain.document import Document
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import MismatchError
from rhetree.runtime import document_search
from rhetree.runtime.document_joining import join_in_steps, join_sentences
from rhetree.runtime.document_network import OnnxDocumentNetwork
from rhetree.runtime.document_search import find_joints, take_best_splits
from rhetree.runtime.document_units import (
    EDGES,
    HEADING,
    ITEM,
    NEAR,
    SPREAD,
    Candidates,
    find_paragraphs,
    head_edu,
    kind_of,
    units_of,
)
from rhetree.runtime.workers import Workers
from rhetree.text import tokenize
from rhetree.text.blocks import with_blocks
from rhetree.text.html import html_layout
from support.document_trees import (
    FakeDocumentNetwork,
    RandomDocumentNetwork,
    in_one_tree,
    in_sentences,
    plain,
)

LABELS = ("elaboration-NS", "list-NN")


def units(document):
    return units_of(document, document.trees_by_sentence())


def long_document(n_sentences, sentences_in_paragraph=5):
    forms = [["It", "rained", "."]] * n_sentences
    bare = Document.from_sentences(forms, name="long")
    text = list(bare.text)
    for number in range(sentences_in_paragraph, n_sentences, sentences_in_paragraph):
        text[bare.tokens[3 * number].start - 1] = "\n"
    return replace(
        bare,
        text="".join(text),
        edus=bare.sentences,
        sentence_trees=(Tree(),) * n_sentences,
    )


def test_paragraphs_end_at_blank_lines_or_else_at_line_ends():
    assert find_paragraphs(plain()) == [Span(0, 1), Span(1, 3), Span(3, 6)]
    assert find_paragraphs(plain(gap="\n")) == [Span(0, 1), Span(1, 3), Span(3, 6)]
    assert find_paragraphs(plain(gap="\r\r")) == [Span(0, 1), Span(1, 3), Span(3, 6)]
    assert find_paragraphs(plain(gap="\r\n\r\n")) == [Span(0, 1), Span(1, 3), Span(3, 6)]
    assert find_paragraphs(plain(gap=" ")) == [Span(0, 6)]
    assert find_paragraphs(Document()) == []


def test_markup_says_what_a_paragraph_is():
    text = "<p>Cats sleep. Dogs\n\nbark.</p><p>Birds sing.</p>\n\n<ul><li>Fish swim.</li></ul>"
    layout = html_layout(text)
    assert find_paragraphs(tokenize(text, markup=layout.markup, blocks=layout.blocks)) == [
        Span(0, 2),
        Span(2, 3),
        Span(3, 4),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A short title", HEADING),
        ("A short sentence .", 0),
        ("- milk and bread", ITEM),
        ("1. Boil the water .", ITEM),
        ("2 ) Add the salt .", ITEM),
        ("It is a long line that has no stop but is too long to be a heading of anything", 0),
    ],
)
def test_a_paragraph_looks_like_a_heading_an_item_or_text(text, kind):
    document = plain(((text,),))
    assert kind_of(document, Span(0, 1)) == kind


def test_units_know_their_layout():
    found = units(in_sentences(plain()))
    assert [EDGES[edge] for edge in found.edges] == [
        "before heading",
        "after heading",
        "inside",
        "sentence",
        "paragraph",
        "inside",
        "sentence",
        "sentence",
        "inside",
    ]
    assert found.sentences.tolist() == [0, 1, 1, 2, 3, 3, 4, 5, 5, 6]
    assert found.paragraphs.tolist() == [0, 1, 1, 1, 2, 2, 2, 2, 2, 3]
    assert found.is_head.tolist() == [1, 1, 0, 1, 1, 0, 1, 1, 0]
    assert found.is_above(2, 4)
    assert not found.is_above(4, 6)


def test_the_head_of_a_tree_follows_nuclei():
    tree = Tree((Split(0, 2, 4, "SN", "a"), Split(0, 1, 2, "NS", "b"), Split(2, 3, 4, "NN", "c")))
    assert head_edu(tree) == 2
    assert head_edu(Tree()) == 0


def test_an_edu_across_a_sentence_edge_has_no_units():
    document = plain()
    crossing = replace(document, edus=(Span(0, 3), *spans_of_lengths([3, len(document.tokens) - 3])[1:]))
    with pytest.raises(ValueError, match="crosses the edge of sentence 0"):
        units_of(crossing, [None] * 6)


def test_spans_inside_a_sentence_are_split_anywhere_and_others_between_sentences():
    candidates = Candidates(units(in_sentences(plain())))
    assert candidates.of(4, 6).tolist() == [5]
    assert candidates.of(0, 9).tolist() == [1, 3, 4, 6, 7]
    fenced = Candidates(units(in_sentences(plain())), by_paragraph=True)
    assert fenced.of(0, 9).tolist() == [1, 4]
    assert fenced.of(4, 9).tolist() == [6, 7]


def test_paragraphs_that_are_nodes_are_those_that_people_see():
    """Lines of a text that is wrapped are no paragraphs, and items of a list are some."""
    wrapped = in_sentences(with_blocks(plain(gap="\n")))
    assert len(find_paragraphs(wrapped)) == 3
    assert wrapped.sentence_blocks() == [0, 1, 1, 1, 1, 1]  # the first line is a heading
    fenced = Candidates(units(wrapped), by_paragraph=True)
    assert fenced.of(0, 9).tolist() == [1]
    assert fenced.of(1, 9).tolist() == [3, 4, 6, 7]
    apart = replace(wrapped, blocks=blocks_at(wrapped, [0, 2]))
    fenced = Candidates(units(apart), by_paragraph=True)
    assert fenced.of(0, 9).tolist() == [3]
    assert fenced.of(3, 9).tolist() == [4, 6, 7]


def blocks_at(document, sentences):
    """A document's text in blocks of which each starts with one of these sentences."""
    starts = [document.tokens[document.sentences[number].start].start for number in sentences]
    return tuple(map(Block, starts, [*starts[1:], len(document.text)]))


def test_the_number_of_candidates_is_bounded():
    found = Candidates(units(long_document(2000))).of(0, 2000)
    assert len(found) <= 3 * (2 * NEAR + SPREAD)
    assert found.tolist() == sorted(set(found.tolist()))
    assert {1, 2, NEAR, 5 * NEAR, 1995, 1999} <= set(found.tolist())
    assert any(500 < place < 1500 for place in found.tolist())


def n_scored(n_sentences, scores=None):
    network = FakeDocumentNetwork(scores)
    document = long_document(n_sentences)
    joints = find_joints(network.read((), units(document)), units(document))
    assert len(joints.places) == n_sentences - 1
    return network.n_scored


@pytest.mark.large
@pytest.mark.parametrize("n_sentences", [75, 300, 1200])
def test_the_work_for_a_sentence_is_bounded_if_all_splits_are_alike(n_sentences, monkeypatch):
    monkeypatch.setattr(document_search, "MANY", 100)
    best_splits = 3 * (2 * NEAR + SPREAD)
    assert n_scored(n_sentences) <= n_sentences * (document_search.MANY + best_splits)


def test_there_is_less_work_if_the_network_is_sure():
    sure = np.random.default_rng(1).permutation(300) * 5
    assert n_scored(300, sure) < n_scored(300) / 10


def all_trees(units, candidates, start, end):
    """Every tree of a span as a list of its splits."""
    if not units.is_above(start, end):
        return [[]]
    return [
        [(start, middle, end), *left, *right]
        for middle in candidates.of(start, end).tolist()
        for left in all_trees(units, candidates, start, middle)
        for right in all_trees(units, candidates, middle, end)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_has_the_most_nodes_that_can_be_expected_to_be_right(seed, monkeypatch):
    monkeypatch.setattr(document_search, "LEAST", 0.0)
    own = units(long_document(7))
    network = RandomDocumentNetwork(seed)
    trees = all_trees(own, Candidates(own), 0, 7)
    assert len(trees) == 132
    splits = sorted({split for tree in trees for split in tree})
    scores = dict(zip(splits, network.split_scores(np.array(splits)).astype(float), strict=True))
    labels = dict(zip(splits, network.label_log_probs(np.array(splits)), strict=True))

    def share(split):
        rivals = [one for one in splits if (one[0], one[2]) == (split[0], split[2])]
        return np.exp(scores[split]) / sum(np.exp(scores[one]) for one in rivals)

    of_tree = [np.prod([share(split) for split in tree]) for tree in trees]
    assert sum(of_tree) == pytest.approx(1)
    of_span: dict[tuple[int, int], float] = {}
    for tree, prob in zip(trees, of_tree, strict=True):
        for start, _, end in tree:
            of_span[start, end] = of_span.get((start, end), 0.0) + prob

    def worth(tree):
        total = 0.0
        for start, _, end in tree:
            likeliest = max(
                (one for one in splits if (one[0], one[2]) == (start, end)), key=scores.__getitem__
            )
            total += of_span[start, end] * (document_search.SPAN + np.exp(labels[likeliest].max()))
        return total

    found = find_joints(network, own)
    assert worth([tuple(split) for split in found.places.tolist()]) == pytest.approx(max(map(worth, trees)))
    assert found.probs == pytest.approx([share(tuple(split)) for split in found.places.tolist()])
    by_best = [tuple(split) for split in take_best_splits(network, own).places.tolist()]
    assert all(
        share(split) == max(share(one) for one in splits if one[::2] == split[::2]) for split in by_best
    )
    if seed == 3:  # the two do differ
        assert worth(by_best) < max(map(worth, trees))


def test_long_documents_are_first_cut_up_where_that_is_best(monkeypatch):
    monkeypatch.setattr(document_search, "WIDE", 10)
    scores = np.zeros(40)
    scores[[8, 20, 31]] = 9, 8, 7
    own = units(long_document(40))
    joints = find_joints(FakeDocumentNetwork(scores).read((), own), own)
    assert len(joints.places) == 39
    assert joints.places[0].tolist() == [0, 8, 40]
    assert [8, 20, 40] in joints.places.tolist()


def test_labels_are_asked_for_after_all_splits(monkeypatch):
    """What either needs is prepared for the whole document: to go to and fro would take quadratic time."""
    monkeypatch.setattr(document_search, "WIDE", 10)
    own = units(long_document(100))
    read = FakeDocumentNetwork((np.arange(100) % 10 == 0) * 5.0).read((), own)
    asked = []

    class Watched:
        def split_scores(self, places):
            asked.append("split")
            return read.split_scores(places)

        def label_log_probs(self, places):
            asked.append("label")
            return read.label_log_probs(places)

    find_joints(Watched(), own)
    assert asked.count("label") > 5
    assert asked == sorted(asked, reverse=True)


def test_joints_are_the_best_places_with_their_probabilities():
    scores = [0, 1, 9, 2, 5, 9, 3, 4, 9]
    document = in_sentences(plain())
    joints = find_joints(FakeDocumentNetwork(scores).read((), units(document)), units(document))
    assert joints.places.tolist() == [[0, 4, 9], [0, 3, 4], [0, 1, 3], [4, 7, 9], [4, 6, 7]]
    expected = np.exp(5) / np.exp([1, 2, 5, 3, 4]).sum()
    assert joints.probs[0] == pytest.approx(expected)
    assert joints.probs[2] == 1  # there was no choice


def test_a_document_gets_one_tree_over_its_sentence_trees():
    document = in_sentences(plain())
    joined = join_sentences(document, FakeDocumentNetwork([0, 1, 9, 2, 5, 9, 3, 4, 9]), LABELS)
    assert joined.tree.n_edus == 9
    assert joined.sentence_trees == ()
    assert joined.split_by_sentence().sentence_trees == document.sentence_trees
    assert [probs.edus for probs in joined.split_probs] == [
        Span(0, 9),
        Span(0, 4),
        Span(0, 3),
        Span(4, 9),
        Span(4, 7),
    ]
    assert joined.split_probs[0].labels[0][0] == joined.tree.splits[0].label
    assert Document.from_dict(joined.to_dict()).tree == joined.tree


def test_by_paragraph_each_paragraph_is_a_node():
    document = in_sentences(plain())
    scores = [0, 1, 9, 8, 2, 9, 7, 4, 9]  # best inside paragraphs
    joined = join_sentences(document, FakeDocumentNetwork(scores), LABELS, level="paragraph")
    assert all(joined.tree.subtree(span) is not None for span in (Span(1, 4), Span(4, 9)))
    freely = join_sentences(document, FakeDocumentNetwork(scores), LABELS)
    assert freely.tree.subtree(Span(1, 4)) is None


def test_joining_takes_more_steps_for_a_longer_document():
    def n_steps(n_sentences):
        return sum(1 for _ in join_in_steps(long_document(n_sentences), FakeDocumentNetwork(), LABELS))

    assert n_steps(2) < n_steps(500) < n_steps(5000)


class _Windows:
    """Each word is a piece; windows of ten do not overlap."""

    def batch(self, sentences):
        (words,) = sentences
        ids = np.zeros(-(-len(words) // 10) * 10, dtype=np.int64)
        ids[: len(words)] = [len(word) for word in words]
        return SimpleNamespace(ids=ids.reshape(-1, 10), positions=np.arange(len(words))[None, :, None])


class _Encoder:
    """Vectors that depend on the window, whose sums depend on the order in which they are added."""

    def run(self, _outputs, inputs):
        ids = inputs["ids"].astype(np.float32)
        return [np.sin(ids[:, :, None] * 1e3 + ids.sum() + np.arange(3, dtype=np.float32)).astype(np.float32)]


class _Mean:
    def run(self, _outputs, inputs):
        return [inputs["vectors"]]


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_each_thread_encodes_a_window_in_a_step_whatever_their_number(threads):
    document = in_sentences(plain((("We went home , because it rained and the cat sat on a mat .",) * 60,)))
    own = units(document)
    tokens = tuple(token.form for token in document.tokens)
    made: Any = OnnxDocumentNetwork
    networks = [made(_Windows(), _Encoder(), _Mean(), None, None, Workers(n)) for n in (1, threads)]
    expected, found = (network.read(tokens, own)._states for network in networks)
    assert found.tobytes() == expected.tobytes()
    n_windows = -(-len(tokens) // 10)
    assert sum(1 for _ in networks[1].read_in_steps(tokens, own)) >= n_windows / threads
    means = [edu[-1] for edu in expected[:, :9].reshape(-1, 3, 3)]
    vectors = np.concatenate(
        [_Encoder().run(None, {"ids": row[None]})[0][0] for row in _Windows().batch([tokens]).ids]
    )
    slow = [vectors[edu.start : edu.end].mean(axis=0) for edu in document.edus]
    np.testing.assert_allclose(means, slow, atol=1e-5)


@pytest.mark.parametrize("level", ["document", "paragraph"])
def test_small_documents_need_no_network(level):
    nobody = FakeDocumentNetwork()
    assert join_sentences(Document(), nobody, LABELS, level=level) == Document()
    one = in_sentences(plain((("We sat , because it rained .",),)))
    joined = join_sentences(one, nobody, LABELS, level=level)
    assert joined.tree == one.sentence_trees[0]
    assert joined.split_probs == ()
    assert join_sentences(one, nobody, LABELS, level="sentence") is one


def test_headings_alone_make_a_tree():
    document = in_sentences(plain((("One",), ("Two",), ("Three",))))
    assert join_sentences(document, FakeDocumentNetwork(), LABELS).tree.n_edus == 3


def test_a_sentence_without_a_tree_cannot_be_joined():
    document = in_sentences(plain())
    bare = replace(document, sentence_trees=(None, *document.sentence_trees[1:]))
    with pytest.raises(MismatchError, match="cats: sentence 1 has no tree of its own"):
        join_sentences(bare, FakeDocumentNetwork(), LABELS)


def test_a_gold_tree_is_joined_again_from_its_own_places():
    gold = in_one_tree(plain())
    order = {split.split: number for number, split in enumerate(gold.tree.splits)}
    scores = [-order.get(place, 0) for place in range(9)]
    joined = join_sentences(gold.split_by_sentence(), FakeDocumentNetwork(scores), LABELS)
    assert [split.span for split in joined.tree.splits] == [split.span for split in gold.tree.splits]
