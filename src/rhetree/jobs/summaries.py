"""Documents to summarize: those of tree files with their trees, all others as a job reads them, and then parsed."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.domain.document import Document
from rhetree.errors import FileError, RhetreeError
from rhetree.formats import FORMATS
from rhetree.jobs.records import Source, encodable
from rhetree.jobs.sources import Records, text_of
from rhetree.runtime.pipeline import Edus
from rhetree.text.blocks import with_blocks

if TYPE_CHECKING:
    from rhetree.runtime.parser import Parser

_TREE_FILES = ("rs3", "rs4", "dis")
"""Kinds of files whose trees a job does not keep, since it would parse them again."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A document as it was read, and whether its EDUs are to be kept when it is parsed."""

    document: Document
    edus: Edus = "auto"

    @property
    def has_tree(self) -> bool:
        """Whether it has a tree over all of it, so that it need not be parsed."""
        trees = self.document.sentence_trees
        return self.document.tree is not None or (len(trees) == 1 and trees[0] is not None)


def documents_of(sources: Iterable[Source]) -> Iterator[Unread | RhetreeError]:
    """The documents of all sources in order, and in place of each bad one what is wrong with it."""
    for source in sources:
        if source.kind in _TREE_FILES and source.url is None:
            try:
                path = Path(encodable(str(source.path)))
                text = io.StringIO(text_of(source), newline=None)
                for document in FORMATS[source.kind].read(text, path, lenient=source.lenient):
                    yield Unread(with_blocks(document), "gold")
            except RhetreeError as error:
                yield error
            except OSError as error:
                yield FileError(f"cannot be read: {error.strerror}", source.path)
            continue
        for record in Records([source]):
            yield record if isinstance(record, RhetreeError) else Unread(record.document, record.edus)


class Joiner:
    """Gives documents a tree over all of them; the models are loaded when a document first needs them."""

    def __init__(self, model: str | None = None, document_model: str | None = None) -> None:
        """Name the models; :func:`rhetree.load` explains them."""
        self._models = (model, document_model)
        self._parser: Parser | None = None

    def with_tree(self, unread: Unread) -> Document:
        """The document with its own tree, or with its sentence trees joined, or parsed."""
        document = unread.document
        if unread.has_tree or document.is_blank:
            return document
        parser = self._load()
        if document.sentence_trees and None not in document.sentence_trees:
            return parser.join(document)
        return next(parser.parse_documents([document], edus=unread.edus, level="document"))

    def _load(self) -> "Parser":
        if self._parser is None:
            from rhetree.runtime.parser import load

            model, document_model = self._models
            self._parser = load(model, document_model=document_model)
            self._parser.document_model()  # an error comes before a document is parsed
        return self._parser
