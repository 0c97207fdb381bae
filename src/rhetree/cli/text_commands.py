"""What ``rhetree parse`` and ``rhetree segment`` do: run a model over texts and say what became of them."""

import argparse
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from rhetree.cli.options import naming_options, say, with_option
from rhetree.cli.progress import Pace, ProgressBar
from rhetree.cli.text_arguments import choose_format, choose_sink, choose_sources
from rhetree.errors import RhetreeError, counted
from rhetree.jobs.encoding import ENCODINGS

if TYPE_CHECKING:
    from rhetree.jobs.job import Job
    from rhetree.jobs.run_file import Settings
    from rhetree.jobs.work import Task, Work


def run_on_texts(args: argparse.Namespace, formats: Sequence[str], *, parses: bool) -> int:
    """Read, parse or segment, write."""
    if args.engine == "ray":
        from rhetree.cli.cluster_commands import run_on_cluster

        return run_on_cluster(args, parses=parses)
    if args.address is not None or args.shard_size is not None:
        raise RhetreeError(f"{'--shard-size' if args.address is None else '--address'} is for --engine ray")
    with naming_options():
        with _ended_by_interrupts():
            from rhetree.jobs.job import Job
            from rhetree.jobs.sources import Records

            sources = choose_sources(args)
            format = choose_format(args, formats, sources)
            records = Records(sources, edus=args.edus)
            work, model = _workforce(_task(args, format, parses=parses), args.workers or 1)
            sink = choose_sink(args, format, {} if args.output is None else settings_of(args, model))
        job = Job(records, work, sink, on_bad_record=_say_skipped if args.on_error == "skip" else None)
        pace = Pace(records.n_bytes)
        with ProgressBar(pace, enabled=args.output is not None) as bar:
            try:
                with closing(job.run()) as results:
                    for done in results:
                        if ENCODINGS[format].needs_words and not done.document.tokens:
                            say(f"{done.document.name or 'a document'}: no words in it")
                        pace.advance(len(done.document.sentences), done.record.at, job.n_earlier_bytes)
                        bar.update()
            except KeyboardInterrupt:
                if job.resumable:
                    say(f"{counted(job.n_documents, 'document')} done; --resume goes on from here")
                raise
        if parses and job.n_sentences and (missing := _not_held(args, format)):
            say(f"{format} does not hold {missing}; json and jsonl do")
        return _report(args, job, pace)


def _task(args: argparse.Namespace, format: str, *, parses: bool) -> "Task":
    from rhetree.jobs.work import Task

    threads = args.threads
    if threads is None:
        threads = 0 if (args.workers or 1) == 1 else 1
    return Task(
        model=args.model,
        parses=parses,
        declares_labels=parses and format in ("rs3", "rs4"),
        threads=threads,
        beam=args.beam,
        batch_cost=args.batch_cost,
        device=args.device,
        level=args.level,
        document_model=args.document_model,
        relations=args.relations if parses else "class",
        signals=parses and args.signals,
    )


def _not_held(args: argparse.Namespace, format: str) -> str:
    """What was found, or was asked for, and a treebank's format cannot hold; empty if there is nothing."""
    from rhetree.formats import FORMATS
    from rhetree.formats.format import Layer
    from rhetree.jobs.sentence_files import ONE_TREE

    if format not in FORMATS or format == "edus":  # which is asked for by those who want EDUs alone
        return ""
    found = [Layer.TREE if args.level != "sentence" or format in ONE_TREE else Layer.SENTENCE_TREES]
    found += [Layer.SIGNALS] * args.signals + [Layer.READINGS] * (args.beam > 1)
    return ", ".join(layer.value for layer in found if layer not in FORMATS[format].holds)


def _workforce(task: "Task", n_workers: int) -> "tuple[Work, str]":
    """Whoever does the work, and the model's name and hash."""
    if n_workers == 1:
        worker = task.load()
        return worker, worker.identity
    from rhetree.jobs.processes import Processes

    return Processes(task, n_workers), task.identify_model()


def _report(args: argparse.Namespace, job: "Job", pace: Pace) -> int:
    """Say the last lines; the exit code."""
    if job.n_gold and args.edus is None:
        say(f"{counted(job.n_gold, 'document')} came with EDUs, which were kept; --edus auto finds them anew")
    left = f"; skipped {counted(job.n_skipped, 'record')}" if job.n_skipped else ""
    if args.output is not None:
        there = f", {job.n_earlier} were there already" if job.n_earlier else ""
        done = f"{counted(job.n_documents, 'document')}, {counted(job.n_sentences, 'sentence')}"
        say(f"{done} ({pace.speed} sentences a second) into {args.output}{there}{left}")
    elif left:
        say(left.removeprefix("; "))
    return 1 if job.n_skipped else 0


def settings_of(args: argparse.Namespace, model: str) -> "Settings":
    """Whatever changes the documents: a run is resumed only with the same settings."""
    from importlib.metadata import version

    return {
        "command": args.command,
        "model": model,
        "beam": args.beam,
        "relations": getattr(args, "relations", "class"),
        "signals": "yes" if getattr(args, "signals", False) else "no",
        "EDU texts": "yes" if args.edu_texts else "no",
        "edus": args.edus or "as given",
        "level": args.level,
        "rhetree": version("rhetree"),
    }


@contextmanager
def _ended_by_interrupts() -> Iterator[None]:
    """Let Ctrl-C end the process at once: some libraries pass over ``KeyboardInterrupt`` while they are imported."""
    from rhetree.jobs.interrupts import hears_interrupts

    def leave(*_: object) -> None:
        say("interrupted")
        os._exit(130)

    if not hears_interrupts():
        yield
        return
    signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _say_skipped(error: RhetreeError) -> None:
    say(f"skipped: {with_option(error)}")
