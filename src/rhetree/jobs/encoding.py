"""A parsed document as the contents of a file, in each format that ``rhetree parse`` writes.

Trees are of sentences, or one of the document. Of trees of sentences, a format that knows one tree a file gets what comes
nearest: ``rs3`` and ``rs4`` have the trees side by side, like an annotation that is not finished; ``dis`` and ``rsd`` take a document of one sentence.
A new format is a function here and a line in ``ENCODINGS``.
"""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rhetree.domain.rows import COLUMNS
from rhetree.errors import RhetreeError, UnwritableError
from rhetree.jobs.records import encodable

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.draw.picture import PictureFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """One way to write a document."""

    name: str
    encode: "Callable[[Document], str | bytes]"
    """The contents of a file after its header; strings are written as UTF-8."""
    header: str = ""
    """The first line of a file, before any document."""
    encode_with: "Callable[[Document, Mapping[str, Any]], str | bytes] | None" = None
    """The same with fields that are no part of the document; None for a format that cannot hold any."""
    suffix: str
    """The ending of its files."""
    many: bool = False
    """Whether a file can hold several documents, one after the other."""
    binary: bool = False
    """Whether it is not text, so that no terminal can show it."""
    needs_trees: bool = False
    needs_words: bool = True
    """Whether a document without words is left out (of a file of many) or refused."""


def encode(
    document: "Document",
    format: str | Encoding,
    extra: Mapping[str, Any] | None = None,
    *,
    first: bool = True,
) -> str | bytes:
    """The document as the contents of a file; :class:`UnwritableError` if the format cannot hold it.

    :param extra: fields that are no part of the document, for formats that can hold them
    :param first: whether it is the first of a file; the others come without the header
    """
    encoding = encoding_of(format)
    header = encoding.header if first else ""
    if encoding.needs_words and not document.tokens:
        if not encoding.many:
            raise UnwritableError("it has no words", document.name, encoding.name)
        return header
    if extra and encoding.encode_with is not None:
        return encoding.encode_with(document, extra)
    data = encoding.encode(document)
    return header + data if isinstance(data, str) else data


def encode_bytes(
    document: "Document",
    format: str | Encoding,
    extra: Mapping[str, Any] | None = None,
    *,
    first: bool = True,
) -> bytes:
    """The same as bytes: text is UTF-8."""
    try:
        data = encode(document, format, extra, first=first)
        return data.encode("utf-8") if isinstance(data, str) else data
    except UnicodeEncodeError as error:
        what = f"{error.object[error.start : error.start + 1]!r} is no character"
        raise UnwritableError(what, encodable(document.name), encoding_of(format).name) from error


def with_edu_texts(format: str) -> Encoding:
    """The encoding of one of our JSON formats that has the text of each EDU, too."""
    encoding = encoding_of(format)
    if encoding.encode_with is None:
        raise RhetreeError(f"texts of EDUs can be added to json and jsonl, not to {format}")
    encode_with = _json_with(format, edu_texts=True)
    return replace(encoding, encode=lambda document: encode_with(document, {}), encode_with=encode_with)


def encoding_of(format: str | Encoding) -> Encoding:
    """The encoding of this name."""
    if isinstance(format, Encoding):
        return format
    if format not in ENCODINGS:
        raise RhetreeError(f"no format is called {format!r}; expected one of {', '.join(ENCODINGS)}")
    return ENCODINGS[format]


def _terminal(document: "Document") -> str:
    from rhetree.draw.alternatives import draw_document
    from rhetree.draw.terminal import Style

    return "".join(f"{line}\n" for line in draw_document(document, Style()))


def _table(document: "Document") -> str:
    from rhetree.draw.table import draw_table
    from rhetree.draw.terminal import Style

    return "".join(f"{line}\n" for line in draw_table(document, Style()))


def _csv(document: "Document") -> str:
    from rhetree.jobs.tables import encode_csv

    return encode_csv(document)


def _parquet(document: "Document") -> bytes:
    from rhetree.jobs.tables import encode_parquet

    return encode_parquet(document)


def _picture(format: "PictureFormat") -> "Callable[[Document], bytes]":
    """Draws the tree of a document; without one, each sentence by itself."""

    def encode(document: "Document") -> bytes:
        from rhetree.draw.picture import PictureConfig, draw

        return draw(document, format, PictureConfig(by_sentence=document.tree is None))

    return encode


def _one_tree(format: str) -> "Callable[[Document], str]":
    """The writer of a treebank format whose files hold one tree each."""

    def encode(document: "Document") -> str:
        from rhetree.jobs.sentence_files import only_sentence

        return _written(only_sentence(document, format), format)

    return encode


def _as(format: str) -> "Callable[[Document], str]":
    """The writer of a treebank format, whose module is imported when it is used."""
    return lambda document: _written(document, format)


def _json_with(format: str, *, edu_texts: bool = False) -> "Callable[[Document, Mapping[str, Any]], str]":
    """The writer of one of our JSON formats, for documents with further fields."""

    def encode(document: "Document", extra: Mapping[str, Any]) -> str:
        from rhetree.formats.json import write, write_line

        whole = io.StringIO()
        (write_line if format == "jsonl" else write)(document, whole, extra, edu_texts=edu_texts)
        return whole.getvalue()

    return encode


def _written(document: "Document", format: str) -> str:
    from rhetree.formats import FORMATS, write_one

    whole = io.StringIO()
    write_one(document, FORMATS[format], whole)
    return whole.getvalue()


ENCODINGS: Mapping[str, Encoding] = {
    encoding.name: encoding
    for encoding in (
        Encoding(name="terminal", encode=_terminal, suffix=".txt", many=True),
        Encoding(
            name="json", encode=_as("json"), encode_with=_json_with("json"), suffix=".json", needs_words=False
        ),
        Encoding(
            name="jsonl",
            encode=_as("jsonl"),
            encode_with=_json_with("jsonl"),
            suffix=".jsonl",
            many=True,
            needs_words=False,
        ),
        Encoding(name="rs3", encode=_as("rs3"), suffix=".rs3", needs_trees=True),
        Encoding(name="rs4", encode=_as("rs4"), suffix=".rs4", needs_trees=True),
        Encoding(name="dis", encode=_one_tree("dis"), suffix=".dis", needs_trees=True),
        Encoding(name="rsd", encode=_one_tree("rsd"), suffix=".rsd", needs_trees=True),
        Encoding(name="conllu", encode=_as("conllu"), suffix=".conllu", many=True),
        Encoding(name="brackets", encode=_as("brackets"), suffix=".brackets", many=True, needs_trees=True),
        Encoding(name="svg", encode=_picture("svg"), suffix=".svg"),
        Encoding(name="html", encode=_picture("html"), suffix=".html"),
        Encoding(name="png", encode=_picture("png"), suffix=".png", binary=True),
        Encoding(name="edus", encode=_as("edus"), suffix=".edus", many=True),
        Encoding(name="table", encode=_table, suffix=".txt", many=True),
        Encoding(
            name="csv",
            encode=_csv,
            header=",".join(COLUMNS) + "\n",
            suffix=".csv",
            many=True,
            needs_words=False,
        ),
        Encoding(
            name="parquet", encode=_parquet, suffix=".parquet", many=True, binary=True, needs_words=False
        ),
    )
}
"""Every format that parsed documents are written in, by its name."""
