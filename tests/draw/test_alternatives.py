from dataclasses import replace

from rhetree.domain.reading import Reading
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.draw.alternatives import draw_document
from rhetree.draw.panel import document_panels
from rhetree.draw.terminal import Style, draw_panels
from support.written_documents import weather

STYLE = Style(width=80)


def reading(tree, lengths, log_prob):
    ends = [sum(lengths[: number + 1]) for number in range(len(lengths))]
    edus = tuple(map(Span, [0, *ends], ends))
    n_splits = len(tree.splits)
    return Reading(edus, tree, log_prob, (1.0,) * len(edus), (1.0,) * n_splits, ((),) * n_splits)


def drawn(document):
    return list(draw_document(document, STYLE))


def read(n_readings):
    """The weather as a model reads it, with as many readings of its first sentence; none of its second."""
    document = weather()
    own = [reading(document.sentence_trees[0], [5, 3, 6], -0.5), reading(Tree(), [14], -2.0)]
    return replace(document, readings=(own[:n_readings], ()))


def whole(document):
    """The same document with one tree above its sentences."""
    first, second = document.sentence_trees
    return replace(document, sentence_trees=(), tree=first.join(second, "NS", "background"))


def test_one_reading_of_each_sentence_is_drawn_as_the_sentences():
    assert drawn(read(1)) == drawn(weather())


def test_a_tree_of_the_document_is_drawn_whole():
    document = whole(read(1))
    assert drawn(document) == list(draw_panels(document_panels(document), STYLE))
    assert any("background" in line for line in drawn(document))


def test_several_readings_follow_the_tree_of_the_document():
    document = whole(read(2))
    lines = drawn(document)
    tree = list(draw_panels(document_panels(document), STYLE))
    assert lines[: len(tree)] == tree
    second = document_panels(weather())[1]
    assert [*lines[len(tree) :], *draw_panels([second], STYLE)] == drawn(read(2))
    assert [line for line in lines if "probability" in line] == [
        "(1.1) probability 0.607",
        "(1.2) probability 0.135",
    ]
