"""Parsing the columns of Hugging Face datasets: ``dataset.map(parse, batched=True)`` (extra ``datasets``).

The functions take and give lists, so this module needs nothing but Rhetree until a data set stores them. Settings go
through ``fn_kwargs``: ``dataset.map(parse, batched=True, fn_kwargs={"column": "review"})``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from rhetree.domain.rows import EduRow, edu_rows
from rhetree.errors import ArgumentError
from rhetree.integrations.extras import shared_parser
from rhetree.jobs.relation_rows import RelationRow, relation_rows

if TYPE_CHECKING:
    import pyarrow

Columns = dict[str, list[Any]]


class ColumnOfLists(list[list[Any]]):
    """A list for each text, which knows the type of what is in them.

    Hugging Face fixes the types of new columns when it stores the first batch. Guessed from a batch in which
    no text has a second EDU, the type of relations would be null, and the next batch could not be stored.
    """

    def __init__(self, lists: list[list[Any]], kind: type) -> None:
        super().__init__(lists)
        self._kind = kind

    def __arrow_array__(self, type: "pyarrow.DataType | None" = None) -> "pyarrow.Array":
        """The column in Arrow, where a list is converted by this method if it has it."""
        import pyarrow

        own = pyarrow.list_(_arrow_type(self._kind))
        return pyarrow.array(list(self), own if type is None else type)


def parse(batch: Mapping[str, Sequence[Any]], column: str = "text", model: str | None = None) -> Columns:
    """The EDUs and relations of each text, as two columns of lists.

    :param column: the column of texts; a text that is missing (None) has no EDUs
    :param model: the name or folder of a model; None is the default one
    """
    documents = shared_parser(model).parse_many(_texts(batch, column))
    edus, relations = [], []
    for document in documents:
        edus.append([_columns(edu) for edu in edu_rows(document)])
        relations.append([_columns(relation) for relation in relation_rows(document)])
    return {"edus": ColumnOfLists(edus, EduRow), "relations": ColumnOfLists(relations, RelationRow)}


def segment(batch: Mapping[str, Sequence[Any]], column: str = "text", model: str | None = None) -> Columns:
    """The EDUs of each text, as a column of lists of strings."""
    documents = shared_parser(model).segment_many(_texts(batch, column))
    return {"edus": ColumnOfLists([list(document.edu_texts()) for document in documents], str)}


def _texts(batch: Mapping[str, Sequence[Any]], column: str) -> list[str]:
    if column not in batch:
        raise ArgumentError(
            f"there is no column {column!r}; expected one of {', '.join(batch)}", "dataset", "column"
        )
    texts = batch[column]
    if isinstance(texts, str):
        raise TypeError("lists of texts are expected, got one text; call map with batched=True")
    return [text or "" for text in texts]


def _columns(row: EduRow | RelationRow) -> dict[str, Any]:
    """A row without the name of the document, which a data set has in a column of its own."""
    return {name: value for name, value in asdict(row).items() if name != "document"}


def _arrow_type(kind: Any) -> "pyarrow.DataType":
    """Arrow's type of a row, or of a field of it; every type of Arrow has a place for what is missing."""
    import pyarrow

    simple = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    if kind in simple:
        return simple[kind]
    if get_origin(kind) is Literal:
        return pyarrow.string()
    known = [part for part in get_args(kind) if part is not type(None)]
    if known:
        return _arrow_type(known[0])
    return pyarrow.struct(
        [(name, _arrow_type(hint)) for name, hint in get_type_hints(kind).items() if name != "document"]
    )
