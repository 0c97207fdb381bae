"""From documents to index tensors: the only place that sees a tree and a tensor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Tree
from rhetree.errors import MismatchError
from rhetree.learning.networks.parser import ParseTargets
from rhetree.learning.networks.segmenter import SegmentTargets
from rhetree.learning.networks.syntax import SyntaxTargets

_HEAD, _RELATION = 4, 5
"""Where CoNLL-U's columns HEAD and DEPREL are among those from LEMMA on."""


@dataclass(frozen=True, slots=True)
class SentenceExample:
    """A sentence to learn from."""

    tokens: tuple[str, ...]
    edu_lengths: tuple[int, ...]
    """In tokens."""
    tree: Tree | None = None
    """Over the EDUs; a sentence without one teaches segmentation alone."""
    dependencies: tuple[tuple[int, str], ...] = ()
    """Of each token its head, itself for a root, and their relation; none where they are not known."""

    def __post_init__(self) -> None:
        if sum(self.edu_lengths) != len(self.tokens) or min(self.edu_lengths, default=0) < 1:
            raise ValueError(f"EDUs of {self.edu_lengths} tokens in a sentence of {len(self.tokens)}")
        if self.tree is not None and self.tree.n_edus != len(self.edu_lengths):
            raise ValueError(f"a tree of {self.tree.n_edus} EDUs for {len(self.edu_lengths)}")
        if self.dependencies and len(self.dependencies) != len(self.tokens):
            raise ValueError(f"{len(self.dependencies)} dependencies in a sentence of {len(self.tokens)}")


def sentence_examples(documents: Iterable[Document]) -> list[SentenceExample]:
    """The sentences of gold documents, in order.

    Where an EDU goes on in the next sentence, its part in each sentence counts as an EDU, and the
    sentence has no tree.
    """
    examples = []
    for document in documents:
        if document.tokens and not (document.sentences and document.edus):
            raise MismatchError(
                f"{document.name or 'a document'}: without sentences and EDUs nothing to learn"
            )
        ends = [edu.end for edu in document.edus]
        at = 0
        for sentence, tree in zip(document.sentences, document.trees_by_sentence(), strict=True):
            first = at
            while ends[at] < sentence.end:
                at += 1
            edges = [sentence.start, *ends[first:at], sentence.end]
            lengths = tuple(end - start for start, end in zip(edges, edges[1:], strict=False))
            dependencies = _dependencies(document, sentence)
            examples.append(SentenceExample(tuple(document.forms_of(sentence)), lengths, tree, dependencies))
            at += ends[at] == sentence.end
    return examples


def _dependencies(document: Document, sentence: Span) -> tuple[tuple[int, str], ...]:
    """Heads and relations as a CoNLL-U file gave them; none where a token of the sentence has none."""
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
    """The relations of all dependencies, such as ``advcl``, sorted."""
    return tuple(sorted({relation for example in examples for _, relation in example.dependencies}))


def labels_of(examples: Iterable[SentenceExample]) -> tuple[str, ...]:
    """The labels of all splits, such as ``elaboration-NS``, sorted."""
    trees = (example.tree for example in examples if example.tree is not None)
    return tuple(sorted({split.label for tree in trees for split in tree.splits}))


@dataclass(frozen=True, slots=True, eq=False)
class LabelTargets:
    """The splits of a batch."""

    rows: Tensor
    """The sentence of each split, ``(splits,)``."""
    left: Tensor
    """The tokens of its left part, ``(splits, 2)``."""
    right: Tensor
    """The tokens of its right part, ``(splits, 2)``."""
    labels: Tensor
    """The number of its label, ``(splits,)``."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Sentences and what is right about them."""

    sentences: Sequence[Sequence[str]]
    segments: SegmentTargets
    begins: Tensor
    """1 where an EDU begins, ``(batch, longest)``."""
    parses: ParseTargets | None
    """None where no sentence has a span of more than two EDUs."""
    splits: LabelTargets | None
    """None where no sentence has a split."""
    syntax: SyntaxTargets | None = None
    """None where dependencies are not learnt, or no sentence has any."""

    @property
    def n_sentences(self) -> int:
        return len(self.sentences)


def make_batch(
    examples: Sequence[SentenceExample],
    labels: Mapping[str, int] | None = None,
    device: torch.device | None = None,
    dependency_relations: Mapping[str, int] | None = None,
) -> Batch:
    """The index tensors of some sentences.

    :param labels: the number of each label; None where trees are not learnt
    :param dependency_relations: the number of each; None where dependencies are not learnt
    """
    edges = [[0, *accumulate(example.edu_lengths)] for example in examples]
    segments = SegmentTargets(
        _padded([row[:-1] for row in edges], device),
        _padded([[end - 1 for end in row[1:]] for row in edges], device),
        _real([len(row) - 1 for row in edges], device),
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
    steps = [_steps(tree, edges[row]) for row in rows if (tree := examples[row].tree) is not None]
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
    )


@dataclass(frozen=True, slots=True)
class _ParseStep:
    span: tuple[int, int]
    parent: tuple[int, int]
    sibling: tuple[int, int]
    first: int
    """The span's first EDU."""
    n_allowed: int
    chosen: int


def _steps(tree: Tree, edges: list[int]) -> list[_ParseStep]:
    around = {(0, tree.n_edus): ((0, 0), (0, 0))}  # parent and left sibling of each span, as EDUs
    steps = []
    for split in tree.splits:
        whole = (split.start, split.end)
        around[split.start, split.split] = (whole, (0, 0))
        around[split.split, split.end] = (whole, (split.start, split.split))
        if split.end - split.start > 2:
            span, parent, sibling = ((edges[start], edges[end]) for start, end in (whole, *around[whole]))
            n_allowed = split.end - split.start - 1
            steps.append(_ParseStep(span, parent, sibling, split.start, n_allowed, split.split - 1))
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
                raise MismatchError(f"the network has no label {split.label}, only {', '.join(labels)}")
            rows.append(row)
            places.append([edges[row][edu] for edu in (split.start, split.split, split.end)])
            numbers.append(labels[split.label])
    if not rows:
        return None
    splits = _tensor(np.array(places), device)
    return LabelTargets(
        _tensor(np.array(rows), device), splits[:, :2], splits[:, 1:], _tensor(np.array(numbers), device)
    )


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
    """Rows made equally long by repeating the last item of each, which is always a valid index."""
    most = max(map(len, rows))
    return _tensor(np.array([[*row, *[row[-1]] * (most - len(row))] for row in rows], dtype=np.int64), device)


def _real(lengths: list[int], device: torch.device | None) -> Tensor:
    return _tensor(np.arange(max(lengths)) < np.array(lengths)[:, None], device)


def _tensor(array: np.ndarray, device: torch.device | None) -> Tensor:
    return torch.from_numpy(array).to(device)
