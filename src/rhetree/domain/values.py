"""Checks of plain values from files: errors say where, what was expected and what was found."""

import difflib
from collections.abc import Sequence
from typing import Any

from rhetree.domain.span import Span


def as_object(value: object, where: str, required: Sequence[str], optional: Sequence[str]) -> dict[str, Any]:
    """An object with these keys and no others."""
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object, found {show(value)}")
    for key in value:
        if key not in required and key not in optional:
            close = difflib.get_close_matches(key[:40], [*required, *optional], n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"{where}: unknown key {show(key)}{hint}")
    for key in required:
        if key not in value:
            raise ValueError(f"{where}: the key {key!r} is missing")
    return value


def as_list(value: object, where: str, length: int | None = None) -> list[Any]:
    """A list, with ``length`` items if that is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        wanted = "a list" if length is None else f"a list of {length}"
        raise ValueError(f"{where}: expected {wanted}, found {show(value)}")
    return value


def as_string(value: object, where: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ValueError(f"{where}: expected a string, found {show(value)}")
    return value


def as_strings(value: object, where: str, length: int | None = None) -> list[str]:
    """A list of strings."""
    items = as_list(value, where, length)
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise ValueError(f"{where}[{number}]: expected a string, found {show(item)}")
    return items


def as_number(value: object, where: str) -> int:
    """An integer, not a boolean."""
    if type(value) is not int:
        raise ValueError(f"{where}: expected a whole number, found {show(value)}")
    return value


def as_real(value: object, where: str) -> float:
    """A number, integer or not."""
    if type(value) is not float and type(value) is not int:
        raise ValueError(f"{where}: expected a number, found {show(value)}")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{where}: expected a number, found {show(value)}") from error


def as_pair(value: object, where: str) -> tuple[int, int]:
    """A start and an end."""
    if not isinstance(value, list) or len(value) != 2 or not type(value[0]) is type(value[1]) is int:
        raise ValueError(f"{where}: expected [start, end], found {show(value)}")
    return value[0], value[1]


def as_span(value: object, where: str) -> Span:
    """A span of at least one item."""
    start, end = as_pair(value, where)
    if not 0 <= start < end:
        raise ValueError(f"{where}: expected 0 <= start < end, found {show(value)}")
    return Span(start, end)


def show(value: object) -> str:
    """A value as messages show it: in full if it is short, otherwise by its kind."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        is_flat = not any(isinstance(item, (dict, list)) for item in value[:6])
        return (
            repr(value)
            if len(value) <= 5 and is_flat and len(repr(value)) <= 60
            else f"a list of {len(value)}"
        )
    names = {"True": "true", "False": "false", "None": "null"}
    text = repr(value)
    return names.get(text, text if len(text) <= 60 else f"{text[:57]}...")
