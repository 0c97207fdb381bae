"""Standard output: tables for people and JSON for programs, in what its encoding can hold."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TextIO

from rhetree.draw.terminal import Style, needs_ascii
from rhetree.draw.text import clean, columns

WIDTH = 80
"""Columns that tables keep to where they can. Lines run over rather than lose a digit or a name."""

_ASCII = {"−": "-", "–": "-", "·": ".", "±": "+-", "─": "-"}
"""The signs of our tables, and what stands for them where the encoding lacks any."""


@dataclass(slots=True)
class Table:
    """Names on the left, and columns of numbers."""

    header: tuple[str, ...]
    """What each column is called; the first is that of the names."""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    """A row of nothing is a line across; one of a single cell is the title of those below."""

    def add(self, name: str, *cells: str) -> None:
        self.rows.append((name, *cells))

    def add_line(self) -> None:
        self.rows.append(())


class Console:
    """A stream of text that never fails on a character."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = stream.encoding or "ascii"
        self._signs = str.maketrans(_ASCII) if self._lacks("".join(_ASCII)) else {}
        self._has_table = False

    def print(self, text: str) -> None:
        """Write lines of text; characters that the encoding lacks become escapes."""
        self._stream.write(self._writable(text) + "\n")

    def print_json(self, record: object) -> None:
        """Write a record as JSON, with its own escapes where the encoding lacks a character."""
        text = json.dumps(record, indent=2, ensure_ascii=False)
        if self._lacks(text):
            text = json.dumps(record, indent=2)
        self._stream.write(text + "\n")

    def show(self, title: str, table: Table) -> None:
        """Write a table under its title, after a blank line where it is not the first."""
        lines = ([title] if title else []) + list(self._lines(table))
        self.print("\n".join([""] * self._has_table + lines))
        self._has_table = True

    def _lacks(self, characters: str) -> bool:
        try:
            characters.encode(self._encoding)
        except UnicodeEncodeError:
            return True
        return False

    def _writable(self, text: str) -> str:
        return text.translate(self._signs).encode(self._encoding, "backslashreplace").decode(self._encoding)

    def _lines(self, table: Table) -> Iterator[str]:
        rows = [tuple(self._cell(cell) for cell in row) for row in (table.header, *table.rows)]
        full = [row for row in rows if len(row) > 1]
        widths = [max(map(columns, cells)) for cells in zip(*full, strict=True)]
        gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= WIDTH else 1
        across = self._cell("─") * (sum(widths) + gap * (len(widths) - 1))
        for number, row in enumerate(rows):
            line = across
            if row:
                left = row[0] + " " * (widths[0] - columns(row[0]))
                right = (
                    " " * (gap + width - columns(cell)) + cell
                    for cell, width in zip(row[1:], widths[1:], strict=False)
                )
                line = "".join([left, *right]).rstrip()
            yield line
            if number == 0:
                yield across

    def _cell(self, text: str) -> str:
        """The text on one line, indented as it is."""
        indent = len(text) - len(text.lstrip(" "))
        return self._writable(" " * indent + clean(text))


def make_console() -> Console:
    """Standard output, for people."""
    return Console(sys.stdout)


def terminal_style(width: int | None = None, colour: str = "auto") -> Style:
    """What standard output can show. From now on it replaces characters that it cannot encode.

    :param width: columns; None takes the terminal's
    :param colour: "always", "never", or "auto" for terminals that do not ask for none
    """
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a TextIOWrapper wherever there is a console
    asks_for_colour = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    return Style(
        width=width or shutil.get_terminal_size((80, 24)).columns,
        colour=colour == "always" or (colour == "auto" and asks_for_colour),
        ascii_only=needs_ascii(sys.stdout.encoding or "ascii"),
    )
