"""Greedy top-down parsing: split the sentence, then its left part, then its right one.

Each sentence has a stack of spans that wait to be split; at each step the top spans of all
unfinished sentences go through the decoder together. A span of two EDUs can be split in one way
only and takes no step. Labels do not steer the structure: all splits of a batch are labelled at the
end, in one call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rhetree.domain.relations import label_parts
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.runtime.network import Encoded, Floats, Ints, Network, SpansToSplit

_NONE = (0, 0)
"""The EDUs of a parent or sibling that is not there."""


@dataclass(frozen=True, slots=True)
class Parse:
    """The tree of one sentence with the log-probability of each choice in it, in the order of its splits."""

    tree: Tree
    split_log_probs: tuple[float, ...] = ()
    """Of each split's place; 0 where there was no choice."""
    label_log_probs: tuple[float, ...] = ()


def parse(
    network: Network, encoded: Encoded, edus: Sequence[Sequence[Span]], labels: Sequence[str]
) -> list[Parse]:
    """The trees of a batch of sentences.

    :param edus: for each sentence its EDUs as spans of its tokens
    :param labels: what the network's labels are called, such as ``elaboration-NS``
    """
    if encoded.parser is None:
        raise ValueError("this network does not parse")
    sentences = [_Sentence.begin(row, spans) for row, spans in enumerate(edus)]
    hidden = encoded.parser.hidden
    waiting = [sentence for sentence in sentences if sentence.has_choice()]
    rows = np.array([sentence.row for sentence in waiting], dtype=np.int64)
    hidden = hidden[:, rows]
    while waiting:
        step = network.parse_step(encoded, _spans_to_split(waiting), hidden)
        chosen = step.log_probs.argmax(axis=1)
        log_probs = step.log_probs[np.arange(len(chosen)), chosen]
        for sentence, candidate, log_prob in zip(waiting, chosen.tolist(), log_probs.tolist(), strict=True):
            sentence.split_top(candidate, log_prob)
        unfinished = [number for number, sentence in enumerate(waiting) if sentence.has_choice()]
        if len(unfinished) < len(waiting):
            waiting = [waiting[number] for number in unfinished]
            hidden = step.hidden[:, unfinished]
        else:
            hidden = step.hidden
    return _label(network, encoded, sentences, labels)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """EDUs ``start..end`` that wait to be split, with the EDUs of their parent and left sibling."""

    start: int
    end: int
    parent: tuple[int, int] = _NONE
    sibling: tuple[int, int] = _NONE


@dataclass(slots=True)
class _Sentence:
    """A sentence on its way to a tree."""

    row: int
    ends: list[int]
    """Where each EDU starts, and at last where the sentence ends: one more than there are EDUs."""
    stack: list[_Waiting]
    splits: list[tuple[int, int, int]] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)

    @classmethod
    def begin(cls, row: int, edus: Sequence[Span]) -> "_Sentence":
        return cls(row, [0, *(edu.end for edu in edus)], [_Waiting(0, len(edus))] if len(edus) > 1 else [])

    def has_choice(self) -> bool:
        """Split what can be split in one way only; whether the top of the stack is a larger span then."""
        while self.stack and self.stack[-1].end - self.stack[-1].start == 2:
            self.split_top(0, 0.0)
        return bool(self.stack)

    def split_top(self, candidate: int, log_prob: float) -> None:
        """Part the top span after its so many-th EDU, from 0; the right part waits below the left one."""
        top = self.stack.pop()
        middle = top.start + candidate + 1
        self.splits.append((top.start, middle, top.end))
        self.log_probs.append(log_prob)
        if top.end - middle > 1:
            self.stack.append(_Waiting(middle, top.end, (top.start, top.end), (top.start, middle)))
        if middle - top.start > 1:
            self.stack.append(_Waiting(top.start, middle, (top.start, top.end)))

    def tokens(self, edus: tuple[int, int]) -> tuple[int, int]:
        return self.ends[edus[0]], self.ends[edus[1]]


def _spans_to_split(sentences: list[_Sentence]) -> SpansToSplit:
    tops = [sentence.stack[-1] for sentence in sentences]
    pairs = list(zip(sentences, tops, strict=True))
    # The left part ends with any EDU of the span but its last.
    most = max(top.end - top.start for top in tops) - 1
    candidates = np.full((len(tops), most), -1, dtype=np.int64)
    for number, (sentence, top) in enumerate(pairs):
        ends = sentence.ends[top.start + 1 : top.end]
        candidates[number, : len(ends)] = ends
        candidates[number, : len(ends)] -= 1
    return SpansToSplit(
        rows=np.array([sentence.row for sentence in sentences], dtype=np.int64),
        spans=_pairs([sentence.tokens((top.start, top.end)) for sentence, top in pairs]),
        parents=_pairs([sentence.tokens(top.parent) for sentence, top in pairs]),
        siblings=_pairs([sentence.tokens(top.sibling) for sentence, top in pairs]),
        candidates=candidates,
    )


def _pairs(pairs: list[tuple[int, int]]) -> Ints:
    return np.array(pairs, dtype=np.int64)


def _label(
    network: Network, encoded: Encoded, sentences: list[_Sentence], labels: Sequence[str]
) -> list[Parse]:
    rows = [sentence.row for sentence in sentences for _ in sentence.splits]
    if not rows:
        return [Parse(Tree()) for _ in sentences]
    places = [[sentence.ends[edu] for edu in split] for sentence in sentences for split in sentence.splits]
    log_probs: Floats = network.label(encoded, np.array(rows), np.array(places))
    best = log_probs.argmax(axis=1)
    best_log_probs = log_probs[np.arange(len(rows)), best].tolist()
    parts = [label_parts(labels[number]) for number in best.tolist()]
    parses = []
    at = 0
    for sentence in sentences:
        n = len(sentence.splits)
        splits = tuple(
            Split(*place, nuclearity, relation)
            for place, (relation, nuclearity) in zip(sentence.splits, parts[at : at + n], strict=True)
        )
        parses.append(Parse(Tree(splits), tuple(sentence.log_probs), tuple(best_log_probs[at : at + n])))
        at += n
    return parses
