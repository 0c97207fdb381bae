"""Recognises texts again: a model remembers which ones it was trained on, and is not tested on them unnoticed."""

import hashlib
from collections.abc import Collection, Iterable

from rhetree.domain.document import Document

_N_DIGITS = 16
"""Hexadecimal digits of a hash to keep: enough to tell millions of texts apart, and little to store."""


def text_hash(document: Document) -> str:
    """A short hash of a document's text. White space does not count, and neither do name and annotation."""
    letters = "".join(document.text.split())
    return hashlib.sha256(letters.encode("utf-8", "surrogatepass")).hexdigest()[:_N_DIGITS]


def with_known_text(documents: Iterable[Document], hashes: Collection[str]) -> list[str]:
    """Names of the documents whose text is one of those with these hashes."""
    return [document.name for document in documents if text_hash(document) in hashes]
