"""A scikit-learn transformer from texts to numbers about their rhetorical structure (extra ``sklearn``)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rhetree.domain.document import Document
from rhetree.domain.tree import Tree
from rhetree.integrations.extras import needs, shared_parser

with needs("sklearn", "sklearn"):
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from typing_extensions import Self


class RhetoricalFeatures(TransformerMixin, BaseEstimator):
    """Counts, depths and shares of relations in texts, or in documents that are already parsed.

    For each text: the numbers of sentences, EDUs and splits, the mean length of EDUs, the mean and the greatest depth
    of its trees, the share of each nuclearity and relation among its splits, and the share of each motif, a relation
    directly below another one. Relations and motifs are those that ``fit`` has seen.
    """

    def __init__(self, model: str | None = None, motifs: bool = True, sparse: bool = False) -> None:
        """Set up a transformer.

        :param model: the name or folder of a model; None is the default one
        :param motifs: whether to count motifs as well as single relations
        :param sparse: whether to give a sparse matrix
        """
        self.model = model
        self.motifs = motifs
        self.sparse = sparse

    def fit(self, X: Iterable[str | Document], y: object = None) -> "Self":  # noqa: N803, ARG002  # scikit-learn's names
        """Learn which relations and motifs there are."""
        self.vectorizer_ = DictVectorizer(sparse=self.sparse).fit(self._features(X))
        return self

    def fit_transform(self, X: Iterable[str | Document], y: object = None) -> Any:  # noqa: N803, ARG002
        """The same as ``fit`` and ``transform``, parsing only once."""
        self.vectorizer_ = DictVectorizer(sparse=self.sparse)
        return self.vectorizer_.fit_transform(self._features(X))

    def transform(self, X: Iterable[str | Document]) -> Any:  # noqa: N803
        """A matrix with a row for each text and a column for each feature."""
        check_is_fitted(self)
        return self.vectorizer_.transform(self._features(X))

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002  # there is one input
        """The names of the columns, such as ``relation=elaboration``."""
        check_is_fitted(self)
        return self.vectorizer_.get_feature_names_out()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _features(self, texts: Iterable[str | Document]) -> list[dict[str, float]]:
        if isinstance(texts, (str, bytes)):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        items = list(texts)
        parsed = shared_parser(self.model).parse_many(
            text for text in items if not isinstance(text, Document)
        )
        documents = (item if isinstance(item, Document) else next(parsed) for item in items)
        return [features(document, motifs=self.motifs) for document in documents]


def features(document: Document, *, motifs: bool = True) -> dict[str, float]:
    """The features of one document, by name."""
    trees = [document.tree] if document.tree is not None else document.trees_by_sentence()
    known = [tree for tree in trees if tree is not None]
    n_splits = sum(len(tree.splits) for tree in known)
    n_edus = len(document.edus)
    depths = [tree.depth() for tree in known]
    found = {
        "sentences": float(len(document.sentences)),
        "edus": float(n_edus),
        "splits": float(n_splits),
        "tokens per edu": len(document.tokens) / n_edus if n_edus else 0.0,
        "mean depth": sum(depths) / len(depths) if depths else 0.0,
        "greatest depth": float(max(depths, default=0)),
    }
    counts: Counter[str] = Counter()
    for tree in known:
        counts.update(f"nuclearity={split.nuclearity}" for split in tree.splits)
        counts.update(f"relation={split.relation}" for split in tree.splits)
        if motifs:
            counts.update(_motifs(tree))
    return found | {name: count / n_splits for name, count in counts.items()}


def _motifs(tree: Tree) -> Iterator[str]:
    """Each relation with the relation directly above it."""
    above: dict[tuple[int, int], str] = {}
    for split in tree.splits:
        parent = above.pop((split.start, split.end), None)
        if parent is not None:
            yield f"motif={parent}>{split.relation}"
        above[split.start, split.split] = above[split.split, split.end] = split.relation
