"""The folder of a training run:

recipe.toml              every setting
log.jsonl                one line per step and per evaluation; a folder with a log holds a run
checkpoint.safetensors   the state to resume from
model/                   the best model so far
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from rhetree.errors import RhetreeError, TrainingError
from rhetree.formats.files import check_folder, whole_file
from rhetree.learning.training import checkpoint
from rhetree.learning.training.loop import Evaluated, Step
from rhetree.learning.training.recipe import Recipe
from rhetree.learning.training.settings import as_toml

if TYPE_CHECKING:
    from rhetree.learning.documents.recipe import DocumentRecipe

LOG = "log.jsonl"
MODEL = "model"
RECIPE = "recipe.toml"
_LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder against other training processes; it is created if missing."""
    check_folder(folder)
    is_new = not folder.exists()
    lock = FileLock(folder / _LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise TrainingError(f"{folder}: another process is training here; wait for it, or stop it") from error
    except OSError as error:
        raise RhetreeError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        yield
    finally:
        # The lock file stays: another process may have locked it just now.
        lock.release()
        if is_new and not (folder / LOG).exists():
            _remove_empty(folder)


def steps_done(folder: Path, recipe: "Recipe | DocumentRecipe", data: str, *, resume: bool) -> int:
    """The number of steps already done in this folder; an error if the run cannot start or resume here.

    Writes nothing.

    :param data: hash of the train and dev data
    """
    there = [name for name in (LOG, checkpoint.FILE, MODEL, RECIPE) if (folder / name).exists()]
    if not resume:
        if LOG in there:
            raise TrainingError(
                f"{folder} already holds a run; continue it with --resume, or choose another folder"
            )
        if there:
            raise TrainingError(f"{folder / there[0]} exists and would be overwritten; choose another folder")
        return 0
    if LOG not in there:
        raise TrainingError(f"{folder} holds no run to resume; start one without --resume")
    if checkpoint.FILE not in there:
        if MODEL in there:
            raise TrainingError(
                f"{folder}: the checkpoint of this run is gone; start a new run in another folder"
            )
        return 0
    position = checkpoint.read_position(folder, recipe.fixed(), data)
    if recipe.train.epochs < position.epoch:
        raise TrainingError(
            f"{folder}: this run has done {position.epoch} epochs, more than train.epochs = {recipe.train.epochs}"
        )
    return position.step


def start(folder: Path, recipe: "Recipe | DocumentRecipe", n_done: int) -> None:
    """Write the recipe and the log, cut to the first ``n_done`` steps; the folder now holds a run."""
    # Steps after the last checkpoint will be repeated, and logged again.
    lines = [line for line in read_log(folder) if line["step"] <= n_done] if n_done else []
    with whole_file(folder / RECIPE) as sink:
        sink.write(as_toml(recipe))
    with whole_file(folder / LOG) as sink:
        sink.writelines(json.dumps(line) + "\n" for line in lines)


def log(folder: Path, event: Step | Evaluated) -> None:
    """Append a line to a run's log."""
    kind = "step" if isinstance(event, Step) else "dev"
    line = json.dumps({"kind": kind, **asdict(event)})
    try:
        with (folder / LOG).open("a", encoding="utf-8") as sink:
            sink.write(line + "\n")
    except OSError as error:
        raise RhetreeError(f"{folder / LOG}: cannot write the log: {error.strerror}") from error


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; a last line that a killed run left incomplete is dropped."""
    path = folder / LOG
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    except OSError as error:
        raise RhetreeError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise RhetreeError(f"{path}: not a training log: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not _is_event(line):
            raise RhetreeError(f"{path}:{number}: not a line of a training log")
    return lines


def _is_event(line: object) -> bool:
    if not isinstance(line, dict) or not isinstance(line.get("step"), int):
        return False
    values = {"step": line.get("losses"), "dev": line.get("scores")}
    return isinstance(values.get(str(line.get("kind"))), Mapping)


def _remove_empty(folder: Path) -> None:
    """Remove a folder in which no run started."""
    try:
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        pass  # something else is in it
