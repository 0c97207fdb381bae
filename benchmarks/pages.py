"""Fills the generated part of a page, between ``<!-- name -->`` and ``<!-- /name -->``."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path


def put(text: str, page: Path, name: str) -> None:
    """Replace the part of a page that has this name."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begun, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        sys.exit(f"{page}: expected the lines {begin} and {end}")
    page.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")


def add_tables(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add a command that prints tables; :func:`print_tables` carries it out."""
    command = commands.add_parser("tables")
    command.add_argument("--into", type=Path, metavar="PAGE", help="also write them into this page")


def print_tables(lines: Iterable[str], into: Path | None, name: str) -> None:
    """Print tables, and put them into the part of a page that has this name."""
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if into is not None:
        put(text, into, name)
