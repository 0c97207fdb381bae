"""A document's EDUs as a table for the terminal, a row for each."""

from collections.abc import Iterator

from rhetree.domain.document import Document
from rhetree.domain.rows import EduRow, edu_rows
from rhetree.draw.terminal import Style
from rhetree.draw.text import clean, columns, wrap

_HEADER = ("sent.", "EDU", "chars", "role", "relation", "to", "p(EDU)", "p(rel.)", "text")
_LEAST_TEXT = 18
"""Smallest number of columns for the text; a narrower terminal gets longer lines."""
_ASCII = str.maketrans("─–", "--")


def draw_table(document: Document, style: Style) -> Iterator[str]:
    """The lines of the table; texts are wrapped to the width. Columns that are empty are left out."""
    rows = [_cells(row) for row in edu_rows(document)]
    used = [number for number in range(len(_HEADER)) if any(row[number] for row in rows)]
    table = [[row[number] for number in used] for row in (_HEADER, *rows)]
    widths = [max(map(columns, cells)) for cells in zip(*table, strict=True)][:-1]
    left = sum(widths) + 2 * len(widths)
    room = max(_LEAST_TEXT, style.room - left)
    for number, (*cells, text) in enumerate(table):
        start = "".join(
            cell + " " * (2 + width - columns(cell)) for cell, width in zip(cells, widths, strict=True)
        )
        for line in wrap(text, room, columns) or [""]:
            yield _plain((start + line).rstrip(), style)
            start = " " * left
        if number == 0:
            yield _plain("─" * (left + room), style)


def _cells(row: EduRow) -> tuple[str, ...]:
    return (
        _number(row.sentence),
        str(row.edu),
        f"{row.start}–{row.end}",
        row.role or "",
        clean(row.relation or ""),
        _number(row.attaches_to),
        _probability(row.edu_probability),
        _probability(row.relation_probability),
        clean(row.text),
    )


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _probability(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _plain(line: str, style: Style) -> str:
    return line.translate(_ASCII) if style.ascii_only else line
