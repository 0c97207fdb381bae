"""A document over the tokens of another version of it."""

from dataclasses import replace

import pytest

from rhetree.domain.document import Document
from rhetree.domain.retokenized import adopt_tokens
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.draw.difference import compare
from rhetree.metrics.report import evaluate
from rhetree.text import tokenize_edus

EDUS = ("He left,", "because (so he said) it rained.")
TREE = Tree((Split(0, 1, 2, "NS", "causal"),))


def by_white_space():
    """What a ``.dis`` file tells."""
    words = [word for edu in EDUS for word in edu.split()]
    bare = Document.from_sentences([words], "a")
    return replace(bare, sentences=(), edus=spans_of_lengths([2, 6]), tree=TREE)


def parsed():
    found = tokenize_edus(EDUS, "a")
    return replace(found, sentence_trees=(TREE,))


def test_words_become_the_tokens_of_the_other_version_and_edus_stay():
    found = adopt_tokens(by_white_space(), parsed())
    assert found.tokens == parsed().tokens
    assert found.edus == parsed().edus == (Span(0, 3), Span(3, 12))
    assert (found.tree, found.sentences) == (TREE, ())


@pytest.mark.parametrize(
    "other",
    [
        tokenize_edus(["He left,", "because he said it rained."]),
        Document.from_sentences([["Heleft", ",because", "(sohesaid)itrained."]]),
    ],
)
def test_other_words_and_tokens_across_edus_are_left_to_be_told_of(other):
    assert adopt_tokens(by_white_space(), other) == by_white_space()


def test_a_document_with_sentences_keeps_its_tokens():
    gold = replace(by_white_space(), sentences=(Span(0, 8),))
    assert adopt_tokens(gold, parsed()) is gold


def test_gold_by_white_space_is_scored_and_drawn_against_a_parse():
    total = evaluate([by_white_space()], [parsed()], level="sentence").total
    assert (total.rst.full.f1, total.segmentation.starts.f1, total.n_sentences) == (1, 1, 1)
    assert len(compare(by_white_space(), parsed())) == 1
    assert len(compare(parsed(), by_white_space())) == 1
