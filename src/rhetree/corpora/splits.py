"""Which documents belong to which split, as the lists in a treebank's folder say.

Two kinds of lists are known: a file for each split (``train.txt`` and so on) with one document name
a line, and the ``splits.md`` of the GUM repository, with a heading for each split (``## dev``) and
below it a list of names. Any other line below such a heading is an error: it may be a document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from rhetree.errors import TreebankError
from rhetree.formats.files import open_source

TRAIN, DEV = "train", "dev"
SPLITS = (TRAIN, DEV, "test", "test2")
"""The splits that lists and folders can name; ``test2`` is GUM's test of other genres."""
DOUBLE = "double"
"""RST-DT's second annotations, of texts that are in other splits too."""
UNLISTED = "unlisted"
"""The documents in no list, if there are lists."""
ALL = "all"
"""All documents of a corpus without splits."""

MARKDOWN = "splits.md"

_HEADING = re.compile(r"#+\s*(.*?)\s*#*\s*")
_ITEM = re.compile(r"\s*(?:[*+-]|[0-9]+[.)])\s+(.*?)\s*")
_LINK = re.compile(r"\[(.*)\]\([^()]*\)")
_MARKS = "`*"
"""Marks of code and bold type around a name."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Where a list names a document, and in which split."""

    split: str
    path: Path
    line: int


def read_split_lists(folder: Path) -> dict[str, Listed]:
    """Read the split lists of a folder; returns an entry for each document that they name."""
    found: dict[str, Listed] = {}
    for name, listed in _entries(folder):
        if name in found:
            before = found[name]
            raise TreebankError(
                f"{name} is listed already, in {before.path}:{before.line}", listed.path, listed.line
            )
        found[name] = listed
    return found


def list_of(folder: Path, split: str) -> Path | None:
    """The file in which a split is listed, or None."""
    path = folder / f"{split}.txt"
    return path if path.is_file() else None


def suggestion(wrong: str, known: list[str]) -> str:
    """``; did you mean train?`` if a known name is similar, else an empty string."""
    near = get_close_matches(wrong, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _entries(folder: Path) -> Iterator[tuple[str, Listed]]:
    paths = {split: path for split in SPLITS if (path := list_of(folder, split)) is not None}
    for split, path in paths.items():
        with open_source(path) as source:
            for number, line in enumerate(source, start=1):
                name = line.strip()
                if name and not name.startswith("#"):
                    yield name, Listed(split, path, number)
    if not paths and (folder / MARKDOWN).is_file():
        yield from _markdown_entries(folder / MARKDOWN)


def _markdown_entries(path: Path) -> Iterator[tuple[str, Listed]]:
    split = None
    with open_source(path) as source:
        for number, line in enumerate(source, start=1):
            if heading := _HEADING.fullmatch(line.strip()):
                title = heading[1].strip(f"{_MARKS}: ").lower()
                split = title if title in SPLITS else None
            elif split and line.strip():
                yield _listed_name(line, split, path, number), Listed(split, path, number)


def _listed_name(line: str, split: str, path: Path, number: int) -> str:
    """The name in an item of a list, which may be code, bold or a link."""
    if item := _ITEM.fullmatch(line.rstrip("\n")):
        name = item[1].strip(_MARKS)
        if link := _LINK.fullmatch(name):
            name = link[1].strip(_MARKS)
        if re.fullmatch(r"[^\s`\[\]]+", name):
            return name
    raise TreebankError(
        f"expected a list item with the name of one document of {split}, such as '* NAME', got {line.strip()!r:.80}",
        path,
        number,
    )
