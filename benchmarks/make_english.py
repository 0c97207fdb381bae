"""Make the shipped model again: two teachers, the student that learns from both, its export and what stands on top of it.

    python benchmarks/make_english.py GUM TEXTS ENCODERS -o RUNS [--threads N]

TEXTS is a folder with `ewt.conllu`, `lines.conllu` and `partut.conllu` (train splits, without discourse annotation),
ENCODERS one with the Hugging Face folders `e5-small` and `gte-small`. Each run goes on where it was if this is started
again. About two hours on one core with bfloat16. The model is RUNS/english/shipped.
"""

import argparse
import subprocess
import sys
from pathlib import Path

TEACHERS = ("e5-small", "gte-small")
TEXTS = ("ewt.conllu", "lines.conllu", "partut.conllu")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gum", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("encoders", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    shared = [f"data.corpus={args.gum}", f"train.threads={args.threads}"]
    for encoder in TEACHERS:
        path = f"network.embedding.path={args.encoders / encoder}"
        train("english-teacher", args.output / f"english-{encoder}", *shared, path)
    teachers = [str(args.output / f"english-{encoder}" / "model") for encoder in TEACHERS]
    texts = [str(args.texts / name) for name in TEXTS]
    train(
        "english",
        args.output / "english",
        *shared,
        f"network.embedding.path={args.encoders / 'e5-small'}",
        f"distillation.teachers={teachers}",
        f"distillation.texts={texts}",
    )
    shipped = str(args.output / "english" / "shipped")
    rhetree("export", str(args.output / "english" / "model"), "-o", shipped)
    finish(shipped, str(args.gum))


def finish(model: str, gum: str) -> None:
    """Add what comes on top of an exported model: temperatures, search, fine relations and signals."""
    script("calibrate.py", model, gum, "--write")
    script("search.py", model, gum, "--write", "3", "0.3")
    script("add_heads.py", model, gum, "--write")


def script(name: str, *words: str) -> None:
    """Run another script of this folder."""
    subprocess.run([sys.executable, str(Path(__file__).with_name(name)), *words], check=True)


def train(recipe: str, folder: Path, *assignments: str) -> None:
    settings = [word for assignment in assignments for word in ("--set", assignment)]
    resume = ["--resume"] if (folder / "checkpoint.safetensors").exists() else []
    rhetree("train", recipe, *settings, "-o", str(folder), *resume)


def rhetree(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "rhetree", *words], check=True)


if __name__ == "__main__":
    main()
