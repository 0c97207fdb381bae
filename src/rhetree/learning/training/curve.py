"""Plots a training run: losses and dev scores by step."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rhetree.errors import MissingExtraError
from rhetree.formats.files import whole_file

_SMOOTHING = 0.98


def draw_curve(log: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw a run's log (see :func:`rhetree.learning.training.run_folder.read_log`) as SVG."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("drawing the training curve", "plot") from error
    figure = Figure(figsize=(8, 6), layout="constrained")
    losses, scores = figure.subplots(2, 1, sharex=True)
    steps = [line for line in log if line["kind"] == "step"]
    for name in steps[0]["losses"] if steps else ():
        values = _smooth([line["losses"][name] for line in steps])
        losses.plot([line["step"] for line in steps], values, label=name)
    evaluations = [line for line in log if line["kind"] == "dev"]
    for name in evaluations[0]["scores"] if evaluations else ():
        values = [line["scores"][name] for line in evaluations]
        scores.plot([line["step"] for line in evaluations], values, marker=".", label=name)
    losses.set_ylabel("loss, smoothed")
    scores.set_ylabel("dev score, F1")
    scores.set_xlabel("step")
    for axes in (losses, scores):
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize="small", ncols=3)
    with whole_file(path) as sink:
        figure.savefig(sink, format="svg")


def _smooth(values: Sequence[float]) -> list[float]:
    """Exponential moving average, corrected for its start at zero."""
    smooth: list[float] = []
    average = weight = 0.0
    for value in values:
        average = _SMOOTHING * average + (1 - _SMOOTHING) * value
        weight = _SMOOTHING * weight + (1 - _SMOOTHING)
        smooth.append(average / weight)
    return smooth
