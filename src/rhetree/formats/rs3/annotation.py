"""The secondary edges and signals of an .rs4 file: units have ids there, and are spans of EDUs here.

A secondary edge is known by its two ends, so that a file has no second one between the same units.
A signal may name a token twice, and a file the same signal twice: they stay as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.errors import UnwritableError
from rhetree.formats.format import complain
from rhetree.formats.rs3.elements import Element, spell


@dataclass(frozen=True, slots=True)
class Annotations:
    """What hangs on the tree of one document."""

    edges: tuple[SecondaryEdge, ...]
    signals: tuple[Signal, ...]


def read_annotations(
    elements: Mapping[str, list[Element]],
    names: Mapping[str, Span],
    n_tokens: int,
    path: Path,
    *,
    lenient: bool,
) -> Annotations:
    """The ``<secedge>`` and ``<signal>`` elements; ``lenient`` leaves out what makes no sense.

    :param names: the units of the file by id
    """
    edges: dict[str, SecondaryEdge] = {}
    aliases: dict[str, SecondaryEdge] = {}
    for element in elements["secedge"]:
        source, target = element.require("source", path), element.require("target", path)
        relation = element.require("relname", path)
        id = f"{source}-{target}"
        lost = [end for end in (source, target) if end not in names]
        if lost:
            what = f"secondary edge {id} names {lost[0]}; expected the id of a segment or group with text"
            complain(what, path, element.line, lenient=lenient)
        elif id in edges:
            what = f"a second secondary edge from {source} to {target}; expected one"
            complain(what, path, element.line, lenient=lenient)
        else:
            edges[id] = SecondaryEdge(names[source], names[target], relation)
            aliases[element.get("id")] = edges[id]

    signals: list[Signal] = []
    sources: dict[str, Span | SecondaryEdge] = {**aliases, **edges, **names}
    for element in elements["signal"]:
        id = element.require("source", path)
        tokens, what = _tokens(element.get("tokens"), n_tokens)
        if id not in sources:
            what = (
                f"a signal of {id}; expected the id of a segment or group with text, or of a secondary edge"
            )
        if what:
            complain(what, path, element.line, lenient=lenient)
        else:
            type, subtype, status = element.get("type"), element.get("subtype"), element.get("status")
            signals.append(Signal(sources[id], type, subtype, tokens, status))
    return Annotations(tuple(dict.fromkeys(edges.values())), tuple(signals))


def annotation_lines(document: Document, ids: Mapping[Span, str], tokens: Sequence[range]) -> list[str]:
    """The lines of a document's secondary edges and signals.

    :param ids: the ids of its units
    :param tokens: for each token its numbers in the file, counted from 1
    """
    lines = []
    edge_ids: dict[SecondaryEdge, str] = {}
    seen = set()
    for edge in dict.fromkeys(document.secondary_edges):
        source, target = ids[edge.source], ids[edge.target]
        id = f"{source}-{target}"
        if id in seen:
            raise UnwritableError(
                f"it has two secondary edges from {edge.source} to {edge.target}; an edge is known by its ends",
                document.name,
                "rs4",
            )
        seen.add(id)
        edge_ids[edge] = id
        attributes = {"id": id, "source": source, "target": target, "relname": edge.relation}
        lines.append("\t" + spell("secedge", attributes))
    if lines:
        lines = ["<secedges>", *lines, "</secedges>"]

    signals = []
    for signal in document.signals:
        named = signal.source
        numbers = [number for token in signal.tokens for number in tokens[token]]
        attributes = {
            "source": edge_ids[named] if isinstance(named, SecondaryEdge) else ids[named],
            "type": signal.type,
            "subtype": signal.subtype,
            "tokens": ",".join(map(str, numbers)),
        }
        if signal.status:
            attributes["status"] = signal.status
        signals.append("\t" + spell("signal", attributes))
    if signals:
        lines += ["<signals>", *signals, "</signals>"]
    return lines


def _tokens(value: str, n_tokens: int) -> tuple[tuple[int, ...], str]:
    """Token numbers from 0, and what is wrong with them if anything is."""
    numbers = [part.strip() for part in value.split(",")] if value else []
    for number in numbers:
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            return (), f"a signal's tokens are {value!r}; expected numbers with commas between"
        if not 1 <= int(number) <= n_tokens:
            return (), f"a signal names token {number}; expected one from 1 to {n_tokens}"
    return tuple(int(number) - 1 for number in numbers), ""
