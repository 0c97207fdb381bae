"""What a parse has to agree with: EDU boundaries, spans and labels that are known before it begins.

Positions are characters of the document's text, so that they mean the same before and after it is
tokenised. Here a constraint is only checked by itself; whether all of them go together, and with a
document, is found out when the document is parsed (:mod:`rhetree.runtime.constraints`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rhetree.domain.span import Span
from rhetree.domain.tree import NUCLEARITIES, Nuclearity
from rhetree.domain.values import as_list, as_number, as_object, as_span, as_string


@dataclass(frozen=True, slots=True)
class SpanConstraint:
    """The tree has a node that covers exactly these characters; what else is given holds for that node.

    A node with a split, a nuclearity or a relation has two EDUs or more. Without them it may be one EDU.
    """

    start: int
    end: int
    split: int | None = None
    """The character at which its right part begins."""
    nuclearity: Nuclearity | None = None
    relation: str | None = None
    """The relation's name, without nuclearity."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, got {self.start}..{self.end}")
        if self.split is not None and not self.start < self.split < self.end:
            raise ValueError(f"span {self.start}..{self.end} can only be split inside, got {self.split}")
        if self.nuclearity is not None and self.nuclearity not in NUCLEARITIES:
            raise ValueError(f"nuclearity is one of NS, SN, NN, got {self.nuclearity!r}")
        if self.relation is not None and (not isinstance(self.relation, str) or not self.relation):
            raise ValueError(f"a relation is a name, got {self.relation!r}")

    def __str__(self) -> str:
        split = "" if self.split is None else f" split at {self.split}"
        return f"span {self.start}..{self.end}{split}"

    @property
    def is_labelled(self) -> bool:
        """Whether a nuclearity or a relation is given."""
        return self.nuclearity is not None or self.relation is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What the EDUs and trees of one document have to agree with.

    A position in the white space between two tokens means the boundary between them.
    """

    boundaries: Sequence[int] = ()
    """Characters at which an EDU begins."""
    joined: Sequence[int] = ()
    """Characters at which no EDU begins."""
    edus: Sequence[Span] = ()
    """Stretches that are exactly one EDU each."""
    spans: Sequence[SpanConstraint] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, tuple(getattr(self, field.name)))
        for name in ("boundaries", "joined"):
            for position in getattr(self, name):
                if type(position) is not int or position < 0:
                    raise ValueError(f"{name} are numbers of characters, from 0 on, got {position!r}")

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Constraints":
        """The constraints of a record as :meth:`to_dict` makes it; ``ValueError`` names what is wrong with it."""
        known = [field.name for field in fields(cls)]
        given = as_object(dict(record) if isinstance(record, Mapping) else record, "constraints", (), known)

        def items(name: str) -> list[tuple[str, Any]]:
            found = given.get(name, [])
            found = list(found) if isinstance(found, tuple) else found
            return [
                (f"constraints.{name}[{number}]", item)
                for number, item in enumerate(as_list(found, f"constraints.{name}"))
            ]

        return cls(
            boundaries=tuple(_position(item, where) for where, item in items("boundaries")),
            joined=tuple(_position(item, where) for where, item in items("joined")),
            edus=tuple(
                as_span(list(item) if isinstance(item, tuple) else item, where)
                for where, item in items("edus")
            ),
            spans=tuple(_span(item, where) for where, item in items("spans")),
        )

    def to_dict(self) -> dict[str, Any]:
        """The constraints as plain lists, numbers and strings; what is not given is left out."""
        record = {
            "boundaries": list(self.boundaries),
            "joined": list(self.joined),
            "edus": [[edu.start, edu.end] for edu in self.edus],
            "spans": [
                {
                    field.name: getattr(span, field.name)
                    for field in fields(span)
                    if getattr(span, field.name) is not None
                }
                for span in self.spans
            ],
        }
        return {name: items for name, items in record.items() if items}


def _position(value: object, where: str) -> int:
    number = as_number(value, where)
    if number < 0:
        raise ValueError(f"{where}: expected a character's number, from 0 on, found {number}")
    return number


def _span(value: object, where: str) -> SpanConstraint:
    given = as_object(value, where, ("start", "end"), ("split", "nuclearity", "relation"))
    split, nuclearity, relation = (given.get(name) for name in ("split", "nuclearity", "relation"))
    try:
        return SpanConstraint(
            as_number(given["start"], f"{where}.start"),
            as_number(given["end"], f"{where}.end"),
            None if split is None else as_number(split, f"{where}.split"),
            None if nuclearity is None else as_string(nuclearity, f"{where}.nuclearity"),  # type: ignore[arg-type]  # checked there
            None if relation is None else as_string(relation, f"{where}.relation"),
        )
    except ValueError as error:
        message = str(error)
        raise ValueError(message if message.startswith(where) else f"{where}: {message}") from error
