from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rhetree.corpora.stats import CorpusStats, count, count_document
from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from support.strategies import documents


def five_edus():
    """Sentences of one EDU, of two with a tree, of two without; joined from left to right."""
    document = Document.from_edus(["One.", "Two,", "three.", "Four,", "five."], name="five")
    tree = Tree.from_splits(
        [
            Split(0, 4, 5, "NS", "elaboration"),
            Split(0, 3, 4, "NN", "joint"),
            Split(0, 1, 3, "SN", "context"),
            Split(1, 2, 3, "SN", "attribution"),
        ]
    )
    return replace(document, sentences=spans_of_lengths([1, 2, 2]), tree=tree)


def test_sentences_are_of_one_edu_with_a_tree_or_without():
    assert count_document(five_edus()) == CorpusStats(
        documents=1,
        sentences=3,
        one_edu=1,
        with_tree=1,
        without_tree=1,
        edus=5,
        tokens=5,
        labels={"attribution-SN": 1},
    )


def test_sentence_trees_count_like_the_tree_they_came_from():
    assert count_document(five_edus().split_by_sentence()) == count_document(five_edus())


def test_a_sentence_whose_edge_an_edu_crosses_has_no_tree():
    document = replace(five_edus(), tree=None, edus=spans_of_lengths([2, 3]))
    stats = count_document(document)
    assert (stats.one_edu, stats.with_tree, stats.without_tree, stats.crossed) == (0, 0, 3, 3)
    assert count_document(replace(document, edus=())).crossed == 0


def test_nothing_is_all_zeros():
    assert count([]) == CorpusStats()
    assert CorpusStats().as_dict()["labels"] == {}


def test_the_commonest_label_comes_first():
    stats = CorpusStats(labels={"b-NS": 1, "c-NN": 3, "a-NS": 1})
    assert list(stats.as_dict()["labels"]) == ["c-NN", "a-NS", "b-NS"]


@given(st.lists(documents(), max_size=4), st.data())
def test_counts_of_parts_add_up(all_documents, data):
    at = data.draw(st.integers(0, len(all_documents)))
    assert count(all_documents[:at]) + count(all_documents[at:]) == count(all_documents)
    for document in all_documents:
        stats = count_document(document)
        assert stats.one_edu + stats.with_tree + stats.without_tree == stats.sentences
        assert stats.crossed <= stats.without_tree
        assert sum(stats.labels.values()) <= max(0, stats.edus - 1)


@given(documents().filter(lambda document: document.edus))
def test_a_document_of_one_sentence_has_the_labels_of_its_tree(document):
    whole = replace(document, sentences=spans_of_lengths([len(document.tokens)]))
    n_splits = len(whole.tree.splits) if whole.tree is not None else 0
    assert sum(count_document(whole).labels.values()) == n_splits
