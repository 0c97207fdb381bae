"""pandas, NLTK, networkx and datasets: what goes in is what comes out."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from support.strategies import nary_trees, trees


@pytest.fixture
def document():
    bare = Document.from_sentences([["It", "rained", "."], ["We", "left", ",", "late", "."]], "a")
    return replace(
        bare,
        edus=(Span(0, 3), Span(3, 6), Span(6, 8)),
        sentence_trees=(Tree(), Tree((Split(0, 1, 2, "NS", "manner"),))),
    )


def with_tree(tree):
    return replace(Document.from_edus([f"edu {number}" for number in range(tree.n_edus)], "a"), tree=tree)


class TestPandas:
    frames: Any

    @pytest.fixture(autouse=True)
    def pandas(self):
        pytest.importorskip("pandas")
        import rhetree.integrations.pandas as frames

        self.frames = frames

    def test_a_document_and_any_iterable_of_documents_are_frames_of_edus(self, document):
        frame = self.frames.edus(document)
        assert list(frame["text"]) == ["It rained .", "We left ,", "late ."]
        assert str(frame["attaches_to"].dtype) == "Int64"
        assert frame["attaches_to"].isna().tolist() == [True, True, False]
        assert len(self.frames.edus(iter([document, document]))) == 6

    def test_a_corpus_is_a_frame(self, corpus):
        from rhetree import read_corpus

        found = read_corpus(corpus)
        assert len(self.frames.edus(found)) == sum(len(document.edus) for document in found.documents) > 0

    def test_relations_are_a_frame_that_goes_with_it(self, document):
        relations = self.frames.relations([document])
        assert relations.loc[0, "relation"] == "manner"
        merged = relations.merge(self.frames.edus(document), left_on="right_head", right_on="edu")
        assert merged.loc[0, "text"] == "late ."

    def test_no_document_is_an_empty_frame_with_the_same_columns(self, document):
        for make in (self.frames.edus, self.frames.relations):
            empty, full = make([]), make(document)
            assert len(empty) == 0
            assert list(empty.columns) == list(full.columns)

    def test_the_dtypes_do_not_depend_on_the_data(self, document):
        bare = Document.from_edus(["a"])
        for make in (self.frames.edus, self.frames.relations):
            full = make(document).dtypes.to_dict()
            assert "object" not in {str(dtype) for dtype in full.values()}
            assert make([]).dtypes.to_dict() == make(bare).dtypes.to_dict() == full

    def test_what_is_no_document_is_told(self):
        for wrong in ("a text", 3, ["a text"], None):
            with pytest.raises(TypeError, match="expected .*documents, got"):
                self.frames.edus(wrong)


class TestNltk:
    module: Any

    @pytest.fixture(autouse=True)
    def nltk(self):
        pytest.importorskip("nltk")
        import rhetree.integrations.nltk as module

        TestNltk.module = module

    def test_each_sentence_is_a_tree(self, document):
        first, second = self.module.to_nltk(document)
        assert str(first) == "(EDU It rained .)"
        assert str(second) == "(manner-NS We left , late .)"
        assert second.leaves() == ["We left ,", "late ."]

    @given(trees())
    def test_trees_come_back(self, tree):
        document = with_tree(tree)
        (there,) = self.module.to_nltk(document)
        assert self.module.from_nltk(there, "a") == document

    def test_what_a_document_gives_is_taken_as_it_is(self, document):
        assert self.module.from_nltk(self.module.to_nltk(document), "a") == document
        whole = with_tree(Tree((Split(0, 1, 2, "NS", "list"),)))
        assert self.module.from_nltk(self.module.to_nltk(whole), "a") == whole
        assert self.module.from_nltk(self.module.to_nltk(Document.from_edus(["a"]))) == Document()
        for wrong in ("(EDU a)", ["a"], [None]):
            with pytest.raises(TypeError, match="expected a tree of NLTK's, or several, got"):
                self.module.from_nltk(wrong)

    def test_deep_trees_come_back(self):
        n = 3000
        document = with_tree(Tree(tuple(Split(edu, edu + 1, n, "NS", "list") for edu in range(n - 1))))
        assert self.module.from_nltk(self.module.to_nltk(document)[0], "a") == document

    def test_other_trees_are_refused(self):
        from nltk.tree import Tree as NltkTree

        with pytest.raises(ValueError, match="'joint-NN' has 3 children; a rhetorical tree is binary"):
            self.module.from_nltk(NltkTree("joint-NN", ["a", "b", "c"]))
        with pytest.raises(ValueError, match="a label is a relation"):
            self.module.from_nltk(NltkTree("NP", ["a", "b"]))
        with pytest.raises(ValueError, match="2 EDUs, but there are 1 texts"):
            self.module.tree_to_nltk(Tree((Split(0, 1, 2, "NS", "list"),)), ["a"])


class TestNetworkx:
    module: Any

    @pytest.fixture(autouse=True)
    def networkx(self):
        pytest.importorskip("networkx")
        import rhetree.integrations.networkx as module

        TestNetworkx.module = module

    def test_units_are_nodes_and_edges_lead_to_their_parts(self):
        drawn = NaryTree((Unit(0, 3, "root"), *(Unit(edu, edu + 1, "nucleus", "list") for edu in range(3))))
        graph = self.module.to_networkx(Document.from_edus(["a", "b", "c"]).with_nary(drawn))
        assert list(graph.successors((0, 3))) == [(0, 1), (1, 2), (2, 3)]
        assert graph.nodes[1, 2] == {"role": "nucleus", "relation": "list", "text": "b"}

    @given(nary_trees())
    def test_trees_come_back_as_they_were_drawn(self, drawn):
        document = Document.from_edus([f"edu {n}" for n in range(drawn.n_edus)], "a").with_nary(drawn)
        assert self.module.from_networkx(self.module.to_networkx(document)) == document

    def test_sentences_are_a_forest_and_come_back(self, document):
        graph = self.module.to_networkx(document)
        assert graph.number_of_nodes() == 4
        assert self.module.from_networkx(graph) == document

    def test_edus_alone_come_back_and_a_node_without_text_is_named(self):
        document = Document.from_edus(["a", "b c"], "a")
        graph = self.module.to_networkx(document)
        assert self.module.from_networkx(graph) == document
        del graph.nodes[1, 2]["text"]
        with pytest.raises(ValueError, match=r"node \(1, 2\) is an EDU and has no text"):
            self.module.from_networkx(graph)
