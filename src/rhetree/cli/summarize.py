"""Summarize documents by their trees: the most salient discourse units, in the order of the text.

INPUT is a text, a file, a folder or -, as for rhetree parse. Documents that come with a tree over all of them (in
.json, .jsonl, .conllu, .rs3, .rs4 and .dis) are taken as they are; others are parsed first, with --level document.
"""

import argparse
import json
from collections.abc import Callable
from itertools import chain, islice
from typing import TYPE_CHECKING

from rhetree.cli.options import naming_options, say, with_option
from rhetree.cli.text_arguments import add_input_arguments, choose_sources
from rhetree.errors import ModelError, RhetreeError

if TYPE_CHECKING:
    from rhetree.domain.document import Document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``rhetree summarize``."""
    add_input_arguments(parser)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("-n", type=_number, metavar="N", help="the most EDUs to keep")
    size.add_argument(
        "--share", type=_share, metavar="X", help="the share of the tokens to keep (default: 0.2)"
    )
    size.add_argument(
        "--outline", action="store_true", help="a line for each heading and paragraph in place of a summary"
    )
    parser.add_argument(
        "--depth",
        type=_depth,
        metavar="N",
        help="leave out lines of the outline that are indented more often",
    )
    parser.add_argument("--model", metavar="NAME|FOLDER", help="the model that parses texts")
    parser.add_argument(
        "--document-model", metavar="NAME|FOLDER", help="the model that joins sentences, as for rhetree parse"
    )
    parser.add_argument("--json", action="store_true", help="a line of JSON for each document")
    parser.set_defaults(output=None)


def run(args: argparse.Namespace) -> int:
    """Read, summarize, print; a bad document is reported and does not stop the others."""
    from rhetree.jobs.summaries import Joiner, documents_of

    if args.depth is not None and not args.outline:
        raise RhetreeError("--depth is for --outline")
    n_done = n_bad = 0
    joiner = Joiner(args.model, args.document_model)
    with naming_options():
        documents = documents_of(choose_sources(args))
        opening = list(islice(documents, 2))
        several = len(opening) > 1
        for found in chain(opening, documents):
            try:
                if isinstance(found, RhetreeError):
                    raise found
                document = joiner.with_tree(found)
                lines = _outline(args, document) if args.outline else _summary(args, document)
            except ModelError:
                raise  # it would come with every other document
            except RhetreeError as error:
                say(with_option(error))
                n_bad += 1
                continue
            if several and not args.json:
                print(("\n" if n_done else "") + (document.name or f"document {n_done + n_bad + 1}"))
            if not document.tokens:
                say(f"{document.name or 'a document'}: no words in it")
            print(lines)
            n_done += 1
    return (1 if n_done else 2) if n_bad else 0


def _summary(args: argparse.Namespace, document: "Document") -> str:
    share = args.share if args.n is not None or args.share is not None else 0.2
    summary = document.summary(args.n, share=share)
    if not args.json:
        return summary.text
    return json.dumps({"id": document.name, **summary.to_dict()}, ensure_ascii=False)


def _outline(args: argparse.Namespace, document: "Document") -> str:
    entries = document.outline(args.depth)
    if not args.json:
        return "\n".join(map(str, entries))
    record = {"id": document.name, "outline": [entry.to_dict() for entry in entries]}
    return json.dumps(record, ensure_ascii=False)


def _checked(
    convert: Callable[[str], float], is_right: Callable[[float], bool], expected: str
) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = convert(text)
        except ValueError:
            number = float("nan")
        if not is_right(number):
            raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}")
        return number

    return read


_number = _checked(int, lambda number: number >= 1, "a whole number from 1 on")
_depth = _checked(int, lambda number: number >= 0, "a whole number from 0 on")
_share = _checked(float, lambda number: 0 < number <= 1, "a number above 0 and at most 1")
