"""The arguments of ``rhetree parse`` and ``rhetree segment``, and the sources and the sink that they name."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rhetree.cli.options import add_device_argument, whole_number
from rhetree.errors import RhetreeError
from rhetree.jobs.encoding import ENCODINGS
from rhetree.jobs.places import STANDARD, check_read_once, names_folder
from rhetree.jobs.readers import KINDS, WITH_FIELDS
from rhetree.jobs.remote import is_url
from rhetree.jobs.streams import COMPRESSED, without_compression
from rhetree.runtime.workers import MOST_THREADS

if TYPE_CHECKING:
    from rhetree.jobs.records import Source
    from rhetree.jobs.run_file import Settings
    from rhetree.jobs.sinks import IfExists, Sink

_LOOKS_LIKE_A_FILE = re.compile(
    r"\S+\.\w{1,8}|(/|\./|\.\./|~/|[A-Za-z]:\\).*|\S*[/\\]\S*|"
    rf".*\.({'|'.join(KINDS)})({'|'.join(map(re.escape, COMPRESSED))})?",
    re.S,
)
"""What nobody would write as a text: ``story.txt``, ``texts/story``, ``/data/my story``."""

MOST_WORKERS = 256
"""More processes than a run can use; a larger number is a slip."""


def add_text_arguments(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Declare the arguments of both commands.

    :param formats: those that the command can write
    """
    add_input_arguments(parser)
    _add_output_arguments(parser, formats)
    add = parser.add_argument
    add("--model", metavar="NAME|FOLDER", help="an installed model (rhetree models) or the folder of one")
    add(
        "--beam",
        type=whole_number(1),
        default=1,
        metavar="K",
        help="the K best readings of each sentence, with their probabilities: drawn, and in JSON as alternatives",
    )
    add(
        "--threads",
        type=whole_number(0, MOST_THREADS),
        metavar="N",
        help="number of threads (default: 0, one per core; with several workers, one for each worker)",
    )
    add(
        "--workers",
        type=whole_number(1, MOST_WORKERS),
        metavar="N",
        help="number of processes, each with a model of its own (default: 1; with --engine ray one for each "
        "processor of the cluster); the output is the same",
    )
    _add_engine_arguments(parser)
    add_device_argument(parser)
    add(
        "--batch-cost",
        type=whole_number(1),
        metavar="N",
        help="most tokens in a batch, padding included: more takes more memory",
    )
    add(
        "--on-error",
        choices=("stop", "skip"),
        help="what to do at a record that cannot be read or written (default: stop, but skip with --engine ray); "
        "skipped ones make the exit code 1",
    )


def _add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="who does the work: this machine, or a Ray cluster, which writes shards with a manifest into the folder "
        "OUT (needs the extra ray; default: local)",
    )
    add(
        "--address",
        metavar="HOST:PORT",
        help="the Ray cluster (default: RAY_ADDRESS, or else one that lives on this machine for as long as the run)",
    )
    add(
        "--shard-size",
        type=whole_number(1),
        metavar="N",
        help="characters of text in a shard of --engine ray (default: 1000000)",
    )


def choose_sources(args: argparse.Namespace) -> "list[Source]":
    """The sources that the arguments name, in order."""
    from rhetree.jobs.sources import (
        check_output_is_no_source,
        find_remote_sources,
        find_sources,
        text_sources,
    )

    arguments: list[str] = args.inputs
    if not arguments and not args.text:
        if sys.stdin is None or sys.stdin.isatty():
            raise RhetreeError("nothing to read: give a text, name files or folders, or pipe something in")
        arguments = ["-"]
    check_read_once([Path(argument) for argument in arguments])
    texts = [argument for argument in arguments if not _is_path(argument) and not is_url(argument)]
    for text in texts:
        if _LOOKS_LIKE_A_FILE.fullmatch(text):
            raise RhetreeError(f"{text}: no such file or folder; if it is a text, say --text {text!r}")
    named = iter(text_sources([*texts, *args.text]))
    sources: list[Source] = []
    for argument in arguments:
        if _is_path(argument):
            sources += find_sources(Path(argument), args.kind, output=args.output)
        elif is_url(argument):
            sources += find_remote_sources(argument, args.kind)
        else:
            sources.append(next(named))
    sources += named
    if args.output is not None:
        check_output_is_no_source(args.output, sources)
    if args.lenient:
        sources = [replace(source, lenient=True) for source in sources]
    if args.text_field is not None or args.id_field is not None:
        if not any(source.kind in (*WITH_FIELDS, None) for source in sources):
            option = "--id-field" if args.text_field is None else "--text-field"
            kinds = ", ".join(f".{kind}" for kind in WITH_FIELDS)
            raise RhetreeError(f"{option} is for {kinds}, and there is none among the inputs")
        sources = [replace(source, text_field=args.text_field, id_field=args.id_field) for source in sources]
    if not args.lines:
        return sources
    if not any(source.kind in ("txt", None) for source in sources):
        raise RhetreeError("--lines is for texts, and there is none among the inputs")
    return [replace(source, by_line=True) for source in sources]


