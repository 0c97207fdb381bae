"""Fits a model's temperatures on GUM's dev split, and draws how reliable its probabilities are.

    python benchmarks/calibrate.py MODEL GUM [--write] [--plot docs/images/reliability.svg]

MODEL is a model's folder. Each temperature is the one under which gold is likeliest: of EDU ends given gold starts, of
split places given gold spans, of labels given gold splits. With --write they go into the model's config.json; trees
stay the same. The picture, and the table of expected calibration errors (15 bins of equal size), are of the choices
that the model makes with gold before them: how often choices of a probability are right, before and after.
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from model_settings import write_setting
from rhetree.corpora.corpus import read_corpus
from rhetree.learning.targets import SentenceExample, parse_steps, sentence_examples
from rhetree.learning.training.distillation import soft_targets
from rhetree.runtime.calibration import CalibratedNetwork, Temperatures
from rhetree.runtime.loading import load_any
from rhetree.runtime.network import Floats

Choices = list[tuple[Floats, int]]
"""The probabilities of the candidates, and which of them is gold."""

NAMES = {"segmenter": "EDU ends", "structure": "split places", "label": "labels"}
N_BINS = 15


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("gum", type=Path)
    parser.add_argument("--write", action="store_true", help="put the temperatures into config.json")
    parser.add_argument("--plot", type=Path, help="an .svg file")
    args = parser.parse_args()
    model = load_any(args.model, threads=1)
    network = model.network
    if isinstance(network, CalibratedNetwork):
        network = network.network
    fitted, before = {}, {}
    for split in ("dev", "test"):
        documents = read_corpus(args.gum, split=(split,)).split_by_sentence().split(split)
        examples = [one for one in sentence_examples(documents) if _is_known(one, model.labels)]
        soft = soft_targets(network, examples, range(len(model.labels)))
        choices = gold_choices(examples, soft, model.labels)
        if split == "dev":
            fitted = {name: fit(own) for name, own in choices.items()}
            before = choices
        print(f"\n| {split} | temperature | choices | right | mean probability | ECE before | after |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name, own in choices.items():
            sure, right = confidence(own, 1.0)
            after = expected_error(*confidence(own, fitted[name]))
            print(
                f"| {NAMES[name]} | {fitted[name]:.2f} | {len(own)} | {100 * right.mean():.1f} % | "
                f"{100 * sure.mean():.1f} % | {100 * expected_error(sure, right):.1f} | {100 * after:.1f} |"
            )
    temperatures = Temperatures(**fitted)
    if args.write:
        write_setting(args.model, "temperatures", asdict(temperatures))
    if args.plot:
        plot(before, fitted, args.plot)


def _is_known(example: SentenceExample, labels: Sequence[str]) -> bool:
    return example.tree is None or all(split.label in labels for split in example.tree.splits)


def gold_choices(
    examples: Sequence[SentenceExample], soft: Sequence, labels: Sequence[str]
) -> dict[str, Choices]:
    found: dict[str, Choices] = {name: [] for name in NAMES}
    for example, own in zip(examples, soft, strict=True):
        edges = np.cumsum([0, *example.edu_lengths]).tolist()
        ends = zip(own.ends, example.edu_lengths, strict=True)
        # The last token's end is no choice.
        found["segmenter"] += [(probs, length - 1) for probs, length in ends if len(probs) > 1]
        if example.tree is not None:
            steps = parse_steps(example.tree, edges)
            found["structure"] += [
                (probs, step.chosen - step.first) for probs, step in zip(own.places, steps, strict=True)
            ]
            splits = zip(own.labels, example.tree.splits, strict=True)
            found["label"] += [(probs, labels.index(split.label)) for probs, split in splits]
    return found


def fit(choices: Choices) -> float:
    """The temperature under which gold is likeliest, to two digits."""
    grid = np.round(np.arange(0.5, 3.01, 0.01), 2)
    losses = np.zeros(len(grid))
    for probs, gold in choices:
        scores = np.log(np.maximum(probs.astype(np.float64), 1e-30))[:, None] / grid
        losses += np.logaddexp.reduce(scores, axis=0) - scores[gold]
    return float(grid[losses.argmin()])


def confidence(choices: Choices, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """For each choice the probability of the likeliest candidate, and whether it is gold."""
    sure, right = [], []
    for probs, gold in choices:
        scores = np.log(np.maximum(probs.astype(np.float64), 1e-30)) / temperature
        sure.append(np.exp(scores.max() - np.logaddexp.reduce(scores)))
        right.append(scores.argmax() == gold)
    return np.array(sure), np.array(right)


def bins(sure: np.ndarray, right: np.ndarray) -> list[tuple[float, float, int]]:
    """Mean probability, share of right choices and size of bins of equal size."""
    order = np.argsort(sure, kind="stable")
    parts = np.array_split(order, N_BINS)
    return [(float(sure[part].mean()), float(right[part].mean()), len(part)) for part in parts]


def expected_error(sure: np.ndarray, right: np.ndarray) -> float:
    return sum(size * abs(mean - share) for mean, share, size in bins(sure, right)) / len(sure)


def plot(choices: dict[str, Choices], temperatures: dict[str, float], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "rhetree"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(choices), figsize=(9, 3.2), sharey=True)
    for axis, (name, own) in zip(axes, choices.items(), strict=True):
        axis.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        for label, temperature, style in (
            ("as trained", 1.0, "o--"),
            ("calibrated", temperatures[name], "o-"),
        ):
            points = bins(*confidence(own, temperature))
            axis.plot(
                [mean for mean, _, _ in points],
                [share for _, share, _ in points],
                style,
                ms=3,
                lw=1,
                label=label,
            )
        axis.set_title(NAMES[name])
        axis.set_xlabel("probability")
    axes[0].set_ylabel("share that is right")
    axes[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    print(f"drawn: {path}")


if __name__ == "__main__":
    main()
