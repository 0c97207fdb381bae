"""Cuts sentences that are too long to be read at once, and notes it in the document.

Memory grows with the longest sentence. Nobody writes sentences of thousands of words, but a table, a log or a hostile
text can look like one.
"""

import logging
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.errors import MismatchError

MOST_TOKENS = 4096
"""The longest sentence that is parsed as one, in tokens."""

NOTE = "note"
"""The key in a document's metadata that tells what was cut."""

_LOG = logging.getLogger("rhetree.runtime")


def cut_long_sentences(document: Document, most: int = MOST_TOKENS) -> Document:
    """The document with every sentence of more than ``most`` tokens cut into several.

    EDUs are kept, so that a cut lies between two of them; only an EDU of more than ``most`` tokens is cut itself. A
    document that was cut keeps no trees, and its metadata has a :data:`NOTE`. :class:`MismatchError` if its CoNLL-U
    columns, which count by sentences, cannot be kept.
    """
    long = [number for number, sentence in enumerate(document.sentences, start=1) if len(sentence) > most]
    if not long:
        return document
    n_tokens = len(document.sentences[long[0] - 1])
    if document.syntax is not None:
        raise MismatchError(
            f"{document.name or 'a document'}: sentence {long[0]} has {n_tokens} tokens, expected at most {most}; "
            "divide it into several sentences"
        )
    edus = [part for edu in document.edus for part in _parts(edu, (), most)]
    edges = [edu.start for edu in edus]
    sentences = [part for sentence in document.sentences for part in _parts(sentence, edges, most)]
    which = f"sentence {long[0]} ({n_tokens} tokens)"
    if len(long) > 1:
        which += f" and {len(long) - 1} more of {len(document.sentences)}"
    note = f"{which} cut into parts of at most {most} tokens, each parsed as a sentence"
    _LOG.warning("%s: %s", document.name or "a document", note)
    before = document.metadata.get(NOTE)
    return replace(
        document,
        sentences=tuple(sentences),
        edus=tuple(edus),
        tree=None,
        sentence_trees=(),
        readings=(),
        split_probs=(),
        nary=None,
        secondary_edges=(),
        signals=(),
        metadata={**document.metadata, NOTE: f"{before}; {note}" if before else note},
    )


def _parts(span: Span, edges: Sequence[int], most: int) -> Iterator[Span]:
    """The span in parts of at most ``most`` tokens, each as long as it can be.

    :param edges: where a part may begin, in order; anywhere if there are none
    """
    start = span.start
    while span.end - start > most:
        end = start + most
        if edges:
            end = edges[bisect_right(edges, end) - 1]
        yield Span(start, end)
        start = end
    yield Span(start, span.end)
