"""The label classifier: relation and nuclearity of a split, from its two spans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from rhetree.domain.relations import label_parts
from rhetree.domain.tree import NUCLEARITIES
from rhetree.learning.networks.encoder import check_share
from rhetree.learning.networks.spans import SpanRepresentation


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierConfig:
    """How splits are labelled."""

    width: int = 64
    """Size of the latent features of each span."""
    span: Literal["as-decoder", "last", "mean", "both-ends"] = "as-decoder"
    """How each of its two spans is represented: as for the decoder (network.parser.span), or in a way of its own."""
    separate: bool = False
    """Whether relation and nuclearity have a classifier each, in place of one for their combinations."""
    dropout: float = 0.5
    """Dropout on the latent features."""

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"width is at least 1, got {self.width}")
        check_share("dropout", self.dropout)


class Biaffine(nn.Module):
    """The paper's equations 3 and 4.

    ``c_k = ELU(e_k U_1)``, ``c_j = ELU(e_j U_2)``, then ``softmax(c_k W c_j + c_k W_k + c_j W_j + b)``.
    """

    def __init__(self, span_width: int, width: int, n_classes: int, dropout: float) -> None:
        super().__init__()
        self.left = nn.Linear(span_width, width, bias=False)  # U_1
        self.right = nn.Linear(span_width, width, bias=False)  # U_2
        self.both = nn.Parameter(torch.empty(width, n_classes, width))  # W
        self.left_alone = nn.Linear(width, n_classes, bias=False)  # W_k
        self.right_alone = nn.Linear(width, n_classes)  # W_j and b
        self.dropout = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.both.view(width, n_classes * width))

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Log-probabilities of the classes, ``(splits, classes)``.

        :param left: the vectors of the left spans, ``(splits, span width)``; ``right`` likewise
        """
        left = self.dropout(nn.functional.elu(self.left(left)))
        right = self.dropout(nn.functional.elu(self.right(right)))
        # (s, d) x (d, classes, d) -> (s, classes, d), then with (s, d) -> (s, classes). As a product of
        # matrices, since einsum and tensordot become ONNX operators that take 1.4 times as long.
        width, n_classes, _ = self.both.shape
        by_class = (left @ self.both.flatten(1)).view(-1, n_classes, width)
        related = by_class @ right.unsqueeze(-1)
        scores: Tensor = related.squeeze(-1) + self.left_alone(left) + self.right_alone(right)
        return scores.log_softmax(dim=-1)


class LabelClassifier(nn.Module):
    """Labels such as ``elaboration-NS``, learnt as they are, or as relation and nuclearity apart.

    Apart, every relation can get every nuclearity: ``labels`` are then all combinations, and a
    label's probability is the product of the two.
    """

    def __init__(self, config: ClassifierConfig, labels: Sequence[str], spans: SpanRepresentation) -> None:
        """Build a classifier with random weights.

        :param spans: how the two spans of a split are represented
        """
        super().__init__()
        self.labels = tuple(labels)
        self.spans = spans
        span_width = spans.width
        self.nuclearity: Biaffine | None = None
        n_classes = len(self.labels)
        if config.separate:
            relations = sorted({label_parts(label)[0] for label in labels})
            self.labels = tuple(f"{relation}-{nuc}" for relation in relations for nuc in NUCLEARITIES)
            self.nuclearity = Biaffine(span_width, config.width, len(NUCLEARITIES), config.dropout)
            n_classes = len(relations)
        self.label = Biaffine(span_width, config.width, n_classes, config.dropout)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Log-probabilities of ``labels``, ``(splits, labels)``."""
        log_probs: Tensor = self.label(left, right)
        if self.nuclearity is None:
            return log_probs
        nuclearities: Tensor = self.nuclearity(left, right)
        # In the order of the labels: nuclearities vary faster.
        return (log_probs.unsqueeze(2) + nuclearities.unsqueeze(1)).flatten(1)
