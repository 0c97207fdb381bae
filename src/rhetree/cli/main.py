"""Finds the subcommand, runs it, and turns errors into one line and an exit code.

Exit codes: 0 done, 1 done in part (a report says what was left), 2 the user's mistake.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any

from rhetree.errors import RhetreeError

COMMANDS: dict[str, str] = {
    "parse": "find the EDUs and trees of a text",
    "segment": "find the EDUs of a text",
    "summarize": "keep the most important parts of a text",
    "serve": "serve a model over HTTP",
    "models": "list the models that are installed",
    "info": "show what is known about a model",
    "convert": "convert treebank files from one format to another",
    "corpus": "look at a treebank: what is in it, and how its sentences split",
    "draw": "draw trees in the terminal, or as SVG, HTML or PNG",
    "train": "train a segmenter, a parser or both",
    "evaluate": "score a model on a corpus",
    "export": "make a trained model ready to run without torch",
    "score": "score EDUs and trees against gold",
    "agreement": "measure how far two annotators agree",
    "compare": "compare two systems, and test the difference",
    "completion": "print a script that completes commands and options in a shell",
}
"""Each the name of a module beside this one, with a line for ``rhetree --help``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the return value is the exit code."""
    # The caller may have closed a stream: then nobody wants what would go there.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # until the process ends
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        # A character that the terminal's encoding lacks is shown by its number.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output went away (``| head``): nothing more to say, not even at exit.
        _close_output()
        return 0
    except OSError as error:
        if error.strerror is None:
            raise
        # Errors of files carry a name; one without a name is about standard output.
        where = error.filename or "cannot write to standard output"
        print(f"rhetree: {where}: {error.strerror}", file=sys.stderr)
        _close_output()
        return 2


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = make_parser().parse_args(argv)
        code: int = args.run(args)
        return code
    except SystemExit:
        sys.stdout.flush()
        raise
    except RhetreeError as error:
        print(f"rhetree: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("rhetree: interrupted", file=sys.stderr)
        return 130


def make_parser(*, whole: bool = False) -> argparse.ArgumentParser:
    """The parser of the command line.

    :param whole: declare the arguments of all commands now, not each when it is called
    """
    parser = _Parser(prog="rhetree", description="Discourse units and rhetorical trees of English text.")
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        command.module = f"rhetree.cli.{name}"
        if whole:
            command.declare()
    return parser


class _Parser(argparse.ArgumentParser):
    """Imports its command when it is called, and reports unknown arguments under the command's own usage."""

    module: str | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.declare()
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._complaint(unknown))
        return namespace, unknown

    def declare(self) -> None:
        """Import the command and declare its arguments, if that was not done before."""
        if self.module is not None:
            command = import_module(self.module)
            self.module, self.description = None, command.__doc__
            command.add_arguments(self)
            self.set_defaults(run=command.run)

    def print_help(self, file: Any = None) -> None:
        # argparse's own method hides errors in writing.
        print(self.format_help(), end="", file=file or sys.stdout)

    def _complaint(self, unknown: list[str]) -> str:
        option = next((argument.partition("=")[0] for argument in unknown if argument.startswith("-")), None)
        if option is None:
            return f"unexpected: {' '.join(unknown)}"
        from difflib import get_close_matches

        near = get_close_matches(option, self._option_string_actions, n=1)
        return f"no option {option}" + (f"; did you mean {near[0]}?" if near else "")


class _Version(argparse.Action):
    """Looks the version up only when asked: importing what knows it takes long."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"rhetree {version('rhetree')}")
        parser.exit()


def _close_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
