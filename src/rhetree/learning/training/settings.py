"""Settings as dataclasses: read from TOML and the command line, written to JSON and to commented TOML.

A settings class is a frozen dataclass whose fields are plain values, ``Literal`` choices, tuples,
or other settings classes (tables). An unknown key or a value of the wrong kind is an error that
names the setting.
"""

import ast
import difflib
import inspect
import json
import math
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from rhetree.errors import SettingError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Settings = TypeVar("Settings")

_KINDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # bad TOML, text that is not UTF-8, or a number too long for Python
        raise SettingError(f"{path}: not TOML: {error}") from error


def override(table: dict[str, Any], assignment: str) -> None:
    """Apply ``section.key=value`` to nested tables; the value is TOML, or a bare word for a string."""
    name, equals, text = assignment.partition("=")
    keys = [key.strip() for key in name.split(".")]
    if not equals or not all(keys):
        raise SettingError(f"expected section.key=value, got {assignment!r}")
    for key in keys[:-1]:
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            raise SettingError(f"{name}: {key} is a value, not a section")
        table = inner
    try:
        table[keys[-1]] = tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        table[keys[-1]] = text


def build(cls: type[Settings], table: Mapping[str, Any], where: str = "") -> Settings:
    """Build settings from nested tables; keys left out get their defaults."""
    hints = get_type_hints(cls)
    known = {field.name for field in _fields(cls)}
    for key in table:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; expected one of {', '.join(sorted(known))}"
            raise SettingError(f"unknown setting {_join(where, key)}{hint}")
    values = {}
    for field in _fields(cls):
        name = _join(where, field.name)
        if field.name in table:
            values[field.name] = _convert(hints[field.name], table[field.name], name)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise SettingError(f"setting {name} is missing")
    try:
        return cls(**values)
    except ValueError as error:
        raise SettingError(f"{where + ': ' if where else ''}{error}") from error


def as_dict(settings: object) -> dict[str, Any]:
    """Nested tables that :func:`build` turns into the same settings."""
    result: dict[str, Any] = {}
    for field in _fields(type(settings)):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            result[field.name] = as_dict(value)
        elif isinstance(value, tuple):
            result[field.name] = list(value)
        else:
            result[field.name] = value
    return result


def by_name(settings: object) -> dict[str, Any]:
    """Every value under its full name, such as ``network.task``; tuples become lists."""
    tables = {"": as_dict(settings)}
    result: dict[str, Any] = {}
    while tables:
        section, table = tables.popitem()
        for key, value in table.items():
            (tables if isinstance(value, dict) else result)[_join(section, key)] = value
    return result


def as_toml(settings: object) -> str:
    """A TOML file of all settings, each below its description as a comment."""
    return "\n".join(_toml_lines(settings, "")).lstrip("\n") + "\n"


def _toml_lines(settings: object, section: str) -> Iterator[str]:
    about = _descriptions(type(settings))
    inner: list[tuple[str, Any]] = []
    if section:
        yield ""
        yield from _comment(inspect.getdoc(type(settings)) or "")
        yield f"[{section}]"
    for field in _fields(type(settings)):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            inner.append((field.name, value))
            continue
        yield from _comment(about.get(field.name, ""))
        yield f"{field.name} = {_toml_value(value)}"
    for name, value in inner:
        yield from _toml_lines(value, _join(section, name))


def _toml_value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    # For strings, numbers and booleans, JSON is valid TOML, except for this one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> Iterator[str]:
    for line in textwrap.wrap(" ".join(text.split("\n\n")[0].split()), 100):
        yield f"# {line}"


def _convert(hint: Any, value: Any, name: str) -> Any:
    origin = get_origin(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise SettingError(f"{name} must be a section, got {value!r}")
        return build(hint, value, name)
    if origin is Literal:
        if value not in get_args(hint):
            raise SettingError(f"{name} must be one of {', '.join(map(repr, get_args(hint)))}, got {value!r}")
        return value
    if origin is tuple:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise SettingError(f"{name} must be a list, got {value!r}")
        kinds = get_args(hint)
        if kinds[-1] is Ellipsis:
            kinds = kinds[:1] * len(value)
        if len(kinds) != len(value):
            raise SettingError(f"{name} must be a list of {len(kinds)} values, got {len(value)}")
        return tuple(_convert(kind, item, name) for kind, item in zip(kinds, value, strict=True))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 2**63 else math.inf
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        quotes = "; write it in double quotes" if hint is str else ""
        raise SettingError(f"{name} must be {_KINDS[hint]}, got {value!r}{quotes}")
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingError(f"{name} must be a finite number, got {value}")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise SettingError(f"{name} must be a whole number of at most 63 bits, got {value}")
    return value


def _descriptions(cls: type) -> dict[str, str]:
    """The string below each field. Python discards it, so it is read from the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    found = {}
    if isinstance(body, ast.ClassDef):
        for field, below in zip(body.body, body.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
                and isinstance(below.value.value, str)
            ):
                found[field.target.id] = below.value.value
    return found


def _fields(cls: Any) -> tuple[Field[Any], ...]:
    return fields(cls)


def _join(section: str, name: str) -> str:
    return f"{section}.{name}" if section else name
