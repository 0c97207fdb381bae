"""A document over the tokens of another version of it: what a file cuts by white space alone a parser cuts anew."""

from itertools import accumulate

from rhetree.domain.document import Document
from rhetree.domain.span import Span


def adopt_tokens(document: Document, other: Document) -> Document:
    """The document itself or, if its sentences are not known, the document over the tokens of the other version.

    Both can be compared then. The characters have to be the same, white space aside, and every EDU has to start with a
    token of the other version; else the document comes back as it is.
    """
    forms, others = ([token.form for token in one.tokens] for one in (document, other))
    if document.sentences or forms == others or "".join(forms) != "".join(others):
        return document
    starts = {at: number for number, at in enumerate(accumulate(map(len, others), initial=0))}
    places = list(accumulate(map(len, forms), initial=0))
    edges = [starts.get(places[edu.start], -1) for edu in document.edus]
    if -1 in edges:
        return document
    return Document(
        name=document.name,
        text=other.text,
        tokens=other.tokens,
        edus=tuple(map(Span, edges, [*edges[1:], len(others)])) if edges else (),
        tree=document.tree,
        nary=document.nary,
        secondary_edges=document.secondary_edges,
        metadata=document.metadata,
    )
