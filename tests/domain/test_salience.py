"""What trees are for: salience, summaries, outlines, dependencies and larger leaves, by hand and by slower ways."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhetree.domain.dependencies import antecedents
from rhetree.domain.document import Document
from rhetree.domain.reading import Reading, SplitProbs
from rhetree.domain.salience import tree_salience
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from support.flood import EDUS, TEXT, flood
from support.strategies import parsed_documents, trees


def promoted(tree, start, end):
    """The EDUs that a node promotes, as Marcu tells it."""
    split = next((one for one in tree.splits if (one.start, one.end) == (start, end)), None)
    if split is None:
        return {start}
    left, right = promoted(tree, start, split.split), promoted(tree, split.split, end)
    return left if split.nuclearity == "NS" else right if split.nuclearity == "SN" else left | right


def levels(tree):
    """For each node its depth, where a list inside the same list is no deeper."""
    found = {(0, tree.n_edus): 0}
    parents: dict[tuple[int, int], Split] = {}
    for split in tree.splits:
        here = (split.start, split.end)
        above = parents.get(here)
        goes_on = above and above.nuclearity == split.nuclearity == "NN" and above.relation == split.relation
        if goes_on:
            found[here] = found[above.start, above.end]
        for side in ((split.start, split.split), (split.split, split.end)):
            found[side], parents[side] = found[here] + 1, split
    return found


@given(trees(max_edus=12))
def test_salience_is_marcus_for_a_tree_without_probabilities(tree):
    depths = levels(tree)
    deepest = max(depths[edu, edu + 1] for edu in range(tree.n_edus))
    for edu, score in enumerate(tree_salience(tree)):
        best = min(depth for (start, end), depth in depths.items() if edu in promoted(tree, start, end))
        assert score == pytest.approx(1 - best / deepest if deepest else 1)


def test_the_main_points_of_a_text_have_the_highest_score():
    scores = flood().salience()
    assert [EDUS[n] for n, score in enumerate(scores) if score == 1] == [EDUS[4], EDUS[6], EDUS[7]]
    assert scores[1] > scores[2] > scores[3]


def test_doubt_about_a_label_lowers_a_nucleus_and_raises_a_satellite():
    document = flood()
    root = document.tree.splits[1]
    probs = SplitProbs(root.span, 0.9, ((root.label, 0.6), ("context-background-NS", 0.4)))
    doubted = replace(document, split_probs=(probs,)).salience()
    assert doubted[4] < 1
    assert doubted[1] > document.salience()[1]
    sure = replace(probs, labels=((root.label, 1.0),))
    assert replace(document, split_probs=(sure,)).salience() == document.salience()


def test_the_labels_of_a_sentences_reading_count():
    tree = Tree((Split(0, 1, 2, "NS", "causal"),))
    labels = ((("causal-NS", 0.5), ("causal-SN", 0.5)),)
    document = replace(
        Document.from_sentences([["a", "b"], ["c", "d"]]),
        edus=(Span(0, 1), Span(1, 2), Span(2, 3), Span(3, 4)),
        sentence_trees=(tree, tree),
        readings=((), (Reading((Span(0, 1), Span(1, 2)), tree, -1.0, (1, 1), (1.0,), labels),)),
    )
    assert document.salience() == (1.0, 0.0, 0.5, 0.5)
    whole = tree.join(tree, "NN", "joint")
    assert replace(document, sentence_trees=(), tree=whole).salience() == (1.0, 0.0, 0.5, 0.5)


@pytest.mark.parametrize("what", ["salience", "dependencies"])
def test_what_looks_at_single_trees_takes_sentence_trees_but_all_of_them(what):
    document = flood().split_by_sentence()
    assert len(getattr(document, what)()) == len(EDUS)
    some = replace(document, sentence_trees=(None, *document.sentence_trees[1:]))
    with pytest.raises(ValueError, match="EDU 1 is in none; parse the document first"):
        getattr(some, what)()


def test_a_document_without_words_has_no_salience_and_an_empty_summary():
    empty = Document(text=" \n")
    assert empty.salience() == ()
    assert empty.summary(3).text == ""
    assert empty.outline() == ()
    assert empty.with_leaves("sentence") == empty
    with pytest.raises(ValueError, match="has no EDUs; parse it first"):
        Document(text="It rained.").salience()


# --- summaries ----------------------------------------------------------------------------------


def test_a_summary_keeps_the_main_points_in_order_with_their_offsets():
    document = flood()
    summary = document.summary(3)
    assert summary.edus == (4, 6, 7)
    assert str(summary) == "In the morning the mill, was gone. We will build a new one"
    for passage in summary.passages:
        assert document.text[passage.start : passage.end] == passage.text
    assert summary.to_dict()["passages"][1] == {
        "start": TEXT.index("was gone"),
        "end": TEXT.index("new one") + len("new one"),
        "edus": [6, 8],
        "text": "was gone. We will build a new one",
    }
    assert document.summary(9).edus == tuple(range(1, 9))
    headings = replace(document, blocks=tuple(replace(block, kind="heading") for block in document.blocks))
    assert headings.summary(9).share == 1


def test_the_parts_of_an_interrupted_unit_are_kept_together():
    assert flood().summary(1).edus == (4, 6)


def test_passages_of_two_paragraphs_stand_on_two_lines():
    assert flood().summary(4).text == f"{EDUS[1]}\n{EDUS[4]} was gone. We will build a new one"


def test_a_share_counts_tokens():
    document = flood()
    for share in (0.3, 0.5, 0.8, 1.0):
        assert document.summary(share=share).share <= share
    assert document.summary(share=0.01).edus == (4, 6)


def test_a_share_is_not_lost_to_rounding():
    words = [["a"] * 28 + ["."], ["b"] * 70 + ["."]]
    document = Document.from_sentences(words)
    document = replace(document, edus=document.sentences, tree=Tree((Split(0, 1, 2, "NS", "elaboration"),)))
    assert 0.29 * 100 < 29
    assert document.summary(share=0.29).edus == (0,)


@settings(max_examples=60)
@given(parsed_documents(whole=True), st.integers(1, 12))
def test_whatever_is_kept_stands_with_what_it_supports(document, n):
    summary = document.summary(n)
    kept = set(summary.edus)
    assert kept
    needs = antecedents(document.tree)
    assert all(needs[edu].head is None or needs[edu].head in kept for edu in kept)
    if not any(split.relation == "same-unit" for split in document.tree.splits):
        assert len(kept) <= n or len(kept) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give one of them"),
        ({"n": 1, "share": 0.5}, "give one of them"),
        ({"n": 0}, "a whole number of EDUs from 1 on, got 0"),
        ({"n": True}, "got True"),
        ({"share": 0}, "above 0 and at most 1, got 0"),
        ({"share": 1.5}, "above 0 and at most 1, got 1.5"),
        ({"share": float("nan")}, "above 0 and at most 1, got nan"),
    ],
)
def test_a_summary_says_what_it_expects(arguments, message):
    with pytest.raises(ValueError, match=message):
        flood().summary(**arguments)


@pytest.mark.parametrize(
    "ask", [lambda d: d.summary(1), lambda d: d.outline(), lambda d: d.with_leaves("sentence")]
)
def test_trees_of_sentences_are_not_enough(ask):
    with pytest.raises(ValueError, match='a tree for each sentence; parse it with level="document"'):
        ask(flood().split_by_sentence())
    with pytest.raises(ValueError, match='has none; parse it with level="document"'):
        ask(flood().without_trees())


def test_the_tree_of_the_only_sentence_is_enough():
    document = replace(
        Document.from_sentences([["a", "b"]]),
        edus=(Span(0, 1), Span(1, 2)),
        sentence_trees=(Tree((Split(0, 1, 2, "NS", "causal"),)),),
    )
    assert document.summary(1).text == "a"


# --- outlines -----------------------------------------------------------------------------------


def test_an_outline_has_a_line_for_each_block_indented_by_its_distance_from_the_main_line():
    lines = [str(entry) for entry in flood().outline()]
    assert lines == [
        "  How we lost the mill",
        "  The river rose in the night. (context-background)",
        "In the morning the mill, which my father had built, was gone.",
    ]
    entry = flood().outline()[1]
    assert TEXT[entry.start : entry.end] == entry.text
    assert entry.to_dict()["level"] == 1
    assert [entry.edu for entry in flood().outline(0)] == [4]


def test_an_outline_follows_the_tree_where_its_labels_are_doubted():
    document = replace(
        Document.from_sentences([["a", "b"]]),
        edus=(Span(0, 1), Span(1, 2)),
        tree=Tree((Split(0, 1, 2, "NS", "causal"),)),
        split_probs=(SplitProbs(Span(0, 2), 1.0, (("causal-SN", 0.7), ("causal-NS", 0.3))),),
    )
    assert document.salience()[1] > document.salience()[0]
    assert [(entry.edu, entry.level) for entry in document.outline()] == [(0, 0)]


def test_without_layout_an_outline_has_a_line_for_each_sentence_or_edu():
    document = replace(flood(), blocks=())
    assert [entry.edu for entry in document.outline()] == [0, 1, 2, 4, 7]
    assert len(replace(document, sentences=()).outline()) == len(EDUS)
    with pytest.raises(ValueError, match="depth is a whole number from 0 on, or None, got -1"):
        document.outline(-1)


# --- dependencies -------------------------------------------------------------------------------


def test_satellites_depend_on_what_they_support():
    found = flood().dependencies("hirao")
    assert [one.head for one in found] == [4, 4, 1, 2, None, 4, None, None, 7]
    assert found[8].relation == "contingency-condition"
    li = flood().dependencies()
    assert [one.head for one in li] == [4, 4, 1, 2, None, 4, 4, 4, 7]
    with pytest.raises(ValueError, match="'li' or 'hirao', got 'x'"):
        flood().dependencies("x")  # type: ignore[arg-type]  # on purpose


@given(trees(max_edus=12))
def test_an_edu_depends_on_the_head_of_the_nearest_unit_whose_satellite_it_is_in(tree):
    found = antecedents(tree)

    def head(start, end):
        split = next((one for one in tree.splits if (one.start, one.end) == (start, end)), None)
        if split is None:
            return start
        side = split.right if split.nuclearity == "SN" else split.left
        return head(side.start, side.end)

    for edu in range(tree.n_edus):
        above = [
            split
            for split in tree.splits
            if (split.nuclearity == "SN" and edu in split.left.indices())
            or (split.nuclearity == "NS" and edu in split.right.indices())
        ]
        nearest = min(above, key=lambda split: split.end - split.start, default=None)
        assert found[edu].head == (None if nearest is None else head(nearest.start, nearest.end))


# --- larger leaves ------------------------------------------------------------------------------


def test_sentences_and_paragraphs_as_leaves():
    by_sentence = flood().with_leaves("sentence")
    assert by_sentence.edus == by_sentence.sentences
    assert [split.relation for split in by_sentence.tree.splits] == [
        *("organization-heading", "context-background", "elaboration-additional", "joint-sequence")
    ]
    by_paragraph = flood().with_leaves("paragraph")
    assert [by_paragraph.text_of(edu)[:9] for edu in by_paragraph.edus] == [
        "How we lo",
        "The river",
        "In the mo",
    ]
    assert [split.label for split in by_paragraph.tree.splits] == [
        *("organization-heading-SN", "context-background-SN")
    ]
    assert replace(flood(), sentences=()).with_leaves("paragraph").edus == by_paragraph.edus


def test_a_node_that_crosses_sentences_leaves_a_tree_and_its_probabilities():
    document = replace(
        Document.from_sentences([["a", "b"], ["c"]]),
        edus=(Span(0, 1), Span(1, 2), Span(2, 3)),
        tree=Tree((Split(0, 1, 3, "NS", "elaboration"), Split(1, 2, 3, "NN", "joint"))),
        split_probs=(SplitProbs(Span(0, 3), 0.7, (("elaboration-NS", 0.8),)),),
    )
    larger = document.with_leaves("sentence")
    assert larger.tree == Tree((Split(0, 1, 2, "NS", "elaboration"),))
    assert larger.split_probs == (SplitProbs(Span(0, 2), 0.7, (("elaboration-NS", 0.8),)),)


@settings(max_examples=60)
@given(parsed_documents(whole=True))
def test_every_tree_has_one_with_sentences_as_leaves(document):
    larger = document.with_leaves("sentence")
    assert larger.tree.n_edus == len(document.sentences)
    known = {(split.nuclearity, split.relation) for split in document.tree.splits}
    assert {(split.nuclearity, split.relation) for split in larger.tree.splits} <= known


def test_larger_leaves_have_to_be_known_and_made_of_edus():
    with pytest.raises(ValueError, match="'sentence' or 'paragraph', got 'clause'"):
        flood().with_leaves("clause")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ValueError, match="the sentences of this document are not known"):
        replace(flood(), sentences=()).with_leaves("sentence")
    with pytest.raises(ValueError, match="the paragraphs of this document are not known"):
        replace(flood(), blocks=()).with_leaves("paragraph")
    crossing = replace(
        Document.from_sentences([["a"], ["b"], ["c"]]),
        edus=(Span(0, 2), Span(2, 3)),
        tree=Tree((Split(0, 1, 2, "NS", "causal"),)),
    )
    with pytest.raises(ValueError, match=r"an EDU crosses the edge of a sentence, at token 2 \('b'\)"):
        crossing.with_leaves("sentence")


@pytest.mark.large
def test_a_deep_tree_takes_no_recursion_and_linear_time():
    n = 20_000
    tree = Tree(tuple(Split(start, start + 1, n, "SN", "elaboration") for start in range(n - 1)))
    assert tree_salience(tree)[-1] == 1
    assert antecedents(tree)[0].head == n - 1


def test_the_example_of_the_documentation_is_this_document():
    path = Path(__file__).parents[2] / "examples" / "flood.json"
    assert Document.from_dict(json.loads(path.read_text(encoding="utf-8"))) == flood()
