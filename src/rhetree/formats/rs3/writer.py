"""Writes .rs3 and .rs4 files, as rstWeb does."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate, pairwise, zip_longest
from typing import cast

from rhetree.domain.binarize import as_nary
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.tree import Tree
from rhetree.errors import UnwritableError
from rhetree.formats.format import Format
from rhetree.formats.rs3.annotation import annotation_lines
from rhetree.formats.rs3.elements import check_characters, spell
from rhetree.formats.rs3.header import header_lines, relations_to_declare
from rhetree.formats.rs3.layout import lay_out
from rhetree.formats.rs3.nodes import SPAN, VIRTUAL_ROOT, Node
from rhetree.formats.rs3.sentences import sentence_lines


def render(document: Document, format: Format, *, annotated: bool) -> str:
    """The text of the file, with secondary edges and signals or without.

    A document whose trees are of sentences becomes a file of several roots, one for each sentence.
    """
    is_forest = document.tree is None and bool(document.sentence_trees)
    if is_forest:
        joined = document.without_trees().with_nary(_joined(document, format.name))
        document = replace(joined, secondary_edges=document.secondary_edges, signals=document.signals)
    format.require(document)
    nary = cast(NaryTree, document.as_drawn())  # a document with a tree has a drawing of it
    relations = relations_to_declare(document, nary, annotated=annotated)
    if is_forest:
        relations -= {("multinuc", VIRTUAL_ROOT)}
    _check_names(document, nary, format.name, annotated=annotated)
    layout = lay_out(nary, {name for type, name in relations if type == "multinuc"})
    numbers = _numbers_without_virtual_root(layout.nodes) if is_forest else {}
    nodes = _renumbered(layout.nodes, numbers) if numbers else layout.nodes
    ids = {span: numbers.get(id, id) for span, id in layout.ids.items()}
    words = [token.form.split() for token in document.tokens]
    texts = [
        " ".join(word for token in words[edu.start : edu.end] for word in token) for edu in document.edus
    ]
    if not all(texts):
        raise UnwritableError(f"its EDU {texts.index('') + 1} has no text", document.name, format.name)
    body = [_spell(node, text) for node, text in zip_longest(nodes, texts)]
    if annotated:
        body += annotation_lines(document, ids, _word_numbers(words))
    header = header_lines(document, relations, annotated=annotated)
    header += sentence_lines(document, list(accumulate(map(len, words))), have_trees=is_forest)
    lines = [
        "<rst>",
        "\t<header>",
        *("\t\t" + line for line in header),
        "\t</header>",
        "\t<body>",
        *("\t\t" + line for line in body),
        "\t</body>",
        "</rst>\n",
    ]
    text = "\n".join(lines)
    check_characters(text, document.name, format.name)
    return text


def _joined(document: Document, format: str) -> NaryTree:
    """The trees of all sentences below a virtual root; EDUs without a tree stand alone."""
    trees: list[NaryTree] = []
    for number, (edus, tree) in enumerate(
        zip(document.sentence_edus(), document.sentence_trees, strict=True), start=1
    ):
        if edus is None:
            raise UnwritableError(f"an EDU crosses the edge of sentence {number}", document.name, format)
        trees += [as_nary(Tree())] * len(edus) if tree is None else [as_nary(tree)]
    if len(trees) == 1:
        return trees[0]
    units = [Unit(0, len(document.edus), "root")]
    start = 0
    for nary in trees:
        root, *rest = nary.units
        units.append(Unit(start, start + root.end, "nucleus", VIRTUAL_ROOT))
        units += (replace(unit, start=unit.start + start, end=unit.end + start) for unit in rest)
        start += root.end
    return NaryTree(tuple(units))


def _numbers_without_virtual_root(nodes: list[Node]) -> dict[str, str]:
    """New ids without a gap for all nodes but the virtual root; none if there is no such root."""
    hung = {node.parent for node in nodes if node.relname == VIRTUAL_ROOT}
    kept = [node for node in nodes if node.id not in hung]
    return {node.id: str(number) for number, node in enumerate(kept, start=1)} if hung else {}


def _renumbered(nodes: list[Node], numbers: Mapping[str, str]) -> list[Node]:
    """The nodes that have a new id; those whose parent has none become roots."""
    return [
        Node(numbers[node.id], node.kind)
        if node.parent is None or node.parent not in numbers
        else Node(numbers[node.id], node.kind, numbers[node.parent], node.relname)
        for node in nodes
        if node.id in numbers
    ]


def _spell(node: Node, text: str | None) -> str:
    place = {} if node.parent is None else {"parent": node.parent, "relname": node.relname}
    if node.kind == "segment":
        return spell("segment", {"id": node.id, **place}, text)
    return spell("group", {"id": node.id, "type": node.kind, **place})


def _word_numbers(words: list[list[str]]) -> list[range]:
    """For each token the numbers of its words in the file, from 1; one, unless it has white space in it."""
    ends = list(accumulate(map(len, words), initial=1))
    return [range(start, end) for start, end in pairwise(ends)]


def _check_names(document: Document, nary: NaryTree, format: str, *, annotated: bool) -> None:
    """Raise :class:`UnwritableError` for names that an attribute would not give back."""
    names = {unit.relation for unit in nary.units if unit.relation is not None}
    if SPAN in names:
        raise UnwritableError("a relation is called span, as nuclei are there", document.name, format)
    if annotated:
        names |= {edge.relation for edge in document.secondary_edges}
        for signal in document.signals:
            names |= {signal.type, signal.subtype, signal.status}
    for name in sorted(names):
        if name != " ".join(name.split()):
            raise UnwritableError(f"{name!r} has white space that would be lost", document.name, format)
