"""Trees as NLTK's, and back (extra ``nltk``).

A node is labelled with relation and nuclearity, ``elaboration-NS``; the leaves are the texts of the EDUs. A single EDU
is a tree with the label ``EDU``.
"""

from collections.abc import Sequence
from dataclasses import replace

from rhetree.domain.document import Document
from rhetree.domain.relations import label_parts
from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.integrations.extras import needs

with needs("nltk", "nltk"):
    import nltk.tree

SINGLE = "EDU"


def to_nltk(document: Document) -> list[nltk.tree.Tree]:
    """The trees of a document: one over all of it, or one for each sentence that has a tree."""
    texts = document.edu_texts()
    if document.tree is not None:
        return [tree_to_nltk(document.tree, texts)]
    pairs = zip(document.sentence_edus(), document.trees_by_sentence(), strict=True)
    return [
        tree_to_nltk(tree, texts[span.start : span.end])
        for span, tree in pairs
        if span is not None and tree is not None
    ]


def tree_to_nltk(tree: Tree, edus: Sequence[str]) -> nltk.tree.Tree:
    """A tree over these texts of EDUs."""
    if tree.n_edus != len(edus):
        raise ValueError(f"the tree has {tree.n_edus} EDUs, but there are {len(edus)} texts")
    if not tree.splits:
        return nltk.tree.Tree(SINGLE, [edus[0]])
    built: dict[tuple[int, int], nltk.tree.Tree | str] = {
        (number, number + 1): text for number, text in enumerate(edus)
    }
    for split in reversed(tree.splits):  # children before their parents
        parts = [built.pop((split.start, split.split)), built.pop((split.split, split.end))]
        built[split.start, split.end] = nltk.tree.Tree(split.label, parts)
    return built[0, tree.n_edus]


def from_nltk(trees: nltk.tree.Tree | Sequence[nltk.tree.Tree], name: str = "") -> Document:
    """The document of a tree, or of the trees that :func:`to_nltk` gives; its tokens are cut at white space.

    One tree is the document's, and several are those of its sentences.
    """
    given = [trees] if isinstance(trees, nltk.tree.Tree) else list(trees)  # a tree is a sequence, too
    for tree in given:
        if not isinstance(tree, nltk.tree.Tree):
            raise TypeError(f"expected a tree of NLTK's, or several, got {type(tree).__name__} {tree!r:.80}")
    parts = [_read(tree) for tree in given]
    bare = Document.from_edus([text for texts, _ in parts for text in texts], name)
    if len(parts) == 1:
        return replace(bare, tree=parts[0][1])
    lengths = [sum(len(text.split()) for text in texts) for texts, _ in parts]
    return replace(bare, sentences=spans_of_lengths(lengths), sentence_trees=tuple(tree for _, tree in parts))


def _read(tree: nltk.tree.Tree) -> tuple[list[str], Tree]:
    """The texts of a tree's EDUs, and the tree over them."""
    if len(tree) == 1 and isinstance(tree[0], str):
        return [tree[0]], Tree()
    texts: list[str] = []
    splits: list[Split] = []
    starts: list[int] = []
    # Each node comes up three times: before its left part, between its parts, and after them.
    waiting: list[tuple[nltk.tree.Tree | str, int | None]] = [(tree, 0)]
    middles: list[int] = []
    while waiting:
        node, turn = waiting.pop()
        if isinstance(node, str):
            texts.append(node)
        elif turn == 0:
            if len(node) != 2:
                raise ValueError(
                    f"node {node.label()!r} has {len(node)} children; a rhetorical tree is binary"
                )
            starts.append(len(texts))
            waiting += [(node, 2), (node[1], 0), (node, 1), (node[0], 0)]
        elif turn == 1:
            middles.append(len(texts))
        else:
            relation, nuclearity = label_parts(node.label())
            splits.append(Split(starts.pop(), middles.pop(), len(texts), nuclearity, relation))
    return texts, Tree.from_splits(splits)
