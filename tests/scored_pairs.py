"""Gold and predicted documents over the same tokens, by hand and at random."""

from dataclasses import replace

from hypothesis import strategies as st

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from rhetree.metrics.counts import Counts

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
def lengths(draw, total):
    """A way to part ``total`` items into runs; one draw, each bit of which is a cut or none."""
    cuts = draw(st.integers(0, 2 ** (total - 1) - 1))
    edges = [0, *(item for item in range(1, total) if cuts >> (item - 1) & 1), total]
    return [end - start for start, end in zip(edges, edges[1:], strict=False)]


@st.composite
def trees(draw, n_edus):
    """A tree with one draw a split: documents have many, and Hypothesis minds the amount."""
    labels = [(nuclearity, relation) for nuclearity in NUCLEARITIES for relation in RELATIONS]
    splits, waiting = [], [(0, n_edus)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            place, label = divmod(draw(st.integers(0, (end - start - 1) * len(labels) - 1)), len(labels))
            middle = start + 1 + place
            splits.append(Split(start, middle, end, *labels[label]))
            waiting += [(middle, end), (start, middle)]
    return Tree(tuple(splits))


@st.composite
def annotations(draw, sentences, edus=None):
    """EDUs and trees over sentences of these lengths; EDUs mostly keep to the sentences."""
    if edus is None:
        if draw(st.integers(0, 3)):
            edus = [length for sentence in sentences for length in draw(lengths(sentence))]
        else:
            edus = draw(lengths(sum(sentences)))
    plain = document(edus, sentences=sentences)
    if draw(st.booleans()):
        return replace(plain, tree=draw(trees(len(edus))))
    own = [
        None if span is None or draw(st.integers(0, 4)) == 0 else draw(trees(len(span)))
        for span in plain.sentence_edus()
    ]
    return replace(plain, sentence_trees=own)


@st.composite
def pairs(draw, same_edus=False):
    """Gold and predicted, with the same tokens and sentences."""
    sentences = draw(lengths(draw(st.integers(1, 10))))
    gold = draw(annotations(sentences))
    edus = [len(edu) for edu in gold.edus] if same_edus else None
    return gold, draw(annotations(sentences, edus))


@st.composite
def counts(draw):
    predicted, gold = draw(st.integers(0, 50)), draw(st.integers(0, 50))
    return Counts(draw(st.integers(0, min(predicted, gold))), predicted, gold)
