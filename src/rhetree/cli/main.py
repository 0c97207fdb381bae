"""Finds the subcommand, runs it, and turns errors into one line and an exit code.

Exit codes: 0 done, 1 done in part (a report says what was left), 2 the user's mistake.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module, metadata

from rhetree.errors import RhetreeError

COMMANDS: dict[str, str] = {
    "convert": "convert treebank files from one format to another",
    "corpus": "look at a treebank: what is in it, and how its sentences split",
    "draw": "draw trees in the terminal, or as SVG, HTML or PNG",
    "train": "train a segmenter, a parser or both",
    "evaluate": "score a model on a corpus",
    "score": "score EDUs and trees against gold",
    "agreement": "how far two annotators agree",
    "compare": "compare two systems, and test the difference",
}
"""Each the name of a module beside this one, with a line for ``rhetree --help``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the return value is the exit code."""
    parser = argparse.ArgumentParser(
        prog="rhetree", description="Discourse units and rhetorical trees of English text."
    )
    parser.add_argument("--version", action="version", version=f"rhetree {metadata.version('rhetree')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = import_module(f"rhetree.cli.{name}")
        subparser = commands.add_parser(name, help=summary, description=command.__doc__)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    args = parser.parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except RhetreeError as error:
        print(f"rhetree: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("rhetree: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (``| head``): nothing more to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
