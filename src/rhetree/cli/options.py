"""What the commands that read trees and make something of them share: options, and words about files."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rhetree.cli.relations import add_relations_argument
from rhetree.errors import ArgumentError, RhetreeError

FORMATS = ("dis", "rs3", "rs4", "rsd", "brackets", "edus", "conllu", "tok", "json", "jsonl")
"""The names of the formats, here again so that ``--help`` imports no reader; a test compares them."""

_OPTIONS = {
    "format": "--from",
    "from_format": "--from",
    "to_format": "--to",
    "overwrite": "--overwrite",
    "sentences": "--sentences",
}
"""Which option says what an :class:`ArgumentError` asks for."""


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    """The options for how trees are read, and what becomes of their relations and shape."""
    parser.add_argument(
        "--from",
        dest="from_format",
        metavar="FORMAT",
        help=f"read this format, whatever the ending of a file: {', '.join(FORMATS)}",
    )
    add_relations_argument(parser, "turn relations into their classes")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--nary",
        dest="shape",
        action="store_const",
        const="nary",
        help="make one unit of a chain of the same multinuclear relation",
    )
    shape.add_argument(
        "--binary",
        dest="shape",
        action="store_const",
        const="binary",
        help="the binary form of trees that were drawn n-ary",
    )


@contextmanager
def naming_options() -> Iterator[None]:
    """Errors that ask for an argument name the option for it."""
    try:
        yield
    except ArgumentError as error:
        raise RhetreeError(with_option(error)) from error


def with_option(error: RhetreeError) -> str:
    """The message, with the option that says what it asks for."""
    return f"{error} with {_OPTIONS[error.argument]}" if isinstance(error, ArgumentError) else str(error)


def check_standard_input(paths: list[Path]) -> None:
    """Raise :class:`RhetreeError` where ``-`` is to be read twice."""
    if paths.count(Path("-")) > 1:
        raise RhetreeError("-: standard input can be read only once")


def counted(number: int, noun: str) -> str:
    """``1 document``, ``2 documents``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def say(what: str) -> None:
    """Talk, which goes to standard error."""
    print(f"rhetree: {what}", file=sys.stderr)
