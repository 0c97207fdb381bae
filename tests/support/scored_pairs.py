"""Gold and predicted documents over the same tokens, by hand."""

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree


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


def levels(a, b):
    """The levels at which two documents can be compared: trees of sentences are no tree of a document."""
    has_parts = [bool(one.sentence_trees) and len(one.sentences) > 1 for one in (a, b)]
    return ["sentence", "document"] if has_parts[0] == has_parts[1] else ["sentence"]
