"""What commands share: options for reading trees, and messages to the user."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from rhetree.cli.relations import add_relations_argument
from rhetree.errors import ArgumentError, RhetreeError
from rhetree.formats import FORMATS

_OPTIONS = {
    "format": "--from",
    "from_format": "--from",
    "kind": "--from",
    "to_format": "--to",
    "overwrite": "--overwrite",
    "sentences": "--sentences",
    "text_field": "--text-field",
    "id_field": "--id-field",
    "dev_share": "--dev-share",
}
"""The option for each argument that an :class:`ArgumentError` can ask for."""


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for reading trees and for changing their relations and shape."""
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


def add_device_argument(parser: argparse.ArgumentParser) -> None:
    """The option for where torch computes."""
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="where torch computes, such as cuda, cuda:1 or cpu (default: a GPU if there is one); an exported "
        "model runs on the CPU",
    )


@contextmanager
def naming_options() -> Iterator[None]:
    """Turn errors that ask for an argument into ones that name its option."""
    try:
        yield
    except ArgumentError as error:
        raise RhetreeError(with_option(error)) from error


def with_option(error: RhetreeError) -> str:
    """The message, with the option that it asks for."""
    return f"{error} with {_OPTIONS[error.argument]}" if isinstance(error, ArgumentError) else str(error)


def say(what: str) -> None:
    """Print a message to the user on standard error."""
    print(f"rhetree: {what}", file=sys.stderr)


def whole_number(least: int, most: float = inf) -> Callable[[str], int]:
    """Reads a whole number from the command line."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            up_to = "or more" if most == inf else f"to {most}"
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} {up_to}, found {text!r}")
        return number

    return read
