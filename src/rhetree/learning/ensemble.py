"""Several networks as one: every choice gets the mean of their probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rhetree.errors import ModelError
from rhetree.runtime.network import (
    DecoderStep,
    Encoded,
    Floats,
    Ints,
    Network,
    ParserMemory,
    SegmenterMemory,
    SpansToSplit,
)

_NOTHING: Floats = np.zeros((0, 0, 0), dtype=np.float32)
"""In place of what each member keeps for itself."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _EncodedByAll(Encoded):
    """A batch as each member has encoded it. The decoders' states are the members', side by side."""

    members: tuple[Encoded, ...]


class Ensemble:
    """Runs several networks in step, as one :class:`rhetree.runtime.network.Network`."""

    def __init__(self, members: Sequence[tuple[Network, Sequence[str]]]) -> None:
        """Put networks together.

        :param members: each network with the names of its labels; all have to have the same ones
        """
        self.networks = [network for network, _ in members]
        self.labels = tuple(members[0][1])
        for _, labels in members:
            if set(labels) != set(self.labels):
                odd = ", ".join(sorted(set(labels) ^ set(self.labels)))
                raise ModelError(f"models with different labels cannot be averaged; not in all: {odd}")
        self._columns = [[list(labels).index(label) for label in self.labels] for _, labels in members]

    def encode(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Read sentences, each of one token or more."""
        members = tuple(network.encode(sentences) for network in self.networks)
        segmenters = [member.segmenter for member in members]
        parsers = [member.parser for member in members]
        if any(member.tags is not None for member in members):
            raise ModelError("a CRF tagger decides in one go and cannot be averaged with others")
        return _EncodedByAll(
            lengths=members[0].lengths,
            segmenter=None
            if None in segmenters
            else SegmenterMemory(
                inputs=_NOTHING,
                keys=_NOTHING,
                hidden=_join([one.hidden for one in segmenters if one is not None]),
            ),
            parser=None
            if None in parsers
            else ParserMemory(
                units=_NOTHING,
                keys=_NOTHING,
                hidden=_join([one.hidden for one in parsers if one is not None]),
            ),
            members=members,
        )

    def segment_step(
        self, encoded: Encoded, rows: Ints, starts: Ints, hidden: Floats, reach: int
    ) -> DecoderStep:
        """Point from an EDU's first token to its last one."""
        own = _members(encoded)
        parts = _part(hidden, [_hidden(member.segmenter) for member in own])
        return _mean(
            [
                network.segment_step(member, rows, starts, part, reach)
                for network, member, part in zip(self.networks, own, parts, strict=True)
            ],
            parts,
        )

    def parse_step(self, encoded: Encoded, spans: SpansToSplit, hidden: Floats) -> DecoderStep:
        """Point to the end of a span's left part."""
        own = _members(encoded)
        parts = _part(hidden, [_hidden(member.parser) for member in own])
        return _mean(
            [
                network.parse_step(member, spans, part)
                for network, member, part in zip(self.networks, own, parts, strict=True)
            ],
            parts,
        )

    def label(self, encoded: Encoded, rows: Ints, splits: Ints) -> Floats:
        """Log-probabilities of the labels of any number of splits, ``(splits, labels)``."""
        return _mean_log_probs(
            [
                network.label(member, rows, splits)[:, columns]
                for network, member, columns in zip(
                    self.networks, _members(encoded), self._columns, strict=True
                )
            ]
        )


def _members(encoded: Encoded) -> tuple[Encoded, ...]:
    if not isinstance(encoded, _EncodedByAll):
        raise TypeError("this batch was not encoded by an ensemble")
    return encoded.members


def _hidden(memory: SegmenterMemory | ParserMemory | None) -> Floats:
    if memory is None:
        raise ValueError("a member of the ensemble lacks this decoder")
    return memory.hidden


def _join(states: Sequence[Floats]) -> Floats:
    """Decoder states of any shape ``(layers, batch, width)`` side by side, ``(1, batch, all widths)``."""
    flat = [state.transpose(1, 0, 2).reshape(state.shape[1], -1) for state in states]
    joined: Floats = np.concatenate(flat, axis=1)[None]
    return joined


def _part(joined: Floats, like: Sequence[Floats]) -> list[Floats]:
    """The members' own states again."""
    widths = [state.shape[0] * state.shape[2] for state in like]
    parts = np.split(joined[0], np.cumsum(widths)[:-1].tolist(), axis=1)
    return [
        np.ascontiguousarray(part.reshape(len(part), state.shape[0], state.shape[2]).transpose(1, 0, 2))
        for part, state in zip(parts, like, strict=True)
    ]


def _mean(steps: Sequence[DecoderStep], before: Sequence[Floats]) -> DecoderStep:
    if any(len(step.hidden) != len(hidden) for step, hidden in zip(steps, before, strict=True)):
        raise ModelError("decoders with attention remember every step and cannot be averaged with others")
    return DecoderStep(
        _mean_log_probs([step.log_probs for step in steps]), _join([step.hidden for step in steps])
    )


def _mean_log_probs(log_probs: Sequence[Floats]) -> Floats:
    mean: Floats = np.logaddexp.reduce(np.stack(log_probs), axis=0) - np.float32(np.log(len(log_probs)))
    return mean.astype(np.float32)
