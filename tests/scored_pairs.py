"""Gold and predicted documents over the same tokens, by hand and at random."""

from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.metrics.counts import Counts
from strategies import lengths_of, trees

RELATIONS = ("joint", "elaboration", "causal")


def document(edus, tree=None, sentences=None, sentence_trees=(), name="doc", **more):
    """A document of one-letter tokens whose EDUs and sentences have these lengths."""
    known = Document.from_sentences([["t"] * length for length in sentences or [sum(edus)]], name=name)
    return Document(
        name=name,
        text=known.text,
        tokens=known.tokens,
        sentences=known.sentences if sentences else (),
        edus=spans_of_lengths(edus),
        tree=tree,
        sentence_trees=sentence_trees,
        **more,
    )


def tree(*splits):
    return Tree(tuple(Split(*split) for split in splits))


@st.composite
def sentence_trees(draw, document):
    """A tree, or none, for each sentence whose edges are EDU edges."""
    return tuple(
        None
        if edus is None or draw(st.integers(0, 4)) == 0
        else draw(trees(n_edus=len(edus), relations=RELATIONS))
        for edus in document.sentence_edus()
    )


@st.composite
def annotations(draw, sentences, edus=None):
    """EDUs and trees over sentences of these lengths; EDUs mostly keep to the sentences."""
    n = sum(sentences)
    if edus is None:
        edus = draw(lengths_of(n))
        if draw(st.integers(0, 3)):
            edus = [length for sentence in sentences for length in draw(lengths_of(sentence))]
    plain = document(edus, sentences=sentences)
    if draw(st.booleans()):
        return document(edus, sentences=sentences, tree=draw(trees(n_edus=len(edus), relations=RELATIONS)))
    return document(edus, sentences=sentences, sentence_trees=draw(sentence_trees(plain)))


@st.composite
def pairs(draw, same_edus=False):
    """Gold and predicted, with the same tokens and sentences."""
    n = draw(st.integers(1, 12))
    sentences = draw(lengths_of(n))
    gold = draw(annotations(sentences))
    edus = [len(edu) for edu in gold.edus] if same_edus else None
    return gold, draw(annotations(sentences, edus))


@st.composite
def counts(draw):
    predicted, gold = draw(st.integers(0, 50)), draw(st.integers(0, 50))
    return Counts(draw(st.integers(0, min(predicted, gold))), predicted, gold)
