"""Turns documents into index tensors: the only module that knows both trees and tensors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor

from rhetree.corpora.sentences import cut_at_sentences
from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.errors import MismatchError
from rhetree.learning.networks.parser import ParseTargets
from rhetree.learning.networks.segmenter import SegmentTargets
from rhetree.learning.networks.syntax import SyntaxTargets
from rhetree.runtime.network import Floats

_HEAD, _RELATION = 4, 5
"""Positions of CoNLL-U's columns HEAD and DEPREL, counted from LEMMA."""


@dataclass(frozen=True, slots=True, eq=False)
class SoftTargets:
    """How right each choice in a sentence is, as teachers see it (see ``training.distillation``)."""

    ends: tuple[Floats, ...]
    """For each EDU: probabilities of its last token, over the tokens from its first to the sentence's last."""
    places: tuple[Floats, ...]
    """For each span of more than two EDUs, in pre-order: probabilities of the EDU that its left part ends with."""
    labels: Floats
    """Probabilities of the network's labels for each split, ``(splits, labels)``."""


@dataclass(frozen=True, slots=True)
class SentenceExample:
    """A sentence to learn from."""

    tokens: tuple[str, ...]
    edu_lengths: tuple[int, ...]
    """Number of tokens of each EDU."""
    tree: Tree | None = None
    """The tree over the EDUs; a sentence without one teaches segmentation only."""
    dependencies: tuple[tuple[int, str], ...] = ()
    """The head of each token (itself for a root) and their relation; empty where they are not known."""
    soft: SoftTargets | None = None
    """None where EDUs and tree are all that is to be learnt."""

    def __post_init__(self) -> None:
        if sum(self.edu_lengths) != len(self.tokens) or min(self.edu_lengths, default=0) < 1:
            raise ValueError(f"EDUs of {self.edu_lengths} tokens in a sentence of {len(self.tokens)} tokens")
        if self.tree is not None and self.tree.n_edus != len(self.edu_lengths):
            raise ValueError(f"a tree of {self.tree.n_edus} EDUs for {len(self.edu_lengths)}")
        if self.dependencies and len(self.dependencies) != len(self.tokens):
            raise ValueError(f"{len(self.dependencies)} dependencies for {len(self.tokens)} tokens")


def sentence_examples(documents: Iterable[Document]) -> list[SentenceExample]:
    """The sentences of gold documents, in order.

    Where an EDU crosses a sentence's edge, its part in each sentence is taken for an EDU, and
    neither sentence has a tree: both teach segmentation and not parsing.
    """
    examples = []
    for document in documents:
        if document.tokens and not (document.sentences and document.edus):
            raise MismatchError(
                f"{document.name or 'a document'}: it has no sentences or no EDUs, so there is nothing to learn"
            )
        cut = cut_at_sentences(document)
        for sentence, edus, tree in zip(
            document.sentences, cut.sentence_edus(), document.trees_by_sentence(), strict=True
        ):
            lengths = () if edus is None else tuple(map(len, cut.edus[edus.start : edus.end]))
            dependencies = _dependencies(document, sentence)
            examples.append(SentenceExample(tuple(document.forms_of(sentence)), lengths, tree, dependencies))
    return examples


def _dependencies(document: Document, sentence: Span) -> tuple[tuple[int, str], ...]:
    """Heads and relations as in the CoNLL-U file; empty if any token of the sentence lacks them."""
    if document.syntax is None:
        return ()
    found = []
    for place, columns in enumerate(document.syntax.columns[sentence.start : sentence.end]):
        head, relation = columns[_HEAD], columns[_RELATION]
        if not head.isdecimal() or int(head) > len(sentence) or relation == "_":
            return ()
        found.append((int(head) - 1 if int(head) else place, relation))
    return tuple(found)


def dependency_relations_of(examples: Iterable[SentenceExample]) -> tuple[str, ...]:
    """All dependency relations that occur, such as ``advcl``, sorted."""
    return tuple(sorted({relation for example in examples for _, relation in example.dependencies}))


def labels_of(examples: Iterable[SentenceExample]) -> tuple[str, ...]:
    """All labels of splits that occur, such as ``elaboration-NS``, sorted."""
    trees = (example.tree for example in examples if example.tree is not None)
    return tuple(sorted({split.label for tree in trees for split in tree.splits}))