def choose_format(args: argparse.Namespace, formats: Sequence[str], sources: "Sequence[Source]") -> str:
    """The format that is named, or that the output's ending asks for; on standard output a drawing or JSON.

    A terminal gets a drawing. So does whoever gives one text as an argument, wherever the output goes.
    """
    if args.format is not None:
        return str(args.format)
    path: Path | None = args.output
    if path is None:
        is_one_text = len(sources) == 1 and sources[0].text is not None and not args.edu_texts
        return "terminal" if sys.stdout.isatty() or is_one_text else "jsonl"
    if _to_folder(args):
        raise RhetreeError(f"-o {path}: a folder; say what to write into it with --format")
    ending = without_compression(path).suffix.lower()
    for format in formats:
        if ENCODINGS[format].suffix == ending:
            return format
    endings = ", ".join(dict.fromkeys(ENCODINGS[format].suffix for format in formats))
    raise RhetreeError(f"-o {path}: its ending is none of {endings}; say what to write with --format")


def choose_sink(
    args: argparse.Namespace, format: str, settings: "Settings"
) -> "AbstractContextManager[Sink]":
    """The sink that the arguments name.

    :param settings: what makes the documents, which a resumed run must have in common with the earlier one
    """
    from rhetree.jobs.encoding import with_edu_texts
    from rhetree.jobs.sinks import open_sink

    if args.edu_texts and ENCODINGS[format].encode_with is None:
        raise RhetreeError(f"--edu-texts is for json and jsonl, not for {format}")
    encoding = with_edu_texts(format) if args.edu_texts else ENCODINGS[format]
    if args.resume and args.overwrite:
        raise RhetreeError("--resume keeps what is there, --overwrite replaces it; choose one")
    if args.output_url is not None:
        raise RhetreeError(
            f"-o {args.output_url}: only --engine ray writes to a URL; name a file or a folder"
        )
    if args.output is None:
        if args.resume:
            raise RhetreeError("--resume needs -o with a .jsonl file or a folder to go on with")
        if encoding.binary and sys.stdout.isatty():
            raise RhetreeError(f"{format} cannot be shown in a terminal; name a file with -o")
        style = None
        if format in ("terminal", "table"):
            from rhetree.cli.console import terminal_style

            style = terminal_style()
        return open_sink(STANDARD, encoding, style=style)
    if_exists: IfExists = "resume" if args.resume else "replace" if args.overwrite else "refuse"
    return open_sink(args.output, encoding, if_exists=if_exists, folder=_to_folder(args), settings=settings)


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what to read."""
    add = parser.add_argument
    endings = ", ".join(f".{kind}" for kind in KINDS)
    add(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help=f"a text, a file ({endings}), a folder of these, or - for standard input, which is also read "
        "if there is no INPUT",
    )
    add("--text", action="append", default=[], help="a text, whatever it looks like")
    add("--from", dest="kind", choices=tuple(KINDS), help="what files hold, whatever their ending")
    add(
        "--text-field",
        metavar="NAME",
        help="the key or column that holds the text, in .jsonl, .json, .csv, .tsv and .parquet (default: text)",
    )
    add(
        "--id-field",
        metavar="NAME",
        help="the key or column that names a document (default: id; where there is none, the file and line do)",
    )
    add("--lines", action="store_true", help="each line of a text is a document of its own")
    add(
        "--lenient",
        action="store_true",
        help="forgive small mistakes in files, and cut gold EDUs that cross a sentence's edge; standard error says where",
    )


def _add_output_arguments(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    add = parser.add_argument
    add(
        "--format",
        choices=formats,
        help="default: by the ending of OUT; without OUT a drawing on a terminal or of one text, and jsonl otherwise",
    )
    add("--edu-texts", action="store_true", help="add the text of each EDU to json and jsonl")
    add(
        "-o",
        "--output",
        action=_OutputAction,
        metavar="OUT",
        help="a file, a folder with a file for each document, or -",
    )
    parser.set_defaults(ends_with_slash=False, output_url=None)
    add("--overwrite", action="store_true", help="replace what is there")
    add(
        "--resume",
        action="store_true",
        help="go on where a run was interrupted: with a .jsonl file, or with the documents that a folder lacks",
    )


class _OutputAction(argparse.Action):
    """Keeps the slash at the end of a folder's name, which a path loses; standard output is None."""

    def __call__(self, _parser: object, namespace: argparse.Namespace, value: Any, *_: object) -> None:
        namespace.output = None if value in ("-", "/dev/stdout") else Path(value)
        namespace.output_url = value if is_url(value) else None
        namespace.ends_with_slash = value.endswith(("/", os.sep))


def _to_folder(args: argparse.Namespace) -> bool:
    return bool(args.ends_with_slash) or names_folder(args.output)


def _is_path(argument: str) -> bool:
    return argument == "-" or os.path.exists(argument)  # noqa: PTH110  # a text may be no path at all
