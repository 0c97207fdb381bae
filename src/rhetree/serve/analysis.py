"""The work of ``/v1/parse`` and ``/v1/segment``: texts in, documents with EDUs and trees out.

The same steps as :meth:`rhetree.Parser.parse_documents`, with the model's part handed to the pool. Sentences are joined
into documents step by step, so that others have a turn in between.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from rhetree.domain.document import Document
from rhetree.domain.levels import Level
from rhetree.errors import RhetreeError
from rhetree.formats.rs3 import declare
from rhetree.jobs.encoding import encode, encoding_of
from rhetree.runtime.parser import Parser
from rhetree.runtime.pipeline import Edus, Piece, constraints_of, with_readings
from rhetree.serve.answers import Content, failed_item
from rhetree.serve.documents import Given, check_number, read_texts
from rhetree.serve.failures import Failure, bad_request, failure_of
from rhetree.serve.pool import Ask, Work
from rhetree.serve.requests import ParseBody, TextsBody
from rhetree.serve.settings import ServeSettings


def analyse_texts(body: TextsBody, parser: Parser, settings: ServeSettings) -> Work:
    """Find the EDUs of all documents of a request, and the trees if it is one to parse."""
    trees = isinstance(body, ParseBody)
    edus: Edus | None = body.edus if isinstance(body, ParseBody) else "auto"
    level: Level = body.level if isinstance(body, ParseBody) else "sentence"
    _check_format(body.format, trees)
    if level != "sentence":
        parser.require("parse")
        parser.document_model()  # a model that cannot join refuses the request before any work
    inputs = body.inputs()
    check_number(len(inputs), settings)
    given = list(read_texts(inputs, edus, settings))
    if isinstance(body, ParseBody):
        given = [
            replace(one, constraints=own) for one, own in zip(given, body.all_constraints(), strict=True)
        ]
    # A model that cannot do it refuses the request, not each document.
    for mode in {one.edus for one in given}:
        parser.require(*(["parse"] if trees else []), *(["segment"] if mode == "auto" else []))
    yield None
    for window in _windows(given, parser, settings.slice_tokens):
        readings = iter((yield _ask(window, trees)))
        for one, own in window:
            found = list(islice(readings, 0 if own is None else len(own.sentences)))
            try:
                if own is None:
                    raise one.failure or bad_request("the document cannot be read")
                document = with_readings(own.document, found)
                if level != "sentence":
                    document = yield from parser.join_in_steps(document, level=level)
                content = _write(document, body, parser.labels(level))
            except (RhetreeError, Failure) as error:
                failure = error if isinstance(error, Failure) else failure_of(error)
                if not body.is_many:
                    raise failure from error
                yield failed_item(one.document.name, failure)
            else:
                yield content.item() if body.is_many else content.alone()


_Read = tuple[Given, Piece | None]
"""A document of the request, and its sentences; None if it failed."""


def _windows(given: Iterable[Given], parser: Parser, n_tokens: int) -> Iterator[list[_Read]]:
    """Documents of about as many tokens as two batches hold, so that the model has no short ones."""
    window: list[_Read] = []
    size, mode = 0, ""
    for one in given:
        if window and (size >= 2 * n_tokens or one.edus != mode):
            yield window
            window, size = [], 0
        mode = one.edus
        read = _read(one, parser)
        window.append(read)
        size += 0 if read[1] is None else len(read[1].document.tokens)
    if window:
        yield window


def _read(given: Given, parser: Parser) -> _Read:
    if given.failure is not None:
        return given, None
    try:
        document = parser.prepare(given.document)
        (whole,) = parser.pipeline.pieces(document, sys.maxsize, given.edus, given.constraints)
    except RhetreeError as error:
        return replace(given, failure=failure_of(error)), None
    return given, whole


def _ask(window: list[_Read], trees: bool) -> Ask:
    read = [own for _, own in window if own is not None]
    is_gold = window[0][0].edus == "gold"
    return Ask(
        [forms for own in read for forms in own.forms()],
        [edus for own in read for edus in own.edus] if is_gold else None,
        trees,
        constraints_of(read),
    )


def _check_format(format: str, trees: bool) -> None:
    try:
        needs_trees = encoding_of(format).needs_trees
    except RhetreeError as error:
        raise bad_request(str(error)) from error
    if needs_trees and not trees:
        raise bad_request(f"format: {format} needs trees, which /v1/segment does not find; use /v1/parse")


def _write(document: Document, body: TextsBody, labels: Sequence[str]) -> Content:
    if body.format in ("rs3", "rs4"):
        document = declare(document, labels)
    format = "jsonl" if body.format == "json" and body.is_many else body.format
    return Content(document.name, format, encode(document, format))
