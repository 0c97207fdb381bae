"""How weights move: one rate for new layers, another for a pretrained encoder, both on one schedule."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerConfig:
    """How weights move; how long and on what is the section ``train``'s."""

    kind: Literal["adam", "adamw"] = "adam"
    """adam: weight decay is the paper's L2 regularisation. adamw: decay apart from the gradient."""
    learning_rate: float = 1e-3
    """Peak rate of new layers."""
    pretrained_rate: float = 1e-4
    """Peak rate of a fine-tuned encoder's last layer."""
    layer_decay: float = 1.0
    """Each layer of a fine-tuned encoder has so much of the rate of the layer above it."""
    betas: tuple[float, float] = (0.9, 0.999)
    """Adam's decay of the first and the second moment."""
    weight_decay: float = 0.0
    """Not applied to biases and normalisation."""
    schedule: Literal["constant", "linear", "cosine", "step"] = "constant"
    """After warm-up the rate stays, falls to zero at the last epoch, or falls in steps."""
    warmup: float = 0.0
    """The share of all steps in which the rate rises from zero."""
    step_epochs: int = 10
    """With schedule "step": after so many epochs the rate is multiplied by step_factor."""
    step_factor: float = 0.8
    """See step_epochs."""
    clip_norm: float = 5.0
    """Longest gradient; a longer one is scaled down to it."""

    def __post_init__(self) -> None:
        for name in ("learning_rate", "pretrained_rate", "layer_decay", "step_factor", "clip_norm"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is above 0, got {getattr(self, name)}")
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup is a share, 0 <= warmup < 1, got {self.warmup}")
        if self.weight_decay < 0 or self.step_epochs < 1:
            raise ValueError("weight_decay is at least 0 and step_epochs at least 1")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ValueError(f"betas are within 0 <= beta < 1, got {self.betas}")


def make_optimizer(
    network: nn.Module, depths: Mapping[str, int], config: OptimizerConfig
) -> torch.optim.Optimizer:
    """An optimiser whose groups know their peak rate.

    :param depths: for each pretrained parameter, how many layers it lies below the last
    """
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        rate = config.learning_rate
        if name in depths:
            rate = config.pretrained_rate * config.layer_decay ** depths[name]
        decay = config.weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    settings: list[dict[str, Any]] = [
        {"params": parameters, "lr": rate, "peak": rate, "weight_decay": decay}
        for (rate, decay), parameters in groups.items()
    ]
    kind = torch.optim.Adam if config.kind == "adam" else torch.optim.AdamW
    return kind(settings, betas=config.betas, fused=True)


def set_rate(
    optimizer: torch.optim.Optimizer, config: OptimizerConfig, step: int, n_steps: int, n_epochs: int
) -> None:
    """Give each group its rate for this step, counted from 0."""
    factor = rate_factor(config, step, n_steps, n_epochs)
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * factor


def rate_factor(config: OptimizerConfig, step: int, n_steps: int, n_epochs: int) -> float:
    """The share of the peak rate at this step of ``n_steps`` in all."""
    warmup_steps = config.warmup * n_steps
    if step < warmup_steps:
        return (step + 1) / (warmup_steps + 1)
    done = (step - warmup_steps) / max(1.0, n_steps - warmup_steps)
    if config.schedule == "linear":
        return 1 - done
    if config.schedule == "cosine":
        return (1 + math.cos(math.pi * done)) / 2
    if config.schedule == "step":
        epoch = int(step * n_epochs / n_steps)
        return float(config.step_factor ** (epoch // config.step_epochs))
    return 1.0
