"""Recognises texts whose words were replaced by underscores.

GUM may not publish the words of its Reddit documents: its repository has their annotations with
``____`` in place of every word. There is nothing to learn from them, so readers leave them out.
"""

import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from rhetree.formats.files import open_source

_ROW = re.compile(r"[0-9][0-9.-]*\t([^\t]+)\t")
_MASKED = re.compile(r"_+")
_ENOUGH = 200
"""Number of tokens of a file to look at."""


def are_masked(forms: Iterable[str]) -> bool:
    """Whether more than half of these tokens consist of underscores."""
    masked = [_MASKED.fullmatch(form) is not None for form in forms]
    return sum(masked) > len(masked) / 2


def is_masked_file(path: Path) -> bool:
    """Whether the text of a CoNLL-U file is masked, judged by its first tokens.

    The file is not parsed: what ``# text`` says of a masked sentence need not fit its tokens.
    """
    with open_source(path) as lines:
        rows = (found for line in lines if (found := _ROW.match(line)))
        return are_masked(row[1] for row in islice(rows, _ENOUGH))