@dataclass(frozen=True, slots=True, eq=False)
class LabelTargets:
    """All splits of a batch with their labels."""

    rows: Tensor
    """Sentence of each split, ``(splits,)``."""
    left: Tensor
    """First token of the left part and the token after its last, ``(splits, 2)``."""
    right: Tensor
    """First token of the right part and the token after its last, ``(splits, 2)``."""
    labels: Tensor
    """The number of its label, ``(splits,)``."""
    soft: Tensor | None = None
    """How right each label is, ``(splits, labels)``; None for ``labels`` alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Sentences with their targets."""

    sentences: Sequence[Sequence[str]]
    segments: SegmentTargets
    begins: Tensor
    """1 for the first token of an EDU, else 0, ``(batch, longest)``."""
    parses: ParseTargets | None
    """None if no sentence has a span of more than two EDUs."""
    splits: LabelTargets | None
    """None if no sentence has a split."""
    syntax: SyntaxTargets | None = None
    """None if dependencies are not learnt, or no sentence has any."""

    @property
    def n_sentences(self) -> int:
        return len(self.sentences)


def make_batch(
    examples: Sequence[SentenceExample],
    labels: Mapping[str, int] | None = None,
    device: torch.device | None = None,
    dependency_relations: Mapping[str, int] | None = None,
) -> Batch:
    """Make the index tensors of some sentences.

    :param labels: index of each label; None if trees are not learnt
    :param dependency_relations: index of each relation; None if dependencies are not learnt
    """
    edges = [[0, *accumulate(example.edu_lengths)] for example in examples]
    segments = SegmentTargets(
        _padded([row[:-1] for row in edges], device),
        _padded([[end - 1 for end in row[1:]] for row in edges], device),
        _real([len(row) - 1 for row in edges], device),
        _soft_ends(examples, edges, device),
    )
    begins = np.zeros((len(examples), max(row[-1] for row in edges)), dtype=np.int64)
    for number, row in enumerate(edges):
        begins[number, row[:-1]] = 1
    return Batch(
        sentences=[example.tokens for example in examples],
        segments=segments,
        begins=_tensor(begins, device),
        parses=None if labels is None else _parses(examples, edges, device),
        splits=None if labels is None else _splits(examples, edges, labels, device),
        syntax=None if dependency_relations is None else _syntax(examples, dependency_relations, device),
    )


def _parses(
    examples: Sequence[SentenceExample], edges: list[list[int]], device: torch.device | None
) -> ParseTargets | None:
    rows = [
        row for row, example in enumerate(examples) if example.tree is not None and example.tree.n_edus > 2
    ]
    if not rows:
        return None
    steps = [parse_steps(tree, edges[row]) for row in rows if (tree := examples[row].tree) is not None]
    firsts = _padded([[step.first for step in steps_of] for steps_of in steps], device)
    n_allowed = _padded([[step.n_allowed for step in steps_of] for steps_of in steps], device)
    candidates = _padded([[end - 1 for end in edges[row][1:]] for row in rows], device)
    places = torch.arange(candidates.shape[1], device=device) - firsts.unsqueeze(2)
    return ParseTargets(
        rows=_tensor(np.array(rows), device),
        spans=_padded([[step.span for step in steps_of] for steps_of in steps], device),
        parents=_padded([[step.parent for step in steps_of] for steps_of in steps], device),
        siblings=_padded([[step.sibling for step in steps_of] for steps_of in steps], device),
        candidates=candidates,
        allowed=(places >= 0) & (places < n_allowed.unsqueeze(2)),
        chosen=_padded([[step.chosen for step in steps_of] for steps_of in steps], device),
        real=_real([len(steps_of) for steps_of in steps], device),
        soft=_soft_places([examples[row] for row in rows], steps, device),
    )


@dataclass(frozen=True, slots=True)
class ParseStep:
    """One step of the parser's decoder: a span of more than two EDUs, in tokens, and how it is split."""

    span: tuple[int, int]
    parent: tuple[int, int]
    sibling: tuple[int, int]
    first: int
    """First EDU of the span."""
    n_allowed: int
    chosen: int


def parse_steps(tree: Tree, edges: Sequence[int]) -> list[ParseStep]:
    """The steps that a parser takes to build a tree, in pre-order.

    :param edges: the token at which each EDU starts, and the end of the last one
    """
    around = {(0, tree.n_edus): ((0, 0), (0, 0))}  # parent and left sibling of each span, as EDUs
    steps = []
    for split in tree.splits:
        whole = (split.start, split.end)
        around[split.start, split.split] = (whole, (0, 0))
        around[split.split, split.end] = (whole, (split.start, split.split))
        if split.end - split.start > 2:
            span, parent, sibling = ((edges[start], edges[end]) for start, end in (whole, *around[whole]))
            n_allowed = split.end - split.start - 1
            steps.append(ParseStep(span, parent, sibling, split.start, n_allowed, split.split - 1))
    return steps


