"""The option ``--confusion`` of the commands that compare relations, and the picture that it asks for."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rhetree.cli.options import say
from rhetree.errors import RhetreeError

if TYPE_CHECKING:
    from rhetree.metrics.confusion import Confusion

PICTURES = (".svg", ".png")


def add_confusion_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare ``--confusion [FILE]``.

    :param what: what the matrix counts, for the help text
    """
    parser.add_argument(
        "--confusion",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="FILE.svg|FILE.png",
        help=f"also {what}, as a table, or as a picture in FILE",
    )


def picture_path(asked: Path | None) -> Path | None:
    """The file for the picture, or None where a table or nothing is asked for."""
    if asked is None or asked == Path():
        return None
    if asked.suffix not in PICTURES:
        raise RhetreeError(f"--confusion {asked}: expected a file that ends in {' or '.join(PICTURES)}")
    return asked


def draw_confusion(
    confusion: "Confusion", path: Path, rows: str = "gold", columns: str = "predicted"
) -> None:
    """Draw the matrix into a file, and say so.

    :param rows: whose relations the rows are, and ``columns`` the columns
    """
    from rhetree.formats.files import whole_file
    from rhetree.metrics.confusion import plot_confusion

    picture = plot_confusion(confusion, "png" if path.suffix == ".png" else "svg", rows=rows, columns=columns)
    with whole_file(path) as sink:
        sink.buffer.write(picture)
    say(f"wrote {path}")
