"""Small networks on top of a finished one, whose states stay as they are: fine relations and signals."""

import torch
from torch import Tensor, nn

N_PLACES = (25, 9, 9, 9, 5)
"""Number of values of each feature of a token's place (see :data:`rhetree.runtime.heads.PLACES`)."""

N_WORDS = 5
"""Number of words: the token and two on each side (see :data:`rhetree.runtime.heads.NEIGHBOURS`)."""
_FROM_EDU = 3
"""The place that is the token's distance from the start of its EDU."""
_N_STARTS = 3
"""First, second or later in its EDU: which of these a word is decides whether it is a marker."""


class FineClassifier(nn.Module):
    """Scores fine relations of a split, from its two spans."""

    def __init__(self, span_width: int, width: int, n_relations: int, dropout: float = 0.4) -> None:
        super().__init__()
        self.left = nn.Linear(span_width, width)
        self.right = nn.Linear(span_width, width, bias=False)
        self.scores = nn.Linear(width, n_relations)
        self.dropout = nn.Dropout(dropout)

    def forward(self, left: Tensor, right: Tensor) -> dict[str, Tensor]:
        """``scores`` of the fine relations, ``(splits, relations)``.

        :param left: the vectors of the left spans, ``(splits, span width)``; ``right`` likewise
        """
        hidden = nn.functional.elu(self.left(self.dropout(left)) + self.right(self.dropout(right)))
        return {"scores": self.scores(self.dropout(hidden))}


class SignalTagger(nn.Module):
    """Scores, for a split and a token inside its span, how the token signals the split's relation."""

    def __init__(
        self,
        state_width: int,
        span_width: int,
        n_labels: int,
        n_kinds: int,
        n_words: int,
        width: int = 96,
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        self.token = nn.Linear(state_width, width)
        self.left = nn.Linear(span_width, width, bias=False)
        self.right = nn.Linear(span_width, width, bias=False)
        self.label = nn.Embedding(n_labels, width)
        self.places = nn.ModuleList(nn.Embedding(n, width) for n in N_PLACES)
        self.words = nn.ModuleList(nn.Embedding(1 + n_words, width) for _ in range(N_WORDS))
        self.words_at = nn.Embedding((1 + n_words) * _N_STARTS, width)
        self.inner = nn.Linear(width, width)
        self.scores = nn.Linear(width, n_kinds)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        states: Tensor,
        left: Tensor,
        right: Tensor,
        labels: Tensor,
        splits: Tensor,
        places: Tensor,
        words: Tensor,
    ) -> dict[str, Tensor]:
        """``scores`` of the kinds of signals, ``(pairs, kinds)``: log-odds.

        :param states: the token's state, ``(pairs, state width)``
        :param left: the vectors of the left spans, ``(splits, span width)``; ``right`` likewise
        :param labels: the number of each split's label, ``(splits,)``
        :param splits: the split of each pair, ``(pairs,)``
        :param places: where the token is, ``(pairs, features)``
        :param words: the token and its neighbours, as numbers of words that often signal something; 0 for any
            other, ``(pairs, 5)``
        """
        of_split = self.left(self.dropout(left)) + self.right(self.dropout(right)) + self.label(labels)
        hidden = self.token(self.dropout(states)) + of_split[splits]
        for number, table in enumerate(self.places):
            hidden = hidden + table(places[:, number])
        for number, table in enumerate(self.words):
            hidden = hidden + table(words[:, number])
        hidden = hidden + self.words_at(
            words[:, 0] * _N_STARTS + places[:, _FROM_EDU].clamp(max=_N_STARTS - 1)
        )
        hidden = nn.functional.elu(self.inner(self.dropout(nn.functional.elu(hidden))))
        return {"scores": self.scores(self.dropout(hidden))}


def within_groups(scores: Tensor, groups: Tensor) -> Tensor:
    """Log-probabilities within groups, ``(n, relations)``.

    :param groups: the group of each relation, ``(relations,)``
    """
    n_groups = int(groups.max()) + 1
    index = groups.expand_as(scores)
    largest = scores.amax(dim=1, keepdim=True)
    sums = torch.zeros(len(scores), n_groups).scatter_add(1, index, (scores - largest).exp())
    return scores - largest - sums.log().gather(1, index)
