"""Trains fine relations and signals on the states of a finished model, and adds them to its folder.

    python benchmarks/add_heads.py MODEL GUM [--states FOLDER] [--write]

MODEL is the folder of an exported model, GUM the treebank with its folder `rs4`, which has fine relations and signals.
The model itself stays as it is: its states of the gold sentences are computed once (and kept in --states), then two small
networks learn on them, for a few minutes on one core. With --write they go into MODEL as `fine.onnx` and `signals.onnx`.
Prints scores on dev, with gold EDUs and trees: fine relations given the gold label; tokens of signals given the gold
split, for each kind with the threshold that is best on dev; and tokens of discourse markers and orphans, wherever they
belong, beside looking words up by their place in the gold EDU.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from rhetree.corpora.corpus import read_corpus
from rhetree.domain.document import Document
from rhetree.domain.relations import GUM
from rhetree.domain.span import Span
from rhetree.learning.export.graphs import trace
from rhetree.learning.export.precision import halve
from rhetree.learning.networks.heads import FineClassifier, SignalTagger, within_groups
from rhetree.runtime.batching import batches_by_cost
from rhetree.runtime.heads import FINE, SIGNALS, pairs_of, with_neighbours
from rhetree.runtime.loading import load_any
from rhetree.runtime.model import CONFIG

MARKERS = ("dm", "orphan")
"""Types of signals that are words: discourse markers, and those of relations beside the tree."""
LEAST_F1 = 0.6
"""On dev, of a kind of signals that the model keeps."""
LEAST_COUNT = 10
"""Of its signals on dev."""
KINDS = (
    ("dm", "dm"),
    ("lexical", "indicative_word"),
    ("syntactic", "modified_head"),
    ("semantic", "attribution_source"),
    ("syntactic", "relative_clause"),
    ("syntactic", "nominal_modifier"),
    ("syntactic", "infinitival_clause"),
    ("graphical", "parentheses"),
    ("syntactic", "reported_speech"),
    ("syntactic", "present_participial_clause"),
    ("graphical", "colon"),
    ("graphical", "quotation_marks"),
)
"""Kinds to learn. Of the others with at least 100 signals inside sentences of train (references, lexical chains, repetition,
synonymy, meronymy, indicative phrases, negation) none came near."""


@dataclass
class Mark:
    """A signal: its kind, its unit (EDUs counted in the sentence; None if outside of it) and tokens."""

    kind: tuple[str, str]
    unit: tuple[int, int] | None
    tokens: list[int]


@dataclass
class Sentence:
    """A gold sentence."""

    tokens: list[str]
    edges: np.ndarray
    splits: list[tuple[int, int, int, str, str]]
    """First EDU, first EDU of the right part, end, label of class, fine relation."""
    marks: list[Mark]
    states: np.ndarray | None = None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("gum", type=Path)
    parser.add_argument("--states", type=Path, help="a folder to keep states in")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--epochs", type=int, default=7)
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = load_any(args.model, threads=1)
    data = {}
    for split in ("train", "dev"):
        corpus = read_corpus(args.gum, split=(split,), relations="none", trees="rs4", lenient=True)
        data[split] = [one for document in corpus.split(split) for one in sentences_of(document)]
        add_states(model.network, data[split], args.states and args.states / f"{split}.npz")
    fine, relations = train_fine(data["train"], data["dev"], args.epochs + 1)
    tagger, kinds, words = train_signals(data["train"], data["dev"], model.labels, args.epochs)
    if args.write:
        graphs = {FINE: fine_graph(fine), SIGNALS: signals_graph(tagger)}
        path = args.model / CONFIG
        config = json.loads(path.read_text(encoding="utf-8"))
        runtime = config["runtime"]
        for name, graph in graphs.items():
            onnx.save(halve(graph), args.model / name)
            runtime["files"][name] = (args.model / name).stat().st_size
        runtime["fine"] = {"relations": [list(one) for one in relations]}
        runtime["signals"] = {"kinds": kinds, "words": words}
        path.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        load_any(args.model, threads=1)


# --- data ------------------------------------------------------------------------------------


def sentences_of(document: Document) -> Iterator[Sentence]:
    spans, trees = document.sentence_edus(), document.trees_by_sentence()
    owner = {token: n for n, sentence in enumerate(document.sentences) for token in sentence.indices()}
    marks: list[list[Mark]] = [[] for _ in document.sentences]
    for signal in document.signals:
        unit = signal.source if isinstance(signal.source, Span) else None
        tokens: dict[int, list[int]] = defaultdict(list)
        for token in signal.tokens:
            tokens[owner[token]].append(token - document.sentences[owner[token]].start)
        for number, own in tokens.items():
            edus = spans[number]
            inside = unit is not None and edus is not None and edus.contains(unit)
            place = (unit.start - edus.start, unit.end - edus.start) if inside else None  # type: ignore[union-attr]
            marks[number].append(Mark((signal.type, signal.subtype), place, own))
    for number, (sentence, edus, tree) in enumerate(zip(document.sentences, spans, trees, strict=True)):
        if edus is None:
            continue
        starts = [edu.start - sentence.start for edu in document.edus[edus.start : edus.end]]
        splits = [
            (s.start, s.split, s.end, f"{GUM.class_of(s.relation)}-{s.nuclearity}", s.relation)
            for s in (() if tree is None else tree.splits)
        ]
        yield Sentence(document.forms_of(sentence), np.array([*starts, len(sentence)]), splits, marks[number])


def add_states(network: Any, sentences: Sequence[Sentence], path: Path | None) -> None:
    lengths = [len(sentence.tokens) for sentence in sentences]
    edges = np.cumsum([0, *lengths])
    if path is not None and path.exists():
        states = np.load(path)["states"]
    else:
        parts: dict[int, np.ndarray] = {}
        for batch in batches_by_cost(lengths, 4096):
            units = network.encode([sentences[number].tokens for number in batch]).parser.units
            parts |= {
                number: units[row, : lengths[number]].astype(np.float16) for row, number in enumerate(batch)
            }
        states = np.concatenate([parts[number] for number in range(len(sentences))])
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(path, states=states)
    for sentence, start, end in zip(sentences, edges, edges[1:], strict=False):
        sentence.states = states[start:end]


def ends(states: np.ndarray, start: int, end: int) -> np.ndarray:
    """A span by both of its ends."""
    return np.concatenate([states[start], states[end - 1]]).astype(np.float32)


def placed(sentence: Sentence) -> list[tuple[int, int, int]]:
    """Each split in tokens."""
    edges = sentence.edges
    return [(int(edges[a]), int(edges[m]), int(edges[b])) for a, m, b, _, _ in sentence.splits]


# --- fine relations --------------------------------------------------------------------------


def train_fine(
    train: Sequence[Sentence], dev: Sequence[Sentence], epochs: int
) -> tuple[FineClassifier, list[tuple[str, str]]]:
    torch.manual_seed(1)
    known = sorted({(label, name) for one in train for *_, label, name in one.splits})
    numbers = {one: number for number, one in enumerate(known)}
    labels = sorted({label for label, _ in known})
    groups = torch.tensor([labels.index(label) for label, _ in known])
    left, right, gold = _fine_tensors(train, numbers)
    network = FineClassifier(left.shape[1], 128, len(known))
    steps = epochs * (len(gold) // 64 + 1)
    optimizer, schedule = _optimizer(network, 1e-3, steps)
    for _ in range(epochs):
        network.train()
        for batch in torch.randperm(len(gold)).split(64):
            log_probs = within_groups(network(left[batch], right[batch])["scores"], groups)
            loss = -log_probs[torch.arange(len(batch)), gold[batch]].mean()
            _step(optimizer, schedule, loss)
    network.eval()
    left, right, gold = _fine_tensors(dev, numbers)
    with torch.no_grad():
        log_probs = within_groups(network(left, right)["scores"], groups)
    own = groups[gold.clamp(min=0)]
    best = log_probs.masked_fill(groups != own[:, None], -torch.inf).argmax(dim=1)
    counts = Counter((label, name) for one in train for *_, label, name in one.splits)
    usual = {
        label: max(
            (n, number)
            for (own, _), number in numbers.items()
            if own == label
            for n in [counts[known[number]]]
        )[1]
        for label in labels
    }
    majority = torch.tensor([usual[labels[number]] for number in own.tolist()])
    print(
        f"fine relations: {len(known)} of {len(labels)} labels; given the gold label, {_percent(best == gold)} of "
        f"{len(gold)} splits of dev are right, {_percent(majority == gold)} by the most frequent relation",
        flush=True,
    )
    return network, known


def _fine_tensors(
    sentences: Sequence[Sentence], numbers: dict[tuple[str, str], int]
) -> tuple[Tensor, Tensor, Tensor]:
    left, right, gold = [], [], []
    for one in sentences:
        for (start, middle, end), (*_, label, name) in zip(placed(one), one.splits, strict=True):
            assert one.states is not None
            left.append(ends(one.states, start, middle))
            right.append(ends(one.states, middle, end))
            gold.append(numbers.get((label, name), -1))
    return torch.tensor(np.array(left)), torch.tensor(np.array(right)), torch.tensor(gold)


def fine_graph(network: FineClassifier) -> onnx.ModelProto:
    width = network.left.in_features
    return trace(network, *({"left": _wave(n, width), "right": -_wave(n, width)} for n in (2, 3)))


# --- signals ---------------------------------------------------------------------------------


@dataclass
class Pairs:
    """Splits, each with the tokens near it, as the tagger's inputs, and the gold answer."""

    inputs: dict[str, Tensor]
    gold: Tensor
    places: list[tuple[int, int]]
    """Sentence and token of each pair."""
    is_inside: Tensor
    """Whether the pair is of a split; the others stand for relations that lead out of the sentence."""


