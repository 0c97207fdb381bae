"""The optimiser and its schedule, with separate learning rates for new layers and a pretrained encoder."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerConfig:
    """How the optimiser updates weights."""

    kind: Literal["adam", "adamw"] = "adam"
    """adam: weight decay is L2 regularisation, as in the paper. adamw: weight decay is decoupled from the gradient."""
    learning_rate: float = 1e-3
    """Peak learning rate of new layers."""
    pretrained_rate: float = 1e-4
    """Peak learning rate of a fine-tuned encoder's last layer."""
    layer_decay: float = 1.0
    """Learning rate of each layer of a fine-tuned encoder, relative to the layer above it."""
    betas: tuple[float, float] = (0.9, 0.999)
    """Adam's decay rates of the first and second moments."""
    weight_decay: float = 0.0
    """Weight decay; biases and normalisation weights have none."""
    schedule: Literal["constant", "linear", "cosine", "step"] = "constant"
    """Learning rate after warm-up: constant, falling to zero (linear, cosine), or falling in steps."""
    warmup: float = 0.0
    """Share of all steps during which the learning rate rises from zero to its peak."""
    step_epochs: int = 10
    """With schedule "step": epochs between two multiplications of the learning rate by step_factor."""
    step_factor: float = 0.8
    """See step_epochs."""
    clip_norm: float = 5.0
    """Largest norm of the gradient; a larger gradient is scaled down."""

    def __post_init__(self) -> None:
        for name in ("learning_rate", "pretrained_rate", "layer_decay", "step_factor", "clip_norm"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup must be a share, 0 <= warmup < 1, got {self.warmup}")
        if self.weight_decay < 0 or self.step_epochs < 1:
            raise ValueError("weight_decay must be at least 0 and step_epochs at least 1")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ValueError(f"betas must lie in 0 <= beta < 1, got {self.betas}")


def make_optimizer(
    network: nn.Module, depths: Mapping[str, int], config: OptimizerConfig
) -> torch.optim.Optimizer:
    """Make an optimiser whose parameter groups have their peak learning rate as ``peak``.

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
    """Set the learning rate of each parameter group for this step (counted from 0)."""
    factor = rate_factor(config, step, n_steps, n_epochs)
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * factor


def rate_factor(config: OptimizerConfig, step: int, n_steps: int, n_epochs: int) -> float:
    """The learning rate at this step of ``n_steps``, as a share of the peak rate."""
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
