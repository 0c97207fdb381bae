"""Learning from teachers (Hinton et al. 2015): their distributions instead of single correct answers.

Several finished models, averaged, say how likely every EDU end, split and label is. The student learns
these distributions on the gold sentences, mixed with the gold answers, and on text without annotation,
whose EDUs and trees are those that the teachers find.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rhetree.domain.document import Document
from rhetree.errors import MismatchError, TrainingError
from rhetree.formats import read
from rhetree.learning.ensemble import Ensemble
from rhetree.learning.targets import ParseStep, SentenceExample, SoftTargets, parse_steps, sentence_examples
from rhetree.learning.training.processes import Processes
from rhetree.runtime.batching import batches_by_cost
from rhetree.runtime.loading import load_any
from rhetree.runtime.network import Encoded, Floats, Network, SpansToSplit
from rhetree.runtime.pipeline import BATCH_COST, Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillationConfig:
    """Learning from other models; without teachers this section has no effect."""

    teachers: tuple[str, ...] = ()
    """Folders of the models to learn from, by the mean of their probabilities; they must have the new model's labels."""
    texts: tuple[str, ...] = ()
    """Further files with tokens and sentences, such as CoNLL-U, on which to learn the teachers' EDUs and trees."""
    share: float = 0.5
    """Weight of the teachers on a gold sentence; the gold answer has the rest."""
    longest: int = 100
    """Largest number of tokens in a sentence of the texts; longer sentences are left out."""

    def __post_init__(self) -> None:
        if self.texts and not self.teachers:
            raise ValueError("texts need teachers, which annotate them")
        if not 0 <= self.share <= 1:
            raise ValueError(f"share must be between 0 and 1, got {self.share}")
        if self.longest < 1:
            raise ValueError(f"longest must be at least 1, got {self.longest}")


def fingerprint(teachers: Iterable[str | Path], texts: Iterable[str | Path] = ()) -> str:
    """A hash of the files of teachers, and of texts."""
    sha256 = hashlib.sha256()
    for folder in teachers:
        for path in sorted(Path(folder).iterdir()):
            if path.is_file():
                sha256.update(hashlib.sha256(path.read_bytes()).digest())
    for text in texts:
        sha256.update(hashlib.sha256(Path(text).read_bytes()).digest())
    return sha256.hexdigest()


def teach(
    config: DistillationConfig,
    examples: Sequence[SentenceExample],
    labels: Sequence[str],
    *,
    threads: int = 0,
    processes: Processes | None = None,
) -> list[SentenceExample]:
    """The examples with the teachers' distributions, followed by those of the texts.

    :param labels: the student's labels; the teachers must have the same
    :param processes: those that train, which share the teachers' work
    """
    processes = processes or Processes()
    models = [load_any(Path(folder), threads=threads) for folder in config.teachers]
    teachers = Ensemble([(model.network, model.labels) for model in models])
    if set(teachers.labels) != set(labels):
        odd = ", ".join(sorted(set(teachers.labels) ^ set(labels)))
        raise TrainingError(f"the teachers' labels differ from the corpus's; only one side has: {odd}")
    columns = [teachers.labels.index(label) for label in labels]

    def learn_gold(some: list[SentenceExample]) -> list[SentenceExample]:
        return [
            replace(example, soft=_mixed(example, soft, labels, config.share))
            for example, soft in zip(some, soft_targets(teachers, some, columns), strict=True)
        ]

    def learn_text(some: list[Sequence[str]]) -> list[SentenceExample]:
        if not some:
            return []
        parsed = sentence_examples(
            Pipeline(teachers, teachers.labels).predict([Document.from_sentences(some)])
        )
        return [
            replace(example, soft=soft)
            for example, soft in zip(parsed, soft_targets(teachers, parsed, columns), strict=True)
        ]

    return processes.share_out(examples, learn_gold) + processes.share_out(_sentences(config), learn_text)


def _sentences(config: DistillationConfig) -> list[Sequence[str]]:
    """The sentences of the texts that are short enough."""
    found: list[Sequence[str]] = []
    for path in config.texts:
        for document in read(path):
            if document.tokens and not document.sentences:
                raise MismatchError(f"{path}: {document.name} has no sentences; teachers parse sentences")
            forms = map(document.forms_of, document.sentences)
            found += (sentence for sentence in forms if len(sentence) <= config.longest)
    return found


def soft_targets(
    network: Network, examples: Sequence[SentenceExample], columns: Sequence[int]
) -> list[SoftTargets]:
    """A network's distribution of every choice that led to the examples' EDUs and trees.

    :param columns: index of the network's label for each label of the result
    """
    found: dict[int, SoftTargets] = {}
    for batch in batches_by_cost([len(example.tokens) for example in examples], BATCH_COST):
        own = [examples[number] for number in batch]
        encoded = network.encode([example.tokens for example in own])
        edges = [np.cumsum([0, *example.edu_lengths]).tolist() for example in own]
        ends = _end_probs(network, encoded, edges)
        places = _place_probs(network, encoded, own, edges)
        labels = _label_probs(network, encoded, own, edges, columns)
        found |= dict(zip(batch, map(SoftTargets, ends, places, labels), strict=True))
    return [found[number] for number in range(len(examples))]


