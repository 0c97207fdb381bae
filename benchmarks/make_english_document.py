"""Make the model that joins sentences again: four teachers, two students one after another, and the last one's export.

    python benchmarks/make_english_document.py GUM TEXTS ENCODERS -o RUNS [--threads N] [--dtype float32]

TEXTS is a folder with `ewt.conllu` and `lines.conllu` (train splits, without discourse annotation), ENCODERS one with the
Hugging Face folders `e5-small` and `mpnet`. The teachers learn from GUM: one on e5-small and one on MPNet teach the first
student, two larger ones on MPNet and the first student teach the second, which goes on where the first ended. The students
learn from the texts as well, whose EDUs and sentence trees are those of `english`. A run goes on where it was if this is
started again, and what is finished is not made again. About three hours on two cores. The model is
RUNS/document-student-2/shipped.
"""

import re
from pathlib import Path

from make_english import arguments, encoder, export, rhetree, settings_for_all, taught_by, train

TEXTS = ("ewt.conllu", "lines.conllu")
"""What the second student learns from; the first learns from the first of them alone."""
RECIPE = "english-document"
ON_MPNET = ("network.embedding.n_layers=0", "optimizer.pretrained_rate=6e-5")
UPPER = (*ON_MPNET, "network.embedding.from_layer=7")
WHOLE = (*ON_MPNET, "network.embedding.from_layer=1", "optimizer.layer_decay=0.9", "train.seed=2")
SMALL = ("network.embedding.from_layer=7", "network.embedding.attention_dropout=0.1")
FIRST = ("train.epochs=3",)
SECOND = (
    "train.epochs=3",
    "train.seed=2",
    "optimizer.learning_rate=7e-4",
    "optimizer.pretrained_rate=7e-5",
    "network.embedding.hidden_pieces=0.1",
)
FEWEST, LONGEST = 10, 60
"""Number of sentences of a document to learn from; shorter ones have little to join, longer ones are cut."""


def main() -> None:
    args = arguments(__doc__).parse_args()
    shared = settings_for_all(args)
    on_mpnet = (*shared, encoder(args.encoders / "mpnet"))
    on_small = (*shared, encoder(args.encoders / "e5-small"))

    def teacher(name: str, *settings: str) -> Path:
        folder = args.output / f"document-{name}"
        train(RECIPE, folder, *settings)
        return export(folder)

    large = teacher("mpnet", *on_mpnet, *UPPER, "train.epochs=3")
    small = teacher("e5", *on_small, *SMALL)
    texts = [str(parsed(args.texts / name, args.output)) for name in TEXTS]
    first, second = (args.output / f"document-student-{number}" for number in (1, 2))
    train(RECIPE, first, *on_small, *FIRST, taught_by(large, small), f"distillation.texts={texts[:1]}")
    before = export(first)
    larger = [teacher("mpnet-upper", *on_mpnet, *UPPER), teacher("mpnet-whole", *on_mpnet, *WHOLE)]
    teachers = taught_by(before, *larger)
    start = f"train.start={first / 'model'}"
    train(RECIPE, second, *on_small, *SECOND, start, teachers, f"distillation.texts={texts}")
    export(second)


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
