"""Print a script that completes commands, options and file names in a shell.

bash: eval "$(rhetree completion bash)" in ~/.bashrc. zsh: save it as _rhetree in a folder of $fpath. fish: save it as
~/.config/fish/completions/rhetree.fish.
"""

import argparse
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree completion``."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that the script is for")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(script(args.shell))
    return 0


def script(shell: str) -> str:
    """The script for a shell, made from the parsers of all commands."""
    from rhetree.cli.main import make_parser
    from rhetree.errors import MissingExtraError

    try:
        import shtab
    except ImportError as error:
        raise MissingExtraError("completion in a shell", "completion") from error
    parser = make_parser(whole=True)
    waiting = [parser]
    while waiting:
        for action in waiting.pop()._actions:
            if isinstance(action, argparse._SubParsersAction):
                waiting += action.choices.values()
            elif action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
    return str(shtab.complete(parser, shell))