def _end_probs(
    network: Network, encoded: Encoded, edges: Sequence[Sequence[int]]
) -> list[tuple[Floats, ...]]:
    if encoded.segmenter is None:
        raise TrainingError("a teacher does not segment; all of them have to segment and parse")
    hidden = encoded.segmenter.hidden.copy()
    found: list[list[Floats]] = [[] for _ in edges]
    longest = int(encoded.lengths.max())
    for number in range(max(map(len, edges)) - 1):
        rows = np.array([row for row, own in enumerate(edges) if number < len(own) - 1])
        starts = np.array([edges[row][number] for row in rows])
        step = network.segment_step(encoded, rows, starts, hidden[:, rows], longest)
        hidden[:, rows] = step.hidden
        for row, start, log_probs in zip(rows.tolist(), starts.tolist(), step.log_probs, strict=True):
            found[row].append(np.exp(log_probs[: edges[row][-1] - start]))
    return [tuple(own) for own in found]


def _place_probs(
    network: Network,
    encoded: Encoded,
    examples: Sequence[SentenceExample],
    edges: Sequence[Sequence[int]],
) -> list[tuple[Floats, ...]]:
    if encoded.parser is None:
        raise TrainingError("a teacher does not parse; all of them have to segment and parse")
    steps: list[list[ParseStep]] = [
        [] if example.tree is None else parse_steps(example.tree, own)
        for example, own in zip(examples, edges, strict=True)
    ]
    hidden = encoded.parser.hidden.copy()
    found: list[list[Floats]] = [[] for _ in examples]
    for number in range(max(map(len, steps))):
        rows = np.array([row for row, own in enumerate(steps) if number < len(own)])
        now = [steps[row][number] for row in rows]
        candidates = np.full((len(rows), max(step.n_allowed for step in now)), -1)
        for place, (row, one) in enumerate(zip(rows.tolist(), now, strict=True)):
            ends = edges[row][one.first + 1 : one.first + 1 + one.n_allowed]
            candidates[place, : one.n_allowed] = np.array(ends) - 1
        asked = SpansToSplit(
            rows=rows,
            spans=np.array([one.span for one in now]),
            parents=np.array([one.parent for one in now]),
            siblings=np.array([one.sibling for one in now]),
            candidates=candidates,
        )
        step = network.parse_step(encoded, asked, hidden[:, rows])
        hidden[:, rows] = step.hidden
        for row, one, log_probs in zip(rows.tolist(), now, step.log_probs, strict=True):
            found[row].append(np.exp(log_probs[: one.n_allowed]))
    return [tuple(own) for own in found]


def _label_probs(
    network: Network,
    encoded: Encoded,
    examples: Sequence[SentenceExample],
    edges: Sequence[Sequence[int]],
    columns: Sequence[int],
) -> Iterable[Floats]:
    counts = [0 if example.tree is None else len(example.tree.splits) for example in examples]
    splits = [
        [own[split.start], own[split.split], own[split.end]]
        for example, own in zip(examples, edges, strict=True)
        for split in (() if example.tree is None else example.tree.splits)
    ]
    if not splits:
        return [np.zeros((0, len(columns)), np.float32)] * len(examples)
    rows = np.repeat(np.arange(len(examples)), counts)
    probs = np.exp(network.label(encoded, rows, np.array(splits)))[:, list(columns)]
    return np.split(probs, np.cumsum(counts)[:-1].tolist())


def _mixed(example: SentenceExample, soft: SoftTargets, labels: Sequence[str], share: float) -> SoftTargets:
    """The teachers' distributions mixed with the gold answers."""
    edges = np.cumsum([0, *example.edu_lengths]).tolist()
    steps = [] if example.tree is None else parse_steps(example.tree, edges)
    splits = () if example.tree is None else example.tree.splits
    return SoftTargets(
        tuple(
            _with_gold(probs, length - 1, share)
            for probs, length in zip(soft.ends, example.edu_lengths, strict=True)
        ),
        tuple(
            _with_gold(probs, step.chosen - step.first, share)
            for probs, step in zip(soft.places, steps, strict=True)
        ),
        np.stack(
            [
                _with_gold(probs, list(labels).index(split.label), share)
                for probs, split in zip(soft.labels, splits, strict=True)
            ]
        )
        if splits
        else soft.labels,
    )


def _with_gold(probs: Floats, right: int, share: float) -> Floats:
    mixed: Floats = probs * np.float32(share)
    mixed[right] += np.float32(1 - share)
    return mixed
