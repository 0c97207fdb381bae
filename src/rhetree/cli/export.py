"""Make a trained model ready to run without torch: graphs for ONNX Runtime, fast and small."""

import argparse
from pathlib import Path

PRECISIONS = ("fp32", "fp16", "int8")
"""Those of ``rhetree.learning.export.precision``, repeated so that ``--help`` need not import torch."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree export``."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a trained model's directory, such as runs/joint/model, or an installed model's name",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="the directory to write"
    )
    parser.add_argument(
        "--precision",
        choices=PRECISIONS,
        default="int8",
        help="precision of the encoder: fp32 is what was trained, int8 is small and fast (default: int8)",
    )
    parser.add_argument(
        "--weights", action="store_true", help="keep the trained weights too, to train the model further"
    )
    parser.add_argument(
        "--card", type=Path, metavar="FILE", help="a text about the model, to go with it as MODEL_CARD.md"
    )


def run(args: argparse.Namespace) -> int:
    """Export, and print where to and how large it is."""
    from rhetree.cli.console import make_console
    from rhetree.cli.extras import training_extra
    from rhetree.errors import FileError
    from rhetree.runtime.installed import find_model

    with training_extra():
        from rhetree.learning.export import export_model

    card = None
    if args.card is not None:
        try:
            card = args.card.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"cannot be read: {error}", args.card) from error
    export_model(
        find_model(args.model), args.output, precision=args.precision, weights=args.weights, card=card
    )
    size = sum(path.stat().st_size for path in args.output.iterdir())
    make_console().print(f"{args.output}: {size:,} bytes")
    return 0
