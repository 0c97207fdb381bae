"""CoNLL-U's MISC column: where EDUs start, and spacing other than a plain space.

Fields are compared by their whole name: ``MSeg=`` is not ``Seg=``. Spacing beyond
``SpaceAfter=No`` goes by UDPipe's fields: ``SpacesAfter`` and ``SpacesBefore`` are the text
between words, ``SpacesInToken`` is the text of a word where that is not its form.
"""

import re
from collections.abc import Iterable, Sequence

SEG, BEGIN_SEG, DISCOURSE = "Seg", "BeginSeg", "Discourse"
CONVENTIONS = (SEG, BEGIN_SEG, DISCOURSE)
"""How a file says where EDUs start: DISRPT from 2024 on, DISRPT until 2023, GUM's own treebank.

The first of them that a document uses is the one that counts."""

_ESCAPES = {" ": "s", "\n": "n", "\r": "r", "\t": "t", "|": "p", "\\": "\\"}
_ESCAPED = {letter: character for character, letter in _ESCAPES.items()}


def fields_of(misc: str) -> tuple[str, ...]:
    """The fields of a MISC column."""
    return () if misc == "_" else tuple(misc.split("|"))


def misc_of(fields: Iterable[str]) -> str:
    """The MISC column of these fields."""
    return "|".join(fields) or "_"


def name_of(field: str) -> str:
    """The name of a field: ``Seg`` of ``Seg=O``."""
    return field.partition("=")[0]


def without(fields: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """The fields that have none of these names."""
    return tuple([field for field in fields if name_of(field) not in names])


def added(fields: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    """Add fields: in alphabetical order if the fields have it, else at the end."""
    joined = (*fields, *more)
    if len(joined) == len(fields):
        return fields
    names = [name_of(field).lower() for field in fields]
    if names == sorted(names):
        return tuple(sorted(joined, key=lambda field: name_of(field).lower()))
    return joined


# --- where EDUs start ------------------------------------------------------------------------


def convention_of(rows: Iterable[Sequence[str]]) -> str | None:
    """The convention by which these fields mark EDU starts; None if they do not."""
    names = {name_of(field) for fields in rows for field in fields}
    return next((convention for convention in CONVENTIONS if convention in names), None)


def starts_edu(fields: Sequence[str], convention: str) -> bool:
    """Whether a word with these fields is the first of an EDU; ``ValueError`` for an unknown label."""
    label = next((field for field in fields if name_of(field) == convention), None)
    if label is None or label in (f"{SEG}=O", f"{BEGIN_SEG}=No"):
        return False
    if convention == DISCOURSE or label in (f"{SEG}=B-seg", f"{BEGIN_SEG}=Yes"):
        return True
    expected = "Seg=B-seg or Seg=O" if convention == SEG else "BeginSeg=Yes"
    raise ValueError(f"found {label}, expected {expected}")


def edu_label(starts: bool, convention: str) -> list[str]:
    """The field, if any, of a word that starts an EDU or does not."""
    if convention == SEG:
        return [f"{SEG}=B-seg" if starts else f"{SEG}=O"]
    return [f"{BEGIN_SEG}=Yes"] if starts and convention == BEGIN_SEG else []


def without_label(fields: Sequence[str], convention: str | None) -> tuple[str, ...]:
    """The fields without the one that :func:`edu_label` writes; ``Discourse`` says more and stays."""
    if convention == SEG:
        # DISRPT's data of 2023 has a bare O beside Seg=B-seg.
        return tuple(field for field in without(fields, [SEG]) if field != "O")
    return without(fields, [BEGIN_SEG]) if convention == BEGIN_SEG else tuple(fields)


# --- spacing ---------------------------------------------------------------------------------


def escape(text: str) -> str:
    """Spacing as UDPipe writes it into a field: a space is ``\\s``, a pipe ``\\p``."""
    return "".join(f"\\{_ESCAPES[c]}" if c in _ESCAPES else c for c in text)


def unescape(text: str) -> str:
    """The spacing that a field says."""
    return re.sub(r"\\([snrtp\\])", lambda match: _ESCAPED[match[1]], text)


def value_of(fields: Iterable[str], name: str) -> str | None:
    """The value of one of UDPipe's fields, unescaped; None if there is no such field."""
    prefix = f"{name}="
    for field in fields:
        if field.startswith(prefix):
            return unescape(field.removeprefix(prefix))
    return None


def gap_after(fields: Sequence[str], implied: str) -> str:
    """The text between a word with these fields and the next.

    :param implied: what it is where the fields do not say: a space, nothing at the document's
        end, a blank line before a new paragraph, which ``SpaceAfter=No`` does not take away
    """
    said = value_of(fields, "SpacesAfter")
    if said is not None:
        return said
    return "" if "SpaceAfter=No" in fields and implied == " " else implied


def gap_field(gap: str, implied: str) -> list[str]:
    """The field, if one is needed, for this text after a word."""
    if gap == implied:
        return []
    return ["SpaceAfter=No"] if not gap and implied == " " else [f"SpacesAfter={escape(gap)}"]


def text_of(form: str, fields: Sequence[str]) -> str:
    """The text of a word with this form."""
    said = value_of(fields, "SpacesInToken")
    return form if said is None else said


def text_field(form: str, text: str) -> list[str]:
    """The field, if one is needed, for the text of a word with this form."""
    return [] if form == text else [f"SpacesInToken={escape(text)}"]
