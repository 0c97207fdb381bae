"""The WLY baseline: a BiLSTM-CRF tagger that says of each token whether an EDU begins there.

Wang, Li & Yang (2018), "Toward Fast and Accurate Neural Discourse Segmentation": a BiLSTM,
attention restricted to the neighbouring tokens, a second BiLSTM, and a linear-chain CRF.
"""

import torch
from torch import Tensor, nn

from rhetree.learning.networks.encoder import Encoder, States
from rhetree.learning.networks.recurrent import Bidirectional, BothWays
from rhetree.learning.networks.segmenter import SegmenterConfig
from rhetree.learning.padding import where_present

N_TAGS = 2
"""0: inside an EDU, 1: its first token."""


class LinearChainCrf(nn.Module):
    """A distribution over tag sequences: scores of tags, of neighbouring pairs, of the first and the last."""

    def __init__(self, n_tags: int) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.zeros(n_tags))
        self.last = nn.Parameter(torch.zeros(n_tags))
        self.pairs = nn.Parameter(torch.zeros(n_tags, n_tags))
        """The score of each tag (row) before each other (column)."""

    def log_likelihood(self, emissions: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """Log-likelihoods of whole tag sequences, ``(batch,)``.

        :param emissions: a score for each tag at each token, ``(batch, longest, tags)``
        :param tags: ``(batch, longest)``; anything past a sentence's end
        :param lengths: ``(batch,)``
        """
        return self.score(emissions, tags, lengths) - self.log_partition(emissions, lengths)

    def score(self, emissions: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """The unnormalised log-score of tag sequences, ``(batch,)``."""
        present = where_present(emissions, lengths)
        own = emissions.gather(2, tags.unsqueeze(2)).squeeze(2) * present
        pairs = self.pairs[tags[:, :-1], tags[:, 1:]] * present[:, 1:]
        last = tags.gather(1, (lengths - 1).unsqueeze(1)).squeeze(1)
        return own.sum(dim=1) + pairs.sum(dim=1) + self.first[tags[:, 0]] + self.last[last]

    def log_partition(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """The log of the sum over all tag sequences, ``(batch,)``: the forward algorithm."""
        return (self._forwards(emissions, lengths)[:, -1] + self.last).logsumexp(dim=1)

    def log_marginals(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Log-probabilities of each tag at each token, ``(batch, longest, tags)``: forward and backward."""
        forwards = self._forwards(emissions, lengths)
        backwards = self._backwards(emissions, lengths)
        return (forwards + backwards).log_softmax(dim=2)

    def best(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """The best tag sequence of each sentence, ``(batch, longest)``: Viterbi."""
        present = where_present(emissions, lengths)
        stay = torch.arange(emissions.shape[2], device=emissions.device)
        score = self.first + emissions[:, 0]
        came_from = []
        for token in range(1, emissions.shape[1]):
            best, source = (score.unsqueeze(2) + self.pairs).max(dim=1)
            here = present[:, token].unsqueeze(1)
            score = torch.where(here, best + emissions[:, token], score)
            came_from.append(torch.where(here, source, stay))
        tag = (score + self.last).argmax(dim=1)
        tags = [tag]
        for source in reversed(came_from):
            tag = source.gather(1, tag.unsqueeze(1)).squeeze(1)
            tags.append(tag)
        return torch.stack(tags[::-1], dim=1)

    def _forwards(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Log-sums over all beginnings that end in each tag, ``(batch, longest, tags)``.

        Past a sentence's end its last row is repeated.
        """
        present = where_present(emissions, lengths)
        rows = [self.first + emissions[:, 0]]
        for token in range(1, emissions.shape[1]):
            following = (rows[-1].unsqueeze(2) + self.pairs).logsumexp(dim=1) + emissions[:, token]
            rows.append(torch.where(present[:, token].unsqueeze(1), following, rows[-1]))
        return torch.stack(rows, dim=1)

    def _backwards(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Log-sums over all ends that follow each tag, ``(batch, longest, tags)``."""
        present = where_present(emissions, lengths)
        rows = [self.last.expand(len(lengths), -1)]
        for token in range(emissions.shape[1] - 1, 0, -1):
            before = (self.pairs + (emissions[:, token] + rows[-1]).unsqueeze(1)).logsumexp(dim=2)
            rows.append(torch.where(present[:, token].unsqueeze(1), before, rows[-1]))
        return torch.stack(rows[::-1], dim=1)


class CrfTagger(nn.Module):
    """Wang et al.'s tagger on top of encoder states or word vectors."""

    def __init__(self, config: SegmenterConfig, encoder: Encoder, embedding_width: int) -> None:
        super().__init__()
        self.reads_states = config.input == "state"
        self.window = config.attention_window
        width = 2 * config.width
        input_width = encoder.width if self.reads_states else embedding_width
        self.lower = _BiLstm(input_width, config.width, config.layers, config.dropout)
        self.upper: _BiLstm | None = None
        if self.window:
            # Wang et al. score neighbours i, j by w · [h_i; h_j; h_i * h_j]. The part for h_i alone is
            # the same for all j and has no effect on the softmax over them, so it is not there.
            self.neighbour = nn.Linear(width, 1, bias=False)
            self.product = nn.Parameter(torch.ones(width) / width**0.5)
            self.upper = _BiLstm(2 * width, config.width, 1, config.dropout)
        self.emit = nn.Linear(width, N_TAGS)
        self.dropout = nn.Dropout(config.dropout)
        self.crf = LinearChainCrf(N_TAGS)

    def emissions(self, embeddings: Tensor, states: States, lengths: Tensor) -> Tensor:
        """Scores of both tags at each token, ``(batch, longest, 2)``."""
        inputs = states.tokens if self.reads_states else embeddings
        tokens = self.dropout(self.lower(inputs, lengths))
        if self.upper is not None:
            near = torch.cat([tokens, self._attend(tokens, lengths)], dim=-1)
            tokens = self.dropout(self.upper(near, lengths))
        result: Tensor = self.emit(tokens)
        return result

    def log_likelihood(self, embeddings: Tensor, states: States, lengths: Tensor, begins: Tensor) -> Tensor:
        """Log-likelihoods of the gold tags of each sentence, ``(batch,)``.

        :param begins: 1 where an EDU begins, ``(batch, longest)``
        """
        return self.crf.log_likelihood(self.emissions(embeddings, states, lengths), begins, lengths)

    def _attend(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        scores: Tensor = (tokens * self.product) @ tokens.transpose(1, 2)  # (batch, n, n)
        scores += self.neighbour(tokens).transpose(1, 2)
        places = torch.arange(tokens.shape[1], device=tokens.device)
        is_near = (places.unsqueeze(1) - places).abs() <= self.window
        # Rows past a sentence's end may attend to themselves, so that no row is empty.
        present = where_present(tokens, lengths).unsqueeze(1) | torch.eye(
            len(places), dtype=torch.bool, device=tokens.device
        )
        return scores.masked_fill(~(is_near & present), -torch.inf).softmax(dim=-1) @ tokens


class _BiLstm(nn.Module):
    def __init__(self, input_width: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = Bidirectional(nn.LSTM, input_width, width, layers, dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        read: BothWays = self.layers(vectors, lengths)
        return torch.cat([read.forward, read.backward], dim=-1)
