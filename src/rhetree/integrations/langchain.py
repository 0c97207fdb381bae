"""A text splitter for LangChain whose chunks end at EDU edges (extra ``langchain``)."""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from rhetree.integrations.extras import needs, shared_parser
from rhetree.offline import keep_offline

keep_offline("langchain_core")

with needs("langchain_core", "langchain"):
    from langchain_core.documents import Document
with needs("langchain_text_splitters", "langchain"):
    from langchain_text_splitters import TextSplitter

if TYPE_CHECKING:
    from rhetree.domain.chunks import Chunk
    from rhetree.runtime.parser import Parser


class RhetoricalSplitter(TextSplitter):
    """Splits text into chunks that end at EDU edges and keep nucleus and satellite together where they fit."""

    def __init__(
        self,
        chunk_size: int = 4000,
        chunk_overlap: int = 0,
        *,
        length_function: Callable[[str], int] = len,
        split_on: str | Iterable[str] = (),
        add_start_index: bool = False,
        parser: "Parser | None" = None,
    ) -> None:
        """Set up a splitter; chunks never overlap.

        :param chunk_size: the largest length of a chunk; only a single EDU may be longer
        :param chunk_overlap: has to be 0; other splitters of LangChain's take more
        :param length_function: the length of a text, in characters by default
        :param split_on: relations at which a chunk always ends
        :param add_start_index: whether to note the character at which a chunk starts in its metadata
        :param parser: finds EDUs and trees; None for the default model
        """
        if chunk_overlap != 0:
            raise ValueError(
                f"chunk_overlap has to be 0, got {chunk_overlap!r}: chunks end where the text's structure allows it, "
                "and so none repeats the end of another"
            )
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=0,
            length_function=length_function,
            add_start_index=add_start_index,
        )
        self._split_on = (split_on,) if isinstance(split_on, str) else tuple(split_on)
        self._parser = parser

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks."""
        (chunks,) = self._chunks([text])
        return [chunk.text for chunk in chunks]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """One LangChain document for each chunk, with a copy of its text's metadata."""
        documents = []
        for chunks, metadata in zip(self._chunks(texts), metadatas or [{}] * len(texts), strict=True):
            for chunk in chunks:
                start = {"start_index": chunk.start} if self._add_start_index else {}
                documents.append(Document(page_content=chunk.text, metadata=deepcopy(metadata) | start))
        return documents

    def _chunks(self, texts: list[str]) -> "Iterator[tuple[Chunk, ...]]":
        parser = self._parser or shared_parser()
        return (
            document.chunks(self._chunk_size, split_on=self._split_on, count=self._length_function)
            for document in parser.parse_many(texts)
        )
