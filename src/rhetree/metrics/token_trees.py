"""The trees of a document with every node named by its tokens.

EDU numbers shift when two segmentations differ; tokens do not. So metrics compare trees whose
EDUs have been replaced by token positions.
"""

from collections.abc import Callable

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.errors import MismatchError


class TokenTrees:
    """The trees of a document, looked up by the tokens that they span."""

    def __init__(self, document: Document, name: Callable[[str], str] | None = None) -> None:
        """Rename relations by ``name``; its ``ValueError`` becomes a ``MismatchError``."""
        self._edu_at = {edu.start: number for number, edu in enumerate(document.edus)}
        self._edu_at[len(document.tokens)] = len(document.edus)
        self._leaves: set[Span] = set()
        self._splits: list[Split] = []
        edges = list(self._edu_at)
        names: dict[str, str] = {}
        for first, tree in _placed_trees(document):
            self._leaves.update(document.edus[first : first + tree.n_edus])
            for split in tree.splits:
                relation = names.get(split.relation)
                if relation is None:
                    relation = names[split.relation] = _rename(split.relation, name, document)
                self._splits.append(
                    Split(
                        edges[first + split.start],
                        edges[first + split.split],
                        edges[first + split.end],
                        split.nuclearity,
                        relation,
                    )
                )
        self._number = {(split.start, split.end): number for number, split in enumerate(self._splits)}

    def at(self, tokens: Span) -> list[Split] | None:
        """The splits, over tokens, of the node that spans exactly these tokens; None if there is none.

        An EDU of a tree is a node without splits.
        """
        number = self._number.get((tokens.start, tokens.end))
        if number is None:
            return [] if tokens in self._leaves else None
        # In pre-order the n-1 splits of a node of n EDUs follow each other.
        n_edus = self._edu_at[tokens.end] - self._edu_at[tokens.start]
        return self._splits[number : number + n_edus - 1]

    def edu_starts(self, tokens: Span) -> list[int]:
        """The tokens inside ``tokens`` that start an EDU."""
        return [token for token in tokens.indices() if token in self._edu_at]


def _placed_trees(document: Document) -> list[tuple[int, Tree]]:
    """Each tree with the number of its first EDU."""
    if document.tree is not None:
        return [(0, document.tree)]
    if not document.sentence_trees:
        return []
    return [
        (edus.start, tree)
        for edus, tree in zip(document.sentence_edus(), document.sentence_trees, strict=True)
        if edus is not None and tree is not None
    ]


def _rename(relation: str, name: Callable[[str], str] | None, document: Document) -> str:
    if name is None:
        return relation
    try:
        return name(relation)
    except ValueError as error:
        raise MismatchError(f"{document.name or 'document'}: {error}") from error
