"""Records through some work into a sink, without any command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rhetree.domain.document import Document
from rhetree.domain.span import Span
from rhetree.errors import ArgumentError, FileError, ModelError, RhetreeError
from rhetree.jobs.job import Job
from rhetree.jobs.places import FreePaths, names_folder
from rhetree.jobs.records import record_of
from rhetree.jobs.sinks import open_sink
from rhetree.jobs.sources import Records, find_sources, text_sources
from rhetree.jobs.work import Task, Worker
from support.fake_model import fake_parser

TEXTS = ["It rained.", "He left because it rained.", "Good."]


def work(portions):
    return Worker(Task(), fake_parser())(portions)


def run(records, path, **options):
    job = Job(records, work, open_sink(path, "jsonl", **options))
    return job, [done.document.name for done in job.run()]


def names_in(path):
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_texts_become_documents_in_a_file(tmp_path):
    job, names = run(Records(text_sources(TEXTS)), tmp_path / "out.jsonl")
    assert names == names_in(tmp_path / "out.jsonl") == ["text-1", "text-2", "text-3"]
    assert (job.n_documents, job.n_sentences, job.n_skipped) == (3, 3, 0)
    assert job.resumable


def test_a_bad_record_stops_the_job_after_what_came_before(tmp_path):
    records = list(Records(text_sources(TEXTS)))
    records.insert(1, FileError("broken", "in.txt", 7))
    with pytest.raises(FileError, match="in.txt:7: broken"):
        run(records, tmp_path / "out.jsonl")
    assert names_in(tmp_path / "out.jsonl") == ["text-1"]


def test_a_bad_record_is_left_out_if_someone_is_told(tmp_path):
    records = list(Records(text_sources(TEXTS)))
    records.insert(1, FileError("broken", "in.txt", 7))
    told: list[Exception] = []
    job = Job(records, work, open_sink(tmp_path / "out.jsonl", "jsonl"), on_bad_record=told.append)
    assert len(list(job.run())) == 3
    assert (job.n_skipped, [str(error) for error in told]) == (1, ["in.txt:7: broken"])


def test_a_document_that_cannot_be_worked_on_takes_no_other_with_it(tmp_path):
    odd = replace(Document.from_sentences([["It", "rained", "."]], "odd"), sentences=())
    records = list(Records(text_sources(TEXTS)))
    records.insert(1, record_of(odd))
    told: list[Exception] = []
    job = Job(records, work, open_sink(tmp_path / "out.jsonl", "jsonl"), on_bad_record=told.append)
    assert [done.document.name for done in job.run()] == ["text-1", "text-2", "text-3"]
    assert (job.n_skipped, [str(error) for error in told]) == (
        1,
        ["-: odd has no sentences; they are needed to find EDUs and trees"],
    )
    with pytest.raises(FileError, match="odd has no sentences"):
        run(records, tmp_path / "stopped.jsonl")
    assert names_in(tmp_path / "stopped.jsonl") == ["text-1"]


@pytest.mark.parametrize("n_done", [1, 2, 3])
def test_a_run_that_left_a_document_out_is_resumed_and_tells_of_it_again(n_done, tmp_path):
    odd = replace(Document.from_sentences([["It", "rained", "."]], "odd"), sentences=())
    records = list(Records(text_sources(TEXTS)))
    records.insert(1, record_of(odd))
    told: list[str] = []

    def start(if_exists):
        sink = open_sink(tmp_path / "out.jsonl", "jsonl", if_exists=if_exists)
        return Job(records, work, sink, on_bad_record=lambda error: told.append(str(error)))

    first = start("refuse").run()
    for _ in range(n_done):
        next(first)
    first.close()
    job = start("resume")
    names = [done.document.name for done in job.run()]
    assert names_in(tmp_path / "out.jsonl") == ["text-1", "text-2", "text-3"]
    assert (job.n_earlier, len(names), job.n_skipped) == (n_done, 3 - n_done, 1)
    assert told[-1] == "-: odd has no sentences; they are needed to find EDUs and trees"
    records[1] = record_of(replace(odd, name="other"))
    with pytest.raises(FileError, match="'other' was made of another input"):
        list(start("resume").run())


def test_a_model_that_cannot_do_the_work_is_no_fault_of_the_records(tmp_path):
    def segment_only(portions):
        return Worker(Task(), fake_parser("segment"))(portions)

    told: list[Exception] = []
    sink = open_sink(tmp_path / "out.jsonl", "jsonl")
    job = Job(Records(text_sources(TEXTS)), segment_only, sink, on_bad_record=told.append)
    with pytest.raises(ModelError, match="this model cannot parse"):
        list(job.run())
    assert told == []


def test_kept_and_found_edus_may_be_in_one_portion():
    kept = replace(Document.from_sentences([["It", "rained", "."]], "kept"), edus=(Span(0, 1), Span(1, 3)))
    found = Document(name="found", text="It rained.")
    (worked,) = work([[(kept, "gold"), (found, "auto"), (kept, "gold"), (kept, "auto")]])
    assert [document.name for document in worked.results] == ["kept", "found", "kept", "kept"]
    assert [document.edus == kept.edus for document in worked.results] == [True, False, True, False]


def test_a_job_that_is_left_early_keeps_what_is_done_and_can_be_resumed(tmp_path):
    path = tmp_path / "out.jsonl"
    results = Job(Records(text_sources(TEXTS)), work, open_sink(path, "jsonl")).run()
    next(results)
    results.close()
    assert names_in(path) == ["text-1"]
    job, names = run(Records(text_sources(TEXTS)), path, if_exists="resume")
    assert (job.n_earlier, names) == (1, ["text-2", "text-3"])
    assert names_in(path) == ["text-1", "text-2", "text-3"]


def test_a_file_that_is_written_whole_is_not_there_if_the_job_is_left_early(tmp_path):
    sink = open_sink(tmp_path / "out.edus", "edus")
    results = Job(Records(text_sources(TEXTS)), work, sink).run()
    next(results)
    results.close()
    assert list(tmp_path.iterdir()) == []


def test_documents_of_the_same_name_get_files_of_their_own(tmp_path):
    documents = [fake_parser().parse(text, "same") for text in TEXTS]
    with open_sink(tmp_path / "out", "json") as sink:
        for record in map(record_of, documents):
            assert not sink.has(record)
            sink.write(record.document, record)
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*")) == [
        "same-2.json",
        "same-3.json",
        "same.json",
    ]


def test_an_output_that_exists_is_refused_before_any_work(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(ArgumentError, match="exists already; resume the run that wrote it"):
        open_sink(path, "jsonl")
    with pytest.raises(RhetreeError, match="standard output cannot be resumed"):
        open_sink(Path("-"), "jsonl", if_exists="resume")
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_file_of_an_unknown_kind_asks_for_the_argument_that_says_it(tmp_path):
    (tmp_path / "a.tex").write_text("Good.", encoding="utf-8")
    with pytest.raises(ArgumentError, match="say what it holds") as caught:
        find_sources(tmp_path / "a.tex")
    assert caught.value.argument == "kind"
    (source,) = find_sources(tmp_path / "a.tex", "txt")
    (record,) = Records([source])
    assert (record.document.name, record.document.text) == ("a", "Good.")


def test_a_folder_is_what_is_one_or_has_no_ending(tmp_path):
    (tmp_path / "dotted.d").mkdir()
    assert names_folder(tmp_path / "dotted.d")
    assert names_folder(tmp_path / "new")
    assert not names_folder(tmp_path / "new.json")
    assert not names_folder(Path("-"))
    assert not names_folder(Path("/dev/null"))


def test_free_paths_are_numbered_from_the_second_on(tmp_path):
    free = FreePaths()
    found = [free.free(tmp_path / name).name for name in ("a", "a", "b", "a", "a-2")]
    assert found == ["a", "a-2", "b", "a-3", "a-2-2"]


def test_each_of_many_equal_names_is_tried_once(tmp_path, monkeypatch):
    free, n_tries = FreePaths(), 0
    take = free.take

    def counted(path):
        nonlocal n_tries
        n_tries += 1
        return take(path)

    monkeypatch.setattr(free, "take", counted)
    names = [free.free(tmp_path / "a").name for _ in range(100)]
    assert names[-1] == "a-100"
    assert n_tries < 300