def _splits(
    examples: Sequence[SentenceExample],
    edges: list[list[int]],
    labels: Mapping[str, int],
    device: torch.device | None,
) -> LabelTargets | None:
    rows, places, numbers = [], [], []
    for row, example in enumerate(examples):
        for split in example.tree.splits if example.tree is not None else ():
            if split.label not in labels:
                raise MismatchError(f"the network has no label {split.label}; it knows {', '.join(labels)}")
            rows.append(row)
            places.append([edges[row][edu] for edu in (split.start, split.split, split.end)])
            numbers.append(labels[split.label])
    if not rows:
        return None
    splits = _tensor(np.array(places), device)
    return LabelTargets(
        _tensor(np.array(rows), device),
        splits[:, :2],
        splits[:, 1:],
        _tensor(np.array(numbers), device),
        _soft_labels(examples, numbers, len(labels), device),
    )


def _soft_ends(
    examples: Sequence[SentenceExample], edges: list[list[int]], device: torch.device | None
) -> Tensor | None:
    if all(example.soft is None for example in examples):
        return None
    most, longest = max(map(len, edges)) - 1, max(row[-1] for row in edges)
    soft = np.zeros((len(examples), most, longest), dtype=np.float32)
    for number, (example, row) in enumerate(zip(examples, edges, strict=True)):
        for step, (start, end) in enumerate(zip(row, row[1:], strict=False)):
            if example.soft is None:
                soft[number, step, end - 1] = 1
            else:
                soft[number, step, start : row[-1]] = example.soft.ends[step]
    return _tensor(soft, device)


def _soft_places(
    examples: Sequence[SentenceExample], steps: list[list[ParseStep]], device: torch.device | None
) -> Tensor | None:
    if all(example.soft is None for example in examples):
        return None
    most = max(len(example.edu_lengths) for example in examples)
    soft = np.zeros((len(examples), max(map(len, steps)), most), dtype=np.float32)
    for number, (example, own) in enumerate(zip(examples, steps, strict=True)):
        for place, step in enumerate(own):
            if example.soft is None:
                soft[number, place, step.chosen] = 1
            else:
                soft[number, place, step.first : step.first + step.n_allowed] = example.soft.places[place]
    return _tensor(soft, device)


def _soft_labels(
    examples: Sequence[SentenceExample], numbers: list[int], n_labels: int, device: torch.device | None
) -> Tensor | None:
    if all(example.soft is None for example in examples):
        return None
    soft = np.zeros((len(numbers), n_labels), dtype=np.float32)
    at = 0
    for example in examples:
        n_splits = 0 if example.tree is None else len(example.tree.splits)
        own = slice(at, at + n_splits)
        if example.soft is None:
            soft[np.arange(at, at + n_splits), numbers[own]] = 1
        else:
            soft[own] = example.soft.labels
        at += n_splits
    return _tensor(soft, device)


def _syntax(
    examples: Sequence[SentenceExample], numbers: Mapping[str, int], device: torch.device | None
) -> SyntaxTargets | None:
    shape = len(examples), max(len(example.tokens) for example in examples)
    heads, relations = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    known = np.zeros(shape, dtype=np.bool_)
    for row, example in enumerate(examples):
        for place, (head, relation) in enumerate(example.dependencies):
            if relation in numbers:
                heads[row, place], relations[row, place] = head, numbers[relation]
                known[row, place] = True
    if not known.any():
        return None
    return SyntaxTargets(*(_tensor(array, device) for array in (heads, relations, known)))


def _padded(rows: list[list[int]] | list[list[tuple[int, int]]], device: torch.device | None) -> Tensor:
    """Pad rows to the same length by repeating the last item of each, which is always a valid index."""
    most = max(map(len, rows))
    return _tensor(np.array([[*row, *[row[-1]] * (most - len(row))] for row in rows], dtype=np.int64), device)


def _real(lengths: list[int], device: torch.device | None) -> Tensor:
    return _tensor(np.arange(max(lengths)) < np.array(lengths)[:, None], device)


def _tensor(array: np.ndarray, device: torch.device | None) -> Tensor:
    return torch.from_numpy(array).to(device)
