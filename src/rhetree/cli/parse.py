"""Find the discourse units and rhetorical trees of English text.

INPUT is a text, a file, a folder or -. A path that exists is read; anything else is a text, unless
it looks like the name of a file, which is an error. Trees are of sentences.
"""

import argparse

from rhetree.cli.text_arguments import add_text_arguments
from rhetree.cli.text_commands import run_on_texts
from rhetree.jobs.encoding import ENCODINGS

FORMATS = tuple(ENCODINGS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree parse``."""
    add_text_arguments(parser, FORMATS)
    parser.add_argument(
        "--edus",
        choices=("auto", "gold"),
        help="gold keeps the EDUs that records come with, auto finds them anew (default: auto, but gold for "
        '.edus, .rs3, .rs4 and .dis, and for {"tokens": …, "edus": …} in .jsonl)',
    )


def run(args: argparse.Namespace) -> int:
    """Parse."""
    return run_on_texts(args, FORMATS, parses=True)
