"""The header of an .rs3 or .rs4 file: the relations and signals that its annotators choose from.

What a document uses is always declared. What a file declares beyond that is kept in the document's
metadata, one declaration a line, and is written again with the document. :func:`declare` adds the
relations of a model in the same way, so that rstWeb offers all of them for correcting a tree.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.domain.relations import label_parts
from rhetree.errors import UnwritableError
from rhetree.formats.rs3.elements import Element, spell

RELATIONS = "rs3.relations"
"""Lines of a relation's type and its name, with a tab between; ``-`` if the file gives no type."""
SIGNALS = "rs3.sigtypes"
"""Lines of a signal's type and subtype, with a tab between."""

Declarations = set[tuple[str, str]]
"""Pairs of type and name (relations), or type and subtype (signals)."""


def declare(document: Document, labels: Iterable[str]) -> Document:
    """The document with the relations of a model in its header.

    :param labels: relations with their nuclearity, such as ``elaboration-NS``
    """
    parts = map(label_parts, labels)
    relations = {("multinuc" if nuclearity == "NN" else "rst", name) for name, nuclearity in parts}
    lines = _as_lines(relations | _kept(document, RELATIONS))
    return replace(document, metadata={**document.metadata, RELATIONS: lines})


def declared_relations(elements: Iterable[Element]) -> Declarations:
    """The ``<rel>`` elements of a header, without those that have no name, which RSTTool writes too."""
    return {(element.get("type") or "-", element.get("name")) for element in elements if element.get("name")}


def declared_signals(elements: Iterable[Element]) -> Declarations:
    """The ``<sig>`` elements of a header."""
    return {
        (element.get("type"), subtype.strip())
        for element in elements
        for subtype in element.get("subtypes").split(";")
    }


def types_by_name(relations: Declarations) -> dict[str, set[str]]:
    """Which of ``rst`` and ``multinuc`` each relation is declared as."""
    types: dict[str, set[str]] = defaultdict(set)
    for type, name in relations:
        if type in ("rst", "multinuc"):
            types[name].add(type)
    return types


def used_relations(nary: NaryTree) -> Declarations:
    """The relations of a tree, with the types that they have there."""
    types = {"satellite": "rst", "nucleus": "multinuc"}
    return {(types[unit.role], unit.relation) for unit in nary.units if unit.relation is not None}


def unused(
    relations: Declarations, signals: Declarations, document: Document, nary: NaryTree
) -> dict[str, str]:
    """Metadata for the declarations that the document, once it has its tree, does not imply."""
    used = used_relations(nary)
    names = {name for _, name in used}
    more = {(type, name) for type, name in relations - used if type != "-" or name not in names}
    names |= {name for type, name in more if type != "rst"}
    more -= {("rst", edge.relation) for edge in document.secondary_edges if edge.relation not in names}
    used_signals = _used_signals(document)
    with_subtypes = {type for type, subtype in signals | used_signals if subtype}
    more_signals = {(type, sub) for type, sub in signals - used_signals if sub or type not in with_subtypes}
    found = {RELATIONS: more, SIGNALS: more_signals}
    return {key: _as_lines(declarations) for key, declarations in found.items() if declarations}


def relations_to_declare(document: Document, nary: NaryTree, *, annotated: bool) -> Declarations:
    """All relations for the header; one that only secondary edges have counts as ``rst``."""
    relations = used_relations(nary) | _kept(document, RELATIONS)
    if annotated:
        names = {name for _, name in relations}
        relations |= {
            ("rst", edge.relation) for edge in document.secondary_edges if edge.relation not in names
        }
    return relations


def header_lines(document: Document, relations: Declarations, *, annotated: bool) -> list[str]:
    """The lines between ``<header>`` and ``</header>``."""
    lines = ["<relations>"]
    for name, type in sorted((name, type) for type, name in relations):
        lines.append("\t" + spell("rel", {"name": name} if type == "-" else {"name": name, "type": type}))
    lines.append("</relations>")
    subtypes: dict[str, list[str]] = defaultdict(list)
    signals = _kept(document, SIGNALS) | (_used_signals(document) if annotated else set())
    for type, subtype in sorted(signals):
        subtypes[type].append(subtype)
    if subtypes:
        sigs = [{"type": type, "subtypes": ";".join(filter(None, names))} for type, names in subtypes.items()]
        lines += ["<sigtypes>", *("\t" + spell("sig", sig) for sig in sigs), "</sigtypes>"]
    return lines


def _used_signals(document: Document) -> Declarations:
    return {(signal.type, signal.subtype) for signal in document.signals}


def _as_lines(declarations: Declarations) -> str:
    return "\n".join(sorted(f"{first}\t{second}" for first, second in declarations))


def _kept(document: Document, key: str) -> Declarations:
    declarations: Declarations = set()
    for line in document.metadata.get(key, "").splitlines():
        first, tab, second = line.partition("\t")
        if not tab:
            raise UnwritableError(
                f"its metadata {key} has the line {line!r}; expected two fields with a tab between",
                document.name,
                "rs3",
            )
        declarations.add((first, second))
    return declarations
