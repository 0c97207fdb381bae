"""Make the model that joins sentences again: a teacher on MPNet, a student on e5-small, and its export.

    python benchmarks/make_english_document.py GUM TEXTS ENCODERS -o RUNS [--threads N]

TEXTS is a folder with `ewt.conllu` and `lines.conllu` (train splits, without discourse annotation), ENCODERS one with the
Hugging Face folders `e5-small` and `mpnet`. A network on either encoder learns from GUM. The one on e5-small then goes on as
the student of both, on GUM and on the texts, whose EDUs and sentence trees are those of `english`. A run goes on where it
was if this is started again, and what is finished is not made again. About two and a half hours on two cores. The model is
RUNS/document-student/shipped.
"""

import re
from pathlib import Path

from make_english import arguments, encoder, export, rhetree, taught_by, train

TEXTS = ("ewt.conllu", "lines.conllu")
RECIPE = "english-document"
LARGE = ("network.embedding.n_layers=0", "optimizer.pretrained_rate=6e-5")
STUDENT = ("train.epochs=3", "optimizer.learning_rate=7e-4", "optimizer.pretrained_rate=7e-5")
LONGEST = 60
"""Number of sentences of a document to learn from; longer ones are cut."""


def main() -> None:
    args = arguments(__doc__).parse_args()
    shared = (f"data.corpus={args.gum}", f"train.threads={args.threads}")
    large, small, student = (args.output / f"document-{name}" for name in ("mpnet", "e5", "student"))
    train(RECIPE, large, *shared, encoder(args.encoders / "mpnet"), *LARGE)
    on_small = (*shared, encoder(args.encoders / "e5-small"))
    train(RECIPE, small, *on_small)
    texts = [str(parsed(args.texts / name, args.output)) for name in TEXTS]
    teachers = taught_by(export(large), export(small))
    start = f"train.start={small / 'model'}"
    train(RECIPE, student, *on_small, *STUDENT, start, teachers, f"distillation.texts={texts}")
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
