"""What ``rhetree parse`` and ``rhetree segment`` share: from what is read, by way of a model, to what is written."""

import argparse
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from math import inf
from typing import TYPE_CHECKING

from rhetree.cli.options import counted, say
from rhetree.cli.parsed_outputs import STDOUT, Output, add_output_arguments, open_output
from rhetree.cli.progress import Meter
from rhetree.cli.text_inputs import Inputs, Record, Source, add_input_arguments, choose_sources
from rhetree.errors import FileError, RhetreeError, UnwritableError
from rhetree.runtime.workers import MOST_THREADS

if TYPE_CHECKING:
    from rhetree.domain.document import Document
    from rhetree.runtime.parser import Parser
    from rhetree.runtime.pipeline import Edus


def add_shared_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """The arguments of both commands."""
    add_input_arguments(parser)
    add_output_arguments(parser, formats)
    add = parser.add_argument
    add("--model", metavar="NAME|FOLDER", help="an installed model (rhetree models) or the folder of one")
    add(
        "--beam",
        type=_whole_number(1),
        default=1,
        metavar="K",
        help="the K best readings of each sentence, with their probabilities: drawn, and in JSON as alternatives",
    )
    add(
        "--threads",
        type=_whole_number(0, MOST_THREADS),
        default=0,
        metavar="N",
        help="0, the default, is one a core",
    )
    add(
        "--batch-cost",
        type=_whole_number(1),
        metavar="N",
        help="most tokens in a batch, padding included: more takes more memory",
    )
    add(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="what to do at a record that cannot be read or written (default: stop); skipped ones make the exit code 1",
    )


def run_on_texts(
    args: argparse.Namespace, formats: tuple[str, ...], *, edus: "Edus | None", parses: bool
) -> int:
    """Read, parse or segment, write."""
    args.output = None if args.output == STDOUT else args.output
    sources = choose_sources(args)
    _check_output_is_no_input(args, sources)
    output = open_output(args, formats)
    inputs = Inputs(sources, edus=edus, by_line=args.lines)
    run = _Run(inputs, skips=args.on_error == "skip")
    parser = _load(args)
    with output as sink, Meter(inputs.n_bytes, enabled=args.output is not None) as meter:
        try:
            for document, record in run.results(parser, sink, parses=parses):
                if not run.write(document, record, sink):
                    break
                meter.advance(len(document.sentences), record.at)
        except KeyboardInterrupt:
            if sink.can_go_on:
                say(f"{counted(run.n_documents, 'document')} done; --resume goes on from here")
            raise
        if sink.can_go_on or not run.n_documents:
            run.finish()
    run.finish()  # now a file of many documents is there, with those that came before the error
    return run.report(args, meter)


class _Run:
    """One run over all records, with what became of them."""

    def __init__(self, inputs: Inputs, *, skips: bool) -> None:
        self.inputs = inputs
        self.skips = skips
        self.n_documents = self.n_sentences = self.n_there = self.n_skipped = self.n_given = 0
        self._error: RhetreeError | None = None
        """What stopped the run; told when all that came before is written."""

    def results(self, parser: "Parser", sink: Output, *, parses: bool) -> "Iterator[tuple[Document, Record]]":
        """What the model makes of each record that is not there yet, in order."""
        waiting: deque[Record] = deque()

        def documents(records: Iterator[Record]) -> "Iterator[Document]":
            for record in records:
                waiting.append(record)
                yield record.document

        for edus, records in groupby(self._records(sink), key=lambda record: record.edus):
            if parses:
                found = parser.parse_documents(documents(records), edus=edus)
            else:
                found = parser.segment_documents(documents(records))
            for document in found:
                yield document, waiting.popleft()

    def _records(self, sink: Output) -> Iterator[Record]:
        for record in self.inputs.records():
            if isinstance(record, RhetreeError):
                if not self._goes_on_after(record):
                    return
            elif sink.has(record):
                self.n_there += 1
            else:
                self.n_given += record.edus == "gold"
                yield record

    def write(self, document: "Document", record: Record, sink: Output) -> bool:
        """Write what became of a record; whether the run goes on after it."""
        try:
            sink.write(document, record)
        except UnwritableError as error:
            return self._goes_on_after(FileError(str(error), record.path, record.line))
        self.n_documents += 1
        self.n_sentences += len(document.sentences)
        return True

    def _goes_on_after(self, error: RhetreeError) -> bool:
        if not self.skips:
            self._error = error
            return False
        say(f"skipped: {error}")
        self.n_skipped += 1
        return True

    def finish(self) -> None:
        if self._error is not None:
            raise self._error

    def report(self, args: argparse.Namespace, meter: Meter) -> int:
        """The last lines, and the exit code."""
        if self.n_given and args.edus is None:
            say(
                f"{counted(self.n_given, 'document')} came with EDUs, which were kept; --edus auto finds them anew"
            )
        left = f"; skipped {counted(self.n_skipped, 'record')}" if self.n_skipped else ""
        if args.output is not None:
            there = f", {self.n_there} were there already" if self.n_there else ""
            done = f"{counted(self.n_documents, 'document')}, {counted(self.n_sentences, 'sentence')}"
            say(f"{done} ({meter.told_speed}) into {args.output}{there}{left}")
        elif left:
            say(left.removeprefix("; "))
        return 1 if self.n_skipped else 0


def _load(args: argparse.Namespace) -> "Parser":
    from rhetree.runtime.parser import load
    from rhetree.runtime.pipeline import BATCH_COST

    return load(args.model, threads=args.threads, beam=args.beam, batch_cost=args.batch_cost or BATCH_COST)


def _check_output_is_no_input(args: argparse.Namespace, sources: list[Source]) -> None:
    if args.output is None or not args.output.is_file():
        return
    for source in sources:
        if source.text is None and source.path.is_file() and source.path.samefile(args.output):
            raise RhetreeError(f"-o {args.output}: is read as well; name another file")


def _whole_number(least: int, most: float = inf):  # type: ignore[no-untyped-def]  # argparse takes any function of a string
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            until = "on" if most == inf else f"to {most}"
            raise argparse.ArgumentTypeError(
                f"a whole number from {least} {until} is expected, found {text!r}"
            )
        return number

    return read
