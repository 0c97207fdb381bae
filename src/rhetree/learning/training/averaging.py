"""A running average of the weights (Polyak & Juditsky 1992), steadier than the weights of any one step."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn


class WeightAverage:
    """Exponential moving average of a network's trainable weights.

    The decay grows with the number of steps, up to ``decay``, so that the random initial weights
    are soon forgotten. With a decay of 0 nothing is averaged.

    Not torch's ``AveragedModel``, whose formula this uses: that one copies the whole network, with its
    frozen encoder and features, and forgets the initial weights at the first step.
    """

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self._weights = dict(network.named_parameters()) if decay else {}
        self._weights = {name: weight for name, weight in self._weights.items() if weight.requires_grad}
        self._average = {name: weight.detach().clone() for name, weight in self._weights.items()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Add the weights after a step (counted from 1) to the average."""
        if self._weights:
            decay = min(self.decay, step / (step + 9))
            average = get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]  # torch has no types for it
            average([self._average[name] for name in self._weights], list(self._weights.values()), step)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within this context the network uses the averaged weights."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    def state(self) -> dict[str, Tensor]:
        """The averaged weights by name."""
        return self._average

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Continue from a saved average; raises ``KeyError`` if a weight is missing."""
        self._average = {name: state[name].to(weight.device) for name, weight in self._weights.items()}

    @torch.no_grad()
    def _swap(self) -> None:
        for name, weight in self._weights.items():
            current = weight.detach().clone()
            weight.copy_(self._average[name])
            self._average[name] = current
