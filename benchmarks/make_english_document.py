"""Make the model that joins sentences again: two teachers, on MPNet and on e5-small, a student of both, and its export.

    python benchmarks/make_english_document.py GUM TEXTS ENCODERS -o RUNS [--threads N] [--dtype float32]

TEXTS is a folder with `ewt.conllu` (the train split, without discourse annotation), ENCODERS one with the Hugging Face
folders `e5-small` and `mpnet`. The teachers learn from GUM, the upper layers of their encoders alone. The student
learns from both, on GUM and on EWT, whose EDUs and sentence trees are those of `english`. A run goes on where it
was if this is started again, and what is finished is not made again. About an hour and a half on two cores. The model is
RUNS/document-student/shipped.
"""

import re
from pathlib import Path

from make_english import arguments, encoder, export, rhetree, settings_for_all, taught_by, train

TEXT = "ewt.conllu"
RECIPE = "english-document"
LARGE = (
    "network.embedding.n_layers=0",
    "network.embedding.from_layer=7",
    "optimizer.pretrained_rate=6e-5",
    "train.epochs=3",
)
SMALL = ("network.embedding.from_layer=7", "network.embedding.attention_dropout=0.1")
STUDENT = ("train.epochs=3",)
FEWEST, LONGEST = 10, 60
"""Number of sentences of a document to learn from; shorter ones have little to join, longer ones are cut."""


def main() -> None:
    args = arguments(__doc__).parse_args()
    shared = settings_for_all(args)
    large, small, student = (args.output / f"document-{name}" for name in ("mpnet", "e5", "student"))
    train(RECIPE, large, *shared, encoder(args.encoders / "mpnet"), *LARGE)
    on_small = (*shared, encoder(args.encoders / "e5-small"))
    train(RECIPE, small, *on_small, *SMALL)
    texts = [str(parsed(args.texts / TEXT, args.output))]
    teachers = taught_by(export(large), export(small))
    train(RECIPE, student, *on_small, *STUDENT, teachers, f"distillation.texts={texts}")
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
    """A CoNLL-U text in which each document has from :data:`FEWEST` to :data:`LONGEST` sentences; others are left out."""
    documents: list[list[str]] = []
    for sentence in text.strip().split("\n\n"):
        if sentence.startswith("# newdoc") or not documents or len(documents[-1]) == LONGEST:
            documents.append([])
        documents[-1].append(re.sub(r"# newdoc.*\n", "", sentence))
    kept = [sentences for sentences in documents if len(sentences) >= FEWEST]
    return "".join(
        f"# newdoc id = {name}-{number}\n" + "\n\n".join(sentences) + "\n\n"
        for number, sentences in enumerate(kept, start=1)
    )


if __name__ == "__main__":
    main()
