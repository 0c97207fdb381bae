"""The network that joins sentences into a document, from the top down.

An encoder reads the document in overlapping windows, so that words know the sentences around them. An EDU is its first and
last word, the mean of its words, and its layout; a BiGRU reads the EDUs. A span is its first and last EDU, the mean of its
EDUs and the mean of those that head their sentence. Both the place of a split and its label are scored from the span on
its left and the span on its right, by one layer over their sum and one over their product.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rhetree.learning.documents.targets import DocumentExample
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.hugging_face import run_above, run_below
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.networks.encoder import check_share
from rhetree.learning.networks.recurrent import Bidirectional
from rhetree.runtime.document_scorer import N_BUCKETS, ROLES, TABLES, Splits, with_edges
from rhetree.runtime.document_search import take_best_splits
from rhetree.runtime.document_units import EDGES, N_FLAGS, Units
from rhetree.runtime.network import Floats, Ints
from rhetree.runtime.pieces import WordPieces


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLossConfig:
    """The loss to minimise."""

    inside: float = 0.5
    """Weight of splits inside sentences, which are learnt for what they teach the encoder."""
    explored: float = 0.5
    """Weight of spans that the network comes to by its own mistakes."""
    label_smoothing: float = 0.1
    """Share of the probability that goes to all labels alike."""

    def __post_init__(self) -> None:
        for name in ("inside", "explored"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is at least 0, got {getattr(self, name)}")
        check_share("label_smoothing", self.label_smoothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentNetworkConfig:
    """A network over the EDUs of a document."""

    task: Literal["document"] = "document"
    """What the recipe trains: a network that joins sentences into documents."""
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    overlap: int = 64
    """Least number of pieces that two windows of the encoder share."""
    layers: int = 2
    """Number of BiGRU layers over EDUs."""
    width: int = 192
    """Hidden size of each direction of the BiGRU, and of the scores."""
    dropout: float = 0.3
    """Dropout on EDU vectors, between the layers of the BiGRU, and in the scores."""
    loss: DocumentLossConfig = field(default_factory=DocumentLossConfig)

    def __post_init__(self) -> None:
        for name in ("layers", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        if self.overlap < 0:
            raise ValueError(f"overlap is at least 0, got {self.overlap}")
        check_share("dropout", self.dropout)
        if self.embedding.kind != "transformer" or self.embedding.tuning == "mix":
            raise ValueError(
                "embedding.kind is 'transformer', frozen or tuned: words must know their document"
            )
        if self.embedding.piece == "mean":
            raise ValueError("embedding.piece is 'first' or 'last' for documents, got 'mean'")
        if self.embedding.hidden_pieces and self.embedding.from_layer > 1:
            raise ValueError(
                f"embedding.hidden_pieces is 0 above frozen layers, got {self.embedding.hidden_pieces}: "
                "for documents, what these compute is kept; set embedding.from_layer=1 or hidden_pieces=0"
            )


class PairScorer(nn.Module):
    """Scores a span on the left together with the span on its right."""

    def __init__(self, input_width: int, width: int, n_scores: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.roles = nn.Linear(input_width, 2 * len(ROLES) * width)
        self.edge = nn.Embedding(len(EDGES), width)
        self.length = nn.Embedding(6 * N_BUCKETS, width)
        self.from_sum = nn.Linear(width, n_scores)
        self.from_product = nn.Linear(width, n_scores, bias=False)
        self.dropout = nn.Dropout(dropout)
        for table in (self.edge, self.length):
            nn.init.normal_(table.weight, std=0.1)

    def tables(self) -> dict[str, Tensor]:
        """The weights that the twin in NumPy needs, by the names that it knows them by."""
        weights = (
            self.edge.weight,
            self.length.weight,
            self.from_sum.weight.T,
            self.from_sum.bias,
            self.from_product.weight.T,
        )
        return {
            name: weight.detach().clone().contiguous() for name, weight in zip(TABLES, weights, strict=True)
        }

    def prepare(self, states: Tensor, is_head: Tensor) -> Tensor:
        """What each EDU contributes in each role, ``(2 * roles, n + 1, width)``; means as running sums."""
        roles = self.roles(states).view(len(states), 2 * len(ROLES), self.width).transpose(0, 1)
        first, last, mean, heads = roles.view(2, len(ROLES), len(states), self.width).unbind(1)
        sums = [mean.cumsum(1), (heads * is_head[:, None]).cumsum(1)]
        pad = functional.pad
        # (2, n + 1, width) each
        found = [pad(first, (0, 0, 0, 1)), pad(last, (0, 0, 0, 1)), *(pad(one, (0, 0, 1, 0)) for one in sums)]
        return torch.stack(found, dim=1).flatten(0, 1)

    def forward(self, prepared: Tensor, splits: Splits) -> Tensor:
        """``(p, n_scores)``."""
        places, n_heads = torch.from_numpy(splits.places), torch.from_numpy(splits.n_heads)
        sides = []
        for side, (start, end) in enumerate(((places[:, 0], places[:, 1]), (places[:, 1], places[:, 2]))):
            first, last, sums, heads = prepared[side * len(ROLES) : (side + 1) * len(ROLES)].unbind(0)
            length = (end - start).unsqueeze(1)
            sides.append(
                first[start]
                + last[end - 1]
                + (sums[end] - sums[start]) / length
                + (heads[end] - heads[start]) / n_heads[:, side : side + 1].clamp(min=1)
            )
        rows = torch.from_numpy(splits.lengths + np.arange(6) * N_BUCKETS)
        layout = self.edge(torch.from_numpy(splits.edges)) + self.length(rows).sum(1)
        left, right = sides
        total = self.dropout(functional.relu(left + right + layout))
        product = self.dropout(torch.tanh(left) * torch.tanh(right))
        scores: Tensor = self.from_sum(total) + self.from_product(product)
        return scores


class DocumentNetwork(nn.Module):
    """Encoder, BiGRU over EDUs, and the scores of splits and labels."""

    def __init__(
        self, config: DocumentNetworkConfig, embedder: TransformerEmbedder, labels: Sequence[str]
    ) -> None:
        super().__init__()
        self.config = config
        self.embedder = embedder
        self.labels = tuple(labels)
        self._numbers = {label: number for number, label in enumerate(labels)}
        settings = embedder.config
        self.pieces = WordPieces(
            embedder.tokenizer,
            pad_id=0,
            window=settings.window,
            max_pieces=settings.max_pieces,
            piece=settings.piece,
            overlap=config.overlap,
        )
        width = config.width
        self.project = nn.Linear(3 * embedder.width + N_FLAGS, 2 * width)
        self.reader = Bidirectional(nn.GRU, 2 * width, width, config.layers, config.dropout)
        self.splitter = PairScorer(2 * width, width, 1, config.dropout)
        self.labeller = PairScorer(2 * width, width, len(labels), config.dropout)
        self.dropout = nn.Dropout(config.dropout)
        self._frozen: dict[str, Tensor] = {}

    def forward(self, examples: Sequence[DocumentExample]) -> dict[str, Tensor]:
        """The losses of some documents, averaged."""
        losses = [self.losses(example) for example in examples]
        return {name: torch.stack([loss[name] for loss in losses]).mean() for name in losses[0]}

    # --- from words to EDUs -----------------------------------------------------------------

    def words(self, tokens: Sequence[str], name: str = "") -> Tensor:
        """The vector of each word, ``(tokens, width)``, from the window in which it has most context.

        :param name: under which to keep what frozen layers compute; empty to keep nothing
        """
        batch = self.pieces.batch([tokens])
        states = self._encode(name, torch.from_numpy(batch.ids)).flatten(0, 1)
        positions = torch.from_numpy(batch.positions[0])  # (tokens, k)
        weights = torch.from_numpy(batch.weights[0])
        return (states[positions] * weights.unsqueeze(-1)).sum(1)

    def _encode(self, name: str, ids: Tensor) -> Tensor:
        """The encoder's states. What frozen layers compute for a training document is kept in memory."""
        encoder, first = self.embedder.encoder, self.embedder.config.from_layer
        if not (name and self.embedder.frozen_run_apart):
            return self.embedder.encode_ids(self.embedder.hide(ids), None).squeeze(2)
        if name not in self._frozen:
            in_half = self.embedder.config.training_dtype == "bfloat16"
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=in_half):
                self._frozen[name] = run_below(encoder, first, ids).to(torch.bfloat16)
        with run_above(encoder, first, self._frozen[name].float()):
            return self.embedder.encode_ids(ids, None).squeeze(2)

    def states(self, words: Tensor, units: Units) -> Tensor:
        """The state of each EDU, ``(n, 2 * width)``."""
        start, end = torch.from_numpy(units.tokens).unbind(1)
        sums = functional.pad(words.cumsum(0), (0, 0, 1, 0))
        mean = (sums[end] - sums[start]) / (end - start).unsqueeze(1)
        vectors = torch.cat([words[start], words[end - 1], mean], dim=1)
        inputs = torch.cat([self.dropout(vectors), torch.from_numpy(units.flags)], dim=1)
        return self.read(inputs)

    def read(self, inputs: Tensor) -> Tensor:
        """The state of each EDU from its vectors and flags, ``(n, 2 * width)``."""
        projected = functional.relu(self.project(inputs)).unsqueeze(0)
        lengths = (
            torch.ones_like(projected[:, :, 0]).sum(1).long()
        )  # traced, so that a graph takes any number
        read = self.reader(projected, lengths)
        states: Tensor = self.dropout(projected[0] + torch.cat([read.forward, read.backward], dim=-1)[0])
        return states

    # --- what is learnt ---------------------------------------------------------------------

    def losses(self, example: DocumentExample) -> dict[str, Tensor]:
        """The mean losses of a document: splits and labels, above sentences and inside them."""
        units = example.units
        states = self.states(self.words(example.tokens, example.name), units)
        is_head = torch.from_numpy(units.is_head)
        split_parts, label_parts = (
            scorer.prepare(states, is_head) for scorer in (self.splitter, self.labeller)
        )
        gold = example.gold_spans()
        spans = [(span, 1.0) for span in gold]
        if self.config.loss.explored:
            known = set(gold)
            own = self.explore(example, split_parts)
            spans += [(span, self.config.loss.explored) for span in own if span not in known]
        above = [span for span in spans if units.is_above(*span[0])]
        inside = [span for span in spans if not units.is_above(*span[0])]
        losses = {}
        for name, some, weight in (("above", above, 1.0), ("inside", inside, self.config.loss.inside)):
            if some and weight:
                structure, label = self._span_losses(example, some, split_parts, label_parts)
                losses[f"{name}_structure"], losses[f"{name}_label"] = weight * structure, weight * label
            else:
                losses[f"{name}_structure"] = losses[f"{name}_label"] = states.sum() * 0  # nothing to learn
        return losses

    def _span_losses(
        self,
        example: DocumentExample,
        spans: Sequence[tuple[tuple[int, int], float]],
        split_parts: Tensor,
        label_parts: Tensor,
    ) -> tuple[Tensor, Tensor]:
        candidates = [example.candidates.of(*span) for span, _ in spans]
        best = [example.best(places) for places in candidates]
        weights = torch.tensor([weight for _, weight in spans])
        flat = with_edges([span for span, _ in spans], candidates)
        scores = self.splitter(split_parts, Splits.of(example.units, flat)).squeeze(1)
        lengths = [len(places) for places in candidates]
        padded = _by_span(scores, lengths)
        structure = functional.cross_entropy(padded, torch.tensor(best), reduction="none")
        chosen = np.array(
            [
                (start, places[number], end)
                for ((start, end), _), places, number in zip(spans, candidates, best, strict=True)
            ]
        )
        labels = torch.tensor([self._numbers[example.labels[middle]] for middle in chosen[:, 1]])
        label_scores = self.labeller(label_parts, Splits.of(example.units, chosen))
        smoothing = self.config.loss.label_smoothing
        label = functional.cross_entropy(label_scores, labels, reduction="none", label_smoothing=smoothing)
        if example.lesson is not None:
            read, share = example.lesson.read, example.lesson.share
            splits = _by_span(torch.from_numpy(read.split_scores(flat)), lengths).softmax(1)
            structure = structure.lerp(_cross_entropy(padded, splits), share)
            of_labels = torch.from_numpy(read.label_log_probs(chosen)).exp()
            label = label.lerp(_cross_entropy(label_scores, of_labels), share)
        return (structure * weights).sum() / weights.sum(), (label * weights).sum() / weights.sum()

    def explore(self, example: DocumentExample, prepared: Tensor) -> list[tuple[int, int]]:
        """The spans above sentences that the network would come to."""
        joints = take_best_splits(_Read(self, example.units, prepared), example.units)
        return [(start, end) for start, _, end in joints.places.tolist()]

    def lasting_weights(self) -> dict[str, Tensor]:
        """The weights that a saved model needs."""
        return self.state_dict()

    def pretrained_depths(self) -> Mapping[str, int]:
        """For each pretrained parameter, how many layers it lies below the encoder's last."""
        return {f"embedder.{name}": depth for name, depth in self.embedder.depths().items()}


