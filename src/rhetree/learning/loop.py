"""Training as a generator: it yields each step and each evaluation, and whoever runs it shows them.

The same seed gives the same weights, bit for bit, on the same machine, and so does a run that was
killed and resumed: order and rate follow from seed and step, the rest is in the checkpoint.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from rhetree.errors import ModelError, TrainingError
from rhetree.learning.averaging import WeightAverage
from rhetree.learning.batches import share, shuffled_batches
from rhetree.learning.checkpoint import (
    Position,
    Trainee,
    has_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from rhetree.learning.optimisation import OptimizerConfig, make_optimizer, set_rate
from rhetree.learning.processes import Processes
from rhetree.learning.targets import SentenceExample
from rhetree.runtime.workers import MOST_THREADS


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """How long to learn, and which of the weights on the way to keep."""

    seed: int = 1
    """Of the first weights, the order of sentences and dropout."""
    epochs: int = 30
    """Passes over the training sentences, at most."""
    batch_size: int = 32
    """Sentences a step, over all processes."""
    select: str = ""
    """The dev score that chooses the model; empty for the task's own (see docs/training.md)."""
    patience: int = 10
    """Evaluations without a better dev score before stopping."""
    average: float = 0.0
    """Evaluate and keep a running average of the weights with this decay, such as 0.999; 0 for none."""
    checkpoint_steps: int = 200
    """A checkpoint after so many steps, and after each epoch."""
    threads: int = 0
    """Of torch; 0 for as many as it takes by itself, mostly one a core."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "patience", "checkpoint_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, got {getattr(self, name)}")
        if not 0 <= self.average < 1:
            raise ValueError(f"average is a decay, 0 <= average < 1, got {self.average}")
        if self.seed < 0:
            raise ValueError(f"seed is at least 0, got {self.seed}")
        if not 0 <= self.threads <= MOST_THREADS:
            raise ValueError(f"threads lies within 0 and {MOST_THREADS}, got {self.threads}")


@dataclass(frozen=True, slots=True)
class Step:
    """One batch learnt."""

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
    examples: Sequence[SentenceExample],
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
    """Fit a network to examples, yielding what happens.

    :param select: the name of the score, among those of ``evaluate``, that decides which is best
    :param evaluate: scores the network on dev; called in the first process only
    :param keep: saves the network, the best so far, with its scores
    :param folder: where the checkpoint lives
    :param depths: for each pretrained parameter, how many layers it lies below the last
    :param settings: by name; a checkpoint of others is refused
    :param data: a hash of what is learnt from and chosen on; a checkpoint of another is refused
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
                # Only the first process's random state is in the checkpoint; the others' follow from the step.
                torch.manual_seed(hash((train.seed, processes.rank, position.step)) % 2**31)
            mine = [examples[number] for number in share(batch, processes.rank, processes.n)]
            random = torch.get_rng_state()
            losses = _find_gradient(model, stepper, mine, optimizer.clip_norm, position, folder)
            if processes.is_first and position.step_in_epoch and position.step % train.checkpoint_steps == 0:
                # Only now: another batch has shown that these weights are good.
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
            save_checkpoint(folder, trainee, position, torch.get_rng_state())
            yield Evaluated(position.epoch, position.step, scores, is_best)


def _find_gradient(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    examples: Sequence[SentenceExample],
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
    # Before the step: a gradient that is no number can come of a loss that is one, and would ruin the weights.
    if not (torch.isfinite(total) and torch.isfinite(norm)):
        found = ", ".join(
            f"{name} {value.item():.3g}" for name, value in {**losses, "gradient": norm}.items()
        )
        what = (
            f"the loss or its gradient is no number at step {position.step + 1} of epoch {position.epoch + 1}"
        )
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
