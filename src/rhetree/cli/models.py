"""List the installed models, each with the first paragraph of its card."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree models``."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run(args: argparse.Namespace) -> int:
    """Print each model's name, size and summary."""
    import textwrap

    from rhetree.cli.console import WIDTH, make_console
    from rhetree.cli.model_facts import read_facts
    from rhetree.cli.options import say
    from rhetree.runtime.installed import DEFAULT, installed_models

    models = [read_facts(folder, name) for name, folder in installed_models().items()]
    console = make_console()
    if args.json:
        console.print_json([model.to_dict() for model in models])
        return 0
    if not models:
        say("no model is installed with this package; --model takes the folder of one")
    for number, model in enumerate(models):
        default = ", the default" if model.name == DEFAULT else ""
        console.print(("\n" if number else "") + f"{model.name} ({model.size}{default})")
        lines = [
            model.summary,
            *(f"{name}: {fact}" for name, fact in model.facts() if name.endswith("as trained")),
        ]
        lines.append(f"licence: {model.licence}" if model.licence else "")
        for line in filter(None, lines):
            console.print(textwrap.indent(textwrap.fill(line, WIDTH - 2, break_on_hyphens=False), "  "))
    return 0
