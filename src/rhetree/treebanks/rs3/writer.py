"""Writes .rs3 and .rs4 files, as rstWeb does."""

from itertools import accumulate, pairwise, zip_longest
from typing import cast

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.errors import UnwritableError
from rhetree.treebanks.format import Format
from rhetree.treebanks.rs3.annotation import annotation_lines
from rhetree.treebanks.rs3.elements import check_characters, spell
from rhetree.treebanks.rs3.header import header_lines, relations_to_declare
from rhetree.treebanks.rs3.layout import lay_out
from rhetree.treebanks.rs3.nodes import SPAN, Node


def render(document: Document, format: Format, *, annotated: bool) -> str:
    """The text of the file, with secondary edges and signals or without."""
    format.require(document)
    nary = cast(NaryTree, document.as_drawn())  # a document with a tree has a drawing of it
    relations = relations_to_declare(document, nary, annotated=annotated)
    _check_names(document, nary, format.name, annotated=annotated)
    layout = lay_out(nary, {name for type, name in relations if type == "multinuc"})
    words = [token.form.split() for token in document.tokens]
    texts = [
        " ".join(word for token in words[edu.start : edu.end] for word in token) for edu in document.edus
    ]
    if not all(texts):
        raise UnwritableError(f"its EDU {texts.index('') + 1} has no text", document.name, format.name)
    body = [_spell(node, text) for node, text in zip_longest(layout.nodes, texts)]
    if annotated:
        body += annotation_lines(document, layout.ids, _word_numbers(words))
    header = header_lines(document, relations, annotated=annotated)
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
