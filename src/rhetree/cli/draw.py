"""Draw discourse trees: in the terminal, or as SVG, HTML, PNG or text in a file.

FILE is a treebank file, a folder of them, or - for standard input. Without -o the trees are
printed. Each of several documents gets a picture of its own in a folder, with -o FOLDER and --to;
or choose one with --document.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rhetree.cli.drawn_documents import Drawing, Subject, choose_drawing, quoted
from rhetree.cli.options import add_tree_arguments, counted, naming_options, say
from rhetree.errors import MissingExtraError, RhetreeError

if TYPE_CHECKING:
    from rhetree.draw.picture import Format, PictureConfig

KINDS = ("svg", "html", "png", "txt")
STDOUT = Path("-")

_USES = {
    "width": ("terminal", "txt", "svg", "png"),
    "theme": ("svg", "html", "png"),
    "scale": ("png",),
    "colour": ("terminal",),
}
"""Which options mean something to which kind of picture."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree draw``."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a treebank file, a folder of them, or -")
    add(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="a file that ends in .svg, .html, .png or .txt, a folder, or -",
    )
    add(
        "--against",
        type=Path,
        metavar="OTHER",
        help="another analysis of the same text, drawn beside it with the differences marked; both in binary form, "
        "unless --nary is given",
    )
    add("--document", metavar="NAME", help="only the document of this name")
    add("--sentence", type=int, metavar="N", help="only this sentence, counted from 1")
    add("--by-sentence", action="store_true", help="each sentence by itself: the node that spans just it")
    add("--to", choices=KINDS, help="draw this, whatever the ending of OUT")
    add_tree_arguments(parser)
    add("--theme", choices=("auto", "light", "dark"), help="auto, the default, is the reader's (PNG: light)")
    add(
        "--width",
        type=int,
        metavar="N",
        help="columns of text (default: the terminal's, or 80; at least 30), or the pixels beyond which trees are cut "
        "into several diagrams (default: 1600; 0 never cuts)",
    )
    add("--scale", type=float, metavar="X", help="PNG: how many pixels make one of SVG's (default: 2)")
    add(
        "--colour",
        "--color",
        choices=("auto", "always", "never"),
        help="in the terminal (default: auto, which heeds NO_COLOR)",
    )
    add("--lenient", action="store_true", help="forgive the mistakes in files that can be")


def run(args: argparse.Namespace) -> int:
    """Read, choose, draw."""
    kind = _kind(args)
    for option, kinds in _USES.items():
        if getattr(args, option) is not None and kind not in kinds:
            raise RhetreeError(f"--{option} is for {', '.join(kinds)}, not for {kind}")
    config = _config(args, kind)
    with naming_options():
        drawing = choose_drawing(args)
    if kind == "terminal":
        return _print(drawing, config, args.colour or "auto")
    if args.output is not None and _is_folder(args.output):
        return _write_folder(drawing, kind, config, args.output)
    return _write_file(drawing, kind, config, args.output or STDOUT)


def _kind(args: argparse.Namespace) -> str:
    """The kind of picture; ``terminal`` for one that is printed."""
    output: Path | None = args.output
    if args.to is not None:
        return str(args.to)
    if output is None:
        return "terminal"
    if output == STDOUT or _is_folder(output):
        raise RhetreeError(f"-o {output} needs --to, with one of {', '.join(KINDS)}")
    ending = output.suffix.lower().removeprefix(".")
    if ending not in KINDS:
        raise RhetreeError(f"-o {output}: its ending is none of .{', .'.join(KINDS)}; say --to")
    return ending


def _is_folder(output: Path) -> bool:
    return output.is_dir() or (output != STDOUT and not output.suffix)


