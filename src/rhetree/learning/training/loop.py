"""The training loop: a generator that yields each step and each evaluation for the caller to show.

On one machine the same seed gives the same weights, bit for bit, even if the run was killed and
resumed: the order of batches and the learning rate follow from seed and step, and the checkpoint has
the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from rhetree.errors import ModelError, TrainingError
from rhetree.learning.training.averaging import WeightAverage
from rhetree.learning.training.batches import share, shuffled_batches
from rhetree.learning.training.checkpoint import (
    Position,
    Trainee,
    has_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from rhetree.learning.training.optimisation import OptimizerConfig, make_optimizer, set_rate
from rhetree.learning.training.processes import Processes
from rhetree.runtime.workers import MOST_THREADS


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """How long to train, and which weights to keep."""

    seed: int = 1
    """Random seed of the initial weights, the order of sentences and dropout."""
    start: str = ""
    """Model to start from, an installed one by name or a folder; empty to start from the embedding alone. The
    settings of network that a recipe leaves out are then that model's."""
    epochs: int = 30
    """Largest number of passes over the training sentences."""
    batch_size: int = 32
    """Sentences per step, over all processes."""
    select: str = ""
    """Dev score that selects the best model; empty for the task's default (see docs/training.md)."""
    patience: int = 10
    """Evaluations without a better dev score before stopping."""
    average: float = 0.0
    """Decay of a running average of the weights, such as 0.999, which is then evaluated and saved; 0 for none."""
    checkpoint_steps: int = 200
    """Steps between checkpoints; there is one after each epoch as well."""
    threads: int = 0
    """Number of torch threads; 0 for torch's own choice, usually one per core."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "patience", "checkpoint_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.average < 1:
            raise ValueError(f"average must be a decay, 0 <= average < 1, got {self.average}")
        if self.seed < 0:
            raise ValueError(f"seed must be at least 0, got {self.seed}")
        if not 0 <= self.threads <= MOST_THREADS:
            raise ValueError(f"threads must be between 0 and {MOST_THREADS}, got {self.threads}")


class Example(Protocol):
    """A sentence or a document to learn from."""

    @property
    def tokens(self) -> Sequence[str]:
        """Its words; their number says which examples go well together."""


@dataclass(frozen=True, slots=True)
class Step:
    """One training step on one batch."""

    epoch: int
    step: int
    n_steps: int
    n_sentences: int
    losses: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The dev scores after an epoch."""

    epoch: int
    step: int
    scores: Mapping[str, float]
    is_best: bool


def train(
    network: nn.Module,
    examples: Sequence[Example],
    *,
    train: TrainConfig,
    optimizer: OptimizerConfig,
    select: str,
    evaluate: Callable[[], Mapping[str, float]],
    keep: Callable[[Mapping[str, float]], None],
    folder: Path,
    depths: Mapping[str, int] | None = None,
    settings: Mapping[str, Any] | None = None,
    data: str = "",
    resume: bool = False,
    processes: Processes | None = None,
) -> Iterator[Step | Evaluated]:
    """Fit a network to examples. Yields each step and each evaluation.

    :param select: name of the score, among those of ``evaluate``, that decides which network is best
    :param evaluate: scores the network on dev; called in the first process only
    :param keep: saves the best network so far, given its scores
    :param folder: where the checkpoint is written
    :param depths: for each pretrained parameter, how many layers it lies below the last
    :param settings: settings by name; a checkpoint with other settings is refused
    :param data: hash of the train and dev data; a checkpoint with other data is refused
    """
    processes = processes or Processes()
    stepper = make_optimizer(network, depths or {}, optimizer)
    average = WeightAverage(network, train.average)
    trainee = Trainee(network, stepper, average)
    position = Position(settings=settings or {}, data=data)
    if resume and has_checkpoint(folder):
        position = load_checkpoint(folder, trainee, position.settings, data)
    model = processes.wrap(network)
    lengths = [len(example.tokens) for example in examples]
    n_steps = train.epochs * -(-len(examples) // train.batch_size)

    while position.epoch < train.epochs and not _is_over(position, train):
        batches = shuffled_batches(lengths, train.batch_size, train.seed, position.epoch)
        for batch in batches[position.step_in_epoch :]:
            set_rate(stepper, optimizer, position.step, n_steps, train.epochs)
            if not processes.is_first:
                # The checkpoint has only the first process's random state; the others' follow from the step.
                torch.manual_seed(hash((train.seed, processes.rank, position.step)) % 2**31)
            mine = [examples[number] for number in share(batch, processes.rank, processes.n)]
            random = torch.get_rng_state()
            losses = _find_gradient(model, stepper, mine, optimizer.clip_norm, position, folder)
            if processes.is_first and position.step_in_epoch and position.step % train.checkpoint_steps == 0:
                # Not earlier: only the next batch shows that these weights give a finite loss.
                save_checkpoint(folder, trainee, position, random)
            stepper.step()
            position.step += 1
            position.step_in_epoch += 1
            average.update(position.step)
            yield Step(position.epoch + 1, position.step, n_steps, len(batch), losses)

        position.epoch += 1
        position.step_in_epoch = 0
        with average.in_place():
            network.eval()
            scores = _evaluated(evaluate, position, folder) if processes.is_first else {}
            score = processes.agree(scores.get(select, 0.0))
            is_best = position.best is None or score > position.best
            if is_best:
                position.best, position.best_epoch = score, position.epoch
                if processes.is_first:
                    keep(scores)
        if processes.is_first:
            random = torch.get_rng_state()
            # First the evaluation, so that it is in the log when the checkpoint says that it is done: a resumed run
            # cuts from the log what the checkpoint does not know.
            yield Evaluated(position.epoch, position.step, scores, is_best)
            save_checkpoint(folder, trainee, position, random)


def _find_gradient(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    examples: Sequence[Example],
    clip_norm: float,
    position: Position,
    folder: Path,
) -> dict[str, float]:
    model.train()
    losses: dict[str, torch.Tensor] = model(examples)
    total = torch.stack(list(losses.values())).sum()
    optimizer.zero_grad(set_to_none=True)
    total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
    # Checked before the step: a finite loss can have a NaN gradient, which would ruin the weights.
    if not (torch.isfinite(total) and torch.isfinite(norm)):
        found = ", ".join(
            f"{name} {value.item():.3g}" for name, value in {**losses, "gradient": norm}.items()
        )
        what = f"the loss or its gradient is NaN or infinite at step {position.step + 1} of epoch {position.epoch + 1}"
        raise _diverged(f"{what} ({found})", folder)
    return {name: loss.item() for name, loss in losses.items()}


def _evaluated(
    evaluate: Callable[[], Mapping[str, float]], position: Position, folder: Path
) -> Mapping[str, float]:
    try:
        return evaluate()
    except ModelError as error:
        raise _diverged(f"no scores after epoch {position.epoch}: {error}", folder) from error


def _diverged(what: str, folder: Path) -> TrainingError:
    last = f"the last good state is in {folder}" if has_checkpoint(folder) else "nothing was saved yet"
    return TrainingError(f"{what}; {last}; try a lower optimizer.learning_rate or optimizer.clip_norm")


def _is_over(position: Position, train: TrainConfig) -> bool:
    return position.best is not None and position.epoch - position.best_epoch >= train.patience
