"""Parsing the columns of Hugging Face datasets: ``dataset.map(parse, batched=True)`` (extra ``datasets``).

The functions take and give plain lists, so this module needs nothing but Rhetree. Settings go through
``fn_kwargs``: ``dataset.map(parse, batched=True, fn_kwargs={"column": "review"})``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rhetree.domain.rows import EduRow, edu_rows
from rhetree.errors import ArgumentError
from rhetree.integrations.extras import shared_parser
from rhetree.jobs.relation_rows import RelationRow, relation_rows

Columns = dict[str, list[Any]]


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
    return {"edus": edus, "relations": relations}


def segment(batch: Mapping[str, Sequence[Any]], column: str = "text", model: str | None = None) -> Columns:
    """The EDUs of each text, as a column of lists of strings."""
    documents = shared_parser(model).segment_many(_texts(batch, column))
    return {"edus": [document.edu_texts() for document in documents]}


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
