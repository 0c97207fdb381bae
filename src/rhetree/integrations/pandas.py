"""Documents as pandas frames: one row per EDU, or one per relation (extra ``pandas``)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, fields
from typing import Protocol, TypeVar

from rhetree.domain.document import Document
from rhetree.domain.rows import EduRow, edu_rows
from rhetree.integrations.extras import needs
from rhetree.jobs.relation_rows import RelationRow, relation_rows

with needs("pandas", "pandas"):
    import pandas

Row = TypeVar("Row", EduRow, RelationRow)

_NUMBERS = {"sentence", "attaches_to"}
"""Whole numbers that may be missing."""


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
    given: Iterable[Document]
    if isinstance(documents, Document):
        given = [documents]
    else:
        given = documents if isinstance(documents, Iterable) else documents.documents
    columns = [field.name for field in fields(kind)]
    records = [astuple(row) for document in given for row in rows(document)]
    frame = pandas.DataFrame.from_records(records, columns=columns)
    return frame.astype({name: "Int64" for name in columns if name in _NUMBERS})
