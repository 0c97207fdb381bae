"""Secondary edges and signals: the last two columns of an ``.rsd`` file.

A unit is named by its head, whose line it is, and its height, the number of units with the same
head below it. Edges stand with their source as ``TARGET:RELATION:HEIGHT:TARGET-HEIGHT:SIGNALS``,
with ``|`` between two. Signals are ``TYPE-SUBTYPE-TOKENS-STATUS``, with ``;`` between two; in place
of the subtypes ``dm`` and ``orphan`` stand the words themselves. rst2dep knows signals only of the
largest unit of a head; after the status of others we put the height, as in ``gold@1``.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rhetree.domain.annotation import SecondaryEdge, Signal
from rhetree.domain.dependencies import heads
from rhetree.domain.document import Document
from rhetree.domain.nary import NaryTree
from rhetree.domain.span import Span
from rhetree.errors import UnwritableError

NOTHING = "_"
_WORDY = ("dm", "orphan")
_EDGE = re.compile(r"([0-9]{1,9}):([^:]+):([0-9]{1,9}):([0-9]{1,9}):(.*)", re.DOTALL)
_RANGES = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*")
_STATUS = re.compile(r"([^-]*?)(?:@([0-9]{1,9}))?")


def annotation_columns(document: Document, tree: NaryTree) -> list[tuple[str, str]]:
    """For each EDU the secondary edges and the signals of the units that it is the head of."""
    units, words = _Units(tree), _Words(document)
    edges: list[list[str]] = [[] for _ in document.edus]
    signals: list[list[str]] = [[] for _ in document.edus]
    edge_signals: defaultdict[SecondaryEdge, list[str]] = defaultdict(list)
    for signal in document.signals:
        if isinstance(signal.source, SecondaryEdge):
            edge_signals[signal.source].append(_spell(signal, None, words))
        else:
            head, height = units.names[signal.source]
            signals[head].append(_spell(signal, None if height == units.tops[head] else height, words))
    for edge in document.secondary_edges:
        if re.search(r"[:|\t\n\r]", edge.relation):
            raise UnwritableError(f"it has a secondary edge called {edge.relation!r}", words.document, "rsd")
        (source, height), (target, target_height) = units.names[edge.source], units.names[edge.target]
        own = _joined(sorted(edge_signals.pop(edge, ())), ";")
        edges[source].append(f"{target + 1}:{edge.relation}:{height}:{target_height}:{own}")
    return [(_joined(some, "|"), _joined(others, ";")) for some, others in zip(edges, signals, strict=True)]


def annotated(
    document: Document,
    tree: NaryTree,
    columns: Sequence[tuple[str, str]],
    complain: Callable[[str, int], None],
) -> Document:
    """The document with the edges and signals of these columns; mistakes go to ``complain``, with their EDU."""
    units, words = _Units(tree), _Words(document)
    edges: list[SecondaryEdge] = []
    signals: list[Signal] = []

    def hear(texts: str, edu: int, source: SecondaryEdge | None) -> Iterator[Signal]:
        for text in _parted(texts, ";"):
            said = _understand(text, words)
            if said is None or (said.height is not None and source is not None):
                complain(f"expected a signal as TYPE-SUBTYPE-TOKENS-STATUS, found {text[:60]!r}", edu)
                continue
            unit = source or units.find(edu, units.tops[edu] if said.height is None else said.height)
            if unit is None:
                complain(f"expected a signal's height up to {units.tops[edu]}, found {said.height}", edu)
            else:
                tokens = [number - 1 for number in said.numbers]
                yield Signal(unit, said.type, said.subtype, tuple(tokens), said.status)

    for edu, (edge_column, signal_column) in enumerate(columns):
        for text in _parted(edge_column, "|"):
            edge = _EDGE.fullmatch(text)
            source = edge and units.find(edu, int(edge[3]))
            target = edge and units.find(int(edge[1]) - 1, int(edge[4]))
            if edge is None or source is None or target is None:
                expected = "TARGET:RELATION:HEIGHT:TARGET-HEIGHT:SIGNALS, between units of the tree"
                complain(f"expected a secondary edge as {expected}, found {text[:60]!r}", edu)
                continue
            edges.append(SecondaryEdge(source, target, edge[2]))
            signals += hear(edge[5], edu, edges[-1])
        signals += hear(signal_column, edu, None)
    if not edges and not signals:
        return document
    return replace(document, secondary_edges=tuple(edges), signals=tuple(signals))


class _Units:
    """Maps the units of a tree to head and height, and back."""

    def __init__(self, tree: NaryTree) -> None:
        self.names: dict[Span, tuple[int, int]] = {}
        self.tops = [0] * tree.n_edus
        """For each EDU the height of the largest unit that it is the head of."""
        for unit, (head, height) in zip(tree.units, heads(tree), strict=True):
            self.names[unit.span] = (head, height)
            self.tops[head] = max(self.tops[head], height)
        self._spans = {name: span for span, name in self.names.items()}

    def find(self, head: int, height: int) -> Span | None:
        return self._spans.get((head, height))


_MOST_NUMBERS = 2_000_000
"""Most words that the signals of a file may name in all: a short range can stand for many."""


class _Words:
    """The words of a document, separated by white space: the tokens of its file, counted from 1."""

    def __init__(self, document: Document) -> None:
        self.document = document.name
        self.words = [word for token in document.tokens for word in token.form.split()]
        self.n_left = _MOST_NUMBERS
        self.numbers: list[range] = []
        """For each token of the document, the numbers of its words in the file."""
        at = 1
        for token in document.tokens:
            n_words = len(token.form.split())
            self.numbers.append(range(at, at + n_words))
            at += n_words

    def said(self, numbers: Iterable[int]) -> str:
        return " ".join(self.words[number - 1].lower() for number in sorted(numbers))


@dataclass(frozen=True, slots=True)
class _Said:
    """One signal, as its text gives it."""

    type: str
    subtype: str
    numbers: tuple[int, ...]
    status: str
    height: int | None


def _spell(signal: Signal, height: int | None, words: _Words) -> str:
    numbers = tuple(number for token in signal.tokens for number in words.numbers[token])
    meant = _Said(signal.type, signal.subtype, numbers, signal.status, height)
    status = (signal.status or NOTHING) + ("" if height is None else f"@{height}")
    is_wordy = signal.type == signal.subtype and signal.type in _WORDY and numbers
    # Words with a semicolon in them, say, would not be understood; the subtype itself is.
    for subtype in ([words.said(numbers)] if is_wordy else []) + [signal.subtype]:
        text = "-".join((signal.type, subtype, _ranges(numbers), status))
        if not re.search(r"[;|\t\n\r]", text) and _understand(text, words) == meant:
            return text
    what = f"{signal.type!r}, subtype {signal.subtype!r} and status {signal.status!r}"
    raise UnwritableError(f"it has a signal of type {what}", words.document, "rsd")


def _understand(text: str, words: _Words) -> _Said | None:
    body, _, last = text.rpartition("-")
    if re.fullmatch(r"[0-9,]+", last):  # older files give no status
        body, last = text, NOTHING
    status = _STATUS.fullmatch(last)
    told = NOTHING
    if body.endswith(f"-{NOTHING}"):
        body = body.removesuffix(f"-{NOTHING}")
    else:
        start = len(body.rstrip("0123456789,-"))
        dash = body.find("-", start)
        body, told = body[: max(dash, 0)], body[dash + 1 :]
    numbers = _numbers(told, min(len(words.words), words.n_left))
    words.n_left -= len(numbers or ())
    kind, dash_after_kind, subtype = body.partition("-")
    if status is None or numbers is None or not dash_after_kind:
        return None
    if kind in _WORDY and numbers and subtype == words.said(numbers):
        subtype = kind
    height = None if status[2] is None else int(status[2])
    return _Said(kind, subtype, numbers, "" if status[1] == NOTHING else status[1], height)


def _ranges(numbers: Sequence[int]) -> str:
    """``4-5,9`` for 4, 5 and 9, in the order given."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs) or NOTHING


def _numbers(told: str, n_words: int) -> tuple[int, ...] | None:
    """The numbers of these ranges; None if they are malformed or exceed the number of words."""
    if told == NOTHING:
        return ()
    if not _RANGES.fullmatch(told):
        return None
    numbers: list[int] = []
    for part in told.split(","):
        first, _, last = part.partition("-")
        run = range(int(first), int(last or first) + 1)
        if not run or run[0] < 1 or run[-1] > n_words or len(numbers) > n_words:
            return None
        numbers += run
    return tuple(numbers)


def _joined(texts: Iterable[str], separator: str) -> str:
    return separator.join(texts) or NOTHING


def _parted(text: str, separator: str) -> list[str]:
    return [] if text == NOTHING else text.split(separator)
