"""The options for how a treebank is read, the same for every command that reads one."""

import argparse
from pathlib import Path

from rhetree.errors import RhetreeError


def add_treebank_arguments(
    parser: argparse.ArgumentParser, share: str = "", seed: str = "default: 1"
) -> None:
    """Declare the options.

    :param share: what ``--dev-share`` is by default, for its help
    :param seed: what ``--seed`` is by default, for its help
    """
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FOLDER",
        help="Penn Treebank .mrg or CoNLL-U files with the gold sentences and tokens of the documents",
    )
    parser.add_argument(
        "--trees",
        metavar="NAME",
        help="the folder inside the treebank with the trees, if there are several, such as rst/rstweb",
    )
    parser.add_argument(
        "--dev-share",
        type=_share,
        metavar="SHARE",
        help=f"hold out this share of the training documents as dev{share and f' ({share})'}",
    )
    parser.add_argument("--seed", type=int, metavar="N", help=f"which documents it holds out ({seed})")
    parser.add_argument(
        "--lenient", action="store_true", help="leave out bad documents and go on; standard error says which"
    )


def check_seed(args: argparse.Namespace) -> None:
    """Raise :class:`RhetreeError` for a seed that does nothing."""
    if args.seed is not None and args.dev_share is None:
        raise RhetreeError("--seed says which documents --dev-share holds out, and there is no --dev-share")


def _share(value: str) -> float:
    share = float(value)
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"a share lies between 0 and 1, got {value}")
    return share
