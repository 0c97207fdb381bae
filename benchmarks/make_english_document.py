"""Make the model that joins sentences again: two teachers on MPNet, a student on e5-small, and its export.

    python benchmarks/make_english_document.py GUM TEXTS ENCODERS -o RUNS [--threads N]

TEXTS is a folder with `ewt.conllu`, `lines.conllu` and `partut.conllu` (train splits, without discourse annotation), ENCODERS
one with the Hugging Face folders `e5-small` and `mpnet`. The student learns from the teachers' mean, on GUM and on these
texts, whose EDUs and sentence trees are those of `english`. A run goes on where it was if this is started again, and what is
finished is not made again. About three hours on two cores. The model is RUNS/document-student/shipped.
"""

import argparse
import re
from pathlib import Path

from make_english import TEXTS, encoder, export, rhetree, taught_by, train

TEACHER = (
    "network.embedding.from_layer=1",
    "network.embedding.n_layers=0",
    "network.embedding.attention_dropout=0",
    "optimizer.pretrained_rate=6e-5",
    "train.epochs=4",
)
LONGEST = 60
"""Number of sentences of a document to learn from; longer ones are cut."""


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
    shared = (f"data.corpus={args.gum}", f"train.threads={args.threads}")
    teachers = []
    for seed in (1, 2):
        folder = args.output / f"document-teacher-{seed}"
        mpnet = encoder(args.encoders / "mpnet")
        train("english-document", folder, *shared, mpnet, *TEACHER, f"train.seed={seed}", taught_by())
        teachers.append(export(folder))
    texts = [parsed(args.texts / name, args.output) for name in TEXTS]
    student = args.output / "document-student"
    train(
        "english-document",
        student,
        *shared,
        encoder(args.encoders / "e5-small"),
        taught_by(*teachers),
        f"distillation.texts={[str(text) for text in texts]}",
    )
    export(student)


def parsed(text: Path, folder: Path) -> Path:
    """The documents of a CoNLL-U file, parsed as a whole by the installed models."""
    cut, found = folder / text.name, folder / f"{text.stem}.jsonl"
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        cut.write_text(cut_documents(text.read_text(encoding="utf-8"), text.stem), encoding="utf-8")
        rhetree("parse", str(cut), "--level", "document", "-o", str(found))
    return found


def cut_documents(text: str, name: str) -> str:
    """A CoNLL-U text in which no document has more sentences than :data:`LONGEST`."""
    blocks = []
    n_documents = n_sentences = 0
    for block in text.strip().split("\n\n"):
        starts = block.startswith("# newdoc")
        if starts or n_sentences == LONGEST or not blocks:
            n_documents, n_sentences = n_documents + 1, 0
            block = f"# newdoc id = {name}-{n_documents}\n" + re.sub(r"# newdoc.*\n", "", block)
        n_sentences += 1
        blocks.append(block)
    return "\n\n".join(blocks) + "\n\n"


if __name__ == "__main__":
    main()
