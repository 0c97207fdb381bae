"""Documents in files that hold one tree each, as ``.dis`` and ``.rsd``: a folder per document, a file per sentence."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.errors import RhetreeError, UnwritableError
from rhetree.formats import FORMATS
from rhetree.formats.files import whole_file

ONE_TREE = frozenset({"dis", "rsd"})
"""The formats whose files hold one tree each, by name, which is also the ending of their files."""


def sentence_file(folder: Path, number: int, format: str) -> Path:
    """The file of a sentence, counted from 1, in its document's folder."""
    return folder / f"{folder.name}-{number}.{format}"


def sentence_files(folder: Path, format: str) -> list[Path]:
    """The sentence files that a document's folder has, in order."""
    name = re.compile(rf"{re.escape(folder.name)}-[1-9][0-9]*\.{format}")
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(
        (path for path in found if name.fullmatch(path.name)), key=lambda path: (len(path.name), path)
    )


def encode_sentences(document: Document, format: str) -> list[str]:
    """What goes into the file of each sentence; :class:`UnwritableError` if there are none."""
    if not document.sentences:
        raise UnwritableError("it has no words", document.name, format)
    return [_encode(sentence, format) for sentence in _by_sentence(document)]


def write_sentences(texts: Sequence[str], folder: Path, format: str) -> None:
    """Write a file for each sentence, in place of the sentence files that the folder has.

    The first file is removed first and written last: if it is there, all are.
    """
    try:
        for path in sentence_files(folder, format):
            path.unlink()
    except OSError as error:
        raise RhetreeError(f"{folder}: cannot be written: {error.strerror}") from error
    for number in range(len(texts), 0, -1):
        with whole_file(sentence_file(folder, number, format)) as sink:
            sink.write(texts[number - 1])


def only_sentence(document: Document, format: str) -> Document:
    """The document with one tree, which is that of its only sentence if it has none of its own."""
    if document.tree is not None or not document.sentences:
        return document
    if len(document.sentences) > 1:
        raise UnwritableError(
            f"a file holds one tree, and it has {len(document.sentences)} sentences; -o FOLDER makes a file "
            "for each, rs3 and brackets hold all of them",
            document.name,
            format,
        )
    return next(_by_sentence(document))


def _by_sentence(document: Document) -> Iterator[Document]:
    """Each sentence as a document of its own, its tree that of the document."""
    document = document.without_markup()
    bare = document.without_edus()
    rows = zip(document.sentences, document.sentence_edus(), document.trees_by_sentence(), strict=True)
    for number, (sentence, edus, tree) in enumerate(rows, start=1):
        start = document.tokens[sentence.start].start
        own = () if edus is None else document.edus[edus.start : edus.end]
        yield replace(
            bare,
            name=f"{document.name}-{number}",
            text=document.text_of(sentence),
            tokens=tuple(
                replace(token, start=token.start - start, end=token.end - start)
                for token in document.tokens[sentence.start : sentence.end]
            ),
            sentences=(),
            blocks=(),
            syntax=None,
            edus=tuple(edu.shift(-sentence.start) for edu in own),
            tree=tree,
        )


def _encode(document: Document, format: str) -> str:
    whole = io.StringIO()
    FORMATS[format].write(document, whole)
    return whole.getvalue()
