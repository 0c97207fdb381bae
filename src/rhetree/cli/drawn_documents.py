"""What ``rhetree draw`` draws: documents by name, beside another analysis, with their sentences."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.options import check_standard_input, counted, say
from rhetree.cli.relations import choose_inventory
from rhetree.errors import MismatchError, RhetreeError

if TYPE_CHECKING:
    from rhetree.domain.document import Document


@dataclass(frozen=True, slots=True)
class Subject:
    """What one picture is of."""

    document: "Document"
    against: "Document | None" = None

    @property
    def sentences_known(self) -> bool:
        return bool(self.document.sentences or (self.against is not None and self.against.sentences))


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is to be drawn, and how many files had to be left out."""

    subjects: list[Subject]
    n_left_out: int = 0

    def exit_code(self, n_bad: int = 0) -> int:
        """0 where all was drawn, 1 where a part was, 2 where nothing was."""
        if n_bad == len(self.subjects):
            return 2
        return 1 if n_bad + self.n_left_out else 0


def choose_drawing(args: argparse.Namespace) -> Drawing:
    """The documents to draw, each with its counterpart where there is one."""
    paths = [args.file] if args.against is None else [args.file, args.against]
    check_standard_input(paths)
    if args.from_format is not None and all(path.is_dir() for path in paths):
        raise RhetreeError(f"--from is for files, and {paths[0]} is a folder, whose files' endings tell")
    documents, n_left_out = _read(args.file, args)
    subjects = [Subject(document) for document in documents]
    if args.against is not None:
        others, _ = _read(args.against, args, of_any_name=len(documents) == 1)
        subjects = _pair(documents, others, args.against)
    if args.by_sentence or args.sentence is not None:
        subjects = _with_sentences(subjects)
    return Drawing(subjects, n_left_out)


def quoted(names: Sequence[str]) -> str:
    """The first few names."""
    few = ", ".join(repr(name) for name in names[:5])
    return few if len(names) <= 5 else f"{few} and {len(names) - 5} more"


def _pair(documents: "list[Document]", others: "list[Document]", path: Path) -> list[Subject]:
    if len(documents) == len(others) == 1:
        return [Subject(documents[0], others[0])]
    by_name = {document.name: document for document in others}
    missing = [document.name for document in documents if document.name not in by_name]
    if missing:
        raise MismatchError(f"{path} has no document called {quoted(missing)}")
    return [Subject(document, by_name[document.name]) for document in documents]


def _read(path: Path, args: argparse.Namespace, of_any_name: bool = False) -> "tuple[list[Document], int]":
    """The documents, or the one of ``--document``, and how many files were left out.

    :param of_any_name: an only document in a file will do, whatever it is called
    """
    from rhetree.treebanks import read
    from rhetree.treebanks.corpus import AS_THEY_ARE, no_such_document, read_corpus

    n_left_out = 0
    if path.is_dir():
        corpus = read_corpus(
            path, document=args.document, relations=AS_THEY_ARE, by_rule=False, lenient=args.lenient
        )
        for note in corpus.notes:
            say(f"{path}: {note}")
        documents, n_left_out = list(corpus.documents), corpus.n_left_out
    else:
        documents = list(read(path, args.from_format, lenient=args.lenient))
        if args.document is not None and not (of_any_name and len(documents) == 1):
            names = [document.name for document in documents]
            documents = [document for document in documents if document.name == args.document]
            if not documents:
                raise no_such_document(path, args.document, names)
    inventory = choose_inventory(args.relations)
    if inventory is None:
        return documents, n_left_out
    try:
        return [document.map_relations(inventory.class_of) for document in documents], n_left_out
    except ValueError as error:
        raise MismatchError(f"{path}: {error}") from error


def _with_sentences(subjects: list[Subject]) -> list[Subject]:
    """Sentences by rule for documents without any, said once."""
    from rhetree.treebanks.sentences import with_sentences_by_rule

    n_without = sum(not subject.sentences_known for subject in subjects)
    if n_without:
        say(
            f"sentences of {counted(n_without, 'document')} are found by rule; "
            "rhetree convert --sentences adds gold ones"
        )
    return [
        subject
        if subject.sentences_known
        else replace(subject, document=with_sentences_by_rule(subject.document))
        for subject in subjects
    ]
