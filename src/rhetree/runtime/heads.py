"""Small networks on the states of a finished one: fine relations, and the words that signal a relation.

They change no EDU and no tree. A model directory may lack them; ``benchmarks/add_heads.py`` trains them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rhetree.domain.annotation import Signal
from rhetree.domain.reading import FineProb, LabelProbs, Reading
from rhetree.domain.relations import label_parts
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.errors import ModelError
from rhetree.runtime.model_files import Settings
from rhetree.runtime.network import Encoded, Floats, Ints
from rhetree.runtime.pointer import log_softmax
from rhetree.runtime.spans import SpanRepresentation

FINE = "fine.onnx"
SIGNALS = "signals.onnx"
REACH = 64
"""Tokens on each side of a split's middle that are looked at: cost stays linear in the text."""
PLACES = (12, 8, 8, 8, 4)
"""The largest distance of a token from the split, from its span's two ends and from its EDU's two ends."""
NEIGHBOURS = (0, -1, 1, -2, 2)
"""Whose words are looked at: the token itself and two on each side."""
_MOST_SPLITS = 256

Graph = Any
"""An ONNX Runtime session; the library has no types."""


@dataclass(frozen=True, slots=True, eq=False)
class _Splits:
    """Splits of some readings in one list, placed in the batch's tokens."""

    rows: Ints
    tokens: Ints
    """First token, first token of the right part, end, ``(splits, 3)``."""
    labels: list[str]

    @classmethod
    def of(cls, readings: Sequence[tuple[int, Reading]]) -> "_Splits":
        rows, tokens, labels = [], [], []
        for row, reading in readings:
            edges = [*(edu.start for edu in reading.edus), reading.n_tokens]
            for split in _splits_of(reading):
                rows.append(row)
                tokens.append([edges[split.start], edges[split.split], edges[split.end]])
                labels.append(split.label)
        return cls(np.array(rows, np.int64), np.array(tokens, np.int64).reshape(-1, 3), labels)


class FineRelations:
    """Chooses among the fine relations of the label that a split already has."""

    def __init__(self, graph: Graph, relations: Sequence[tuple[str, str]], spans: SpanRepresentation) -> None:
        """Choose with this graph.

        :param relations: a label and a fine relation for each column of the graph's scores
        """
        self._graph = graph
        self._spans = spans
        self._labels = [label for label, _ in relations]
        self._names = [name for _, name in relations]
        self._of_label: dict[str, Ints] = {
            label: np.array([n for n, (own, _) in enumerate(relations) if own == label])
            for label in dict.fromkeys(self._labels)
        }

    @property
    def labels(self) -> tuple[str, ...]:
        """Every fine relation with each nuclearity that it can have, such as ``adversative-concession-SN``."""
        names = zip(self._names, self._labels, strict=True)
        return tuple(sorted({f"{name}-{label_parts(label)[1]}" for name, label in names}))

    def __call__(
        self, encoded: Encoded, readings: list[tuple[Reading, ...]], *, main: bool, n_told: int
    ) -> list[tuple[Reading, ...]]:
        """The readings with the fine relation of each split.

        :param main: whether fine relations take the place of the classes
        :param n_told: with ``main``, of how many fine labels of each split to tell the probability
        """
        flat = [(row, reading) for row, own in enumerate(readings) for reading in own]
        splits = _Splits.of(flat)
        if not len(splits.rows):
            return readings
        scores = self._scores(encoded, splits)
        at, changed = 0, []
        for _, reading in flat:
            after = at + len(_splits_of(reading))
            changed.append(self._named(reading, scores[at:after], main, n_told))
            at = after
        rest = iter(changed)
        return [tuple(next(rest) for _ in own) for own in readings]

    def _scores(self, encoded: Encoded, splits: _Splits) -> Floats:
        """Log-probabilities of the fine relations within their label, ``(splits, relations)``."""
        units = _units(encoded)
        found = []
        for at in range(0, len(splits.rows), _MOST_SPLITS):
            rows, tokens = splits.rows[at : at + _MOST_SPLITS], splits.tokens[at : at + _MOST_SPLITS]
            left, right = self._spans(units, rows, tokens[:, :2]), self._spans(units, rows, tokens[:, 1:])
            (scores,) = self._graph.run(None, {"left": two(left), "right": two(right)})
            found.append(scores[: len(rows)])
        joined: Floats = np.concatenate(found)
        for columns in self._of_label.values():
            joined[:, columns] = log_softmax(joined[:, columns])
        return joined

    def _named(self, reading: Reading, scores: Floats, main: bool, n_told: int) -> Reading:
        fine: list[FineProb] = []
        splits, label_probs = [], []
        for split, labels, own in zip(_splits_of(reading), reading.label_probs, scores, strict=True):
            prob = dict(labels)[split.label]
            columns = self._of_label.get(split.label)
            if columns is None:
                fine.append((split.relation, prob))
            else:
                best = int(columns[own[columns].argmax()])
                fine.append((self._names[best], prob * float(np.exp(own[best]))))
            splits.append(replace(split, relation=fine[-1][0]))
            label_probs.append(self._told(labels, own, n_told))
        if not main or reading.tree is None:
            return replace(reading, fine=tuple(fine))
        told = tuple(
            labels if split.label in dict(labels) else (*labels, (split.label, prob))
            for split, labels, (_, prob) in zip(splits, label_probs, fine, strict=True)
        )
        return replace(reading, tree=Tree(tuple(splits)), label_probs=told, fine=tuple(fine))

    def _told(self, labels: LabelProbs, scores: Floats, n_told: int) -> LabelProbs:
        """The likeliest fine labels among those of the labels that are told."""
        found: list[FineProb] = []
        for label, prob in labels:
            if label not in self._of_label:
                found.append((label, prob))
                continue
            nuclearity = label_parts(label)[1]
            for column in self._of_label[label].tolist():
                found.append((f"{self._names[column]}-{nuclearity}", prob * float(np.exp(scores[column]))))
        return tuple(sorted(found, key=lambda one: -one[1])[:n_told])


