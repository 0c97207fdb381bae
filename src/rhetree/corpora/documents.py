"""The documents of a file or folder as they are: no sentence is guessed, no relation renamed.

This is what scores rest on. :func:`~rhetree.corpora.corpus.read_corpus` prepares a treebank for
training instead.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from rhetree.corpora.corpus import AS_THEY_ARE, read_corpus
from rhetree.corpora.gold import GoldFiles
from rhetree.corpora.layouts import find_layout
from rhetree.domain.document import Document
from rhetree.errors import ArgumentError, RhetreeError
from rhetree.formats import read
from rhetree.formats.files import STDIN


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents that were read, and notes on what was assumed in reading them."""

    documents: list[Document]
    notes: tuple[str, ...] = ()


def read_documents(
    path: Path, *, split: str | None = None, sentences: Path | None = None, lenient: bool = False
) -> Documents:
    """Read a file, or a folder in any layout that we know.

    A corpus whose layout we know has sentences. Other files have those that they hold: a score
    should not rest on sentences that were guessed.

    :param split: read only this split; documents of others are not opened
    :param sentences: a folder of Penn Treebank or CoNLL-U files with gold sentences and tokens
    """
    if path == STDIN:
        raise RhetreeError("-: standard input is not read here; name a file or a folder")
    if not path.is_dir() and split is None and sentences is None:
        return Documents(list(read(path, lenient=lenient)))
    is_known = find_layout(path).name != "files" or sentences is not None
    try:
        corpus = read_corpus(
            path,
            split=split,
            sentences=sentences,
            by_rule=is_known,
            relations=AS_THEY_ARE,
            lenient=lenient,
        )
    except ArgumentError as error:
        if error.argument != "dev_share":
            raise
        what = f"it has no split {split!r}; docs/corpora.md says how a folder is split"
        raise RhetreeError(f"{path}: {what}") from error
    return Documents(list(corpus.documents), tuple(f"{path}: {note}" for note in corpus.notes))


def read_predictions(path: Path, *, sentences: Path | None = None, lenient: bool = False) -> Documents:
    """Read the documents of a system; those without sentences get the gold ones.

    :param sentences: a folder of Penn Treebank or CoNLL-U files with gold sentences and tokens
    """
    found = read_documents(path, lenient=lenient)
    if sentences is None:
        return found
    gold = GoldFiles(sentences, lenient=lenient)
    completed = [
        document if document.sentences else gold.complete(document, path).document
        for document in found.documents
    ]
    return replace(found, documents=completed)
