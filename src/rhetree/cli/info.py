"""Show what is known about a model: its settings, scores, training data and card."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree info``."""
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="an installed model (rhetree models) or the folder of one (default: the one that rhetree parse uses)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs, with all settings")


def run(args: argparse.Namespace) -> int:
    """Print the facts, then the card."""
    import textwrap

    from rhetree.cli.console import WIDTH, make_console
    from rhetree.cli.model_facts import read_facts
    from rhetree.runtime.installed import find_model, name_of

    folder = find_model(args.model)
    model = read_facts(folder, name_of(folder))
    console = make_console()
    if args.json:
        console.print_json(model.to_dict())
        return 0
    for name, fact in (("model", model.name), ("folder", str(folder)), ("size", model.size), *model.facts()):
        # Paths and hashes are not broken, however long.
        lines = textwrap.wrap(fact, WIDTH - 15, break_long_words=False, break_on_hyphens=False)
        console.print(f"{name:<16}" + f"\n{'':16}".join(lines))
    if model.card:
        console.print(f"\n{model.card.strip()}")
    return 0