def _config(args: argparse.Namespace, kind: str) -> "PictureConfig":
    from rhetree.draw.picture import PictureConfig
    from rhetree.draw.terminal import LEAST_WIDTH

    if args.sentence is not None and args.sentence < 1:
        raise RhetreeError(f"--sentence {args.sentence}: sentences are counted from 1")
    if kind in ("terminal", "txt") and args.width is not None and args.width < LEAST_WIDTH:
        raise RhetreeError(f"--width {args.width}: text needs {LEAST_WIDTH} columns or more")
    try:
        return PictureConfig(
            shape=args.shape,
            by_sentence=args.by_sentence,
            sentence=None if args.sentence is None else args.sentence - 1,
            titles=_titles(args.file, args.against or args.file),
            theme=args.theme or "auto",
            width=args.width,
            scale=2.0 if args.scale is None else args.scale,
        )
    except ValueError as error:
        raise RhetreeError(str(error)) from error


def _titles(file: Path, against: Path) -> tuple[str, str]:
    """As short a part of each path as tells one from the other."""
    for n_parts in range(1, max(len(file.parts), len(against.parts))):
        short = str(Path(*file.parts[-n_parts:])), str(Path(*against.parts[-n_parts:]))
        if short[0] != short[1]:
            return short
    return str(file), str(against)


def _print(drawing: Drawing, config: "PictureConfig", colour: str) -> int:
    """All trees; those that cannot be drawn among others are reported, and the rest go on."""
    from rhetree.cli.drawing import terminal_style
    from rhetree.draw.picture import draw_lines

    style = terminal_style(config.width, colour)
    n_bad = 0
    several = len(drawing.subjects) > 1
    for number, subject in enumerate(drawing.subjects):
        try:
            lines = list(draw_lines(subject.document, style, config, subject.against))
        except RhetreeError as error:
            if not several:
                raise
            n_bad += 1
            say(str(error))
            continue
        if several:
            print(("\n" if number > n_bad else "") + (subject.document.name or f"document {number + 1}"))
        for line in lines:
            print(line)
    return drawing.exit_code(n_bad)


def _write_file(drawing: Drawing, kind: str, config: "PictureConfig", output: Path) -> int:
    subjects = drawing.subjects
    if len(subjects) > 1:
        names = quoted([subject.document.name for subject in subjects])
        raise RhetreeError(
            f"{len(subjects)} documents do not fit in one {kind} file; choose one with --document ({names}), "
            f"or draw all into a folder with -o FOLDER --to {kind}"
        )
    picture = _draw(subjects[0], kind, config)
    if output != STDOUT:
        _write(picture, output)
        return drawing.exit_code()
    if kind == "png" and sys.stdout.isatty():
        raise RhetreeError("a PNG is nothing for a terminal; say -o FILE.png")
    sys.stdout.flush()
    sys.stdout.buffer.write(picture)
    return drawing.exit_code()


def _write_folder(drawing: Drawing, kind: str, config: "PictureConfig", folder: Path) -> int:
    """A picture for each document; those that cannot be drawn are reported, and the rest go on."""
    from rhetree.treebanks.files import check_folder

    check_folder(folder)
    used: set[str] = set()
    n_bad = 0
    for number, subject in enumerate(drawing.subjects, start=1):
        name = re.sub(r"[^\w.+-]+", "_", subject.document.name).strip(".") or f"document-{number}"
        name = name if name not in used else f"{name}-{number}"
        used.add(name)
        try:
            _write(_draw(subject, kind, config), folder / f"{name}.{kind}")
        except MissingExtraError:
            raise
        except RhetreeError as error:
            n_bad += 1
            say(str(error))
    n_subjects = len(drawing.subjects)
    n_all = counted(n_subjects + drawing.n_left_out, "document")
    say(f"drew {n_subjects - n_bad} of {n_all} into {folder}")
    return drawing.exit_code(n_bad)


def _draw(subject: Subject, kind: str, config: "PictureConfig") -> bytes:
    from rhetree.draw.picture import draw

    return draw(subject.document, cast("Format", kind), config, subject.against)


def _write(picture: bytes, path: Path) -> None:
    from rhetree.treebanks.files import whole_file

    with whole_file(path) as sink:
        sink.buffer.write(picture)
