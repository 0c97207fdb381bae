"""Documents as pandas frames: one row per EDU, or one per relation (extra ``pandas``)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Protocol, TypeVar, get_type_hints

from rhetree.domain.document import Document
from rhetree.domain.rows import EduRow, edu_rows
from rhetree.integrations.extras import needs
from rhetree.jobs.relation_rows import RelationRow, relation_rows

with needs("pandas", "pandas"):
    import pandas

Row = TypeVar("Row", EduRow, RelationRow)

_DTYPES = {
    int: "int64",
    int | None: "Int64",
    float | None: "float64",
}
"""The dtype of a column by what its rows declare, whatever the data; all others are texts."""


class Corpus(Protocol):
    """What has documents, such as :class:`rhetree.Corpus`."""

    @property
    def documents(self) -> Sequence[Document]:
        """All documents."""


Documents = Document | Corpus | Iterable[Document]


def edus(documents: Documents) -> pandas.DataFrame:
    """One row for each EDU of a document, a corpus or any iterable of documents."""
    return _frame(documents, edu_rows, EduRow)


def relations(documents: Documents) -> pandas.DataFrame:
    """One row for each split of each tree."""
    return _frame(documents, relation_rows, RelationRow)


def _frame(
    documents: Documents, rows: Callable[[Document], Iterator[Row]], kind: type[Row]
) -> pandas.DataFrame:
    dtypes = {name: _DTYPES.get(hint, "string") for name, hint in get_type_hints(kind).items()}
    records = [astuple(row) for document in _each(documents) for row in rows(document)]
    return pandas.DataFrame.from_records(records, columns=list(dtypes)).astype(dtypes)


def _each(documents: Documents) -> Iterator[Document]:
    if isinstance(documents, Document):
        yield documents
        return
    given = getattr(documents, "documents", documents)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(
            f"expected a document, a corpus or documents, got {type(given).__name__} {given!r:.80}"
        )
    for document in given:
        if not isinstance(document, Document):
            raise TypeError(f"expected documents, got {type(document).__name__} {document!r:.80}")
        yield document
