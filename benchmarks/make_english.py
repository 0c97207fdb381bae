"""Make the shipped model again: three teachers, three students one after another, the last one's export and what stands on it.

    python benchmarks/make_english.py GUM TEXTS ENCODERS -o RUNS [--threads N] [--dtype float32] [--free]

TEXTS is a folder with `ewt.conllu`, `lines.conllu` and `partut.conllu` (train splits, without discourse annotation),
ENCODERS one with the Hugging Face folders `e5-small`, `gte-small` and `mpnet`. Two small teachers teach the first student.
The second learns from it and from a large teacher on MPNet, and goes on where the first ended; so does the third with the
second. A run goes on where it was if this is started again, and what is finished is not made again. About nine hours on two
cores. The model is RUNS/english-3/shipped.

With --free, nothing is learnt from texts that forbid commercial use: five genres of GUM, LinES and ParTUT. The best
epochs are then selected on the other genres of dev.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from data_sizes import add_dtype, genre_of, names, subset
from genres import NON_COMMERCIAL

FREE_TEXTS = ("ewt.conllu",)
TEXTS = (*FREE_TEXTS, "lines.conllu", "partut.conllu")
SMALL = ("e5-small", "gte-small")
LARGE = ("train.epochs=4", "optimizer.pretrained_rate=6e-5", "train.average=0.998")
FIRST = (
    "train.epochs=4",
    "train.seed=1",
    "optimizer.learning_rate=1e-3",
    "optimizer.pretrained_rate=1e-4",
    "network.embedding.hidden_pieces=0",
)
SECOND = (
    "train.epochs=4",
    "train.seed=1",
    "optimizer.learning_rate=7e-4",
    "optimizer.pretrained_rate=7e-5",
)
THIRD = ("train.seed=3",)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--free", action="store_true", help="learn from texts for commercial use alone")
    args = parser.parse_args()
    own: tuple[str, ...] = ()
    if args.free:
        args.gum = commercial(args.gum, args.output / "gum")
        own = ("data.unseen_labels=ignore",)
    shared = (*settings_for_all(args), *own)
    small = [args.output / f"english-{name}" for name in SMALL]
    for name, folder in zip(SMALL, small, strict=True):
        train("english-teacher", folder, *shared, encoder(args.encoders / name))
    large = args.output / "english-mpnet"
    train("english-teacher", large, *shared, encoder(args.encoders / "mpnet"), *LARGE)
    export(large)

    texts = [str(args.texts / name) for name in (FREE_TEXTS if args.free else TEXTS)]
    shared = (*shared, encoder(args.encoders / "e5-small"), f"distillation.texts={texts}")
    students = [args.output / f"english-{number}" for number in (1, 2, 3)]
    train("english", students[0], *shared, taught_by(*(folder / "model" for folder in small)), *FIRST)
    finish(export(students[0]), args.gum)
    for before, student, settings in zip(students, students[1:], (SECOND, THIRD), strict=False):
        teachers = taught_by(large / "shipped", before / "shipped")
        train("english", student, *shared, f"train.start={before / 'model'}", teachers, *settings)
        finish(export(student), args.gum)


def commercial(gum: Path, folder: Path) -> Path:
    """GUM without the genres whose texts forbid commercial use, in train and dev."""
    return subset(
        gum,
        folder,
        *(
            [name for name in names(gum, split) if genre_of(name) not in NON_COMMERCIAL]
            for split in ("train", "dev")
        ),
    )


def arguments(description: str) -> argparse.ArgumentParser:
    """What each script that makes a model is told."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("encoders", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    add_dtype(parser)
    return parser


def settings_for_all(args: argparse.Namespace) -> tuple[str, ...]:
    """The settings that every run of a script gets from its arguments."""
    return (
        f"data.corpus={args.gum}",
        f"train.threads={args.threads}",
        f"network.embedding.training_dtype={args.dtype}",
    )


def encoder(folder: Path) -> str:
    return f"network.embedding.path={folder}"


def taught_by(*models: Path) -> str:
    return f"distillation.teachers={[str(model) for model in models]}"


def train(recipe: str, folder: Path, *assignments: str) -> None:
    settings = [word for assignment in assignments for word in ("--set", assignment)]
    resume = ["--resume"] if (folder / "checkpoint.safetensors").exists() else []
    rhetree("train", recipe, *settings, "-o", str(folder), *resume)


def export(run: Path) -> Path:
    """Write the model of a run in low precision, as it is shipped, unless that was done before."""
    shipped = run / "shipped"
    if not shipped.exists():
        rhetree("export", str(run / "model"), "-o", str(shipped))
    return shipped


def finish(model: Path, gum: Path) -> None:
    """Add what comes on top of an exported model: temperatures, search, fine relations and signals."""
    script("calibrate.py", str(model), str(gum), "--write")
    script("search.py", str(model), str(gum), "--write", "3", "0.15", "0.3")
    script("add_heads.py", str(model), str(gum), "--write")


def script(name: str, *words: str) -> None:
    """Run another script of this folder."""
    subprocess.run([sys.executable, str(Path(__file__).with_name(name)), *words], check=True)


def rhetree(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "rhetree", *words], check=True)


if __name__ == "__main__":
    main()
