"""What ``rhetree parse --engine ray`` and ``rhetree segment --engine ray`` do: run a model on a cluster."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from rhetree.cli.options import naming_options, say
from rhetree.cli.progress import Pace, ProgressBar
from rhetree.cli.text_arguments import choose_sources
from rhetree.cli.text_commands import settings_of
from rhetree.errors import FileError, RhetreeError, counted

if TYPE_CHECKING:
    from rhetree.jobs.sinks import IfExists
    from rhetree.scale.engine import ClusterJob
    from rhetree.scale.manifest import Facts, ShardFormat
    from rhetree.scale.shards import ShardTask

_FORMATS = ("jsonl", "parquet")


def run_on_cluster(args: argparse.Namespace, *, parses: bool) -> int:
    """Read, parse or segment, and write shards, on the machines of a cluster."""
    _check(args)
    with naming_options():
        from rhetree.scale.cluster import connected
        from rhetree.scale.engine import ClusterJob
        from rhetree.scale.plan import SHARD_SIZE

        sources = choose_sources(args)
        job = _shard_task(args, parses=parses)
        if_exists: IfExists = "resume" if args.resume else "replace" if args.overwrite else "refuse"
        cluster_job = ClusterJob(
            sources,
            job,
            settings_of(args, job.identity),
            edus=args.edus,
            shard_size=args.shard_size or SHARD_SIZE,
            n_workers=args.workers,
            if_exists=if_exists,
        )
        sizes = [source.n_bytes for source in sources]
        pace = Pace(None if None in sizes else sum(size or 0 for size in sizes))
        with connected(args.address, args.workers):
            return _run(args, cluster_job, pace)


def _check(args: argparse.Namespace) -> None:
    """Raise :class:`RhetreeError` for options that this engine has not."""
    if args.output is None:
        raise RhetreeError("--engine ray writes shards into a folder; name it with -o")
    if args.output_url is None and args.output.is_file():
        raise RhetreeError(f"-o {args.output}: a file; --engine ray writes shards into a folder")
    if args.format not in (*_FORMATS, None):
        raise RhetreeError(f"--engine ray writes jsonl or parquet, not {args.format}")
    if args.edu_texts and args.format == "parquet":
        raise RhetreeError("--edu-texts is for json and jsonl, not for parquet")
    if args.resume and args.overwrite:
        raise RhetreeError("--resume keeps what is there, --overwrite replaces it; choose one")
    if args.threads is not None:
        raise RhetreeError(
            "--threads is for --engine local; each worker of a cluster has one thread, add --workers"
        )


def _shard_task(args: argparse.Namespace, *, parses: bool) -> "ShardTask":
    from rhetree.jobs.work import Task
    from rhetree.runtime.installed import find_model
    from rhetree.scale.shards import ShardTask
    from rhetree.scale.storage import Storage

    format: ShardFormat = "parquet" if args.format == "parquet" else "jsonl"
    if format == "parquet":
        from rhetree.jobs.tables import check_parquet

        check_parquet()
    # The folder of a model is looked for from here, not from where a worker happens to be.
    model, document_model = (
        name and str(find_model(name).absolute()) for name in (args.model, args.document_model)
    )
    task = Task(
        model=model,
        parses=parses,
        threads=1,
        beam=args.beam,
        batch_cost=args.batch_cost,
        device=args.device,
        level=args.level,
        document_model=document_model,
        relations=args.relations if parses else "class",
        signals=parses and args.signals,
    )
    return ShardTask(
        task=task,
        identity=task.identify_model(),
        storage=Storage(args.output_url or str(args.output)),
        format=format,
        edu_texts=args.edu_texts,
    )


def _run(args: argparse.Namespace, job: "ClusterJob", pace: Pace) -> int:
    n_shards = n_documents = n_sentences = n_bytes = n_earlier_bytes = 0
    with ProgressBar(pace, enabled=True) as bar, closing(job.run()) as shards:
        try:
            for facts in shards:
                _say_aside(facts, stops=args.on_error == "stop")
                n_shards += 1
                n_bytes += facts.input_bytes
                if n_shards <= job.n_earlier:
                    n_earlier_bytes = n_bytes
                else:
                    n_documents += facts.documents
                    n_sentences += facts.sentences
                    pace.advance(facts.sentences, n_bytes, n_earlier_bytes)
                bar.update()
        except KeyboardInterrupt:
            say(f"{counted(n_shards, 'shard')} done; --resume goes on from here")
            raise
    n_aside = job.manifest["aside"]
    done = f"{counted(n_documents, 'document')}, {counted(n_sentences, 'sentence')}"
    new = f"{counted(n_shards - job.n_earlier, 'shard')} in {args.output_url or args.output}"
    there = f", {job.n_earlier} were there already" if job.n_earlier else ""
    aside = f"; put {counted(n_aside, 'record')} aside (aside.jsonl)" if n_aside else ""
    say(f"{done} ({pace.speed} sentences a second) into {new}{there}{aside}")
    return 1 if n_aside else 0


def _say_aside(facts: "Facts", *, stops: bool) -> None:
    for aside in facts.aside:
        error = FileError(aside.reason, aside.file, aside.line) if aside.file else RhetreeError(aside.reason)
        if stops:
            raise error
        say(f"put aside: {error}")
