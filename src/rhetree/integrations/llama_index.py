"""A node parser for LlamaIndex whose nodes end at EDU edges (extra ``llama-index``)."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rhetree.integrations.extras import needs, shared_parser

with needs("llama_index", "llama-index"):
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser import TextSplitter
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits
    from llama_index.core.schema import BaseNode, Document, MetadataMode
    from llama_index.core.utils import get_tqdm_iterable

if TYPE_CHECKING:
    from rhetree.domain.chunks import Chunk
    from rhetree.runtime.parser import Parser


class RhetoricalSplitter(TextSplitter):
    """Splits documents into nodes that end at EDU edges and keep nucleus and satellite together where they fit."""

    chunk_size: int = Field(default=1024, gt=0, description="The most tokens in a node.")
    split_on: tuple[str, ...] = Field(
        default=(), description="Relations at which a node always ends, whatever its size."
    )
    model: str | None = Field(
        default=None, description="Name or folder of a Rhetree model; the default one if None."
    )
    _tokenizer: Callable[[str], Sequence[Any]] | None = PrivateAttr(default=None)
    _parser: "Parser | None" = PrivateAttr(default=None)

    def __init__(
        self,
        chunk_size: int = 1024,
        *,
        split_on: str | Sequence[str] = (),
        model: str | None = None,
        tokenizer: Callable[[str], Sequence[Any]] | None = None,
        parser: "Parser | None" = None,
        **settings: Any,
    ) -> None:
        """Set up a node parser.

        :param tokenizer: the tokens of a text; without it Rhetree's own tokens are counted
        :param parser: finds EDUs and trees, in place of the parser of ``model``
        :param settings: those of every node parser, such as ``include_metadata``
        """
        names = (split_on,) if isinstance(split_on, str) else tuple(split_on)
        super().__init__(chunk_size=chunk_size, split_on=names, model=model, **settings)
        self._tokenizer = tokenizer
        self._parser = parser

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores the component."""
        return "RhetoricalSplitter"

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks."""
        (chunks,) = self._chunks([text])
        return [chunk.text for chunk in chunks]

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_settings: Any
    ) -> list[BaseNode]:
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        found: list[BaseNode] = []
        shown = get_tqdm_iterable(nodes, show_progress, "Parsing nodes")
        for node, chunks in zip(shown, self._chunks(texts), strict=True):
            pieces = build_nodes_from_splits([chunk.text for chunk in chunks], node, id_func=self.id_func)
            for piece, chunk in zip(pieces, chunks, strict=True):
                piece.start_char_idx, piece.end_char_idx = chunk.start, chunk.end
            found += pieces
        return found

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        # LlamaIndex looks for each text in its document, and may find the same words at an earlier place.
        places = [(node.start_char_idx, node.end_char_idx) for node in nodes]
        nodes = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, (start, end) in zip(nodes, places, strict=True):
            node.start_char_idx, node.end_char_idx = start, end
        return nodes

    def _chunks(self, texts: Sequence[str]) -> "Iterator[tuple[Chunk, ...]]":
        parser = self._parser or shared_parser(self.model)
        tokenizer = self._tokenizer
        count = None if tokenizer is None else lambda text: len(tokenizer(text))
        return (
            document.chunks(self.chunk_size, split_on=self.split_on, count=count)
            for document in parser.parse_many(texts)
        )