def _by_span(scores: Tensor, lengths: Sequence[int]) -> Tensor:
    """The scores of the candidates of some spans as one row for each span; ``-inf`` is padding."""
    rows = torch.split(scores, list(lengths))
    return nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=float("-inf"))


def _cross_entropy(scores: Tensor, probs: Tensor) -> Tensor:
    """The cross-entropy of each row of scores with a distribution; both ``(rows, choices)``."""
    log_probs = scores.log_softmax(1).masked_fill(scores == float("-inf"), 0.0)  # 0 times -inf is NaN
    return -(probs * log_probs).sum(1)


class TorchDocumentNetwork:
    """A network as the search sees it, for scores while it is trained."""

    def __init__(self, network: DocumentNetwork) -> None:
        self._network = network

    def read(self, tokens: tuple[str, ...], units: Units, name: str = "") -> "_Read":
        """Read the words and units of a document.

        :param name: under which to keep what frozen layers compute; empty to keep nothing
        """
        network = self._network
        with torch.no_grad():
            states = network.states(network.words(tokens, name), units)
            is_head = torch.from_numpy(units.is_head)
            return _Read(
                network,
                units,
                network.splitter.prepare(states, is_head),
                network.labeller.prepare(states, is_head),
            )


class _Read:
    def __init__(
        self, network: DocumentNetwork, units: Units, split_parts: Tensor, label_parts: Tensor | None = None
    ) -> None:
        self._network = network
        self._units = units
        self._split_parts = split_parts
        self._label_parts = label_parts

    def split_scores(self, places: Ints) -> Floats:
        """How well to split at each of these places, ``(p,)``."""
        with torch.no_grad():
            found: Floats = self._network.splitter(self._split_parts, Splits.of(self._units, places))[
                :, 0
            ].numpy()
        return found

    def label_log_probs(self, places: Ints) -> Floats:
        """Log-probabilities of labels, ``(p, labels)``."""
        if self._label_parts is None:
            raise ValueError("only splits are explored")
        with torch.no_grad():
            scores = self._network.labeller(self._label_parts, Splits.of(self._units, places))
            found: Floats = scores.log_softmax(dim=1).numpy()
        return found
