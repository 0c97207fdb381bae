"""Trees as networkx graphs, and back (extra ``networkx``).

A node is the span of EDUs of a unit, ``(start, end)``; edges lead from a unit to its parts. Nodes have ``role`` and ``relation`` to their
parent, and those of single EDUs have ``text``. A document with a tree for each sentence is a forest.
"""

from dataclasses import replace

from rhetree.domain.binarize import as_nary, binarize
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.integrations.extras import needs

with needs("networkx", "networkx"):
    import networkx


def to_networkx(document: Document) -> networkx.DiGraph:
    """The units of a document's trees, as they were drawn, and the edges between them."""
    graph = networkx.DiGraph(name=document.name)
    for first, tree in _drawn(document):
        for unit, family in zip(tree.units, tree.children(), strict=True):
            node = (first + unit.start, first + unit.end)
            graph.add_node(node, role=unit.role, relation=unit.relation)
            graph.add_edges_from((node, (first + child.start, first + child.end)) for child in family)
    for number, text in enumerate(document.edu_texts()):
        graph.add_node((number, number + 1), text=text)
    return graph


def from_networkx(graph: networkx.DiGraph) -> Document:
    """The document of a graph as :func:`to_networkx` makes it; its tokens are cut at white space.

    One tree is the document's, and several are those of its sentences.
    """
    units = sorted(graph.nodes, key=lambda node: (node[0], -node[1]))
    texts = [_text(graph, node) for node in units if node[1] - node[0] == 1]
    bare = Document.from_edus(texts, graph.graph.get("name", ""))
    roots = [node for node in units if graph.nodes[node].get("role") == "root"]
    if not roots:
        return bare
    families: dict[tuple[int, int], list[Unit]] = {root: [] for root in roots}
    at = roots[0]
    for node in units:
        at = node if node in families else at
        about = graph.nodes[node]
        families[at].append(Unit(node[0] - at[0], node[1] - at[0], about["role"], about.get("relation")))
    trees = [NaryTree(tuple(family)) for family in families.values()]
    if len(trees) == 1:
        return bare.with_nary(trees[0])
    ends = [bare.edus[end - 1].end for _, end in roots]
    starts = [0, *ends[:-1]]
    sentences = spans_of_lengths(end - start for start, end in zip(starts, ends, strict=True))
    return replace(bare, sentences=sentences, sentence_trees=tuple(binarize(tree) for tree in trees))


def _drawn(document: Document) -> list[tuple[int, NaryTree]]:
    """Each tree with the number of its first EDU."""
    whole = document.as_drawn()
    if whole is not None:
        return [(0, whole)]
    pairs: zip[tuple[Span | None, Tree | None]] = zip(
        document.sentence_edus(), document.trees_by_sentence(), strict=True
    )
    return [(span.start, as_nary(tree)) for span, tree in pairs if span is not None and tree is not None]


def _text(graph: networkx.DiGraph, node: tuple[int, int]) -> str:
    text = graph.nodes[node].get("text")
    if not isinstance(text, str):
        raise ValueError(f"node {node} is an EDU and has no text")
    return text
