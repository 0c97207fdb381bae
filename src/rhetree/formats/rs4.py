"""``.rs4``, rstWeb's successor of ``.rs3``, with secondary edges and signals beside the tree; GUM's format."""

from typing import TextIO

from rhetree.domain.document import Document
from rhetree.formats import rs3
from rhetree.formats.format import Format, Layer
from rhetree.formats.rs3.writer import render

read = rs3.read


def write(document: Document, sink: TextIO) -> None:
    """Write the document's tree as it was drawn, its secondary edges and its signals."""
    sink.write(render(document, FORMAT, annotated=True))


FORMAT = Format(
    name="rs4",
    suffixes=(".rs4",),
    read=read,
    write=write,
    holds=rs3.FORMAT.holds | {Layer.SECONDARY_EDGES, Layer.SIGNALS},
    needs=rs3.FORMAT.needs,
    own_metadata=rs3.FORMAT.own_metadata,
)