def train_signals(
    train: Sequence[Sentence], dev: Sequence[Sentence], labels: Sequence[str], epochs: int
) -> tuple[SignalTagger, list[list[Any]], list[str]]:
    torch.manual_seed(1)
    counts = Counter(
        mark.kind for one in train for mark in one.marks if mark.unit is not None and mark.tokens
    )
    kinds = list(KINDS)
    words = _words(train, kinds)
    ours, held = (pairs_in(split, labels, kinds, words) for split in (train, dev))
    width = ours.inputs["states"].shape[1]
    network = SignalTagger(width, ours.inputs["left"].shape[1], len(labels) + 1, len(kinds), len(words))
    splits = ours.inputs["splits"]
    n_splits = len(ours.inputs["left"])
    edges = torch.searchsorted(splits, torch.arange(n_splits + 1))
    optimizer, schedule = _optimizer(network, 2e-3, epochs * (n_splits // 48 + 1))
    for _ in range(epochs):
        network.train()
        for batch in torch.randperm(n_splits).split(48):
            pairs = torch.cat([torch.arange(int(edges[n]), int(edges[n + 1])) for n in batch.tolist()])
            own = {name: ours.inputs[name][batch] for name in ("left", "right", "labels")}
            own |= {name: ours.inputs[name][pairs] for name in ("states", "places", "words")}
            own["splits"] = torch.repeat_interleave(torch.arange(len(batch)), edges[batch + 1] - edges[batch])
            loss = nn.functional.binary_cross_entropy_with_logits(
                network(**own)["scores"], ours.gold[pairs], reduction="sum"
            )
            _step(optimizer, schedule, loss / len(batch))
    network.eval()
    with torch.no_grad():
        scores = network(**held.inputs)["scores"].numpy()
    lookup = looked_up(train, dev)
    wanted = {
        (n, token)
        for n, one in enumerate(dev)
        for mark in one.marks
        if mark.kind[0] in MARKERS
        for token in mark.tokens
    }
    best = max(
        (_f1({held.places[n] for n in np.flatnonzero(scores[:, 0] > least)}, wanted), least)
        for least in np.arange(-1.5, 1.01, 0.1)
    )
    print(
        f"tokens of markers and orphans on dev, gold EDUs: {_tenths(best[0])}; looked up: {_tenths(_f1(lookup, wanted))}"
    )
    kept: list[list[Any]] = []
    columns = []
    inside = held.is_inside.numpy()
    print(
        "\n| kind | signals in train | tokens in dev | F1 on dev | least log-odds |\n| --- | --- | --- | --- | --- |"
    )
    for column, kind in enumerate(kinds):
        gold = held.gold[:, column].numpy()[inside] > 0
        own = scores[inside, column]
        found = max(
            (_f1_of(own > least, gold), round(float(least), 1)) for least in np.arange(-1.5, 1.01, 0.1)
        )
        is_kept = found[0] >= LEAST_F1 and gold.sum() >= LEAST_COUNT
        print(
            f"| {' '.join(kind)}{'' if is_kept else ' (left out)'} | {counts[kind]} | {gold.sum()} | {_tenths(found[0])} | {found[1]} |"
        )
        if is_kept:
            kept.append([*kind, found[1]])
            columns.append(column)
    last = nn.Linear(network.scores.in_features, len(columns))
    last.weight.data, last.bias.data = network.scores.weight.data[columns], network.scores.bias.data[columns]
    network.scores = last
    return network, kept, words


def _words(train: Sequence[Sentence], kinds: Sequence[tuple[str, str]]) -> list[str]:
    markers: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for one in train:
        for mark in one.marks:
            found = [one.tokens[token].lower() for token in mark.tokens]
            if mark.kind[0] in MARKERS:
                markers.update(found)
            elif mark.kind in kinds:
                others.update(found)
    return sorted(
        {word for word, n in markers.items() if n > 1} | {word for word, n in others.items() if n > 4}
    )


def pairs_in(
    sentences: Sequence[Sentence],
    labels: Sequence[str],
    kinds: Sequence[tuple[str, str]],
    words: Sequence[str],
) -> Pairs:
    """The pairs of all splits; and for each sentence one with no left part, for what leads out of it."""
    number_of = {word: number for number, word in enumerate(words, start=1)}
    parts: dict[str, list[Any]] = defaultdict(list)
    gold, places, is_inside = [], [], []
    for n, one in enumerate(sentences):
        assert one.states is not None
        states = one.states.astype(np.float32)
        forms = with_neighbours(np.array([number_of.get(word.lower(), 0) for word in one.tokens]))
        known = [
            (split, tokens)
            for split, tokens in zip(one.splits, placed(one), strict=True)
            if split[3] in labels
        ]
        owned: dict[int, list[Mark]] = defaultdict(list)
        for mark in one.marks:
            owners = (k for k, (split, _) in enumerate(known) if mark.unit in (split[:2], split[1:3]))
            owned[next(owners, -1)].append(mark)
        rows = [*((k, tokens) for k, (_, tokens) in enumerate(known)), (-1, (0, 0, len(one.tokens)))]
        for k, (start, middle, end) in rows:
            pairs = pairs_of(np.array([0]), np.array([[start, middle, end]]), [one.edges])
            tokens = pairs.tokens
            answer = np.zeros((len(tokens), len(kinds)), np.float32)
            for mark in owned[k]:
                kind = ("dm", "dm") if k < 0 and mark.kind[0] in MARKERS else mark.kind
                if kind in kinds and (k >= 0 or kind == ("dm", "dm")):
                    answer[np.isin(tokens, mark.tokens), kinds.index(kind)] = 1
            parts["splits"].append(np.full(len(tokens), len(parts["left"])))
            parts["left"].append(
                np.zeros(2 * states.shape[1], np.float32) if k < 0 else ends(states, start, middle)
            )
            parts["right"].append(ends(states, middle, end))
            parts["labels"].append(len(labels) if k < 0 else labels.index(known[k][0][3]))
            parts["states"].append(states[tokens])
            parts["places"].append(pairs.places)
            parts["words"].append(forms[tokens])
            gold.append(answer)
            places += [(n, token) for token in tokens.tolist()]
            is_inside += [k >= 0] * len(tokens)
    inputs = {
        name: torch.from_numpy(np.array(own) if name in ("left", "right", "labels") else np.concatenate(own))
        for name, own in parts.items()
    }
    return Pairs(inputs, torch.from_numpy(np.concatenate(gold)), places, torch.tensor(is_inside))


def looked_up(train: Sequence[Sentence], dev: Sequence[Sentence]) -> set[tuple[int, int]]:
    """Tokens that are more often markers than not in train, by word and place in the EDU (up to 3)."""
    seen: Counter[tuple[str, int]] = Counter()
    marked: Counter[tuple[str, int]] = Counter()
    for one in train:
        own = {token for mark in one.marks if mark.kind[0] in MARKERS for token in mark.tokens}
        for token, key in enumerate(_keys(one)):
            seen[key] += 1
            marked[key] += token in own
    return {
        (n, token)
        for n, one in enumerate(dev)
        for token, key in enumerate(_keys(one))
        if 2 * marked[key] > seen[key]
    }


def _keys(sentence: Sentence) -> Iterator[tuple[str, int]]:
    for token, word in enumerate(sentence.tokens):
        edu = int(np.searchsorted(sentence.edges, token, side="right")) - 1
        yield word.lower(), min(token - int(sentence.edges[edu]), 3)


def signals_graph(network: SignalTagger) -> onnx.ModelProto:
    states, spans = network.token.in_features, network.left.in_features

    def example(n_splits: int, n_pairs: int) -> dict[str, Tensor]:
        return {
            "states": _wave(n_pairs, states),
            "left": _wave(n_splits, spans),
            "right": -_wave(n_splits, spans),
            "labels": torch.arange(n_splits),
            "splits": torch.arange(n_pairs) % n_splits,
            "places": torch.arange(5 * n_pairs).reshape(n_pairs, 5) % 5,
            "words": torch.arange(5 * n_pairs).reshape(n_pairs, 5) % 3,
        }

    return trace(network, example(2, 5), example(3, 7))


# --- small things ----------------------------------------------------------------------------


def _optimizer(network: nn.Module, rate: float, steps: int) -> tuple[Any, Any]:
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    return optimizer, torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0.05, steps)


def _step(optimizer: Any, schedule: Any, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()


def _wave(*shape: int) -> Tensor:
    return torch.arange(float(torch.Size(shape).numel())).sin().reshape(shape)


def _f1(found: set[tuple[int, int]], gold: set[tuple[int, int]]) -> float:
    return 2 * len(found & gold) / max(1, len(found) + len(gold))


def _f1_of(found: np.ndarray, gold: np.ndarray) -> float:
    return float(2 * (found & gold).sum() / max(1, found.sum() + gold.sum()))


def _tenths(share: float) -> str:
    return f"{100 * share:.1f}"


def _percent(right: Tensor) -> str:
    return f"{100 * right.float().mean().item():.1f} %"


if __name__ == "__main__":
    main()
