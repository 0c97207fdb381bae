"""The bodies of requests, checked as far as their shape goes; ``serve/documents.py`` reads what is in them."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, WithJsonSchema, model_validator
from typing_extensions import Self

from rhetree.domain.levels import Level as TreeLevel
from rhetree.domain.relations import INVENTORIES
from rhetree.domain.tree import NUCLEARITIES
from rhetree.draw.panel import Shape
from rhetree.draw.picture import PictureFormat
from rhetree.draw.theme import Theme
from rhetree.formats import FORMATS, OUTPUTS
from rhetree.jobs.encoding import ENCODINGS
from rhetree.metrics.parseval import Level
from rhetree.runtime.pipeline import Edus

_RECORD_SCHEMA = {
    "title": "Document",
    "description": "A document in Rhetree's JSON (docs/formats.md): a text, or tokens in sentences, and any annotation. "
    "Without an id its name is empty.",
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "text": {"type": "string"},
        "tokens": {
            "description": "The tokens of each sentence.",
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}},
        },
        "edus": {
            "description": "The EDUs of each sentence, as [start, end] of its tokens.",
            "type": "array",
            "items": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        },
        "sentences": {"type": "array", "items": {"type": "object"}},
    },
}

Record = Annotated[dict[str, Any], WithJsonSchema(_RECORD_SCHEMA)]
"""A document in our JSON; its id may be missing."""


_POSITIONS = {"type": "array", "items": {"type": "integer"}}
_CONSTRAINTS_SCHEMA = {
    "title": "Constraints",
    "description": "What the EDUs and trees of a document have to agree with (docs/decoding.md). Positions are characters "
    "of its text.",
    "type": "object",
    "properties": {
        "boundaries": {"description": "An EDU begins at each of these.", **_POSITIONS},
        "joined": {"description": "No EDU begins at any of these.", **_POSITIONS},
        "edus": {
            "description": "Each [start, end] is exactly one EDU.",
            "type": "array",
            "items": _POSITIONS,
        },
        "spans": {
            "description": "The tree has a node that covers exactly start to end, with what else is given.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["start", "end"],
                "properties": {
                    "start": {"type": "integer"},
                    "end": {"type": "integer"},
                    "split": {"type": "integer"},
                    "nuclearity": {"type": "string", "enum": list(NUCLEARITIES)},
                    "relation": {"type": "string"},
                },
            },
        },
    },
}

ConstraintsRecord = Annotated[dict[str, Any], WithJsonSchema(_CONSTRAINTS_SCHEMA)]
"""Constraints, in JSON."""


def _among(names: Iterable[str]) -> WithJsonSchema:
    """The schema of a string that is one of these names; the library's own message refuses others."""
    return WithJsonSchema({"type": "string", "enum": sorted(names)})


TABLE = "csv"
"""The format of ``convert`` that is a table, and no treebank file."""

InputFormat = Annotated[str, _among(FORMATS)]
OutputFormat = Annotated[str, _among([*OUTPUTS, TABLE])]
ParsedFormat = Annotated[str, _among(ENCODINGS)]
InventoryName = Annotated[str, _among(INVENTORIES)]


