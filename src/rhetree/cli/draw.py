"""Draw discourse trees: in the terminal, or as SVG, HTML, PNG or text in a file.

FILE is a treebank file, a folder of them, or - for standard input. Without -o the trees are
printed. Each of several documents gets a picture of its own in a folder, with -o FOLDER and --to;
or choose one with --document.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rhetree.cli.options import add_tree_arguments, naming_options, say
from rhetree.cli.relations import choose_inventory
from rhetree.errors import MissingExtraError, RhetreeError, counted
from rhetree.jobs.places import STANDARD, FreePaths, file_name, names_folder

if TYPE_CHECKING:
    from rhetree.draw.picture import PictureConfig, PictureFormat
    from rhetree.jobs.subjects import Subject, Subjects

KINDS = ("svg", "html", "png", "txt")

_USES = {
    "width": ("terminal", "txt", "svg", "png"),
    "theme": ("svg", "html", "png"),
    "scale": ("png",),
    "colour": ("terminal",),
}
"""The kinds of picture that each option applies to."""


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
    subjects = _read(args)
    if kind == "terminal":
        return _print(subjects, config, args.colour or "auto")
    if args.output is not None and names_folder(args.output):
        return _write_folder(subjects, kind, config, args.output)
    return _write_file(subjects, kind, config, args.output or STANDARD)


def _kind(args: argparse.Namespace) -> str:
    """The kind of picture; ``terminal`` for one that is printed."""
    output: Path | None = args.output
    if args.to is not None:
        return str(args.to)
    if output is None:
        return "terminal"
    if output == STANDARD or names_folder(output):
        raise RhetreeError(f"-o {output} needs --to, with one of {', '.join(KINDS)}")
    ending = output.suffix.lower().removeprefix(".")
    if ending not in KINDS:
        raise RhetreeError(
            f"-o {output}: its ending is none of .{', .'.join(KINDS)}; say what to draw with --to"
        )
    return ending


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


def _read(args: argparse.Namespace) -> "Subjects":
    """The documents that the arguments name; says what was noted while they were read."""
    from rhetree.jobs.subjects import SubjectReader

    paths = [args.file] if args.against is None else [args.file, args.against]
    if args.from_format is not None and all(path.is_dir() for path in paths):
        raise RhetreeError(f"--from is for files, and {paths[0]} is a folder, whose files' endings tell")
    reader = SubjectReader(
        format=args.from_format,
        document=args.document,
        relations=choose_inventory(args.relations),
        sentences=args.by_sentence or args.sentence is not None,
        lenient=args.lenient,
    )
    with naming_options():
        subjects = reader.read(args.file, args.against)
    for note in subjects.notes:
        say(note)
    if subjects.n_by_rule:
        say(
            f"sentences of {counted(subjects.n_by_rule, 'document')} are found by rule; "
            "rhetree convert --sentences adds gold ones"
        )
    return subjects


def _titles(file: Path, against: Path) -> tuple[str, str]:
    """The shortest ends of two paths that differ."""
    for n_parts in range(1, max(len(file.parts), len(against.parts))):
        short = str(Path(*file.parts[-n_parts:])), str(Path(*against.parts[-n_parts:]))
        if short[0] != short[1]:
            return short
    return str(file), str(against)


def _print(subjects: "Subjects", config: "PictureConfig", colour: str) -> int:
    """Print all trees; if one of several cannot be drawn, say so and go on."""
    from rhetree.cli.console import terminal_style
    from rhetree.draw.picture import draw_lines

    style = terminal_style(config.width, colour)
    n_bad = 0
    several = len(subjects.all) > 1
    for number, subject in enumerate(subjects.all):
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
    return _exit_code(subjects, n_bad)


def _write_file(subjects: "Subjects", kind: str, config: "PictureConfig", output: Path) -> int:
    from rhetree.jobs.subjects import quoted

    if len(subjects.all) > 1:
        names = quoted([subject.document.name for subject in subjects.all])
        raise RhetreeError(
            f"{len(subjects.all)} documents do not fit in one {kind} file; choose one with --document ({names}), "
            f"or draw all into a folder with -o FOLDER --to {kind}"
        )
    picture = _draw(subjects.all[0], kind, config)
    if output != STANDARD:
        _write(picture, output)
        return _exit_code(subjects)
    if kind == "png" and sys.stdout.isatty():
        raise RhetreeError("a terminal cannot show a PNG; write it to a file with -o FILE.png")
    sys.stdout.flush()
    sys.stdout.buffer.write(picture)
    return _exit_code(subjects)


def _write_folder(subjects: "Subjects", kind: str, config: "PictureConfig", folder: Path) -> int:
    """Write a picture for each document; if one cannot be drawn, say so and go on."""
    from rhetree.formats.files import check_folder

    check_folder(folder)
    free = FreePaths()
    n_bad = 0
    for subject in subjects.all:
        stem = free.free(folder / file_name(subject.document.name))
        try:
            _write(_draw(subject, kind, config), stem.with_name(f"{stem.name}.{kind}"))
        except MissingExtraError:
            raise
        except RhetreeError as error:
            n_bad += 1
            say(str(error))
    n_subjects = len(subjects.all)
    n_all = counted(n_subjects + subjects.n_left_out, "document")
    say(f"drew {n_subjects - n_bad} of {n_all} into {folder}")
    return _exit_code(subjects, n_bad)


def _exit_code(subjects: "Subjects", n_bad: int = 0) -> int:
    """0 if everything was drawn, 1 if only a part was, 2 if nothing was."""
    if n_bad == len(subjects.all):
        return 2
    return 1 if n_bad + subjects.n_left_out else 0


def _draw(subject: "Subject", kind: str, config: "PictureConfig") -> bytes:
    from rhetree.draw.picture import draw

    return draw(subject.document, cast("PictureFormat", kind), config, subject.against)


def _write(picture: bytes, path: Path) -> None:
    from rhetree.formats.files import whole_file

    with whole_file(path) as sink:
        sink.buffer.write(picture)
