"""Find the elementary discourse units (EDUs) of English text.

INPUT is a text, a file, a folder or -. A path that exists is read; anything else is a text, unless
it looks like the name of a file, which is an error. EDUs that a file has are ignored.
"""

import argparse

from rhetree.cli.text_arguments import add_text_arguments
from rhetree.cli.text_commands import run_on_texts
from rhetree.jobs.encoding import ENCODINGS

FORMATS = tuple(name for name, encoding in ENCODINGS.items() if not encoding.needs_trees)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree segment``."""
    add_text_arguments(parser, FORMATS)
    parser.set_defaults(edus="auto", level="sentence", document_model=None)


def run(args: argparse.Namespace) -> int:
    """Segment."""
    return run_on_texts(args, FORMATS, parses=False)
