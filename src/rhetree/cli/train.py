"""Train a segmenter, a parser or both from a recipe (see --list and docs/training.md).

The run's folder gets the recipe with every setting, a log, a picture of it, a checkpoint to go on
from, and the best model so far.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from rhetree.cli.options import add_device_argument, say
from rhetree.errors import RhetreeError, SettingError, TrainingError, counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree train``."""
    parser.add_argument(
        "recipe", nargs="?", metavar="RECIPE", help="what to train: a name that --list shows, or a TOML file"
    )
    parser.add_argument(
        "--from",
        metavar="MODEL",
        dest="start",
        help="train this model further: an installed one, such as english, or a folder; RECIPE is then "
        "fine-tune, or fine-tune-document for a model that joins sentences, unless you name another",
    )
    parser.add_argument(
        "--list", action="store_true", help="list the recipes that come with Rhetree, and stop"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        dest="assignments",
        help="change a setting of the recipe; may be given often",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="the run's folder; default: runs/ and the recipe's name, or the folder of a run's own recipe.toml",
    )
    parser.add_argument(
        "--lenient",
        action="store_true",
        help="leave out bad documents and go on; the same as --set data.lenient=true",
    )
    parser.add_argument("--resume", action="store_true", help="go on from the run's last checkpoint")
    add_device_argument(parser)
    parser.add_argument(
        "--print-recipe",
        action="store_true",
        help="print the recipe with every setting and what it means, and stop; without RECIPE, the defaults",
    )


def run(args: argparse.Namespace) -> int:
    """Train, showing progress on standard error."""
    from rhetree.cli.console import make_console
    from rhetree.cli.extras import training_extra
    from rhetree.learning.training.shipped_recipes import find_recipe

    if args.list:
        _list_recipes()
        return 0
    name = args.recipe or (_fine_tuning(args.start) if args.start else None)
    path = None if name is None else find_recipe(name)
    if path is None and not args.print_recipe:
        raise SettingError("a recipe is needed, such as frozen-joint; see --list and --print-recipe")
    with training_extra():
        from rhetree.learning.training.processes import started
        from rhetree.learning.training.recipe import read_recipe
        from rhetree.learning.training.settings import as_toml

    lenient = ["data.lenient=true"] if args.lenient else []
    start = [] if args.start is None else [f"train.start={json.dumps(args.start)}"]
    recipe = read_recipe(path, [*start, *args.assignments, *lenient])
    if args.print_recipe or path is None:
        make_console().print(as_toml(recipe).removesuffix("\n"))
        return 0
    folder = args.output or _folder_of(path)
    with started() as processes, _enough_memory():
        _train(recipe, folder, args.resume, args.device, processes)
        if processes.is_first:
            _draw_curve(folder)
            make_console().print(str(folder / "model"))
    return 0


def _fine_tuning(start: str) -> str:
    """The recipe that trains this model further."""
    from rhetree.runtime.document_model import is_document_model
    from rhetree.runtime.installed import find_model

    return "fine-tune-document" if is_document_model(find_model(start)) else "fine-tune"


def _list_recipes() -> None:
    from rhetree.cli.console import make_console
    from rhetree.learning.training.shipped_recipes import shipped_recipes, title_of

    recipes = shipped_recipes()
    width = max(map(len, recipes))
    for name, path in recipes.items():
        make_console().print(f"{name:{width}}  {title_of(path)}")


def _folder_of(recipe: Path) -> Path:
    """The default folder: a run's own ``recipe.toml`` stays with that run."""
    from rhetree.learning.training.run_folder import LOG, RECIPE

    if recipe.name == RECIPE and (recipe.parent / LOG).exists():
        return recipe.parent
    return Path("runs") / recipe.stem


@contextmanager
def _enough_memory() -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "alloc" not in str(error):
            raise
        raise TrainingError(
            "there is not enough memory; make the network's widths or train.batch_size smaller"
        ) from error


def _train(recipe, folder, resume, device, processes) -> None:  # type: ignore[no-untyped-def]  # its types need torch
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from rhetree.learning.training.experiment import Data, run
    from rhetree.learning.training.loop import Step

    console = Console(stderr=True, markup=False, emoji=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.fields[unit]}"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    # Without a terminal there is no bar, which would leave an empty line before an error; scores are printed anyway.
    is_seen = processes.is_first and console.is_terminal
    last = None
    with Progress(*columns, console=console, disable=not is_seen) as progress:
        features = progress.add_task("features", visible=False, unit="sentences", speed="")
        steps = progress.add_task("epoch 1", visible=False, unit="steps", speed="")
        meter = StepMeter()

        def tell(line: str) -> None:
            if processes.is_first:
                progress.console.print(line, highlight=False, soft_wrap=True)

        def show_features(n_there: int, n_sentences: int) -> None:
            progress.update(features, visible=True, completed=n_there, total=n_sentences)

        for event in run(
            recipe, folder, resume=resume, processes=processes, device=device, progress=show_features
        ):
            if isinstance(event, Data):
                for note in event.notes:
                    tell(f"rhetree: {note}")
            elif isinstance(event, Step):
                meter.add(sum(event.losses.values()), event.n_sentences)
                progress.update(features, visible=False)
                progress.update(
                    steps,
                    visible=True,
                    description=f"epoch {event.epoch}",
                    completed=event.step,
                    total=event.n_steps,
                    speed=f"loss {meter.loss:.3f} {meter.speed:.0f} sentences/s",
                )
            else:
                scores = "  ".join(f"{name} {score:.1f}" for name, score in event.scores.items())
                mark = "  best so far" if event.is_best else ""
                tell(f"epoch {event.epoch}: {scores}{mark}")
                meter.restart()
                last = event
    if last is None:
        if processes.is_first:
            say("this run was over already; a higher train.epochs or train.patience lets it go on")
    elif last.epoch < recipe.train.epochs:
        say(
            f"stopped after epoch {last.epoch}: no better score in {counted(recipe.train.patience, 'evaluation')}"
        )


class StepMeter:
    """Loss and speed, smoothed over the last hundred steps or so.

    The time of a step is known where another one came right before it, or :meth:`restart`: neither
    what comes before the first step nor an evaluation is time to learn.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._last: float | None = None
        self._loss = self._weight = self._sentences = self._seconds = 0.0

    def restart(self) -> None:
        """Start the clock for the next step."""
        self._last = self._clock()

    def add(self, loss: float, n_sentences: int) -> None:
        """Count a step that has just ended."""
        now = self._clock()
        self._loss = 0.98 * self._loss + loss
        self._weight = 0.98 * self._weight + 1
        if self._last is not None:
            self._sentences = 0.98 * self._sentences + n_sentences
            self._seconds = 0.98 * self._seconds + now - self._last
        self._last = now

    @property
    def loss(self) -> float:
        """The mean loss of a step."""
        return self._loss / self._weight

    @property
    def speed(self) -> float:
        """Sentences a second."""
        return self._sentences / max(self._seconds, 1e-9)


def _draw_curve(folder: Path) -> None:
    from rhetree.learning.training.curve import draw_curve
    from rhetree.learning.training.run_folder import read_log

    try:
        draw_curve(read_log(folder), folder / "curve.svg")
    except RhetreeError as error:  # the trained model is there all the same
        say(f"no picture of the run: {error}")
