"""Fills the generated part of a page, between ``<!-- name -->`` and ``<!-- /name -->``."""

import sys
from pathlib import Path


def put(text: str, page: Path, name: str) -> None:
    """Replace the part of a page that has this name."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begun, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        sys.exit(f"{page}: expected the lines {begin} and {end}")
    page.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")
