"""``.rs3``, the XML of O'Donnell's RSTTool and of rstWeb, and the reader that it shares with ``.rs4``.

``elements`` reads and writes the XML, ``nodes`` finds who hangs on whom, ``units`` makes trees of
that and ``layout`` goes back. ``header`` keeps the declared relations, ``sentences`` the document's
sentences, ``annotation`` the secondary edges and signals, which older versions of rstWeb put into .rs3
files. Tokens are what white space separates.
"""

from typing import TextIO

from rhetree.domain.document import Document
from rhetree.formats.format import Format, Layer
from rhetree.formats.rs3.header import RELATIONS, SIGNALS, declare
from rhetree.formats.rs3.reader import read
from rhetree.formats.rs3.writer import render

__all__ = ["FORMAT", "declare", "read", "write"]


def write(document: Document, sink: TextIO) -> None:
    """Write the document's tree as it was drawn, for rstWeb to open."""
    sink.write(render(document, FORMAT, annotated=False))


FORMAT = Format(
    name="rs3",
    suffixes=(".rs3",),
    read=read,
    write=write,
    holds=frozenset(
        {Layer.TEXT, Layer.TOKENS, Layer.SENTENCES, Layer.EDUS, Layer.TREE, Layer.SENTENCE_TREES, Layer.NARY}
    ),
    needs=frozenset({Layer.TEXT, Layer.EDUS, Layer.TREE}),
    own_metadata=frozenset({RELATIONS, SIGNALS}),
)
