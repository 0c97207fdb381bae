"""Attention that points: from a decoder's state to one of the encoded positions.

``rhetree.runtime.pointer`` computes the scores of an exported model without torch. Whoever changes a
formula here changes it there as well; ``tests/learning/test_twins.py`` compares the two.
"""

from typing import Any, Literal

import torch
from torch import Tensor, nn

PointerKind = Literal["dot", "additive", "biaffine"]
Boundary = Literal["last", "both-sides"]
"""What represents the position after a token: its state, or that and the state of the next token."""


class Pointer(nn.Module):
    """Scores where a decoder's state points.

    - ``dot``: ``q · k``, the paper's; if q is not as wide as k, ``W q · k``.
    - ``additive``: ``v · tanh(W q + U k)`` (Bahdanau et al. 2015), SegBot's.
    - ``biaffine``: ``q W k + b · k`` (Dozat & Manning 2017).
    """

    def __init__(
        self, kind: PointerKind, query_width: int, state_width: int, boundary: Boundary = "last"
    ) -> None:
        super().__init__()
        self.boundary = boundary
        key_width = state_width * (2 if boundary == "both-sides" else 1)
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
        """Compute the keys, which are the same at every step, ``(batch, n, width)``.

        :param states: token states, ``(batch, n, state width)``, zeros past a sentence's end
        """
        keys = states
        if self.boundary == "both-sides":
            following = nn.functional.pad(states[:, 1:], (0, 0, 0, 1))
            keys = torch.cat([states, following], dim=-1)
        return keys if self.key is None else self.key(keys)

    def ask(self, outputs: Tensor) -> Tensor:
        """Turn a decoder's outputs into queries, ``(..., width)``."""
        return outputs if self.query is None else self.query(outputs)

    def forward(self, outputs: Tensor, keys: Tensor, allowed: Tensor) -> Tensor:
        """Log-probabilities over positions, ``(batch, steps, n)``; disallowed ones are ``-inf``.

        :param outputs: a decoder's outputs, ``(batch, steps, width)``
        :param keys: from :meth:`prepare`, ``(batch, n, width)``
        :param allowed: where each step may point, ``(batch, steps, n)``; at least one position each
        """
        queries = self.ask(outputs)
        if self.score is not None:
            scores: Tensor = self.score(torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1)
        else:
            scores = queries @ keys.transpose(1, 2)
        return scores.masked_fill(~allowed, -torch.inf).log_softmax(dim=-1)

    # --- what the twin in rhetree.runtime.pointer is given ---------------------------------------

    def settings(self) -> dict[str, Any]:
        """The settings that the twin is built from, for ``config.json``."""
        return {"boundary": self.boundary}

    def exported_keys(self, states: Tensor) -> dict[str, Tensor]:
        """The keys, if weights are needed to compute them; otherwise the twin computes them from states."""
        return {} if self.key is None else {"keys": self.prepare(states)}

    def exported_step(self, outputs: Tensor) -> dict[str, Tensor]:
        """The twin's arguments after a decoder step: a query for each row, then weights if it needs any.

        :param outputs: ``(k, width)``
        """
        weights = {} if self.score is None else {"score": self.score.weight[0]}
        return {"queries": self.ask(outputs), **weights}
