"""Plain EDUs: one a line, a blank line between documents.

RST-DT's ``.edus`` files are of this kind, one document each with its lines indented. Tokens are
what white space separates.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rhetree.domain.document import Document
from rhetree.errors import TreebankError, UnwritableError
from rhetree.treebanks.format import Format, Layer, complain, numbered, stem

_SUFFIXES = (".edus", ".out.edus", ".edus.txt")


def read(source: TextIO, path: Path, *, lenient: bool = False) -> Iterator[Document]:
    """The documents of a file, named after it and numbered where there are several.

    ``lenient`` forgives, with a warning, a file without any.
    """
    documents = numbered(_blocks(source, path), stem(path, _SUFFIXES))
    is_empty = True
    for name, edus in documents:
        is_empty = False
        yield Document.from_edus(edus, name)
    if is_empty:
        complain("no EDU in it; expected one a line", path, None, lenient=lenient)


def write(document: Document, sink: TextIO) -> None:
    """Write the tokens of each EDU, spaced, and a blank line after the last."""
    FORMAT.require(document)
    lines = [" ".join(" ".join(document.forms_of(edu)).split()) for edu in document.edus]
    if "" in lines:
        number = lines.index("") + 1
        raise UnwritableError(f"EDU {number} is white space", document.name, FORMAT.name)
    sink.write("\n".join(lines) + "\n\n")


FORMAT = Format(
    name="edus",
    suffixes=_SUFFIXES,
    read=read,
    write=write,
    holds=frozenset({Layer.TEXT, Layer.EDUS}),
    needs=frozenset({Layer.TEXT, Layer.EDUS}),
    many=True,
)


def _blocks(source: TextIO, path: Path) -> Iterator[list[str]]:
    edus: list[str] = []
    for number, line in enumerate(source, start=1):
        if "\0" in line:
            raise TreebankError("expected text, found a NUL character; is the file binary?", path, number)
        if line.strip():
            edus.append(line)
        elif edus:
            yield edus
            edus = []
    if edus:
        yield edus
