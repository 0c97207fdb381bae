"""The folder that a training run lives in, and what is kept there.

A run has in its folder:

    recipe.toml              the settings, every one of them
    log.jsonl                a line a step and an evaluation, to be plotted; where it is, there is a run
    checkpoint.safetensors   where training is
    model/                   the best model so far
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rhetree.errors import RhetreeError, TrainingError
from rhetree.learning import checkpoint
from rhetree.learning.loop import Evaluated, Step
from rhetree.learning.recipe import Recipe
from rhetree.learning.settings import as_toml
from rhetree.treebanks.files import check_folder, whole_file

LOG = "log.jsonl"
MODEL = "model"
RECIPE = "recipe.toml"
_LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder, which need not be there yet; nobody else trains in it meanwhile."""
    check_folder(folder)
    is_new = not folder.exists()
    lock = FileLock(folder / _LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise TrainingError(
            f"{folder}: another process is training in it; wait for it, or stop it"
        ) from error
    except OSError as error:
        raise RhetreeError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        yield
    finally:
        # The file stays: who removes it may take it from one who has just locked it.
        lock.release()
        if is_new and not (folder / LOG).exists():
            _remove_empty(folder)


def steps_done(folder: Path, recipe: Recipe, data: str, *, resume: bool) -> int:
    """After how many steps a run goes on here; an error where it cannot. Nothing is written.

    :param data: a hash of what is learnt from and chosen on
    """
    there = [name for name in (LOG, checkpoint.FILE, MODEL, RECIPE) if (folder / name).exists()]
    if not resume:
        if LOG in there:
            raise TrainingError(
                f"{folder} holds a run already; go on with --resume, or choose another folder"
            )
        if there:
            raise TrainingError(
                f"{folder / there[0]} is there already and would be overwritten; choose another folder"
            )
        return 0
    if LOG not in there:
        raise TrainingError(f"{folder} holds no run to go on with; start one without --resume")
    if checkpoint.FILE not in there:
        if MODEL in there:
            raise TrainingError(
                f"{folder}: the checkpoint of this run is gone; start afresh in another folder"
            )
        return 0
    position = checkpoint.read_position(folder, recipe.fixed(), data)
    if recipe.train.epochs < position.epoch:
        raise TrainingError(
            f"{folder}: {position.epoch} epochs are done, more than train.epochs = {recipe.train.epochs}"
        )
    return position.step


def start(folder: Path, recipe: Recipe, n_done: int) -> None:
    """Write the recipe, and a log of so many steps: from now on there is a run."""
    # What a killed run did after its checkpoint will be done, and logged, again.
    lines = [line for line in read_log(folder) if line["step"] <= n_done] if n_done else []
    with whole_file(folder / RECIPE) as sink:
        sink.write(as_toml(recipe))
    with whole_file(folder / LOG) as sink:
        sink.writelines(json.dumps(line) + "\n" for line in lines)


def log(folder: Path, event: Step | Evaluated) -> None:
    """Add a line to a run's log."""
    kind = "step" if isinstance(event, Step) else "dev"
    line = json.dumps({"kind": kind, **asdict(event)})
    try:
        with (folder / LOG).open("a", encoding="utf-8") as sink:
            sink.write(line + "\n")
    except OSError as error:
        raise RhetreeError(f"{folder / LOG}: cannot be written: {error.strerror}") from error


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; one that a killed run did not finish is left out."""
    path = folder / LOG
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise RhetreeError(f"{path}: not a log of training: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not _is_event(line):
            raise RhetreeError(f"{path}:{number}: not a line of a log of training")
    return lines


def _is_event(line: object) -> bool:
    if not isinstance(line, dict) or not isinstance(line.get("step"), int):
        return False
    values = {"step": line.get("losses"), "dev": line.get("scores")}
    return isinstance(values.get(str(line.get("kind"))), Mapping)


def _remove_empty(folder: Path) -> None:
    """Remove a folder where nothing came to be."""
    try:
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        pass  # someone has put something there
