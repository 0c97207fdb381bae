"""Reads .rs3 and .rs4 files."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from rhetree.domain.binarize import binarize
from rhetree.domain.document import Document
from rhetree.domain.tree import Tree
from rhetree.errors import TreebankError
from rhetree.formats.format import blame, complain, stem
from rhetree.formats.rs3.annotation import read_annotations
from rhetree.formats.rs3.elements import Element, parse
from rhetree.formats.rs3.header import (
    Declarations,
    declared_relations,
    declared_signals,
    types_by_name,
    unused,
)
from rhetree.formats.rs3.nodes import SPAN, Kind, Node, some
from rhetree.formats.rs3.sentences import TAG, read_sentences, sentence_trees
from rhetree.formats.rs3.units import draw

_LOG = logging.getLogger("rhetree.formats")


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The one document of an .rs3 or .rs4 file.

    Groups without children and relations without declaration are normal and go to the log.
    ``lenient`` forgives, with a warning for each: several roots (joined as nuclei of
    ``virtual-root``), a count of sentences that does not fit (ignored), segments without text, groups of an unknown type, groups called ``span``
    whose children are nuclei of a multinuclear relation, nuclei of one group with several
    relations, groups with several nuclei by ``relname="span"``, unknown elements, and secondary
    edges and signals that name what is not there.
    """
    elements = parse(source, path, lenient=lenient)
    segments = _with_text(elements, path, lenient=lenient)
    nodes = _nodes([*segments, *elements["group"]], path, lenient=lenient)
    relations = declared_relations(elements["rel"])
    _note_undeclared({node.relname for node in nodes}, relations, path)
    with blame(path):
        document = Document.from_edus([segment.text for segment in segments], stem(path, (".rs3", ".rs4")))
    sentences = read_sentences(elements[TAG], len(document.tokens), path, lenient=lenient)
    document = replace(document, sentences=sentences.spans)
    types = types_by_name(relations)
    drawing = draw(nodes, types, path, is_forest=sentences.have_trees, lenient=lenient)
    tree = binarize(drawing.nary)
    own: tuple[Tree | None, ...] = ()
    if sentences.have_trees:
        own = sentence_trees(document, tree, drawing.roots, sentences, path, lenient=lenient)
    annotations = read_annotations(elements, drawing.names, len(document.tokens), path, lenient=lenient)
    with blame(path):
        document = replace(
            document,
            tree=None if own else tree,
            sentence_trees=own,
            nary=None if own or drawing.nary.is_binary() else drawing.nary,
            secondary_edges=annotations.edges,
            signals=annotations.signals,
        )
    signals = declared_signals(elements["sig"])
    yield replace(document, metadata=unused(relations, signals, document, drawing.nary))


def _with_text(elements: Mapping[str, list[Element]], path: Path, *, lenient: bool) -> list[Element]:
    """The segments; leniently but for those that have neither text nor anything that hangs on them."""
    if not elements["segment"]:
        raise TreebankError("no segment in it; expected <segment> elements in <body>", path)
    parents = {element.get("parent") for tag in ("segment", "group") for element in elements[tag]}
    kept = []
    for element in elements["segment"]:
        if element.text.split():
            kept.append(element)
        else:
            what = f"segment {element.get('id')} has no text; expected at least one word"
            complain(what, path, element.line, lenient=lenient and element.get("id") not in parents)
    if not kept:
        raise TreebankError("no segment with text in it", path)
    return kept


def _nodes(elements: list[Element], path: Path, *, lenient: bool) -> list[Node]:
    nuclear_parents = {element.get("parent") for element in elements if element.get("relname") == SPAN}
    nodes = []
    for element in elements:
        id = element.require("id", path)
        kind: Kind = "segment"
        if element.tag == "group":
            type = element.get("type")
            if type not in ("", "span", "multinuc"):
                what = f"group {id} has type {type!r}; expected span or multinuc"
                complain(what, path, element.line, lenient=lenient)
            # Without a type the children tell: only a span group has a nucleus by relname span.
            kind = (
                "multinuc" if type == "multinuc" or (type != "span" and id not in nuclear_parents) else "span"
            )
        parent = element.get("parent") or None
        relname = "" if parent is None else element.require("relname", path)
        nodes.append(Node(id, kind, parent, relname, element.line))
    return nodes


def _note_undeclared(names: set[str], relations: Declarations, path: Path) -> None:
    undeclared = names - {name for _, name in relations} - {SPAN, ""}
    if undeclared:
        _LOG.info("%s: relations without declaration: %s", path, some(sorted(undeclared)))
