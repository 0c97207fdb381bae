"""Draw discourse trees: in the terminal, or as SVG, HTML, PNG or text in a file.

FILE is a treebank file, a folder of them, or - for standard input. Without -o the trees are
printed. Each of several documents gets a picture of its own in a folder, with -o FOLDER and --to;
or choose one with --document.
"""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rhetree.errors import MismatchError, MissingExtraError, RhetreeError

if TYPE_CHECKING:
    from rhetree.domain.document import Document
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
        help="another analysis of the same text, drawn beside it with the differences marked",
    )
    add("--document", metavar="NAME", help="only the document of this name")
    add("--sentence", type=int, metavar="N", help="only this sentence, counted from 1")
    add("--by-sentence", action="store_true", help="each sentence by itself: the node that spans just it")
    add("--from", dest="from_format", metavar="FORMAT", help="read this format, whatever the file's ending")
    add("--to", choices=KINDS, help="draw this, whatever the ending of OUT")
    add(
        "--relations",
        metavar="gum|rst-dt|FILE",
        help="show classes of relations, by one of our inventories or one from a file with lines like "
        "'Contrast: contrast, concession'",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--nary",
        dest="shape",
        action="store_const",
        const="nary",
        help="make one unit of a chain of the same multinuclear relation",
    )
    shape.add_argument(
        "--binary",
        dest="shape",
        action="store_const",
        const="binary",
        help="draw the binary form of trees that were drawn n-ary; so does --against, without --nary",
    )
    add("--theme", choices=("auto", "light", "dark"), help="auto, the default, is the reader's (PNG: light)")
    add(
        "--width",
        type=int,
        metavar="N",
        help="columns of text (default: the terminal's, or 80), or the pixels beyond which trees are cut "
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
    config = _config(args)
    subjects = _subjects(args)
    if kind == "terminal":
        return _print(subjects, config, args.colour or "auto")
    if args.output is not None and _is_folder(args.output):
        return _write_folder(subjects, kind, config, args.output)
    return _write_file(subjects, kind, config, args.output or STDOUT)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What one picture is of."""

    document: "Document"
    against: "Document | None" = None


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


def _config(args: argparse.Namespace) -> "PictureConfig":
    from rhetree.draw.picture import PictureConfig

    if args.sentence is not None and args.sentence < 1:
        raise RhetreeError(f"--sentence {args.sentence}: sentences are counted from 1")
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


def _subjects(args: argparse.Namespace) -> list[_Subject]:
    """The documents to draw, each with its counterpart where there is one."""
    documents = _chosen(_read(args.file, args), args.document, args.file)
    if args.against is None:
        return [_Subject(document) for document in documents]
    others = _read(args.against, args)
    if len(documents) == len(others) == 1:
        return [_Subject(documents[0], others[0])]
    by_name = {document.name: document for document in others}
    missing = [document.name for document in documents if document.name not in by_name]
    if missing:
        raise MismatchError(f"{args.against} has no document called {_names(missing)}")
    return [_Subject(document, by_name[document.name]) for document in documents]


def _read(path: Path, args: argparse.Namespace) -> "list[Document]":
    from rhetree.cli.scored_documents import choose_inventory
    from rhetree.treebanks import read
    from rhetree.treebanks.corpus import AS_THEY_ARE, read_corpus

    if path.is_dir():
        corpus = read_corpus(path, relations=AS_THEY_ARE, lenient=args.lenient)
        for note in corpus.notes:
            print(f"rhetree: {path}: {note}", file=sys.stderr)
        documents = list(corpus.documents)
    else:
        documents = list(read(path, args.from_format, lenient=args.lenient))
    inventory = None if args.relations is None else choose_inventory(args.relations, path)
    if inventory is None:
        return documents
    try:
        return [document.map_relations(inventory.class_of) for document in documents]
    except ValueError as error:
        raise MismatchError(f"{path}: {error}") from error


def _chosen(documents: "list[Document]", name: str | None, path: Path) -> "list[Document]":
    if name is None:
        return documents
    chosen = [document for document in documents if document.name == name]
    if not chosen:
        raise RhetreeError(
            f"{path} has no document called {name!r}, but {_names([document.name for document in documents])}"
        )
    return chosen


def _names(names: Sequence[str]) -> str:
    few = ", ".join(repr(name) for name in names[:5])
    return few if len(names) <= 5 else f"{few} and {len(names) - 5} more"


def _print(subjects: Sequence[_Subject], config: "PictureConfig", colour: str) -> int:
    from rhetree.draw.picture import draw_lines
    from rhetree.draw.terminal import Style, needs_ascii

    asks_for_colour = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    style = Style(
        width=config.width or shutil.get_terminal_size((80, 24)).columns,
        colour=colour == "always" or (colour == "auto" and asks_for_colour),
        ascii_only=needs_ascii(sys.stdout.encoding or "ascii"),
    )
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a TextIOWrapper wherever there is a console
    for number, subject in enumerate(subjects):
        if len(subjects) > 1:
            print(("\n" if number else "") + (subject.document.name or f"document {number + 1}"))
        for line in draw_lines(subject.document, style, config, subject.against):
            print(line)
    return 0


def _write_file(subjects: Sequence[_Subject], kind: str, config: "PictureConfig", output: Path) -> int:
    if len(subjects) > 1:
        names = _names([subject.document.name for subject in subjects])
        raise RhetreeError(
            f"{len(subjects)} documents do not fit in one {kind} file; choose one with --document ({names}), "
            f"or draw all into a folder with -o FOLDER --to {kind}"
        )
    picture = _draw(subjects[0], kind, config)
    if output != STDOUT:
        _write(picture, output)
        return 0
    if kind == "png" and sys.stdout.isatty():
        raise RhetreeError("a PNG is nothing for a terminal; say -o FILE.png")
    sys.stdout.flush()
    sys.stdout.buffer.write(picture)
    return 0


def _write_folder(subjects: Sequence[_Subject], kind: str, config: "PictureConfig", folder: Path) -> int:
    """A picture for each document; those that cannot be drawn are reported, and the rest go on."""
    used: set[str] = set()
    n_bad = 0
    for number, subject in enumerate(subjects, start=1):
        name = re.sub(r"[^\w.+-]+", "_", subject.document.name).strip(".") or f"document-{number}"
        name = name if name not in used else f"{name}-{number}"
        used.add(name)
        try:
            _write(_draw(subject, kind, config), folder / f"{name}.{kind}")
        except MissingExtraError:
            raise
        except RhetreeError as error:
            n_bad += 1
            print(f"rhetree: {error}", file=sys.stderr)
    print(f"rhetree: drew {len(subjects) - n_bad} of {len(subjects)} into {folder}", file=sys.stderr)
    return 1 if n_bad else 0


def _draw(subject: _Subject, kind: str, config: "PictureConfig") -> bytes:
    from rhetree.draw.picture import draw

    return draw(subject.document, cast("Format", kind), config, subject.against)


def _write(picture: bytes, path: Path) -> None:
    from rhetree.treebanks.files import whole_file

    with whole_file(path) as sink:
        sink.buffer.write(picture)
