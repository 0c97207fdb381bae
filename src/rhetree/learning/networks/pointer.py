"""Attention that points: from a decoder's state to one of the encoded positions."""

from typing import Literal

import torch
from torch import Tensor, nn

PointerKind = Literal["dot", "additive", "biaffine"]
Boundary = Literal["last", "both-sides"]
"""What stands for the place after a token: its state, or that and the state of the next token."""


class Pointer(nn.Module):
    """Scores where a decoder's state points.

    - ``dot``: ``q · k``, the paper's; where q is not as wide as k, ``W q · k``.
    - ``additive``: ``v · tanh(W q + U k)`` (Bahdanau et al. 2015), SegBot's.
    - ``biaffine``: ``q W k + b · k`` (Dozat & Manning 2017).
    """

    def __init__(
        self, kind: PointerKind, query_width: int, state_width: int, boundary: Boundary = "last"
    ) -> None:
        super().__init__()
        self.sees_both_sides = boundary == "both-sides"
        key_width = state_width * (2 if self.sees_both_sides else 1)
        self.query: nn.Linear | None = None
        self.key: nn.Linear | None = None
        self.score: nn.Linear | None = None
        if kind == "additive":
            self.query = nn.Linear(query_width, query_width)
            self.key = nn.Linear(key_width, query_width, bias=False)
            self.score = nn.Linear(query_width, 1, bias=False)
        elif kind == "biaffine":
            # The bias of this layer is the b of the formula.
            self.query = nn.Linear(query_width, key_width)
        elif query_width != key_width:
            self.query = nn.Linear(query_width, key_width, bias=False)

    def prepare(self, states: Tensor) -> Tensor:
        """The place after each token, as far as it is the same at every step, ``(batch, n, width)``.

        :param states: of tokens, ``(batch, n, state width)``, zeros past a sentence's end
        """
        keys = states
        if self.sees_both_sides:
            following = nn.functional.pad(states[:, 1:], (0, 0, 0, 1))
            keys = torch.cat([states, following], dim=-1)
        return keys if self.key is None else self.key(keys)

    def forward(self, queries: Tensor, keys: Tensor, allowed: Tensor) -> Tensor:
        """Log-probabilities over positions, ``(batch, steps, n)``; disallowed ones are ``-inf``.

        :param queries: decoder states, ``(batch, steps, width)``
        :param keys: positions, prepared, ``(batch, n, width)``
        :param allowed: where each step may point, ``(batch, steps, n)``; at least one place each
        """
        if self.query is not None:
            queries = self.query(queries)
        if self.score is not None:
            scores: Tensor = self.score(torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1)
        else:
            scores = queries @ keys.transpose(1, 2)
        return scores.masked_fill(~allowed, -torch.inf).log_softmax(dim=-1)
