"""Plain EDUs: one a line, a blank line between documents.

RST-DT's ``.edus`` files are of this kind, one document each with its lines indented. An EDU is written
as it stands in the text, so that ``rained,`` stays in one piece. In what is read, tokens are what white
space separates.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rhetree.domain.document import Document
from rhetree.errors import TreebankError, UnwritableError
from rhetree.formats.format import Format, Layer, complain, numbered, stem

_SUFFIXES = (".edus", ".out.edus", ".edus.txt")


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The documents of a file, named after it and numbered where there are several.

    ``lenient`` forgives, with a warning for each, lines with a NUL in them (it is left out).
    """
    is_empty = True
    for name, edus in numbered(_blocks(source, path, lenient), stem(path, _SUFFIXES)):
        is_empty = False
        yield Document.from_edus(edus, name)
    if is_empty:
        raise TreebankError("no EDU in it; expected one a line", path)


def write(document: Document, sink: TextIO) -> None:
    """Write the text of each EDU on one line, and a blank line after the last."""
    FORMAT.require(document)
    edus = [" ".join(text.split()) for text in document.edu_texts()]
    for number, edu in enumerate(edus, start=1):
        if not edu:
            raise UnwritableError(f"EDU {number} is white space", document.name, FORMAT.name)
        if "\0" in edu:
            raise UnwritableError(f"EDU {number} has a NUL character", document.name, FORMAT.name)
    sink.write("\n".join(edus) + "\n\n")


FORMAT = Format(
    name="edus",
    suffixes=_SUFFIXES,
    read=read,
    write=write,
    holds=frozenset({Layer.TEXT, Layer.EDUS}),
    needs=frozenset({Layer.TEXT, Layer.EDUS}),
    many=True,
)


def _blocks(source: TextIO, path: Path, lenient: bool) -> Iterator[list[str]]:
    edus: list[str] = []
    for number, line in enumerate(source, start=1):
        text = line.strip()
        if "\0" in line:
            what = "expected text, found a NUL character; is the file binary?"
            complain(what, path, number, lenient=lenient)
            text = text.replace("\0", "").strip()
        if text:
            edus.append(text)
        elif edus:
            yield edus
            edus = []
    if edus:
        yield edus
