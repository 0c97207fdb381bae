"""A running average of the weights (Polyak & Juditsky 1992): steadier than the weights of any one step."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class WeightAverage:
    """The exponential average of a network's trained weights over the steps so far.

    The share of the past grows with the steps up to ``decay``, so that the random weights of the
    start are soon forgotten. A decay of 0 is no average: the weights themselves.
    """

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self._weights = dict(network.named_parameters()) if decay else {}
        self._weights = {name: weight for name, weight in self._weights.items() if weight.requires_grad}
        self._average = {name: weight.detach().clone() for name, weight in self._weights.items()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the weights after a step, counted from 1."""
        decay = min(self.decay, step / (step + 9))
        for name, weight in self._weights.items():
            self._average[name].lerp_(weight, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """For a while, the network has the average for its weights."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    def state(self) -> dict[str, Tensor]:
        """The average by the names of the weights."""
        return self._average

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Go on from a saved average; raises ``KeyError`` where it is of other weights."""
        self._average = {name: state[name] for name in self._weights}

    @torch.no_grad()
    def _swap(self) -> None:
        for name, weight in self._weights.items():
            current = weight.detach().clone()
            weight.copy_(self._average[name])
            self._average[name] = current