class SignalTagger:
    """Finds the words that signal the relation of a split."""

    def __init__(
        self,
        graph: Graph,
        kinds: Sequence[tuple[str, str, float]],
        labels: Sequence[str],
        words: Sequence[str],
        spans: SpanRepresentation,
    ) -> None:
        """Find signals with this graph.

        :param kinds: type, subtype and least log-odds of each column of the graph's scores
        :param labels: what the network's labels are called
        :param words: words in lower case that often signal something
        """
        self._graph = graph
        self._words = {word: number for number, word in enumerate(words, start=1)}
        self._kinds = [(type, subtype) for type, subtype, _ in kinds]
        self._least = np.array([least for _, _, least in kinds], np.float32)
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._outside = len(labels)
        self._spans = spans

    def __call__(
        self, encoded: Encoded, sentences: Sequence[Sequence[str]], readings: list[tuple[Reading, ...]]
    ) -> list[tuple[Reading, ...]]:
        """The readings, the first one of each sentence with its signals.

        Signals of the whole sentence are those of its relation to other sentences, which no tree of sentences has.

        :param sentences: their tokens
        """
        words = self._word_numbers(sentences)
        first = [(row, own[0]) for row, own in enumerate(readings)]
        splits = _Splits.of(first)
        sources = [(row, source_of(split)) for row, reading in first for split in _splits_of(reading)]
        # What leads out of a sentence is signalled in it, too: a split of the sentence with nothing before it.
        whole = [[0, 0, reading.n_tokens] for _, reading in first]
        sources += [(row, Span(0, len(reading.edus))) for row, reading in first]
        rows = np.concatenate([splits.rows, np.arange(len(first))])
        tokens = np.concatenate([splits.tokens, np.array(whole, np.int64)])
        numbers = [self._numbers.get(label, self._outside) for label in splits.labels]
        labels = np.array(numbers + [self._outside] * len(first), np.int64)
        edges = [np.array([*(edu.start for edu in one.edus), one.n_tokens]) for _, one in first]
        best: dict[tuple[int, int, int], tuple[float, int]] = {}
        for at in range(0, len(sources), _MOST_SPLITS):
            here = slice(at, at + _MOST_SPLITS)
            pairs = pairs_of(rows[here], tokens[here], edges)
            scores = self._scores(encoded, rows[here], tokens[here], labels[here], pairs, words)
            for pair, kind in np.argwhere(scores > self._least).tolist():
                number = at + int(pairs.splits[pair])
                key = (int(rows[number]), kind, int(pairs.tokens[pair]))
                # In one way a word signals one relation: the one that it is likeliest to.
                best[key] = max(best.get(key, (-np.inf, 0)), (float(scores[pair, kind]), number))
        found: dict[tuple[int, int], list[int]] = {}
        for (_, kind, token), (_, number) in sorted(best.items()):
            found.setdefault((number, kind), []).append(token)
        signals: list[list[Signal]] = [[] for _ in readings]
        for (number, kind), own_tokens in sorted(found.items()):
            row, source = sources[number]
            signals[row].append(Signal(source, *self._kinds[kind], tuple(own_tokens)))
        return [
            (replace(own[0], signals=tuple(marks)), *own[1:])
            for own, marks in zip(readings, signals, strict=True)
        ]

    def _scores(
        self, encoded: Encoded, rows: Ints, tokens: Ints, labels: Ints, pairs: "Pairs", words: Ints
    ) -> Floats:
        units = _units(encoded)
        inputs = {
            "states": two(units[rows[pairs.splits], pairs.tokens]),
            "left": two(self._spans(units, rows, tokens[:, :2])),
            "right": two(self._spans(units, rows, tokens[:, 1:])),
            "labels": two(labels),
            "splits": two(pairs.splits),
            "places": two(pairs.places),
            "words": two(words[rows[pairs.splits], pairs.tokens]),
        }
        (scores,) = self._graph.run(None, inputs)
        found: Floats = scores[: len(pairs.tokens)]
        return found

    def _word_numbers(self, sentences: Sequence[Sequence[str]]) -> Ints:
        """The numbers of each token and its neighbours, ``(batch, longest, 5)``."""
        numbers = np.zeros((len(sentences), max(map(len, sentences))), np.int64)
        for row, sentence in enumerate(sentences):
            numbers[row, : len(sentence)] = [self._words.get(word.lower(), 0) for word in sentence]
        return with_neighbours(numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """What a model can tell beside EDUs and trees."""

    fine: FineRelations | None = None
    signals: SignalTagger | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Each split with each token near it."""

    splits: Ints
    """The number of the split, ``(pairs,)``."""
    tokens: Ints
    """The token, counted in its sentence, ``(pairs,)``."""
    places: Ints
    """Where the token is: see :data:`PLACES`; ``(pairs, 5)``."""


def pairs_of(rows: Ints, splits: Ints, edges: Sequence[Ints]) -> Pairs:
    """Each split with the tokens of its span, at most :data:`REACH` to each side of its middle.

    :param rows: the sentence of each split
    :param splits: first token, first token of the right part, end, ``(splits, 3)``
    :param edges: of each sentence, the first token of each EDU and the end of the last one
    """
    starts = np.maximum(splits[:, 0], splits[:, 1] - REACH)
    lengths = np.minimum(splits[:, 2], splits[:, 1] + REACH) - starts
    numbers = np.repeat(np.arange(len(splits)), lengths)
    before = lengths.cumsum() - lengths
    tokens = np.arange(len(numbers)) - np.repeat(before - starts, lengths)
    start, middle, end = splits[numbers].T
    from_edu, to_edu = np.zeros_like(tokens), np.zeros_like(tokens)
    for number, row in enumerate(rows.tolist()):
        own = slice(int(before[number]), int(before[number] + lengths[number]))
        edu = np.searchsorted(edges[row], tokens[own], side="right")
        from_edu[own] = tokens[own] - edges[row][edu - 1]
        to_edu[own] = edges[row][edu] - 1 - tokens[own]
    most = PLACES
    places = np.stack(
        [
            np.clip(tokens - middle, -most[0], most[0]) + most[0],
            np.minimum(tokens - start, most[1]),
            np.minimum(end - 1 - tokens, most[2]),
            np.minimum(from_edu, most[3]),
            np.minimum(to_edu, most[4]),
        ],
        axis=1,
    )
    return Pairs(numbers, tokens, places)


def with_neighbours(numbers: Ints) -> Ints:
    """The number at each place and at its neighbours, one more axis; 0 beyond the ends."""
    far = max(NEIGHBOURS)
    padded = np.pad(numbers, [*([(0, 0)] * (numbers.ndim - 1)), (far, far)])
    n = numbers.shape[-1]
    return np.stack([padded[..., far + by : far + by + n] for by in NEIGHBOURS], axis=-1)


def source_of(split: Split) -> Span:
    """The unit whose relation a split's signals show: the satellite, or the right one of two nuclei."""
    return split.left if split.nuclearity == "SN" else split.right


def load_heads(folder: Path, settings: Settings, labels: Sequence[str]) -> Heads:
    """The heads of a model's folder that its settings name."""
    if not {"fine", "signals"} & settings.values.keys():
        return Heads()
    from rhetree.runtime.onnx_runtime import read_graph

    spans = SpanRepresentation.from_settings(settings.section("parser"))
    fine = signals = None
    if "fine" in settings.values:
        relations = _rows(settings.section("fine"), "relations", (str, str))
        graph = read_graph(folder / FINE, ["left", "right"])
        fine = FineRelations(graph, [(label, name) for label, name in relations], spans)
    if "signals" in settings.values:
        kinds = _rows(settings.section("signals"), "kinds", (str, str, (int, float)))
        inputs = ["states", "left", "right", "labels", "splits", "places", "words"]
        graph = read_graph(folder / SIGNALS, inputs)
        words = _rows(settings.section("signals"), "words", str)
        signals = SignalTagger(
            graph, [(type, sub, least) for type, sub, least in kinds], labels, words, spans
        )
    return Heads(fine, signals)


def _rows(settings: Settings, name: str, kinds: Any) -> list[Any]:
    """A list of values of this kind, or of lists with a value of each of these kinds."""
    rows = settings.values.get(name)
    if not isinstance(rows, list) or not all(_is_row(row, kinds) for row in rows):
        what = f"rows of {len(kinds)} values" if isinstance(kinds, tuple) else "words"
        raise ModelError(f"{settings.where}.{name}: expected a list of {what}, got {rows!r:.80}")
    return rows


def _is_row(row: object, kinds: Any) -> bool:
    if not isinstance(kinds, tuple):
        return isinstance(row, kinds)
    return isinstance(row, list) and len(row) == len(kinds) and all(map(isinstance, row, kinds))


def two(array: Any) -> Any:
    """The array with at least two rows: products of one row are computed in another way, to other last bits."""
    return np.repeat(array, 2, axis=0) if len(array) == 1 else array


def _units(encoded: Encoded) -> Floats:
    if encoded.parser is None:
        raise ValueError("this network does not parse")
    return encoded.parser.units


def _splits_of(reading: Reading) -> tuple[Split, ...]:
    return () if reading.tree is None else reading.tree.splits
