"""What was parsed, in each of the formats that ``rhetree parse`` and ``rhetree segment`` write.

Trees are of sentences. A format that knows only one tree a file gets what comes nearest: ``rs3`` a
tree beside the other, as in a file whose annotation is not finished, ``dis`` a file for each sentence.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from rhetree.cli.options import say
from rhetree.errors import RhetreeError, UnwritableError

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.draw.terminal import Style

FORMATS = ("terminal", "json", "jsonl", "rs3", "dis", "conllu", "brackets", "svg", "html", "edus")
SEGMENT_FORMATS = ("terminal", "json", "jsonl", "conllu", "svg", "html", "edus")
"""Those that need no trees."""
MANY = frozenset({"terminal", "jsonl", "conllu", "brackets", "edus"})
"""Those that hold several documents a file."""


def ending_of(format: str) -> str:
    """The ending of a format's files, without its dot."""
    return "txt" if format == "terminal" else format


def encode(document: "Document", format: str) -> str:
    """The document as the text of a file."""
    if not document.tokens and format not in ("json", "jsonl"):
        if format not in MANY:
            raise UnwritableError("it has no words", document.name, format)
        _say_empty(document)
        return ""
    if format == "terminal":
        from rhetree.draw.terminal import Style

        return "".join(f"{line}\n" for line in drawn(document, Style()))
    if format in ("svg", "html"):
        from rhetree.draw.picture import PictureConfig, draw

        config = PictureConfig(by_sentence=bool(document.sentences))
        return draw(document, cast("Literal['svg', 'html']", format), config).decode("utf-8")
    from rhetree.treebanks import FORMATS as TREEBANKS

    if format == "dis":
        document = _only_sentence(document)
    whole = io.StringIO()
    TREEBANKS[format].write(document, whole)
    return whole.getvalue()


def drawn(document: "Document", style: "Style") -> Iterator[str]:
    """The document as lines for people."""
    if not document.tokens:
        _say_empty(document)
        return
    from rhetree.cli.drawing import draw_document

    yield from draw_document(document, style)


def sentence_file(folder: Path, number: int) -> Path:
    """Where a document's folder has the ``.dis`` file of a sentence."""
    return folder / f"{folder.name}-{number}.dis"


def sentence_files(folder: Path) -> list[Path]:
    """The files of sentences that a document's folder has, in order."""
    name = re.compile(rf"{re.escape(folder.name)}-[1-9][0-9]*\.dis")
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(
        (path for path in found if name.fullmatch(path.name)), key=lambda path: (len(path.name), path)
    )


def write_sentences(document: "Document", folder: Path) -> None:
    """A file for each sentence in a document's folder, in place of those that it has.

    The first one is the first to go and the last to come: where it is there, all are.
    """
    from rhetree.treebanks.files import whole_file

    if not document.sentences:
        raise UnwritableError("it has no words", document.name, "dis")
    texts = [encode(sentence, "dis") for sentence in _by_sentence(document)]
    try:
        for path in sentence_files(folder):
            path.unlink()
    except OSError as error:
        raise RhetreeError(f"{folder}: cannot be written: {error.strerror}") from error
    for number in range(len(texts), 0, -1):
        with whole_file(sentence_file(folder, number)) as sink:
            sink.write(texts[number - 1])


def _only_sentence(document: "Document") -> "Document":
    if document.tree is not None or not document.sentences:
        return document
    if len(document.sentences) > 1:
        raise UnwritableError(
            f"a file holds one tree, and it has {len(document.sentences)} sentences; -o FOLDER makes a file "
            "for each, rs3 and brackets hold all of them",
            document.name,
            "dis",
        )
    return next(_by_sentence(document))


def _by_sentence(document: "Document") -> "Iterator[Document]":
    """Each sentence as a document of its own, its tree that of the document."""
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
            syntax=None,
            edus=tuple(edu.shift(-sentence.start) for edu in own),
            tree=tree,
        )


def _say_empty(document: "Document") -> None:
    say(f"{document.name or 'a document'}: no words in it")
