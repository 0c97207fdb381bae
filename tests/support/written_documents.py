"""Small documents of our own, and a way to put them into files for the command line to read."""

from dataclasses import replace

from rhetree.domain.document import Document
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.formats import write

TEXT = """
If it rains tomorrow , we stay inside and read the old books .
The roof leaks , which nobody likes .
"""
SENTENCES = [line.split() for line in TEXT.strip().splitlines()]


def document(sentences, edus, name="weather", **more):
    """A document of these tokenised sentences with EDUs of these lengths."""
    plain = Document.from_sentences(sentences, name)
    return replace(plain, edus=spans_of_lengths(edus), **more)


def weather(name="weather", genre="forecast"):
    """Two sentences, five EDUs, a tree for each sentence."""
    return document(
        SENTENCES,
        [5, 3, 6, 4, 4],
        name,
        sentence_trees=(
            Tree((Split(0, 1, 3, "SN", "condition"), Split(1, 2, 3, "NN", "joint"))),
            Tree((Split(0, 1, 2, "NS", "elaboration"),)),
        ),
        metadata={"genre": genre},
    )


def without_sentences(name="weather"):
    """The weather as one tree of the whole document, whose sentences are not known."""
    plain = weather(name)
    first, second = plain.sentence_trees
    whole = first.join(second, "NS", "background")
    return replace(plain, sentences=(), sentence_trees=(), tree=whole)


def save(path, *documents):
    """Write documents into a file whose ending names its format; the path comes back."""
    write(documents, path)
    return path
