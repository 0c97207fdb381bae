"""Find the discourse units and rhetorical trees of English text.

INPUT is a text, a file, a folder or -. A path that exists is read; anything else is a text, unless
it looks like the name of a file, which is an error. Trees are of sentences, or of whole documents
with --level.
"""

import argparse

from rhetree.cli.options import say
from rhetree.cli.text_arguments import add_text_arguments
from rhetree.cli.text_commands import run_on_texts
from rhetree.domain.levels import LEVELS
from rhetree.errors import RhetreeError
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
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="sentence",
        help="how far up trees go: one tree a sentence (the default), or one of the document, in which each "
        "sentence is a node; with paragraph each paragraph is a node too",
    )
    parser.add_argument(
        "--document-model",
        metavar="NAME|FOLDER",
        help="the model that joins sentences (default: english-document)",
    )
    parser.add_argument(
        "--relations",
        choices=("class", "fine"),
        default="class",
        help="fine for trees of finer relations, such as adversative-concession; JSON has them beside the classes "
        "anyway (default: class)",
    )
    parser.add_argument(
        "--signals",
        action="store_true",
        help="find the words that signal each relation: in JSON, .rs4, .rsd and pictures",
    )


def run(args: argparse.Namespace) -> int:
    """Parse."""
    if args.document_model is not None and args.level == "sentence":
        raise RhetreeError("--document-model joins sentences, which --level document or paragraph asks for")
    if args.relations == "fine" and args.level != "sentence":
        say("relations above sentences are classes, since the model that joins sentences knows no finer ones")
    return run_on_texts(args, FORMATS, parses=True)
