"""The panels of a picture: one for a document's tree, or one per sentence."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.binarize import as_nary, unbinarize
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.draw.text import clean, is_right_to_left
from rhetree.errors import UnwritableError

Shape = Literal["drawn", "binary", "nary"]
"""The tree as annotators drew it, its binary form, or the binary form with chains of nuclei merged."""

_MOST_WORDS = 12
"""Number of a signal's words that are shown."""

SHAPES: tuple[Shape, ...] = get_args(Shape)


@dataclass(frozen=True, slots=True)
class Panel:
    """A sequence of EDUs, with the tree over them if there is one."""

    texts: tuple[str, ...]
    """Text of each EDU on one line; empty if only the tree is known."""
    tokens: tuple[Span, ...]
    """Each EDU's tokens in the document."""
    tree: NaryTree | None = None
    first: int | None = 0
    """Index of the first EDU in the document; None for text that is not EDUs."""
    sentence: int | None = None
    """Index of the sentence; None if the panel is not a sentence."""
    edges: tuple[SecondaryEdge, ...] = ()
    """Secondary edges from units of the panel; EDUs are counted in the document."""
    signals: Mapping[Span, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """The signals of units in words; EDUs are counted from the panel's first."""
    blocks: tuple[int, ...] = ()
    """The number of each EDU's paragraph; empty if paragraphs are not known, or the panel is a sentence."""

    @property
    def n_edus(self) -> int:
        return len(self.texts)

    @property
    def is_right_to_left(self) -> bool:
        """Whether more EDUs run from right to left than from left to right."""
        return 2 * sum(map(is_right_to_left, self.texts)) > self.n_edus

    def units(self) -> tuple[Unit, ...]:
        """The units of the tree in pre-order, or single EDUs if there is no tree."""
        if self.tree is not None:
            return self.tree.units
        return tuple(Unit(number, number + 1, "root") for number in range(self.n_edus))

    def is_paragraph(self, edus: Span, parent: Span | None) -> bool:
        """Whether a unit of several EDUs lies in one paragraph, and its parent does not."""
        return len(edus) > 1 and self._is_inside(edus) and (parent is None or not self._is_inside(parent))

    def _is_inside(self, edus: Span) -> bool:
        return bool(self.blocks) and self.blocks[edus.start] == self.blocks[edus.end - 1]

    def tokens_of(self, edus: Span) -> Span:
        """The tokens of a unit, which identify it in any tree of the same text."""
        return Span(self.tokens[edus.start].start, self.tokens[edus.end - 1].end)

    def numbers_of(self, edus: Span) -> str:
        """The numbers of a unit's EDUs in the document, counted from 1."""
        return "" if self.first is None else edu_numbers(edus.shift(self.first))

    def holds(self, edus: Span) -> bool:
        """Whether all these EDUs of the document are in the panel."""
        return self.first is not None and Span(self.first, self.first + self.n_edus).contains(edus)

    def without_annotations(self) -> "Panel":
        """The same without secondary edges and signals."""
        return replace(self, edges=(), signals={})

    def notes(self) -> dict[Span, list[str]]:
        """Secondary edges and signals in words, by unit."""
        notes = self.edge_notes(self.edges)
        for unit, signals in self.signals.items():
            notes.setdefault(unit, []).extend(f"signal {signal}" for signal in signals)
        return notes

    def edge_notes(self, edges: Iterable[SecondaryEdge]) -> dict[Span, list[str]]:
        """Secondary edges in words, by the unit where they start."""
        notes: dict[Span, list[str]] = {}
        nearest = _unit_finder(self)
        for edge in edges:
            source = nearest(edge.source.shift(-(self.first or 0)))
            notes.setdefault(source, []).append(f"{edge.relation} → {edu_numbers(edge.target)}")
        return notes


def edu_numbers(edus: Span) -> str:
    """EDU numbers counted from 1, such as ``3–7``."""
    return str(edus.end) if len(edus) == 1 else f"{edus.start + 1}–{edus.end}"


def tree_panel(tree: Tree | NaryTree) -> Panel:
    """A panel of a tree without text; EDUs are shown by number."""
    nary = as_nary(tree) if isinstance(tree, Tree) else tree
    return Panel(("",) * nary.n_edus, spans_of_lengths([1] * nary.n_edus), _clean_relations(nary))


def document_panels(document: Document, shape: Shape = "drawn", by_sentence: bool = False) -> list[Panel]:
    """The document's panels: one for its tree, or one per sentence if its trees are of sentences.

    With ``by_sentence`` a document's tree is divided: each sentence gets the node that spans exactly it.
    """
    if not document.edus:
        raise UnwritableError("it has no EDUs to draw; parse it first", document.name, "a picture")
    whole = Panel(
        texts=tuple(clean(text) for text in document.edu_texts()),
        tokens=document.edus,
        tree=None if document.tree is None else _shaped(document.tree, document.as_drawn(), shape),
        blocks=tuple(document.edu_blocks()),
    )
    edges = tuple(replace(edge, relation=clean(edge.relation)) for edge in document.secondary_edges)
    whole = replace(whole, edges=edges, signals=_signals(document, whole))
    if document.sentence_trees:
        return _sentence_panels(document, whole, shape)
    if not by_sentence:
        return [whole]
    if not document.sentences:
        raise UnwritableError("its sentences are not known", document.name, "a picture by sentence")
    return _sentence_panels(document, whole, shape)


def _shaped(tree: Tree, drawn: NaryTree | None, shape: Shape) -> NaryTree:
    if shape == "nary":
        return _clean_relations(unbinarize(tree))
    return _clean_relations(drawn if shape == "drawn" and drawn is not None else as_nary(tree))


def _clean_relations(tree: NaryTree) -> NaryTree:
    return tree.map_relations(lambda relation: clean(relation) or "?")


def _sentence_panels(document: Document, whole: Panel, shape: Shape) -> list[Panel]:
    places = {} if whole.tree is None else {unit.span: at for at, unit in enumerate(whole.tree.units)}
    panels = []
    for number, (sentence, edus) in enumerate(zip(document.sentences, document.sentence_edus(), strict=True)):
        if edus is None:  # an EDU crosses the sentence boundary: show only the words
            text = clean(document.text_of(sentence))
            panels.append(Panel((text,), (sentence,), first=None, sentence=number))
            continue
        if document.sentence_trees:
            own = document.sentence_trees[number]
            tree = None if own is None else _shaped(own, None, shape)
        else:
            tree = _subtree(whole.tree, edus, places.get(edus))
        panels.append(
            Panel(
                texts=whole.texts[edus.start : edus.end],
                tokens=whole.tokens[edus.start : edus.end],
                tree=tree,
                first=edus.start,
                sentence=number,
                edges=tuple(edge for edge in whole.edges if edus.contains(edge.source)),
                signals={
                    unit.shift(-edus.start): signals
                    for unit, signals in whole.signals.items()
                    if edus.contains(unit)
                },
            )
        )
    return panels


def _subtree(tree: NaryTree | None, edus: Span, place: int | None) -> NaryTree | None:
    """The subtree at index ``place``, a run of units in pre-order; its EDUs are counted from its first."""
    if tree is None or place is None:
        return None
    units = [Unit(0, len(edus), "root")]
    for unit in tree.units[place + 1 :]:
        if unit.start >= edus.end:
            break
        units.append(replace(unit, start=unit.start - edus.start, end=unit.end - edus.start))
    return NaryTree(tuple(units))


def _signals(document: Document, panel: Panel) -> dict[Span, tuple[str, ...]]:
    signals: dict[Span, tuple[str, ...]] = {}
    nearest = _unit_finder(panel)
    for signal in document.signals:
        source = signal.source.source if isinstance(signal.source, SecondaryEdge) else signal.source
        unit = nearest(source)
        signals[unit] = (*signals.get(unit, ()), _signal_text(document, signal))
    return signals


def _unit_finder(panel: Panel) -> Callable[[Span], Span]:
    """A function that takes EDUs to themselves if they are a unit of the panel, or else to the smallest
    unit around them; without one, to the first of them."""
    spans = [unit.span for unit in panel.units()]
    known = set(spans)

    def nearest(edus: Span) -> Span:
        if edus in known:
            return edus
        first = Span(edus.start, edus.start + 1)
        return min((span for span in spans if span.contains(edus)), key=len, default=first)

    return nearest


def _signal_text(document: Document, signal: Signal) -> str:
    kind = signal.type if signal.subtype in ("", signal.type) else f"{signal.type}, {signal.subtype}"
    words = " ".join(document.tokens[token].form for token in signal.tokens[:_MOST_WORDS])
    words += " …" if len(signal.tokens) > _MOST_WORDS else ""
    edge = f" (of {signal.source.relation})" if isinstance(signal.source, SecondaryEdge) else ""
    return clean(f"{kind}{edge}" + (f": {words}" if words else ""))
