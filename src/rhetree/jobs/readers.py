"""The kinds of file that a job can read, and a reader for each.

A bad record does not end the reading: a reader yields the error in its place, and the caller
decides. A new kind of file is a function, here or beside it, and a line in ``KINDS``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from rhetree.domain.document import Document
from rhetree.errors import FileError, RhetreeError
from rhetree.jobs.fields import find_in_object
from rhetree.jobs.records import Found, Source, encodable
from rhetree.jobs.streams import Stream, decode, whole
from rhetree.jobs.table_readers import read_csv, read_parquet, read_tsv
from rhetree.jobs.treebank_readers import read_conllu, read_dis, read_edus, read_rs3, read_tok

if TYPE_CHECKING:
    from rhetree.text.markup import Layout

_JSON = re.compile(rb'\{\s*("[^"]*"\s*:|"[^"\s]*"?\s*\Z|\}\s*\Z|\Z)')
"""An object up to its first key, or cut off before that. Texts may begin with a brace, even with ``{"``."""
_CONLLU_ROW = re.compile(rb"[0-9][0-9.-]*(\t[^\t]*){9}")
_CONLLU_COMMENTS = (b"# newdoc", b"# sent_id", b"# global.")
_UNDECIDED = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*|#.*)?", re.S)
"""A line that leaves the kind open: blank, a comment, or the brace that opens an object."""


Reader = Callable[[Stream, Source], Iterator[Found | RhetreeError]]
"""Reads the documents of a source, in most cases line by line."""


def read_texts(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """Plain text: one document, or one for each line that is not blank."""
    if not source.by_line:
        yield _text(decode(whole(lines, source.path), source.path), source.name, source)
        return
    for number, line in enumerate(lines, start=1):
        try:
            text = decode(line, source.path, number).strip()
        except FileError as error:
            yield error
            continue
        if text:
            yield _text(text, f"{source.name}-{number}", source, number)


def read_json(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """One JSON document."""
    from rhetree.formats.json import decode_file

    yield find_in_object(decode_file(decode(whole(lines, source.path), source.path), source.path), source)


def read_json_lines(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """A JSON document on each line."""
    from rhetree.formats.json import decode_line

    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = decode_line(decode(line, source.path, number), source.path, number)
            found = find_in_object(value, source, number)
        except RhetreeError as error:
            yield error
        else:
            yield found


def read_markdown(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """One document in Markdown, its markup set aside."""
    from rhetree.text.markdown import markdown_layout

    text = decode(whole(lines, source.path), source.path)
    yield _text(text, source.name, source, layout=markdown_layout(text))


def read_html(lines: Iterable[bytes], source: Source) -> Iterator[Found | RhetreeError]:
    """One document in HTML, its markup set aside."""
    from rhetree.text.html import html_layout

    text = decode(whole(lines, source.path), source.path)
    yield _text(text, source.name, source, layout=html_layout(text))


KINDS: Mapping[str, Reader] = {
    "txt": read_texts,
    "jsonl": read_json_lines,
    "json": read_json,
    "conllu": read_conllu,
    "tok": read_tok,
    "edus": read_edus,
    "rs3": read_rs3,
    "rs4": read_rs3,
    "dis": read_dis,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
    "md": read_markdown,
    "markdown": read_markdown,
    "html": read_html,
    "htm": read_html,
}
"""Every kind of file, named by the ending that its files have."""

WITHOUT_EDUS = ("txt", "md", "markdown", "html", "htm")
"""The kinds that hold text and nothing else."""

WITH_FIELDS = ("jsonl", "json", "csv", "tsv", "parquet")
"""The kinds whose records have fields, of which one holds the text."""


def sniff(lines: Iterator[bytes]) -> tuple[Iterator[bytes], str]:
    """Tell by its first lines what a stream holds. Returns all of its lines again, and the kind."""
    head = []
    for line in lines:
        head.append(line)
        if not _UNDECIDED.fullmatch(line):
            break
    start = b"".join(head).removeprefix(b"\xef\xbb\xbf").lstrip()
    kind = "txt"
    if _JSON.match(start):
        kind = "json" if start.partition(b"\n")[0].strip() == b"{" else "jsonl"
    elif start.startswith(_CONLLU_COMMENTS) or _CONLLU_ROW.fullmatch(start.rstrip().rpartition(b"\n")[2]):
        kind = "conllu"
    return chain(head, lines), kind


def _text(
    text: str, name: str, source: Source, line: int | None = None, *, layout: "Layout | None" = None
) -> Found:
    document = Document(
        name=encodable((source.home / name).as_posix()),
        text=text,
        markup=layout.markup if layout else (),
        blocks=layout.blocks if layout else (),
    )
    return Found(document, name, line)
