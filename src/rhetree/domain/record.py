"""A document as plain lists, numbers and strings: the content of our JSON.

``schema/document.schema.json`` describes it for programs, ``docs/formats.md`` for people. Spans are
half-open and counted from 0. If the sentences are known, each lists its own tokens and EDUs, the
EDUs counted from the sentence's first token; EDUs that cross sentences are listed for the document.
Trees are lists of splits in pre-order. The ``splits`` of a sentence are its tree, or, in a document
with one ``tree``, the tree of its first reading. Probabilities have six digits to keep files small.

``record_writer.py`` makes records of documents, ``record_reader.py`` documents of records.
"""

from typing import Any

NAME = "rhetree"
VERSION = 1

Record = dict[str, Any]

SENTENCE_KEYS = ("offsets", "edus", "edu_texts", "splits", "probabilities", "alternatives")
"""Keys that a sentence may have besides its tokens."""

KEYS = (
    *("id", "format", "version", "text", "markup", "blocks", "metadata", "extra"),
    *("sentences", "tokens", "offsets", "edus", "edu_texts"),
    *("tree", "nary", "split_probabilities", "secondary_edges", "signals", "syntax"),
)
"""Every key of a record."""
