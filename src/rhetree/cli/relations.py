"""The option ``--relations`` of every command that has it, and the inventory that it names."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.errors import RhetreeError

if TYPE_CHECKING:
    from rhetree.domain.relations import Inventory

AS_THEY_ARE = "none"


def add_relations_argument(parser: argparse.ArgumentParser, purpose: str, default: str = AS_THEY_ARE) -> None:
    """Declare ``--relations``.

    :param purpose: what is done with classes of relations
    :param default: in words, what holds without the option
    """
    parser.add_argument(
        "--relations",
        metavar=f"gum|rst-dt|FILE|{AS_THEY_ARE}",
        help=f"{purpose}, by one of our inventories or one from a file with lines like "
        f"'Contrast: contrast, concession'; {AS_THEY_ARE} leaves relations as they are (default: {default})",
    )


def choose_inventory(name: str | None, path: Path | None = None) -> "Inventory | None":
    """The inventory that ``--relations`` names; without it, the one that a corpus has by its layout.

    :param path: the corpus, where its layout decides
    """
    from rhetree.domain.relations import INVENTORIES, read_inventory

    if name is None and path is not None and path.is_dir():
        from rhetree.corpora.layouts import find_layout

        name = find_layout(path).relations
    if name is None or name == AS_THEY_ARE:
        return None
    if name in INVENTORIES:
        return INVENTORIES[name]
    if not Path(name).is_file():
        known = ", ".join([*INVENTORIES, AS_THEY_ARE])
        raise RhetreeError(f"--relations {name}: expected one of {known}, or a file with an inventory")
    return read_inventory(Path(name))
