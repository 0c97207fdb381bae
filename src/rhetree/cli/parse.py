"""Find the discourse units and rhetorical trees of English text.

INPUT is a text, a file, a folder or -. A path that is there is read; anything else is a text, unless
it looks like the name of a file, which is an error. Trees are of sentences.
"""

import argparse

from rhetree.cli.parsed_formats import FORMATS
from rhetree.cli.parsing import add_shared_arguments, run_on_texts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree parse``."""
    add_shared_arguments(parser, FORMATS)
    parser.add_argument(
        "--edus",
        choices=("auto", "gold"),
        help="gold keeps the EDUs that records come with, auto finds them anew (default: auto, but for "
        '{"tokens": …, "edus": …} in .jsonl)',
    )


def run(args: argparse.Namespace) -> int:
    """Parse."""
    return run_on_texts(args, FORMATS, edus=args.edus, parses=True)
