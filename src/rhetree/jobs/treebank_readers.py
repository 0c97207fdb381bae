"""Readers of treebank files, whose sentences, tokens or EDUs a job can keep."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from rhetree.domain.document import Document
from rhetree.errors import FileError, RhetreeError, TreebankError
from rhetree.formats.format import blame
from rhetree.jobs.records import Found, Source, encodable
from rhetree.jobs.streams import decode, whole


def read_conllu(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The documents of a CoNLL-U file, of which a bad one leaves the others readable."""
    return _read_rows(lines, source, "conllu")


def read_tok(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The documents of a DISRPT ``.tok`` file, in the same way."""
    return _read_rows(lines, source, "tok")


def read_edus(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The documents of a file with an EDU on each line."""
    return _read_annotated(lines, source, "edus")


def read_rs3(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The document of an ``.rs3`` or ``.rs4`` file."""
    return _read_annotated(lines, source, "rs3")


def read_dis(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """The document of a ``.dis`` file."""
    return _read_annotated(lines, source, "dis")


def _read_annotated(lines: Iterable[bytes], source: Source, format: str) -> Iterator[Found | RhetreeError]:
    """Documents of a format whose EDUs are what people want to keep.

    Most of these files hold words as people write them, so tokens are found anew, unless the file knows
    its sentences and so its tokens.
    """
    from rhetree.formats import FORMATS

    text = decode(whole(lines, source.path), source.path)
    path = Path(encodable(str(source.path)))
    for document in FORMATS[format].read(io.StringIO(text, newline=None), path, lenient=source.lenient):
        if not document.sentences:
            with blame(source.path):
                document = tokenize_again(document)
        yield Found(document, document.name, has_gold=True)


def tokenize_again(document: Document) -> Document:
    """A document whose sentences are not known, with tokens and sentences found in its EDUs; ``ValueError`` if one has no text."""
    from rhetree.text import tokenize_edus

    return replace(tokenize_edus(document.edu_texts(), document.name), metadata=document.metadata)


def _read_rows(lines: Iterable[bytes], source: Source, format: str) -> Iterator[Found | RhetreeError]:
    from rhetree.formats import FORMATS

    path = Path(encodable(str(source.path)))  # names a document that has no name
    for count, part in enumerate(_conllu_parts(lines), start=1):
        if not part.follows_blank:
            what = "found a comment among the words, expected a blank line before the next document"
            yield TreebankError(what, source.path, part.first)
            continue
        try:
            text = decode(b"".join(part.lines), source.path, part.first)
            rows = io.StringIO(text, newline=None)
            for document in FORMATS[format].read(rows, path, lenient=source.lenient):
                if count > 1 and document.name == source.name:
                    document = replace(document, name=f"{document.name}-{count}")
                yield Found(document, document.name, part.first, lacks_sentences=format == "tok")
        except FileError as error:
            line = None if error.line is None else error.line + part.first - 1
            yield type(error)(error.what, source.path, line)


@dataclass(slots=True)
class _ConlluPart:
    """The lines of one document in a CoNLL-U file."""

    first: int
    """The number of the first line."""
    lines: list[bytes]
    follows_blank: bool = True
    """Whether a blank line comes before it, as it must."""


def _conllu_parts(lines: Iterable[bytes]) -> Iterator[_ConlluPart]:
    """The parts of a CoNLL-U file, one for each document, so that a bad document does not take others with it.

    A document begins with the comments that have ``# newdoc`` among them, first or not.
    """
    from rhetree.formats.conllu.blocks import starts_document

    part = _ConlluPart(1, [])
    number = 1
    for are_comments, run in groupby(lines, key=lambda line: line.startswith((b"#", b"\xef\xbb\xbf#"))):
        own = list(run)
        if are_comments and any(starts_document(_comment(line)) for line in own):
            follows_blank = not part.lines or not part.lines[-1].strip()
            if any(map(bytes.strip, part.lines)):
                yield part
            part = _ConlluPart(number, [], follows_blank)
        part.lines += own
        number += len(own)
    if part.lines:
        yield part


def _comment(line: bytes) -> str:
    return line.decode("utf-8", "replace").removeprefix("\ufeff")
