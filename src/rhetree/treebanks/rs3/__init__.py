"""``.rs3``, the XML of O'Donnell's RSTTool and of rstWeb, and the reader that it shares with ``.rs4``.

``elements`` knows the XML, ``nodes`` who hangs on whom, ``units`` and ``layout`` go to trees and
back, ``header`` keeps the declared relations, and ``annotation`` secondary edges and signals, which
older versions of rstWeb put into .rs3 files. Tokens are what white space separates.
"""

from typing import TextIO

from rhetree.domain.document import Document
from rhetree.treebanks.format import Format, Layer
from rhetree.treebanks.rs3.header import RELATIONS, SIGNALS
from rhetree.treebanks.rs3.reader import read
from rhetree.treebanks.rs3.writer import render

__all__ = ["FORMAT", "read", "write"]


def write(document: Document, sink: TextIO) -> None:
    """Write the document's tree as it was drawn, for rstWeb to open."""
    sink.write(render(document, FORMAT, annotated=False))


FORMAT = Format(
    name="rs3",
    suffixes=(".rs3",),
    read=read,
    write=write,
    holds=frozenset({Layer.TEXT, Layer.EDUS, Layer.TREE, Layer.NARY}),
    needs=frozenset({Layer.TEXT, Layer.EDUS, Layer.TREE}),
    own_metadata=frozenset({RELATIONS, SIGNALS}),
)
