"""Chunks end at EDU edges, fit the limit, and keep nucleus and satellite together where they can."""

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.text import tokenize
from support.strategies import documents, read_documents, trees


def of_edus(*texts, **layers):
    return replace(Document.from_edus(texts), **layers)


def texts(chunks):
    return [chunk.text for chunk in chunks]


# We ate, because it was late. | We left. (as one tree: the second sentence is a satellite of the first)
TREE = Tree((Split(0, 2, 3, "NS", "elaboration"), Split(0, 1, 2, "NS", "causal-cause")))


def test_all_that_fits_is_one_chunk():
    document = of_edus("We ate ,", "it was late .", "We left .", tree=TREE)
    (chunk,) = document.chunks(max_tokens=10)
    assert (chunk.text, chunk.start, chunk.end) == (document.text, 0, len(document.text))
    assert (chunk.edus, chunk.n_tokens, chunk.is_too_long) == (Span(0, 3), 10, False)


def test_a_tree_of_the_document_is_cut_at_its_highest_split():
    document = of_edus("We ate ,", "it was late .", "We left .", tree=TREE)
    assert texts(document.chunks(max_tokens=9)) == ["We ate , it was late .", "We left ."]
    # Filling up from the left would part "it was late" from what it is the cause of.
    right = Tree((Split(0, 1, 3, "NS", "elaboration"), Split(1, 2, 3, "SN", "causal-cause")))
    document = of_edus("We ate .", "It was late ,", "so we left .", tree=right)
    assert texts(document.chunks(max_tokens=9)) == ["We ate .", "It was late , so we left ."]


def test_nuclei_are_parted_from_each_other_before_a_nucleus_is_from_its_satellite():
    # Both splits must be considered, for neither of the two larger nodes fits.
    tree = Tree((Split(0, 1, 3, "NS", "elaboration"), Split(1, 2, 3, "NN", "joint")))
    document = of_edus("a a", "b b", "c c", tree=tree)
    assert texts(document.chunks(max_tokens=3)) == ["a a", "b b", "c c"]
    document = of_edus("a a", "b b", "c c c", tree=tree)
    assert texts(document.chunks(max_tokens=4)) == ["a a b b", "c c c"]


def test_sentences_fill_chunks_and_stay_whole():
    document = Document.from_sentences(
        [["It", "rained", "."], ["We", "left", ",", "late", "."], ["So", "what"]]
    )
    document = replace(
        document,
        edus=(Span(0, 3), Span(3, 6), Span(6, 8), Span(8, 10)),
        sentence_trees=(Tree(), Tree((Split(0, 1, 2, "NS", "manner"),)), Tree()),
    )
    assert texts(document.chunks(max_tokens=6)) == ["It rained .", "We left , late .", "So what"]
    assert texts(document.chunks(max_tokens=8)) == ["It rained . We left , late .", "So what"]
    assert texts(document.chunks(max_tokens=4)) == ["It rained .", "We left ,", "late . So what"]
    segmented = document.without_trees()
    assert segmented.chunks(max_tokens=6) == document.chunks(max_tokens=6)


def test_an_edu_above_the_limit_is_a_chunk_of_its_own_and_marked():
    document = of_edus("a", "b b b b", "c", "d")
    chunks = document.chunks(max_tokens=2)
    assert texts(chunks) == ["a", "b b b b", "c d"]
    assert [chunk.is_too_long for chunk in chunks] == [False, True, False]


def test_chunks_end_at_the_relations_of_split_on_or_of_their_class():
    tree = Tree((Split(0, 1, 3, "NN", "topic-question"), Split(1, 2, 3, "NN", "joint-list")))
    document = of_edus("Why ?", "He slept ,", "she wept .", tree=tree)
    assert texts(document.chunks(split_on="Topic")) == ["Why ?", "He slept , she wept ."]
    assert texts(document.chunks(split_on=["joint-list"])) == ["Why ? He slept ,", "she wept ."]
    assert len(document.chunks(split_on=["joint", "topic"])) == 3
    assert len(document.chunks(split_on=["joint-other"])) == 1


def test_any_callable_counts():
    document = of_edus("We ate ,", "it was late .", "We left .", tree=TREE)
    chunks = document.chunks(max_tokens=22, count=len)
    assert texts(chunks) == ["We ate , it was late .", "We left ."]
    assert [chunk.n_tokens for chunk in chunks] == [22, 9]


