"""What a picture is made of: one panel for a document's tree, or one for each of its sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.binarize import as_nary, unbinarize
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree, Unit
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Tree
from rhetree.draw.text import clean
from rhetree.errors import UnwritableError

Shape = Literal["drawn", "binary", "nary"]
"""The tree as its annotators drew it, its binary form, or that with its chains of nuclei merged."""

_MOST_WORDS = 12
"""Of a signal, before it is cut short."""

SHAPES: tuple[Shape, ...] = get_args(Shape)


@dataclass(frozen=True, slots=True)
class Panel:
    """EDUs in a row, with the tree over them where there is one."""

    texts: tuple[str, ...]
    """What each EDU says, on one line; empty where only the tree is known."""
    tokens: tuple[Span, ...]
    """Each EDU's tokens in the document."""
    tree: NaryTree | None = None
    first: int | None = 0
    """The first EDU's number in the document; None for text that is not EDUs."""
    sentence: int | None = None
    """The number of the sentence, from 0, where this is one."""
    notes: Mapping[Span, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """What is said beside the tree, such as signals, for units named by the panel's own EDUs."""

    @property
    def n_edus(self) -> int:
        return len(self.texts)

    def units(self) -> tuple[Unit, ...]:
        """The units of the tree in pre-order; without one each EDU stands alone."""
        if self.tree is not None:
            return self.tree.units
        return tuple(Unit(number, number + 1, "root") for number in range(self.n_edus))

    def tokens_of(self, edus: Span) -> Span:
        """The tokens of a unit: its name in every other tree of the same text."""
        return Span(self.tokens[edus.start].start, self.tokens[edus.end - 1].end)

    def numbers_of(self, edus: Span) -> str:
        """The numbers of a unit's EDUs in the document, as people count."""
        return "" if self.first is None else edu_numbers(edus.shift(self.first))


def edu_numbers(edus: Span) -> str:
    """EDU numbers as people count, such as ``3–7``."""
    return str(edus.end) if len(edus) == 1 else f"{edus.start + 1}–{edus.end}"


def tree_panel(tree: Tree | NaryTree) -> Panel:
    """A tree whose text is not known: its EDUs are shown by number."""
    nary = as_nary(tree) if isinstance(tree, Tree) else tree
    return Panel(("",) * nary.n_edus, spans_of_lengths([1] * nary.n_edus), _clean_relations(nary))


def document_panels(document: Document, shape: Shape = "drawn", by_sentence: bool = False) -> list[Panel]:
    """The document's panels: one for its tree, or one per sentence where its trees are of sentences.

    ``by_sentence`` takes sentences out of the document's tree: the node that spans just the sentence.
    """
    if not document.edus:
        raise UnwritableError("it has no EDUs to draw", document.name, "a picture")
    whole = Panel(
        texts=tuple(clean(text) for text in document.edu_texts()),
        tokens=document.edus,
        tree=None if document.tree is None else _shaped(document.tree, document.as_drawn(), shape),
    )
    whole = replace(whole, notes=_notes(document, whole))
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
        if edus is None:  # an EDU crosses the sentence's edge: show the words alone
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
                notes={
                    unit.shift(-edus.start): notes
                    for unit, notes in whole.notes.items()
                    if edus.contains(unit)
                },
            )
        )
    return panels


def _subtree(tree: NaryTree | None, edus: Span, place: int | None) -> NaryTree | None:
    """The node at ``place`` with all below it, which in pre-order is a run, counted from its own first EDU."""
    if tree is None or place is None:
        return None
    units = [Unit(0, len(edus), "root")]
    for unit in tree.units[place + 1 :]:
        if unit.start >= edus.end:
            break
        units.append(replace(unit, start=unit.start - edus.start, end=unit.end - edus.start))
    return NaryTree(tuple(units))


def _notes(document: Document, panel: Panel) -> dict[Span, tuple[str, ...]]:
    notes: dict[Span, list[str]] = {}
    units = [unit.span for unit in panel.units()]
    known = set(units)

    def note(unit: Span, text: str) -> None:
        if unit not in known:  # merged with its parent in this shape
            unit = min((other for other in units if other.contains(unit)), key=len)
        notes.setdefault(unit, []).append(text)

    for edge in document.secondary_edges:
        note(edge.source, f"{clean(edge.relation)} → {edu_numbers(edge.target)}")
    for signal in document.signals:
        source = signal.source.source if isinstance(signal.source, SecondaryEdge) else signal.source
        note(source, _signal_text(document, signal))
    return {unit: tuple(texts) for unit, texts in notes.items()}


def _signal_text(document: Document, signal: Signal) -> str:
    kind = signal.type if signal.subtype in ("", signal.type) else f"{signal.type}, {signal.subtype}"
    words = " ".join(document.tokens[token].form for token in signal.tokens[:_MOST_WORDS])
    words += " …" if len(signal.tokens) > _MOST_WORDS else ""
    edge = f" (of {signal.source.relation})" if isinstance(signal.source, SecondaryEdge) else ""
    return clean(f"signal {kind}{edge}" + (f": {words}" if words else ""))
