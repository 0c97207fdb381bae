"""Find the elementary discourse units (EDUs) of English text.

INPUT is a text, a file, a folder or -. A path that is there is read; anything else is a text, unless
it looks like the name of a file, which is an error. EDUs that a file has are not looked at.
"""

import argparse

from rhetree.cli.parsed_formats import SEGMENT_FORMATS
from rhetree.cli.parsing import add_shared_arguments, run_on_texts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree segment``."""
    add_shared_arguments(parser, SEGMENT_FORMATS)
    parser.set_defaults(edus="auto")


def run(args: argparse.Namespace) -> int:
    """Segment."""
    return run_on_texts(args, SEGMENT_FORMATS, edus="auto", parses=False)