class _Body(BaseModel):
    """What all bodies share: unknown keys are errors, and the line under a field describes it in the OpenAPI."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    def _check_one_of(self, *keys: str) -> Self:
        given = [key for key in keys if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(map(repr, given)) or "none"
            raise ValueError(f"expected exactly one of {', '.join(map(repr, keys))}, found {found}")
        return self


class File(_Body):
    """A treebank file, as text."""

    content: str
    format: InputFormat
    """Its format, such as rs3."""
    name: str = ""
    """The name for messages, and for a document in it that has no name of its own."""


Annotation = File | Record
"""An annotated document: a file, or a document in our JSON."""


class TextsBody(_Body):
    """One document, as text or document, or several as documents."""

    text: str | None = Field(None, examples=["He left early because it rained."])
    document: Record | None = None
    documents: list[str | Record] | None = None
    """Texts, and documents in Rhetree's JSON."""
    format: ParsedFormat = "json"
    """The format of the answer: any that `rhetree parse` writes."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_one_of("text", "document", "documents")

    @property
    def is_many(self) -> bool:
        return self.documents is not None

    def inputs(self) -> list[str | dict[str, Any]]:
        """The documents, in order."""
        if self.documents is not None:
            return list(self.documents)
        return [self.text if self.text is not None else self.document or {}]


class SegmentBody(TextsBody):
    """Texts to find the EDUs of."""


class ParseBody(TextsBody):
    """Texts to find the EDUs and trees of."""

    edus: Edus | None = None
    """gold keeps the EDUs of documents, auto finds new ones. By default EDUs beside tokens are kept."""
    level: TreeLevel = "sentence"
    """How far up trees go: sentence gives one tree for each sentence, document one tree over all EDUs, in which sentence
    trees are nodes; in that of paragraph each paragraph is a node as well."""
    constraints: ConstraintsRecord | list[ConstraintsRecord | None] | None = None
    """What EDUs and trees have to agree with; for several documents a list of as many, with null for none."""

    @model_validator(mode="after")
    def _check_constraints(self) -> Self:
        is_fitting = isinstance(self.constraints, list) == self.is_many and len(
            self.all_constraints()
        ) == len(self.inputs())
        if self.constraints is not None and not is_fitting:
            raise ValueError("'constraints' is an object for one document, or a list with an item for each")
        return self

    def all_constraints(self) -> list[dict[str, Any] | None]:
        """The constraints of each document, or None."""
        if self.constraints is None:
            return [None] * len(self.inputs())
        return list(self.constraints) if isinstance(self.constraints, list) else [self.constraints]


class _AnnotationsBody(_Body):
    document: Annotation | None = None
    documents: list[Annotation] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_one_of("document", "documents")

    @property
    def is_many(self) -> bool:
        return self.documents is not None

    def inputs(self) -> list[File | dict[str, Any]]:
        """The documents, in order."""
        return list(self.documents) if self.documents is not None else [self.document or {}]


class ConvertBody(_AnnotationsBody):
    """One document or file, or several, to write in another format."""

    to: OutputFormat
    shape: Literal["nary", "binary"] | None = None
    """nary makes one unit of a chain of the same multinuclear relation, binary drops the n-ary shape."""
    by_sentence: StrictBool = False
    """Puts one tree per sentence in place of the document's."""
    relations: InventoryName | None = None
    """Turns relations into their classes."""


class DrawBody(_AnnotationsBody):
    """One annotated document, or several, to draw."""

    against: Annotation | list[Annotation] | None = None
    """Another analysis of the same text, to draw beside it; a list if there are several documents."""
    format: PictureFormat = "svg"
    shape: Shape | None = None
    by_sentence: StrictBool = False
    sentence: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = None
    """Draw only this sentence, counted from 1."""
    theme: Theme = "auto"
    width: Annotated[StrictInt, Field(ge=0, le=100_000)] | None = None
    """Columns of text, or pixels beyond which trees are cut into several diagrams; 0 never cuts."""
    scale: Annotated[float, Field(gt=0, le=20)] = 2.0
    """Pixels of a PNG for each pixel of the SVG."""

    @model_validator(mode="after")
    def _check_against(self) -> Self:
        if self.against is not None:
            n_others = len(self.against) if isinstance(self.against, list) else 1
            if isinstance(self.against, list) != self.is_many or n_others != len(self.inputs()):
                raise ValueError(
                    "'against' has one document for each that is drawn: one, or a list of as many"
                )
        return self

    def others(self) -> list[File | dict[str, Any] | None]:
        """The analysis to draw beside each document, or None."""
        if self.against is None:
            return [None] * len(self.inputs())
        return list(self.against) if isinstance(self.against, list) else [self.against]


class ScoreBody(_Body):
    """Gold and predicted documents: one of each, or two lists, which are paired by name."""

    gold: Annotation | list[Annotation]
    predicted: Annotation | list[Annotation]
    level: Level | None = None
    """Whose trees are compared; by default those of sentences, if sentences are known."""
    relations: InventoryName | None = None
    """Compares classes of relations."""
    per_document: StrictBool = False
    per_relation: StrictBool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if isinstance(self.gold, list) != isinstance(self.predicted, list):
            raise ValueError("'gold' and 'predicted' are one document each, or a list each")
        return self

    @property
    def is_many(self) -> bool:
        return isinstance(self.gold, list)