def test_an_edu_that_crosses_sentences_stands_alone():
    document = Document.from_sentences([["a"], ["b"], ["c"]])
    document = replace(document, edus=(Span(0, 2), Span(2, 3)))
    assert texts(document.chunks(max_tokens=2)) == ["a b", "c"]


def test_documents_without_edus_are_refused_and_empty_ones_have_no_chunks():
    assert Document().chunks(max_tokens=5) == ()
    with pytest.raises(ValueError, match="no EDUs; segment or parse it first"):
        Document(text="It rained.").chunks(max_tokens=5)
    for wrong in (0, -1, 2.5):
        with pytest.raises(ValueError, match="max_tokens"):
            of_edus("a").chunks(max_tokens=wrong)


@given(st.data(), st.integers(1, 12), st.booleans())
def test_chunks_cover_the_document_and_fit(data, limit, by_letters):
    document = data.draw(documents())
    if document.sentences:
        document = data.draw(read_documents(document))
    count = len if by_letters else None
    chunks = document.chunks(max_tokens=limit, count=count)
    assert [edu for chunk in chunks for edu in chunk.edus.indices()] == list(range(len(document.edus)))
    for chunk in chunks:
        tokens = document.tokens[
            document.edus[chunk.edus.start].start : document.edus[chunk.edus.end - 1].end
        ]
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert (chunk.start, chunk.end) == (tokens[0].start, tokens[-1].end)
        assert chunk.n_tokens == (len(chunk.text) if by_letters else len(tokens))
        assert chunk.is_too_long == (chunk.n_tokens > limit)
        assert len(chunk.edus) == 1 or not chunk.is_too_long


@given(trees(), st.data())
def test_chunks_are_the_best_of_all_ways_to_cut(tree, data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=tree.n_edus, max_size=tree.n_edus))
    limit = data.draw(st.integers(1, 12))
    n = tree.n_edus
    fits = {
        (start, end): sum(sizes[start:end]) <= limit or end - start == 1
        for start in range(n)
        for end in range(start + 1, n + 1)
    }
    tied = {split.split for split in tree.splits if split.nuclearity != "NN"}
    whole = {
        edge
        for split in tree.splits
        if fits[split.start, split.end]
        for edge in range(split.start + 1, split.end)
    }

    def ways():
        inner = sorted(set(range(1, n)) - whole)
        for n_cuts in range(len(inner) + 1):
            for cuts in combinations(inner, n_cuts):
                if all(fits[pair] for pair in pairwise((0, *cuts, n))):
                    yield len(tied.intersection(cuts)), len(cuts), [-cut for cut in cuts]

    document = of_edus(*("x " * size for size in sizes), tree=tree)
    chunks = document.chunks(max_tokens=limit)
    assert [-chunk.edus.start for chunk in chunks[1:]] == min(ways())[2]


def test_a_deep_tree_is_no_slower_than_a_flat_one():
    n = 20_000
    tree = Tree(tuple(Split(edu, edu + 1, n, "NS", "elaboration") for edu in range(n - 1)))
    assert len(of_edus(*["a"] * n, tree=tree).chunks(max_tokens=n // 2)) == 2


def test_without_a_tree_of_the_document_chunks_end_with_paragraphs_and_start_with_headings():
    text = "One two. Three four.\n\nFive six. Seven eight.\n\nA title\n\nNine ten."
    document = tokenize(text)
    document = replace(document, edus=document.sentences)
    assert texts(document.chunks(max_tokens=9)) == [
        *("One two. Three four.", "Five six. Seven eight.", "A title\n\nNine ten.")
    ]
    # Fewer chunks where paragraphs are not known.
    assert len(replace(document, blocks=()).chunks(max_tokens=9)) == 2
    assert texts(replace(document, blocks=()).chunks(max_tokens=9))[0] == "One two. Three four.\n\nFive six."


def test_a_paragraph_that_does_not_fit_is_cut_between_sentences():
    document = tokenize("One two. Three four. Five six.\n\nSeven.")
    document = replace(document, edus=document.sentences)
    assert texts(document.chunks(max_tokens=6)) == ["One two. Three four.", "Five six.\n\nSeven."]


def test_a_parsed_text_of_invisible_characters_has_no_chunks():
    assert tokenize("\u200b").chunks(3) == ()
