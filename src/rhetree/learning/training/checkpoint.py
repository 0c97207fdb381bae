"""A checkpoint: everything a run needs to resume as if it had never stopped, in one file written atomically.

The file is in safetensors format. It holds the tensors of the network, the optimiser and the average,
torch's random state, and the position in training as JSON metadata. The order of the batches and the
learning rate follow from seed and step, so they need no state.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from rhetree.errors import ModelError, RhetreeError
from rhetree.learning.training.averaging import WeightAverage

FILE = "checkpoint.safetensors"
_VERSION = "3"


@dataclass(slots=True, kw_only=True)
class Position:
    """How far training has got."""

    epoch: int = 0
    step_in_epoch: int = 0
    step: int = 0
    best: float | None = None
    """The best dev score so far; ``train.select`` says which score."""
    best_epoch: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings by name, which must be the same when the run is resumed."""
    data: str = ""
    """Hash of the train and dev data, which must be the same when the run is resumed."""


@dataclass(frozen=True, slots=True, eq=False)
class Trainee:
    """The objects that change during training."""

    network: nn.Module
    optimizer: torch.optim.Optimizer
    average: WeightAverage


def save_checkpoint(folder: Path, trainee: Trainee, position: Position, random: Tensor) -> None:
    """Write a folder's checkpoint, replacing the previous one.

    :param random: torch's random state at this position
    """
    tensors = {f"network/{name}": value for name, value in trainee.network.state_dict().items()}
    tensors |= {f"average/{name}": value for name, value in trainee.average.state().items()}
    names = _trained_names(trainee)
    for number, state in trainee.optimizer.state_dict()["state"].items():
        tensors |= {
            f"optimizer/{names[number]}/{key}": torch.as_tensor(value) for key, value in state.items()
        }
    tensors["random"] = random
    # Tied weights share memory, which safetensors refuses, so each name gets its own copy.
    tensors = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    path, temporary = folder / FILE, folder / f".{FILE}.part"
    try:
        about = {"version": _VERSION, "position": json.dumps(asdict(position))}
        save_file(tensors, temporary, metadata=about)
        temporary.chmod(0o644)  # safetensors makes files readable by their owner only
        os.replace(temporary, path)
    except (OSError, SafetensorError) as error:
        temporary.unlink(missing_ok=True)
        raise RhetreeError(f"{path}: cannot write the checkpoint: {error}") from error


def load_checkpoint(folder: Path, trainee: Trainee, settings: Mapping[str, Any], data: str = "") -> Position:
    """Restore network, optimiser, average and random state from a checkpoint.

    :param settings: see :func:`read_position`, also for ``data``
    """
    position = read_position(folder, settings, data)
    path = folder / FILE
    try:
        tensors = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error
    _restore(path, trainee, tensors)
    return position


def read_position(folder: Path, settings: Mapping[str, Any], data: str) -> Position:
    """The position saved in a checkpoint; an error if settings or data differ from the checkpoint's.

    :param settings: settings to resume with, by name
    :param data: hash of the data to resume with
    """
    path = folder / FILE
    try:
        with safe_open(path, framework="pt") as source:
            about = source.metadata() or {}
        if about.get("version") != _VERSION:
            raise ModelError(f"{path}: made by another version of Rhetree; start a new run")
        position = Position(**json.loads(about["position"]))
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: not a checkpoint, or truncated: {error}") from error
    for name in sorted({*settings, *position.settings}):
        before, now = position.settings.get(name), settings.get(name)
        if before != now:
            raise ModelError(
                f"{path}: this run has {name} = {before!r}, not {now!r}; resume with the settings in "
                "its recipe.toml, or start a new run in another folder"
            )
    if position.data != data:
        raise ModelError(
            f"{path}: the corpus has changed since this run began; resume with the original corpus, "
            "or start a new run in another folder"
        )
    return position


def has_checkpoint(folder: Path) -> bool:
    """Whether the folder has a checkpoint to resume from."""
    return (folder / FILE).is_file()


def _restore(path: Path, trainee: Trainee, tensors: dict[str, Tensor]) -> None:
    try:
        trainee.network.load_state_dict(_part(tensors, "network/"))
        trainee.average.load(_part(tensors, "average/"))
        state = _optimizer_state(trainee, _part(tensors, "optimizer/"))
        random = tensors["random"]
    except (RuntimeError, KeyError) as error:
        raise ModelError(
            f"{path}: belongs to another network; have the data or the embedding's files changed?"
        ) from error
    groups = trainee.optimizer.state_dict()["param_groups"]
    trainee.optimizer.load_state_dict({"state": state, "param_groups": groups})
    torch.set_rng_state(random)


def _optimizer_state(trainee: Trainee, saved: Mapping[str, Tensor]) -> dict[int, dict[str, Tensor]]:
    """The optimiser's state by index of the weight; raises ``KeyError`` if it does not fit the network."""
    numbers = {name: number for number, name in enumerate(_trained_names(trainee))}
    state: dict[int, dict[str, Tensor]] = {}
    for place, value in saved.items():
        name, _, key = place.rpartition("/")
        if value.ndim and value.shape != trainee.network.get_parameter(name).shape:
            raise KeyError(place)
        state.setdefault(numbers[name], {})[key] = value
    return state


def _trained_names(trainee: Trainee) -> list[str]:
    """Names of the weights in the optimiser's order. A change of its settings may change the order, not the names."""
    names = {weight: name for name, weight in trainee.network.named_parameters()}
    return [names[weight] for group in trainee.optimizer.param_groups for weight in group["params"]]


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
